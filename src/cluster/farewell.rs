//! How ranks leave where `MPI_Finalize` would not let them go.
//!
//! MPICH over UCX waits there until every peer has confirmed the last bytes that it was sent. A peer that is done waiting
//! itself no longer looks for bytes to confirm: it stands at the barrier of the launcher. So ranks on several hosts, which
//! talk over TCP, may wait for each other forever, and with eight of them mostly do (MPICH 4.0.2 with UCX 1.13.1). There, ranks
//! say goodbye to the launcher in their own words, and leave.

use std::env;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::FromRawFd;
use std::thread;
use std::time::Duration;

/// How long a launcher may take to answer. It may be held up, and takes a rank that leaves without an answer for lost; one that
/// is gone is noticed elsewhere.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);

/// Whether it is such a library, from its own description.
pub(super) fn is_needed(library: &str) -> bool {
    library.contains("MPICH") && library.contains("ch4:ucx")
}

/// Takes leave of the launcher, and ends this process at once: what runs at a normal exit would meet MPI in the middle.
/// Whoever calls it has met all others before.
pub(super) fn leave(code: u8) -> ! {
    end_in_any_case(code);
    // A launcher that is not told takes the rank for lost.
    if let Some(mut launcher) = launcher()
        && launcher.write_all(b"cmd=finalize\n").is_ok()
    {
        let _ = launcher.read(&mut [0; 256]);
    }
    signal_hook::low_level::exit(code.into())
}

/// Ends this process after a while, whatever the launcher makes of it. `MPI_Finalize` has no time limit: where a cable was pulled when
/// all was said, ranks would wait in it until TCP gives up, a quarter of an hour.
pub(super) fn end_in_any_case(code: u8) {
    let _ = io::stdout().flush();
    let _ = thread::Builder::new().spawn(move || {
        thread::sleep(ANSWER_WITHIN);
        signal_hook::low_level::exit(code.into())
    });
}

/// The socket by which hydra and Slurm talk to a rank, line by line (PMI-1).
fn launcher() -> Option<File> {
    let number = env::var("PMI_FD").ok()?.parse().ok().filter(|&number: &i32| number >= 0)?;
    // SAFETY: the launcher opened it for this process, and MPI, which also has it, is not called again: the process ends here.
    Some(unsafe { File::from_raw_fd(number) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_mpich_over_ucx_needs_it() {
        assert!(is_needed("MPICH Version:\t4.0.2\nMPICH Device:\tch4:ucx\n"));
        assert!(!is_needed("MPICH Version:\t4.2.0\nMPICH Device:\tch4:ofi\n"));
        assert!(!is_needed("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"));
    }
}
