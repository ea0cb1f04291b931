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
            if commands::may_speak() {
                let _ = error.print();
            } else if error.use_stderr() {
                commands::let_the_first_speak();
            }
            ExitCode::from(error.exit_code() as u8)
        }
    }
}
