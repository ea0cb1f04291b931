//! The finalize workaround: how ranks exit where `MPI_Finalize` does not return.
//!
//! MPICH over UCX waits in `MPI_Finalize` until every peer has acknowledged its last bytes. A peer that has finished waiting no
//! longer polls for bytes to acknowledge: it stands in the launcher's barrier. So ranks on several hosts, which communicate over TCP,
//! may wait for each other for ever, and with eight of them mostly do (MPICH 4.0.2 with UCX 1.13.1). There, ranks report to
//! the launcher that they have finalized, and exit without `MPI_Finalize`.

use std::env;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::FromRawFd;
use std::thread;
use std::time::Duration;

/// The launcher may be held up, and takes a rank that exits without its answer for lost. The watchdog notices one that is gone.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Whether this library needs the workaround, by its own description.
pub(crate) fn needs_workaround(library: &str) -> bool {
    library.contains("MPICH") && library.contains("ch4:ucx")
}

/// Reports to the launcher and exits at once. All ranks have passed a barrier before.
pub(crate) fn exit(code: u8) -> ! {
    exit_after_timeout(code);
    if let Some(mut launcher) = launcher()
        && launcher.write_all(b"cmd=finalize\n").is_ok()
    {
        let _ = launcher.read(&mut [0; 256]);
    }
    signal_hook::low_level::exit(code.into())
}

/// Exits after a timeout. `MPI_Finalize` has none: where a host is cut off at the end of a job, ranks would wait in it until TCP
/// gives up, a quarter of an hour.
pub(crate) fn exit_after_timeout(code: u8) {
    let _ = io::stdout().flush();
    let _ = thread::Builder::new().spawn(move || {
        thread::sleep(TIMEOUT);
        signal_hook::low_level::exit(code.into())
    });
}

/// The socket on which Hydra and Slurm talk to a rank (PMI-1).
fn launcher() -> Option<File> {
    let number = env::var("PMI_FD").ok()?.parse().ok().filter(|&number: &i32| number >= 0)?;
    // SAFETY: the launcher opened it for this process. MPI also has it, but is not called again before the process ends.
    Some(unsafe { File::from_raw_fd(number) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_mpich_over_ucx_needs_the_workaround() {
        assert!(needs_workaround("MPICH Version:\t4.0.2\nMPICH Device:\tch4:ucx\n"));
        assert!(!needs_workaround("MPICH Version:\t4.2.0\nMPICH Device:\tch4:ofi\n"));
        assert!(!needs_workaround("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"));
    }
}
