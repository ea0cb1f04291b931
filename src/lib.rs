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
//! Data flow in one direction: file → `puzzle` → `count` expands a pool → `cluster` distributes it → `count` counts units →
//! `cluster` reduces tallies → `report`.

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
