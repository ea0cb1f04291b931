//! The two MPI libraries, as far as a test has to know them.

use std::env;
use std::path::Path;
use std::process::Command;
use std::sync::{Condvar, Mutex, PoisonError};

use super::build::Build;

/// An MPI library whose `mpirun` starts the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mpi {
    Open,
    Mpich,
}

impl Mpi {
    /// The library of the current build.
    pub fn current() -> Mpi {
        Build::current().library().expect("a test that starts ranks runs with a library")
    }

    /// The library as the scripts call it.
    pub fn name(self) -> &'static str {
        match self {
            Mpi::Open => "openmpi",
            Mpi::Mpich => "mpich",
        }
    }

    /// The launcher that can only be this library's; where both are installed, `mpirun` may be either's.
    fn own_launcher(self) -> &'static str {
        match self {
            Mpi::Open => "mpirun.openmpi",
            Mpi::Mpich => "mpirun.mpich",
        }
    }

    /// The variable in which its launcher tells a process its rank.
    pub fn rank_variable(self) -> &'static str {
        match self {
            Mpi::Open => "OMPI_COMM_WORLD_RANK",
            Mpi::Mpich => "PMI_RANK",
        }
    }

    /// The command up to the program that `ranks` processes shall run.
    pub(super) fn launch(self, ranks: usize) -> Command {
        let own = self.own_launcher();
        let mut command = Command::new(if installed(own) { own } else { "mpirun" });
        command.args(["-n", &ranks.to_string()]);
        if self == Mpi::Open {
            command.args(["--oversubscribe", "--bind-to", "none"]);
            // As root in a container, over shared memory, without looking for networks.
            command.envs([
                ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
                ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
                ("OMPI_MCA_pml", "ob1"),
                ("OMPI_MCA_btl", "self,vader"),
                ("OMPI_MCA_btl_vader_single_copy_mechanism", "none"),
            ]);
        }
        command
    }
}

/// The library that the current build is not for, where its launcher is installed too.
pub fn other_mpi() -> Option<Mpi> {
    let other = if Mpi::current() == Mpi::Open { Mpi::Mpich } else { Mpi::Open };
    installed(other.own_launcher()).then_some(other)
}

/// Whether a program is in the search path.
fn installed(program: &str) -> bool {
    env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|folder| is_file(&folder.join(program))))
}

fn is_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file())
}

/// Takes away what a launcher around the tests themselves may have put into the environment.
pub(super) fn forget_launchers(command: &mut Command) {
    for (name, _) in env::vars_os() {
        let prefixes = ["OMPI_COMM_", "PMI_", "PMIX_", "SLURM_", "MV2_COMM_", "FLUX_", "JSM_"];
        if name.to_str().is_some_and(|name| prefixes.iter().any(|prefix| name.starts_with(prefix))) {
            command.env_remove(name);
        }
    }
}

/// The most jobs of several ranks at a time.
const SLOTS: usize = 3;
static TAKEN: Mutex<usize> = Mutex::new(0);
static FREED: Condvar = Condvar::new();

/// The right to start ranks, as long as it is held.
pub(super) struct Slot;

/// Waits for the right to start ranks.
pub(super) fn slot() -> Slot {
    let taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
    *FREED.wait_while(taken, |taken| *taken >= SLOTS).unwrap_or_else(PoisonError::into_inner) += 1;
    Slot
}

impl Drop for Slot {
    fn drop(&mut self) {
        *TAKEN.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        FREED.notify_one();
    }
}
