//! What ends a job before it is complete.

use std::io;

use super::stop::StopReason;
use crate::cluster::journal::JournalError;
use crate::count::{DoesNotApply, PoolTooLarge};

#[derive(Debug, thiserror::Error)]
pub enum JobError {
    #[error(
        "{launcher} started {started} processes, but MPI sees {seen}: each process would run alone and count everything. This program \
         was built for another MPI library, or without MPI. Start it with the launcher of its own library, or build it for this one"
    )]
    WrongLauncher { launcher: &'static str, started: usize, seen: usize },
    #[error("--expect-ranks is {expected}, but there are {seen} ranks")]
    UnexpectedRanks { expected: usize, seen: usize },
    #[error(
        "rank {rank} on {host} runs another build of census: {theirs}; rank 0 runs {ours}. Copy the same program to all hosts, or build \
         the same sources there"
    )]
    OtherProgram { rank: usize, host: String, theirs: String, ours: String },
    #[error(
        "rank {rank} on {host} was started with other arguments than rank 0: {theirs} instead of {ours}. Start all ranks with the \
         same arguments"
    )]
    OtherArguments { rank: usize, host: String, theirs: String, ours: String },
    #[error("rank {rank}: invalid handshake. It runs another program, or another version of census")]
    HandshakeMismatch { rank: usize },
    #[error("MPI could not be started with support for threads (MPI_THREAD_FUNNELED)")]
    NoMpi,
    #[error(transparent)]
    Method(#[from] DoesNotApply),
    #[error(transparent)]
    Pool(#[from] PoolTooLarge),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(
        "--units keeps the solutions of at most {most} units, but the pool has {units}: use a smaller --depth, or a --journal, which \
         census verify also reads"
    )]
    ManyUnits { units: usize, most: usize },
    /// The report or journal that is to be verified contradicts itself, or belongs to another puzzle.
    #[error("{0}")]
    Claim(String),
    /// Ranks contradict each other: an error of the program.
    #[error("internal error: {0}")]
    Protocol(String),
    #[error("{0}")]
    Stopped(StopReason),
    #[error("{0}")]
    Output(#[from] io::Error),
}

impl JobError {
    pub(crate) fn exit_code(&self) -> u8 {
        if matches!(self, JobError::OtherArguments { .. }) { 2 } else { 3 }
    }
}
