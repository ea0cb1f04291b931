//! How many processes share the work. The only layer that names MPI.
//!
//! Rank 0 is the coordinator: it alone reads options, files and the clock of the run, and sends the worker ranks a [`Command`] at a
//! time ([`Cluster::run_commands`]). A single process is rank 0 of one and runs the same code.
//!
//! ```text
//!   jobs/       count, batch, list, verify: what ranks do together      journal/    checkpoint and recovery
//!   schedule/   which rank counts which unit, and the messages for it   lifecycle/  launcher, handshake, heartbeat, signals, errors
//!   worker/     the worker threads of a rank, unit ids, traces          comm/       MPI or a single process, message tags
//! ```

mod comm;
mod jobs;
mod journal;
mod lifecycle;
mod schedule;
mod worker;

use std::cell::{Cell, OnceCell};
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::count::Purpose;
use crate::puzzle::input::source::printable;

use comm::{ActiveHeartbeat, Comm, SingleProcess};
use jobs::spec::Command;
use lifecycle::stop::{self, Signals, StopConditions};
use lifecycle::{handshake, start_timeout, watchdog};

pub use comm::wire::{MinMaxSum, Reduction};
pub use jobs::batch::{BatchResult, count_batch};
pub use jobs::count::{Count, CountOptions, Phases, RankReport, RequestCosts, UnitTallies, count};
pub use jobs::list::{ListEnd, ListResult, list};
pub use jobs::pool_recipe::PoolRecipe;
pub use jobs::verify::{Claim, Difference, Tallies, Verified, VerifyOptions, verify};
#[doc(hidden)]
pub use journal::fuzz as journal_fuzz;
pub use journal::{JournalError, JournalOptions, ResumedFrom};
pub use lifecycle::error::JobError;
pub use lifecycle::handshake::{HeartbeatTimeout, sources};
pub use lifecycle::host::{Host, cores};
pub use lifecycle::launcher::{Launcher, batch_job};
pub use lifecycle::stop::StopReason;
pub(crate) use schedule::coordinator::Coordinator;
pub(crate) use schedule::message::{RankProgress, ToCoordinator, ToRank};
pub use schedule::progress::{Progress, ProgressCallback};
pub(crate) use schedule::rank_client::{ProgressInterval, RankClient, WorkSource, WorkerStatus};
pub use schedule::{Distribution, Schedule, ScheduleChoice, contiguous_blocks};
pub use worker::trace::UnitRecord;
pub(crate) use worker::unit_id::UnitId;

/// The features of this crate that reports name.
pub const FEATURES: &[&str] = if cfg!(feature = "mpi") { &["mpi"] } else { &[] };

/// This process among those of the job.
pub struct Cluster {
    pub(crate) comm: Box<dyn Comm>,
    launcher: Option<Launcher>,
    signals: OnceCell<Signals>,
}

impl Cluster {
    /// Joins the ranks that the launcher started. Without a launcher, a single process.
    pub fn join(heartbeat_timeout: Option<HeartbeatTimeout>) -> Result<Cluster, JobError> {
        let launcher = Launcher::detect();
        if launcher.is_some() {
            watchdog::start();
        }
        let starting = launcher.as_ref().and_then(|launcher| start_timeout::start(launcher, heartbeat_timeout));
        let comm = connect(launcher.is_some())?;
        let seen = comm.size();
        if let Some(Launcher { name, size: Some(started), .. }) = launcher
            && started != seen
        {
            return Err(JobError::WrongLauncher { launcher: name, started, seen });
        }
        handshake::handshake(&*comm, heartbeat_timeout);
        drop(starting);
        Ok(Cluster { comm, launcher, signals: OnceCell::new() })
    }

    /// For a command of one process, or an error in the arguments: checks that all ranks of the job were started with the same
    /// arguments, because a rank with another command would wait for the others for ever. A cluster that is
    /// returned needs [`finalize`](Self::finalize).
    pub fn agree() -> Option<Cluster> {
        let several = Launcher::detect().is_some_and(|launcher| launcher.size != Some(1));
        // If joining fails, one process can still do this alone.
        let cluster = if several { Cluster::join(None).ok() } else { None };
        cluster.filter(|cluster| cluster.comm.needs_finalize_workaround())
    }

    /// Every rank calls this last, with its exit code, unless rank 0 calls [`dismiss`](Self::dismiss).
    pub fn finalize(&self, code: u8) {
        self.comm.finalize(code);
    }

    pub fn is_coordinator(&self) -> bool {
        self.comm.rank() == 0
    }

    pub fn ranks(&self) -> usize {
        self.comm.size()
    }

    /// What started the ranks; `None` for a single process.
    pub fn launcher(&self) -> Option<&Launcher> {
        self.launcher.as_ref()
    }

