//! The program `census`: parse, join the cluster, run the command, leave with its exit code.

use std::process::ExitCode;

use census::cli::Cli;
use census::{cluster, commands};
use clap::Parser;

fn main() -> ExitCode {
    cluster::end_job_on_panic();
    let exit = match Cli::try_parse() {
        Ok(cli) => commands::run(&cli),
        Err(error) => commands::agreed_exit(|| {
            let _ = error.print();
            error.exit_code() as u8
        }),
    };
    exit.into()
}
