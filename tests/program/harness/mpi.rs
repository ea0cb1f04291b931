//! The differences between the two MPI libraries.

use std::env;
use std::path::Path;
use std::process::Command;
use std::sync::{Condvar, Mutex, PoisonError};

use super::build::Build;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mpi {
    Open,
    Mpich,
}

/// Open MPI as root in a container, over shared memory, without probing networks
pub const OPEN_MPI_HERE: [(&str, &str); 5] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_pml", "ob1"),
    ("OMPI_MCA_btl", "self,vader"),
    ("OMPI_MCA_btl_vader_single_copy_mechanism", "none"),
];

impl Mpi {
    /// The library of the current build.
    pub fn current() -> Mpi {
        Build::current().library().expect("a test that starts ranks runs with a library")
    }

    /// The name in the scripts.
    pub fn name(self) -> &'static str {
        match self {
            Mpi::Open => "openmpi",
            Mpi::Mpich => "mpich",
        }
    }

    /// The launcher's unambiguous name; if both libraries are installed, `mpirun` may be either.
    fn own_launcher(self) -> &'static str {
        match self {
            Mpi::Open => "mpirun.openmpi",
            Mpi::Mpich => "mpirun.mpich",
        }
    }

    /// The environment variable with the rank.
    pub fn rank_variable(self) -> &'static str {
        match self {
            Mpi::Open => "OMPI_COMM_WORLD_RANK",
            Mpi::Mpich => "PMI_RANK",
        }
    }

    /// The launcher's command line, without the program.
    pub(super) fn launch(self, ranks: usize) -> Command {
        let own = self.own_launcher();
        let mut command = Command::new(if installed(own) { own } else { "mpirun" });
        command.args(["-n", &ranks.to_string()]);
        if self == Mpi::Open {
            command.args(["--oversubscribe", "--bind-to", "none"]);
            command.envs(OPEN_MPI_HERE);
        }
        command
    }
}

/// The library that is not the current one, if its launcher is installed.
pub fn other_mpi() -> Option<Mpi> {
    let other = if Mpi::current() == Mpi::Open { Mpi::Mpich } else { Mpi::Open };
    installed(other.own_launcher()).then_some(other)
}

fn installed(program: &str) -> bool {
    env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|folder| is_file(&folder.join(program))))
}

fn is_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file())
}

/// Removes the environment variables of a launcher that has started the tests themselves.
pub(super) fn forget_launchers(command: &mut Command) {
    for (name, _) in env::vars_os() {
        let prefixes = ["OMPI_COMM_", "PMI_", "PMIX_", "SLURM_", "MV2_COMM_", "FLUX_", "JSM_"];
        if name.to_str().is_some_and(|name| prefixes.iter().any(|prefix| name.starts_with(prefix))) {
            command.env_remove(name);
        }
    }
}

/// The maximum of simultaneous jobs with several ranks
const SLOTS: usize = 4;
static TAKEN: Mutex<usize> = Mutex::new(0);
static FREED: Condvar = Condvar::new();

/// A permit to start ranks
pub(super) struct Slot;

/// Waits for a permit.
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
