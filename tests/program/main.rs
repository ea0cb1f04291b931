//! The program, from outside: every command, alone and under a real `mpirun`, on hosts, under Slurm and in a browser.
//!
//! The tests do not link what they test: they start the programs that `scripts/test` has built, without MPI, for Open MPI and for
//! MPICH (`harness/build.rs`). A covering set of builds and combinations is the default; `scripts/test --all` tries them all.

mod cluster;
mod collections;
mod commands;
mod errors;
mod faults;
mod harness;
mod jobs;
mod journal;
mod list;
mod methods;
mod output;
mod page;
mod plan;
mod ranks;
mod report;
mod schedules;
mod schema;
mod stops;
mod sweep;
mod verify;

use std::process::ExitCode;

fn main() -> ExitCode {
    harness::run()
}
