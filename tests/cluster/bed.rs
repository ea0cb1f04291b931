//! The cluster that the tests run on.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::OnceLock;

use crate::common::{Mpi, Run};

/// The script that makes hosts.
pub const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/cluster");
/// The hosts, with room for one rank each.
pub const HOSTS: [&str; 4] = ["node1", "node2", "node3", "node4"];
/// The script's exit code where such hosts, or Slurm on them, cannot be had.
const NOT_HERE: i32 = 4;

/// What a test needs beside hosts.
#[derive(Clone, Copy)]
pub enum Need {
    /// Slurm.
    Slurm,
}

/// A cluster that is up.
pub struct Bed {
    name: String,
}

static BED: OnceLock<Result<Bed, String>> = OnceLock::new();
static SLURM: OnceLock<Result<(), String>> = OnceLock::new();

/// The cluster, or the reason why there is none that has all this.
pub fn with(needs: &[Need]) -> Result<&'static Bed, String> {
    let bed = BED.get_or_init(Bed::up).as_ref().map_err(String::clone)?;
    for need in needs {
        match need {
            Need::Slurm => SLURM.get_or_init(|| bed.start(&["slurm", "up"])).clone()?,
        }
    }
    Ok(bed)
}

/// Ends the cluster, and with it all that is left on it.
pub fn down() {
    if let Some(Ok(bed)) = BED.get() {
        bed.script(["down"]);
    }
}

impl Bed {
    fn up() -> Result<Bed, String> {
        end_forgotten();
        let bed = Bed { name: format!("test-{}", std::process::id()) };
        bed.start(&["up", &HOSTS.len().to_string()]).map(|()| bed)
    }

    /// A command that makes something, or says that it cannot be had here.
    fn start(&self, command: &[&str]) -> Result<(), String> {
        let output = self.command(command).output().expect("bash runs");
        let words = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        match output.status.code() {
            Some(0) => Ok(()),
            Some(NOT_HERE) => Err(words),
            code => panic!("scripts/cluster {command:?} ends with {code:?}: {words}"),
        }
    }

    /// `scripts/cluster` with these arguments, done.
    #[track_caller]
    pub fn script<S: AsRef<str>>(&self, arguments: impl IntoIterator<Item = S>) -> String {
        let arguments: Vec<String> = arguments.into_iter().map(|word| word.as_ref().to_owned()).collect();
        let Output { status, stdout, stderr } = self.command(&arguments).output().expect("bash runs");
        assert!(status.success(), "scripts/cluster {arguments:?}: {status}, {}", String::from_utf8_lossy(&stderr));
        String::from_utf8_lossy(&stdout).trim().to_owned()
    }

    /// `scripts/cluster` with these arguments, for later.
    pub fn command<S: AsRef<str>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(SCRIPT);
        command
            .args(arguments.iter().map(AsRef::as_ref))
            .env("CLUSTER", &self.name)
            .env("SLOTS", "1")
            .env("MPI", Mpi::chosen().name());
        command
    }

    /// The run on these hosts, under `mpirun` on the first of them.
    pub fn on_hosts(&self, ranks: usize, run: Run) -> Run {
        self.at(run.through([SCRIPT, "run", "-n", &ranks.to_string()]))
    }

    /// The run as the last arguments of a command on the first host.
    pub fn on_first(&self, command: &[&str], run: Run) -> Run {
        self.at(run.through([SCRIPT, "exec", HOSTS[0]].iter().chain(command)))
    }

    fn at(&self, run: Run) -> Run {
        run.env("CLUSTER", &self.name).env("MPI", Mpi::chosen().name()).within(60)
    }

    /// The hosts' names for this library, as a file.
    pub fn hostfile(&self) -> String {
        self.script(["hostfile"])
    }
}

/// Ends the clusters of test runs that were killed themselves.
fn end_forgotten() {
    let Ok(clusters) = fs::read_dir("/run/census-cluster") else { return };
    for name in clusters.filter_map(|entry| entry.ok()?.file_name().into_string().ok()) {
        if let Some(process) = name.strip_prefix("test-")
            && !Path::new("/proc").join(process).exists()
        {
            let _ = Command::new(SCRIPT).arg("down").env("CLUSTER", &name).status();
        }
    }
}
