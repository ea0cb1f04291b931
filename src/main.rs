//! The program `census`: parse, join the cluster, run the command, leave with its exit code.

use std::process::ExitCode;

use census::cli::Cli;
use census::{cluster, commands};
use clap::Parser;

fn main() -> ExitCode {
    cluster::end_job_on_panic();
    match Cli::try_parse() {
        Ok(cli) => commands::run(&cli).into(),
        Err(error) => {
            cluster::Cluster::agree();
            if !commands::may_speak() {
                return ExitCode::SUCCESS; // the first rank finds the same, and says so
            }
            let _ = error.print();
            ExitCode::from(error.exit_code() as u8)
        }
    }
}
