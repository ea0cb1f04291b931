//! What ends a job before it is done, in words.

use std::io;

use crate::count::{DoesNotApply, PoolTooLarge};

use super::journal::JournalError;
use super::stop::StopReason;

/// What ends a job before it is done.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The launcher and MPI do not belong together.
    #[error(
        "{launcher} started {started} processes, but MPI sees {seen}: \
         this census was built for another MPI library (or without MPI) than the one that started it"
    )]
    WrongLauncher {
        /// The launcher.
        launcher: &'static str,
        /// The processes it says it started.
        started: usize,
        /// The ranks that MPI sees.
        seen: usize,
    },
    /// Not as many ranks as the user expects.
    #[error("--expect-ranks says {expected}, but there are {seen}")]
    UnexpectedRanks {
        /// The ranks expected.
        expected: usize,
        /// The ranks that there are.
        seen: usize,
    },
    /// A rank is another build of the program.
    #[error(
        "rank {rank} on {host} is another census: {theirs}, and rank 0 is {ours}. \
         All hosts need the same program; build it anew or copy it there"
    )]
    OtherProgram {
        /// The rank.
        rank: usize,
        /// Its host.
        host: String,
        /// Its version and sources.
        theirs: String,
        /// Those of rank 0.
        ours: String,
    },
    /// A rank was started with other arguments.
    #[error(
        "rank {rank} on {host} was started with other arguments than rank 0: {theirs} instead of {ours}. \
         Only those of rank 0 would count"
    )]
    OtherArguments {
        /// The rank.
        rank: usize,
        /// Its host.
        host: String,
        /// Its arguments.
        theirs: String,
        /// Those of rank 0.
        ours: String,
    },
    /// A rank does not say who it is.
    #[error("rank {rank} does not introduce itself as a census should: is it another program, or another version?")]
    Stranger {
        /// The rank.
        rank: usize,
    },
    /// MPI could not be started.
    #[error("MPI could not be started with support for threads (MPI_THREAD_FUNNELED)")]
    NoMpi,
    /// The method asked for is not for this shape.
    #[error(transparent)]
    Method(#[from] DoesNotApply),
    /// The depth asked for gives a pool that does not fit.
    #[error(transparent)]
    Pool(#[from] PoolTooLarge),
    /// A journal cannot be kept or taken up.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The pool has more units than a report keeps.
    #[error(
        "--units keeps up to {most} units, and this pool has {units}: take a smaller --depth, or keep a --journal, which \
         census verify reads, too"
    )]
    ManyUnits {
        /// The units of the pool.
        units: usize,
        /// The most that are kept.
        most: usize,
    },
    /// What is to be verified contradicts itself, or is of something else.
    #[error("{0}")]
    Claim(String),
    /// What ranks told each other does not fit together: an error of the program.
    #[error("the ranks do not agree: {0}")]
    Protocol(String),
    /// The run was stopped, and there is nothing to show for it.
    #[error("{0}")]
    Stopped(StopReason),
    /// Output could not be written.
    #[error("{0}")]
    Output(#[from] io::Error),
}
