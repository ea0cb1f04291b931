//! The program `census`.

use std::process::ExitCode;

use census::cli::{self, Cli};
use census::{atomic_file, cluster, commands};
use clap::Parser;

fn main() -> ExitCode {
    cluster::abort_job_on_panic();
    atomic_file::ignore_file_size_signal();
    let exit = match Cli::try_parse() {
        Ok(cli) => commands::run(&cli),
        Err(error) => commands::on_one_rank(|| {
            match cli::error::one_line(&error, &std::env::args_os().nth(1).unwrap_or_default().to_string_lossy()) {
                Some(line) => cluster::print_error(&line),
                None => _ = error.print(),
            }
            error.exit_code() as u8
        }),
    };
    cluster::exit_process(exit)
}

/// Runs before `main`: there, Rust has already replaced a closed standard output by `/dev/null`.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static CHECK_STDOUT: extern "C" fn() = {
    extern "C" fn check() {
        let closed = rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err();
        commands::STDOUT_CLOSED.store(closed, std::sync::atomic::Ordering::Relaxed);
    }
    check
};
