//! The processes of one run, also orphans: those with its mark in their environment (`/proc`).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::build::program_path;
use super::mpi::Mpi;

/// The environment variable with the mark
pub(super) const MARK: &str = "CENSUS_TEST_RUN";

/// Processor time in ticks after which a rank that has finished its handshake is assumed to count, or to prepare the count
const BUSY: u64 = 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    pub id: u32,
    pub command: String,
}

impl Process {
    /// Limits its memory to this number of bytes more than it has now. Returns whether that was possible.
    pub fn limit_memory(&self, more: u64) -> bool {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id)).unwrap_or_default();
        let size = status.lines().find_map(|line| line.strip_prefix("VmSize:")?.trim().strip_suffix(" kB"));
        let Some(kilobytes) = size.and_then(|size| size.parse::<u64>().ok()) else { return false };
        let limit = format!("--as={}", (kilobytes << 10) + more);
        Command::new("prlimit").args(["--pid", &self.id.to_string(), &limit]).status().is_ok_and(|done| done.success())
    }

    /// Whether it has a handler for this signal, and so stops in order.
    pub fn catches(&self, signal: Signal) -> bool {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id)).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        caught
            .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
            .is_some_and(|mask| mask >> (signal.as_raw() - 1) & 1 == 1)
    }

    /// Its processor time in ticks of 1/100 s.
    fn ticks(&self) -> u64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.id)).unwrap_or_default();
        let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields).split(' ');
        fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
    }
}

/// The processes with one mark
pub struct Job {
    mark: String,
    stdout: PathBuf,
    stderr: PathBuf,
    /// The peak memory of each `census` in bytes, by PID.
    peaks: RefCell<BTreeMap<u32, u64>>,
}

impl Job {
    pub(super) fn new(mark: &str, stdout: &Path, stderr: &Path) -> Job {
        Job { mark: mark.into(), stdout: stdout.into(), stderr: stderr.into(), peaks: RefCell::default() }
    }

    /// Whether standard output contains this so far.
    pub fn said(&self, text: &str) -> bool {
        holds(&self.stdout, text)
    }

    /// Whether standard error contains this so far.
    pub fn noted(&self, text: &str) -> bool {
        holds(&self.stderr, text)
    }

    pub(super) fn mark(&self) -> &str {
        &self.mark
    }

    pub fn alive(&self) -> Vec<Process> {
        let is_marked = |id: &u32| has_variable(*id, MARK, &self.mark);
        let ids = fs::read_dir("/proc").expect("there is a /proc").filter_map(|entry| {
            let id: u32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
            is_marked(&id).then_some(id)
        });
        ids.map(|id| Process { id, command: command_line(id) }).collect()
    }

    /// The processes that run `census`, by its absolute or its relative path.
    pub fn ranks(&self) -> Vec<Process> {
        let program = program_path();
        let from_root = program.strip_prefix(concat!(env!("CARGO_MANIFEST_DIR"), "/")).unwrap_or(program);
        let is_rank = |command: &str| command.starts_with(program) || command.starts_with(from_root);
        self.alive().into_iter().filter(|process| is_rank(&process.command)).collect()
    }

    pub fn rank(&self, number: usize) -> Option<Process> {
        let variable = Mpi::current().rank_variable();
        self.ranks().into_iter().find(|rank| has_variable(rank.id, variable, &number.to_string()))
    }

    /// Waits until all have ended; returns those that are alive after the grace period.
    pub(super) fn left_after(&self, grace: Duration) -> Vec<Process> {
        let start = Instant::now();
        loop {
            let alive = self.alive();
            if alive.is_empty() || start.elapsed() > grace {
                return alive;
            }
            sleep(Duration::from_millis(20));
        }
    }

    pub fn kill(&self, processes: &[Process]) {
        self.signal(Signal::KILL, processes);
    }

    /// Processes that have ended are ignored.
    pub fn signal(&self, signal: Signal, processes: &[Process]) {
        for id in processes.iter().filter_map(|process| Pid::from_raw(process.id.try_into().ok()?)) {
            let _ = kill_process(id, signal);
        }
    }

    /// The ranks, once there are this many, all have finished their handshake (they handle signals from then on), and one has been
    /// busy for a moment.
    pub fn counting(&self, ranks: usize) -> Option<Vec<Process>> {
        let found = self.ranks();
        let ready = found.len() == ranks && found.iter().all(|rank| rank.catches(Signal::TERM));
        (ready && found.iter().any(|rank| rank.ticks() >= BUSY)).then_some(found)
    }

    /// Runs an action while the ranks are stopped (SIGSTOP), so that the count cannot end before.
    pub fn while_stopped<R>(&self, action: impl FnOnce() -> R) -> R {
        let ranks = self.ranks();
        self.signal(Signal::STOP, &ranks);
        let result = action();
        self.signal(Signal::CONT, &ranks);
        result
    }

    pub fn launcher(&self) -> Option<Process> {
        self.alive()
            .into_iter()
            .find(|process| process.command.contains("mpirun") || process.command.contains("mpiexec"))
    }

    pub(super) fn watch_memory(&self) {
        for rank in self.ranks() {
            let status = fs::read_to_string(format!("/proc/{}/status", rank.id)).unwrap_or_default();
            let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let kilobytes: Option<u64> = peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse().ok());
            if let Some(kilobytes) = kilobytes {
                self.peaks.borrow_mut().insert(rank.id, kilobytes << 10);
            }
        }
    }

    pub(super) fn peaks(&self) -> Vec<u64> {
        self.peaks.borrow().values().copied().collect()
    }
}

fn holds(path: &Path, text: &str) -> bool {
    fs::read(path).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(text))
}

/// Whether the environment of a process has this variable with this value.
fn has_variable(id: u32, name: &str, value: &str) -> bool {
    // A search of the text: this is done for every process, and splitting is ten times slower without optimisation.
    let wanted = format!("\0{name}={value}\0");
    fs::read(format!("/proc/{id}/environ"))
        .is_ok_and(|environment| format!("\0{}", String::from_utf8_lossy(&environment)).contains(&wanted))
}

fn command_line(id: u32) -> String {
    let bytes = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ")
}
