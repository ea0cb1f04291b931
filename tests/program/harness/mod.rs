//! What the tests share: the programs under test, how to run them, assertions about a run, and the test runner.

mod build;
mod combinations;
mod folder;
mod mpi;
mod outcome;
mod processes;
mod puzzles;
mod report;
mod run;
mod runner;
mod schema;
mod table;

pub use build::{Build, program_path};
pub use combinations::{each_choice, each_pair, libraries, of_current_library, pairwise};
pub use folder::{Folder, names};
pub use mpi::{Mpi, OPEN_MPI_HERE, other_mpi};
pub use outcome::Outcome;
pub use processes::{Job, Process};
pub use puzzles::{EMPTY4, INKALA20, SCHEDULES, empty9, golden, half_filled, nodes_of_shape};
pub use report::{SCHEMA, faults, read_json, read_report};
pub use run::{Run, census, program, script, shell};
pub use runner::{run, skip};
pub use rustix::process::Signal;
pub(crate) use table::test;
pub use table::{ALONE, Body, EVERY_LIBRARY, EVERYWHERE, ONCE, ONE_LIBRARY, OPEN_MPI, Scope, Test, rank_counts};
