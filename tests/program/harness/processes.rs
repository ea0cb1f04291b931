//! The processes of one run, found by the mark in their environment (`/proc`), whoever their parent is by now.

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

/// The variable that carries the mark.
pub(super) const MARK: &str = "CENSUS_TEST_RUN";

/// The processor time, in ticks, after which a rank that has met the others is taken to count, or to do what comes before that.
const BUSY: u64 = 20;

/// A process of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    pub id: u32,
    pub command: String,
}

impl Process {
    /// Allows it so many bytes of memory more than it has, and says whether that was possible.
    pub fn limit_memory(&self, more: u64) -> bool {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id)).unwrap_or_default();
        let size = status.lines().find_map(|line| line.strip_prefix("VmSize:")?.trim().strip_suffix(" kB"));
        let Some(kilobytes) = size.and_then(|size| size.parse::<u64>().ok()) else { return false };
        let limit = format!("--as={}", (kilobytes << 10) + more);
        Command::new("prlimit").args(["--pid", &self.id.to_string(), &limit]).status().is_ok_and(|done| done.success())
    }

    /// Whether it handles this signal: from then on it ends in order.
    pub fn catches(&self, signal: Signal) -> bool {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id)).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        caught
            .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
            .is_some_and(|mask| mask >> (signal.as_raw() - 1) & 1 == 1)
    }

    /// Its processor time so far, in the system's ticks (a hundred a second).
    fn ticks(&self) -> u64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.id)).unwrap_or_default();
        let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields).split(' ');
        fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
    }
}

/// The processes that carry one mark.
pub struct Marked {
    mark: String,
    /// Where they write what they say and what they note.
    stdout: PathBuf,
    stderr: PathBuf,
    /// The most memory that each `census` has been seen to take, in bytes.
    peaks: RefCell<BTreeMap<u32, u64>>,
}

impl Marked {
    pub(super) fn new(mark: &str, stdout: &Path, stderr: &Path) -> Marked {
        Marked { mark: mark.into(), stdout: stdout.into(), stderr: stderr.into(), peaks: RefCell::default() }
    }

    /// Whether this stands in standard output so far.
    pub fn said(&self, text: &str) -> bool {
        holds(&self.stdout, text)
    }

    /// Whether this stands in standard error so far.
    pub fn noted(&self, text: &str) -> bool {
        holds(&self.stderr, text)
    }

    pub(super) fn mark(&self) -> &str {
        &self.mark
    }

    /// Those that are alive.
    pub fn alive(&self) -> Vec<Process> {
        let carries = |id: &u32| carries(*id, MARK, &self.mark);
        let ids = fs::read_dir("/proc").expect("there is a /proc").filter_map(|entry| {
            let id: u32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
            carries(&id).then_some(id)
        });
        ids.map(|id| Process { id, command: command_line(id) }).collect()
    }

    /// The ranks among them: those that run `census` itself, by whichever of its names.
    pub fn ranks(&self) -> Vec<Process> {
        let program = program_path();
        let from_root = program.strip_prefix(concat!(env!("CARGO_MANIFEST_DIR"), "/")).unwrap_or(program);
        let is_rank = |command: &str| command.starts_with(program) || command.starts_with(from_root);
        self.alive().into_iter().filter(|process| is_rank(&process.command)).collect()
    }

    /// The rank with this number, whoever was started first.
    pub fn rank(&self, number: usize) -> Option<Process> {
        let variable = Mpi::current().rank_variable();
        self.ranks().into_iter().find(|rank| carries(rank.id, variable, &number.to_string()))
    }

    /// Those that are still alive when they have had some time to go.
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

    /// Ends these at once.
    pub fn kill(&self, processes: &[Process]) {
        self.signal(Signal::KILL, processes);
    }

    /// Sends a signal to these, as far as they are still there.
    pub fn signal(&self, signal: Signal, processes: &[Process]) {
        for id in processes.iter().filter_map(|process| Pid::from_raw(process.id.try_into().ok()?)) {
            let _ = kill_process(id, signal);
        }
    }

    /// The ranks, once there are as many as this, all of them have met (they handle signals from then on), and one has been busy
    /// for a moment.
    pub fn counting(&self, ranks: usize) -> Option<Vec<Process>> {
        let found = self.ranks();
        let met = found.len() == ranks && found.iter().all(|rank| rank.catches(Signal::TERM));
        (met && found.iter().any(|rank| rank.ticks() >= BUSY)).then_some(found)
    }

    /// Does something to the run while its ranks stand still: a count that would have ended meanwhile has not.
    pub fn frozen<R>(&self, action: impl FnOnce() -> R) -> R {
        let ranks = self.ranks();
        self.signal(Signal::STOP, &ranks);
        let result = action();
        self.signal(Signal::CONT, &ranks);
        result
    }

    /// The process that started the ranks.
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

/// Whether this process was given this variable with this value.
fn carries(id: u32, name: &str, value: &str) -> bool {
    // By a search of the whole: without optimisation, taking it apart takes ten times as long, and this looks at every process.
    let wanted = format!("\0{name}={value}\0");
    fs::read(format!("/proc/{id}/environ"))
        .is_ok_and(|environment| format!("\0{}", String::from_utf8_lossy(&environment)).contains(&wanted))
}

fn command_line(id: u32) -> String {
    let bytes = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ")
}