    /// Worker ranks: run the commands of rank 0 until it dismisses them. Returns the exit code.
    pub fn run_commands(&self) -> Result<u8, JobError> {
        let signals = self.signals();
        loop {
            let mut reported = false;
            // While rank 0 expands a pool, the others wait here. A signal that one of them receives has to reach rank 0.
            let bytes = self.comm.broadcast(Vec::new(), &mut || {
                if let Some(signal) = signals.caught_once(&mut reported) {
                    self.comm.send(0, ToCoordinator::Signal(signal).encode());
                }
            });
            match serde_json::from_slice(&bytes).map_err(|error| JobError::Protocol(error.to_string()))? {
                Command::Count(job) => jobs::count::join(self, &job, Purpose::Count)?,
                Command::Recount(job, way) => jobs::count::join(self, &job, Purpose::Recount(way))?,
                Command::CountBatch(job, limits) => jobs::batch::join(self, &job, limits)?,
                Command::List(job) => jobs::list::join(self, &job)?,
                Command::Finalize(code) => {
                    self.comm.finalize(code);
                    return Ok(code);
                }
            }
        }
    }

    /// Rank 0: ends all other ranks with this exit code. The last call.
    pub fn dismiss(&self, code: u8) {
        self.comm.resume_heartbeat(); // and never paused: nothing follows
        self.broadcast(&Command::Finalize(code));
        self.comm.finalize(code);
    }

    /// Rank 0: aborts the job at its deadline, if it has one, if only blocked output keeps it from ending.
    pub fn abort_on_blocked_output(&self, deadline: Option<Instant>) {
        let Some(deadline) = deadline else { return };
        let _ = thread::Builder::new().spawn(move || {
            thread::sleep(deadline.saturating_duration_since(Instant::now()));
            stop::abort_on_blocked_output(StopReason::TimeLimit);
        });
    }

    /// Rank 0: why to stop between two counts.
    pub fn stop_reason(&self, deadline: Option<Instant>) -> Option<StopReason> {
        StopConditions { signals: self.signals(), deadline }.reason()
    }

    /// Rank 0: the heartbeat of a job is active until the guard is dropped.
    fn begin_job(&self, deadline: Option<Instant>) -> (ActiveHeartbeat<'_>, StopConditions<'_>) {
        self.comm.resume_heartbeat();
        (ActiveHeartbeat(&*self.comm), StopConditions { signals: self.signals(), deadline })
    }

    /// The signal handlers, installed by the first call: before that, signals keep their default action.
    pub(crate) fn signals(&self) -> &Signals {
        self.signals.get_or_init(|| Signals::catch(self.launcher.is_none()))
    }

    fn broadcast(&self, command: &Command) {
        // A command is made of numbers and lists, which JSON can always represent.
        self.comm.broadcast(serde_json::to_vec(command).unwrap_or_default(), &mut || {});
    }
}

/// Rank 0, before a job begins: whether there is a reason to stop, or a rank has reported a signal. A report is received once and
/// remembered; the rank will repeat it in the job.
fn stop_requested<'a>(comm: &'a dyn Comm, stop: StopConditions<'a>) -> impl Fn() -> bool + 'a {
    let reported = Cell::new(false);
    move || {
        reported.set(reported.get() || stop.reason().is_some() || comm.receive().is_some());
        reported.get()
    }
}

fn connect(_launched: bool) -> Result<Box<dyn Comm>, JobError> {
    #[cfg(feature = "mpi")]
    if _launched {
        return Ok(Box::new(comm::mpi::World::join().ok_or(JobError::NoMpi)?));
    }
    Ok(Box::new(SingleProcess(Instant::now())))
}

/// Makes a panic on any thread of any rank abort the job with a message.
pub fn abort_job_on_panic() {
    std::panic::set_hook(Box::new(|info| {
        let reason = info.to_string().replace('\n', " ");
        abort_job(&format!("internal error, please report it: {reason}"), 3)
    }));
}

/// Exits with this code. Under a launcher without the libraries' exit handlers: they would meet their own threads, and a crash
/// there would cost the job its exit code.
pub fn exit_process(code: u8) -> ExitCode {
    if Launcher::detect().is_some() {
        let _ = io::stdout().flush();
        signal_hook::low_level::exit(code.into());
    }
    code.into()
}

const ABORT_TIMEOUT: Duration = Duration::from_secs(3);

/// Aborts all ranks of the job with one message: that of the first error, not of those that follow from it.
pub fn abort_job(reason: &dyn fmt::Display, code: u8) -> ! {
    exit_after(ABORT_TIMEOUT, code); // MPI_Abort does not return on a host that is cut off
    static ABORTED: AtomicBool = AtomicBool::new(false);
    if ABORTED.swap(true, Ordering::Relaxed) {
        thread::sleep(Duration::from_secs(1)); // another thread writes its message and ends the process
    } else {
        print_error(reason);
    }
    #[cfg(feature = "mpi")]
    comm::mpi::abort_if_initialized(code.into());
    std::process::exit(code.into())
}

/// Exits this process at that time, if it still runs, without the libraries' exit handlers.
fn exit_after(timeout: Duration, code: u8) {
    let _ = thread::Builder::new().spawn(move || {
        thread::sleep(timeout);
        signal_hook::low_level::exit(code.into())
    });
}

/// Prints an error: one line in one write, so that lines of several ranks do not mix. Names in it may come from files: they
/// cannot break the line or move the cursor.
pub fn print_error(reason: &dyn fmt::Display) {
    let line = format!("census: {}\n", printable(&reason.to_string()));
    let _ = io::stderr().write_all(line.as_bytes());
}

/// Exits this process, and no other, at once, with one message.
fn exit_with_message(reason: &dyn fmt::Display, code: u8) -> ! {
    print_error(reason);
    signal_hook::low_level::exit(code.into())
}
