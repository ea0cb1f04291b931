//! Sudoku Census: counts, lists and checks **all** the solutions of Sudoku puzzles of any shape, on one core or on an MPI
//! cluster.
//!
//! # Layers
//!
//! Each layer uses only those above it.
//!
//! | layer | question | uses |
//! |---|---|---|
//! | [`puzzle`] | *what* is counted: shape, grid, formats, drawing | nothing else |
//! | [`count`] | *how one process* counts: methods, pools, tallies | `puzzle` |
//! | [`cluster`] | *how many processes* share the work; the only layer that names MPI | `puzzle`, `count` |
//! | [`report`] | *what a run reports*: JSON, efficiency, plans, sweeps, the page | all of the above |
//! | [`cli`], [`commands`] | every option; one file for each command | everything |
//!
//! `puzzle` and `count` are crates, so that the compiler checks what they use, and builds them once for all MPI libraries.
//! [`atomic_file`] writes the files of all layers, [`blocking`] guards writes to pipes that may not be read.
//!
//! # From a file to its report
//!
//! ```text
//!   commands/count/mod.rs run               options, the first batch of puzzles
//!   commands/batch_reader.rs                file → puzzle::Stream → recognised format → checked Puzzle
//!   commands/one_puzzle.rs OnePuzzle::of    whether the input has one puzzle
//!   commands/count/single.rs count_one      one puzzle; several are in commands/count/batch.rs
//!   cluster/jobs/count.rs count             expand a pool, scatter it, count its units (count::Method), reduce the tallies → Count
//!   report/run.rs RunReport::new            Count → RunReport
//!   commands/streams.rs write_report        RunReport → JSON (report/mod.rs), written by atomic_file
//! ```

pub mod atomic_file;
pub mod blocking;
pub mod cli;
pub mod cluster;
pub mod commands;
pub mod report;

#[doc(inline)]
pub use census_count as count;
#[doc(inline)]
pub use census_puzzle as puzzle;
