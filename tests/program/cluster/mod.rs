//! Ranks on several virtual hosts with names, addresses and TCP (`scripts/cluster`): links that are cut, ranks, daemons and
//! launchers that are killed, and jobs under Slurm.
//!
//! If the machine does not permit such hosts, or has no Slurm, these tests are skipped, with the reason. The tests without Slurm share
//! one cluster, those with Slurm another; both are removed at the end.

mod counts;
mod faults;
mod restarts;
mod slurm;
mod sweeps;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::OnceLock;

use crate::harness::{Build, Mpi, Run};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/cluster");
/// Hosts with one slot each
const HOSTS: [&str; 4] = ["node1", "node2", "node3", "node4"];
/// The script's exit code if this machine does not permit such hosts, or has no Slurm.
const UNAVAILABLE: i32 = 4;

/// A running cluster
pub struct Hosts {
    cluster: String,
}

static PLAIN: OnceLock<Result<Hosts, String>> = OnceLock::new();
static WITH_SLURM: OnceLock<Result<Hosts, String>> = OnceLock::new();

/// The cluster, or the reason why there is none.
pub fn hosts() -> Result<&'static Hosts, String> {
    PLAIN.get_or_init(|| Hosts::up("")).as_ref().map_err(String::clone)
}

/// The cluster with Slurm, or the reason why there is none.
pub fn hosts_with_slurm() -> Result<&'static Hosts, String> {
    let up = || Hosts::up("-slurm").and_then(|hosts| hosts.start(&["slurm", "up"]).map(|()| hosts));
    WITH_SLURM.get_or_init(up).as_ref().map_err(String::clone)
}

/// Removes the clusters, with all their processes.
pub fn down() {
    for hosts in [&PLAIN, &WITH_SLURM].into_iter().filter_map(|cluster| cluster.get()?.as_ref().ok()) {
        let ended = Command::new(SCRIPT).arg("down").env("CLUSTER", &hosts.cluster).status();
        assert!(ended.is_ok_and(|status| status.success()), "scripts/cluster down fails");
    }
}

impl Hosts {
    fn up(suffix: &str) -> Result<Hosts, String> {
        remove_orphans();
        let hosts = Hosts { cluster: format!("test-{}{suffix}", std::process::id()) };
        hosts.start(&["up", &HOSTS.len().to_string()]).map(|()| hosts)
    }

    /// Runs a command that starts something. The error is the reason why this machine cannot.
    fn start(&self, command: &[&str]) -> Result<(), String> {
        let output = self.command(command).output().expect("bash runs");
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        match output.status.code() {
            Some(0) => Ok(()),
            Some(UNAVAILABLE) => Err(message),
            code => panic!("scripts/cluster {command:?} ends with {code:?}: {message}"),
        }
    }

    /// Runs `scripts/cluster`, which must succeed; returns its standard output.
    #[track_caller]
    pub fn script<S: AsRef<str>>(&self, arguments: impl IntoIterator<Item = S>) -> String {
        let arguments: Vec<String> = arguments.into_iter().map(|word| word.as_ref().to_owned()).collect();
        let Output { status, stdout, stderr } = self.command(&arguments).output().expect("bash runs");
        assert!(status.success(), "scripts/cluster {arguments:?}: {status}, {}", String::from_utf8_lossy(&stderr));
        String::from_utf8_lossy(&stdout).trim().to_owned()
    }

    /// The command `scripts/cluster` with these arguments.
    pub fn command<S: AsRef<str>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(SCRIPT);
        command
            .args(arguments.iter().map(AsRef::as_ref))
            .env("CLUSTER", &self.cluster)
            .env("SLOTS", "1")
            .env("MPI", library());
        command
    }

    /// The run on these hosts, under `mpirun` on the first of them.
    pub fn on_hosts(&self, ranks: usize, run: Run) -> Run {
        self.at(run.through([SCRIPT, "run", "-n", &ranks.to_string()]))
    }

    /// The run on the first host, as the last arguments of a command.
    pub fn on_first(&self, command: &[&str], run: Run) -> Run {
        self.at(run.through([SCRIPT, "exec", HOSTS[0]].iter().chain(command)))
    }

    fn at(&self, run: Run) -> Run {
        run.env("CLUSTER", &self.cluster).env("MPI", library()).within(60)
    }

    /// The path of the hostfile for this library.
    pub fn hostfile(&self) -> String {
        self.script(["hostfile"])
    }
}

/// The library of the current build by its name in the scripts. Without MPI, the name does not matter.
fn library() -> &'static str {
    Build::current().library().map_or("openmpi", Mpi::name)
}

/// Removes the clusters of test runs that were killed.
fn remove_orphans() {
    let Ok(clusters) = fs::read_dir("/run/census-cluster") else { return };
    for name in clusters.filter_map(|entry| entry.ok()?.file_name().into_string().ok()) {
        if let Some(process) = name.strip_prefix("test-").map(|process| process.trim_end_matches("-slurm"))
            && !Path::new("/proc").join(process).exists()
        {
            let _ = Command::new(SCRIPT).arg("down").env("CLUSTER", &name).status();
        }
    }
}
