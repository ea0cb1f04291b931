//! Sudoku Census: counts, lists and checks **all** the solutions of Sudoku puzzles of any shape, on one core or on a
//! whole MPI cluster.
//!
//! # The map of this house
//!
//! | room | what it answers | what it may know |
//! |---|---|---|
//! | [`puzzle`] | *what* is counted: shape, grid, formats, drawing | nothing else |
//! | [`count`] | *how one process* counts: methods, pools, tallies | `puzzle` |
//! | [`cluster`] | *how many processes* share the work; the only room that names MPI | `puzzle`, `count` |
//! | [`report`] | *what runs say of themselves*: JSON, efficiency, plans, sweeps, the page | all of the above |
//! | [`cli`], [`commands`] | every option; what each command does with the rooms | everything |
//!
//! `puzzle` and `count` are crates, so that the compiler keeps them apart from the rest and builds them once, whichever MPI
//! library the rest is built for. [`atomic_file`] is how all of them write files, [`blocking`] how they write to what may not be read.
//!
//! Data walks one way: file → `puzzle` → `count` expands a pool → `cluster` shares it out → `count` counts units →
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
