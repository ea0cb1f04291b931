//! Black-box tests of the program: every command, without a launcher, under a real `mpirun`, on hosts, under Slurm and in a browser.
//!
//! They start the builds of `scripts/test`, without MPI, for Open MPI and for MPICH (`harness/build.rs`). The default is a covering
//! set of builds and combinations; `scripts/test --all` runs them all.

mod cluster;
mod collections;
mod commands;
mod docs;
mod errors;
mod faults;
mod harness;
mod help;
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
mod scripts;
mod stops;
mod sweep;
mod verify;

use std::process::ExitCode;

fn main() -> ExitCode {
    harness::run()
}
