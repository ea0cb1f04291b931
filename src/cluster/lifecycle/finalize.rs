//! The finalize workaround: how ranks exit where `MPI_Finalize` does not return.
//!
//! MPICH over UCX waits in `MPI_Finalize` until every peer has acknowledged its last bytes. A peer that has finished waiting no
//! longer polls for bytes to acknowledge: it stands in the launcher's barrier. So ranks on several hosts, which communicate over TCP,
//! may wait for each other for ever, and with eight of them mostly do (MPICH 4.0.2 with UCX 1.13.1). There, ranks report to
//! the launcher that they have finalized, and exit without `MPI_Finalize`.
//!
//! Open MPI unloads its components in `MPI_Finalize`, while one of its threads may still have to call them: that is a segmentation
//! fault in a job that is done (seen with 4.1.4 in one of some thousand starts on a busy machine). So components stay loaded.

use std::collections::BTreeSet;
use std::env;
use std::ffi::CString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::FromRawFd;
use std::time::Duration;

use crate::cluster::exit_after;

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
    exit_after(TIMEOUT, code);
}

/// Keeps the components of Open MPI, which are files `mca_FRAMEWORK_NAME.so`, loaded until the process ends.
pub(crate) fn keep_components_loaded() {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let paths = maps.lines().filter_map(|line| line.find('/').map(|start| &line[start..]));
    let components = paths.filter(|path| path.rsplit('/').next().is_some_and(|file| file.starts_with("mca_")));
    for path in components.collect::<BTreeSet<_>>().into_iter().filter_map(|path| CString::new(path).ok()) {
        // SAFETY: with RTLD_NOLOAD, this runs no code of the file: it only adds a reference to what is loaded.
        unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    }
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
