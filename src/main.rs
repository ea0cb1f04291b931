//! The program `census`: parse, join the cluster, run the command, leave with its exit code.

use std::process::ExitCode;

use census::cli::Cli;
use census::{atomic_file, cluster, commands};
use clap::Parser;

fn main() -> ExitCode {
    cluster::abort_job_on_panic();
    atomic_file::large_files_are_errors();
    let exit = match Cli::try_parse() {
        Ok(cli) => commands::run(&cli),
        Err(error) => commands::agreed_exit(|| {
            let _ = error.print();
            error.exit_code() as u8
        }),
    };
    cluster::exit_process(exit)
}

/// Rust opens `/dev/null` in place of a standard output that is closed, before `main`: only what runs before that can see it.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK_AT_STDOUT: extern "C" fn() = {
    extern "C" fn look() {
        let closed = rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err();
        commands::STDOUT_CLOSED.store(closed, std::sync::atomic::Ordering::Relaxed);
    }
    look
};
