//! HOW many processes share the work: joining and leaving, who gets which units, what ranks say to each other.
//! The only room that names MPI.
//!
//! Rank 0 leads: it alone reads options, files and the clock of the run, and tells the others what to do next
//! ([`Cluster::follow`]). A process that was started by itself is rank 0 of one, and takes the same way.
//!
//! ```text
//!   count     expand, scatter, count, reduce            list, lines   all solutions, in order
//!   each      the same for many puzzles at once         part          a rank's part in these
//!   verify    units of a count, counted again           recipe        how a pool is made again
//!   schedule  who gets which units when: arithmetic     auto          which method, which schedule, how deep
//!   crew      the workers of a rank and their queue     exchange      carries between these two, and over MPI:
//!   member    what a rank says and when                 dealer        what rank 0 answers, and when all is done
//!   message   the words of that                         label         what units are called
//!   progress  what rank 0 makes of the news             journal       what was finished, kept for a restart
//!   stop      limits, time limits, signals              trace         what each unit has cost
//!   meet      are all ranks the same program            pulse, orphan who is gone, and when that is the end
//!   link, mpi, wire, order, backoff, host, launcher     how ranks reach each other at all, and how
//!   farewell                                            they leave where MPI would not let them
//! ```

mod auto;
mod backoff;
mod count;
mod crew;
mod dealer;
mod each;
mod exchange;
#[cfg(feature = "mpi")]
mod farewell;
mod fault;
mod hex;
mod host;
mod journal;
mod label;
mod launcher;
mod lines;
mod link;
mod list;
mod meet;
mod member;
mod message;
#[cfg(feature = "mpi")]
mod mpi;
mod order;
mod orphan;
mod part;
mod progress;
#[cfg(feature = "mpi")]
mod pulse;
mod recipe;
mod schedule;
mod stop;
mod trace;
mod verify;
mod wire;

use std::cell::{Cell, OnceCell};
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::count::Aim;
pub use count::{Count, CountPlan, Phases, RankLine, Requests, UnitTallies, count};
pub use each::{Answers, count_each};
pub use fault::Fault;
pub use host::{Host, cores};
#[doc(hidden)]
pub use journal::fuzz as journal_fuzz;
pub use journal::{JournalError, JournalPlan, ResumedFrom};
pub use launcher::{Launcher, batch_job};
use link::Link;
pub use list::{End, Listed, list};
pub use meet::{LostAfter, sources};
use message::ToLead;
use order::Order;
pub use progress::{Progress, Watch};
pub use recipe::PoolRecipe;
pub use schedule::{Deal, MAX_ASKED, Schedule, ScheduleChoice, contiguous_blocks};
pub use stop::StopReason;
use stop::{Signals, Stop};
pub use trace::UnitRecord;
pub use verify::{Claim, Difference, Tallies, Verified, VerifyPlan, verify};
pub use wire::{Spread, Summary};

use crate::puzzle::source::printable;

/// The features of this crate that reports name: only this room knows what is in the program.
pub const FEATURES: &[&str] = if cfg!(feature = "mpi") { &["mpi"] } else { &[] };

/// This process among those that share the work.
pub struct Cluster {
    link: Link,
    launcher: Option<Launcher>,
    signals: OnceCell<Signals>,
}

impl Cluster {
    /// Joins the processes that the launcher started, or stays alone where there is none.
    pub fn join(lost_after: Option<LostAfter>) -> Result<Cluster, Fault> {
        let launcher = Launcher::detect();
        if launcher.is_some() {
            orphan::end_with_launcher();
        }
        let link = connect(launcher.is_some())?;
        let seen = link.size();
        if let Some(Launcher { name, size: Some(started), .. }) = launcher
            && started != seen
        {
            return Err(Fault::WrongLauncher { launcher: name, started, seen });
        }
        meet::meet(&link, lost_after);
        Ok(Cluster { link, launcher, signals: OnceCell::new() })
    }

    /// Whether there are as many ranks as the user expects.
    pub fn check_ranks(&self, expected: Option<usize>) -> Result<(), Fault> {
        match (expected, self.ranks()) {
            (Some(expected), seen) if expected != seen => Err(Fault::UnexpectedRanks { expected, seen }),
            _ => Ok(()),
        }
    }

    /// Sees that a command for one process, or a mistake in the arguments, is what all processes of this job were started
    /// with: a rank with something else to do would wait for the others for ever. What this returns wants to [`leave`](Self::leave).
    pub fn agree() -> Option<Cluster> {
        let several = Launcher::detect().is_some_and(|launcher| launcher.size != Some(1));
        // Whatever else is wrong, one process can do this alone.
        let cluster = if several { Cluster::join(None).ok() } else { None };
        // Elsewhere there is nothing more to say: the others may go.
        cluster.filter(|cluster| cluster.link.takes_leave())
    }

    /// The last word of every rank, with its exit code, where rank 0 does not dismiss them.
    pub fn leave(&self, code: u8) {
        self.link.leave(code);
    }

    /// Whether this is rank 0, which leads.
    pub fn leads(&self) -> bool {
        self.link.rank() == 0
    }

    /// The number of ranks.
    pub fn ranks(&self) -> usize {
        self.link.size()
    }

    /// What started the ranks; `None` for a process on its own.
    pub fn launcher(&self) -> Option<&Launcher> {
        self.launcher.as_ref()
    }

    /// The MPI library in its own words; `None` for a process on its own.
    pub fn library(&self) -> Option<String> {
        self.link.library()
    }

    /// The thread level that MPI gave; `None` for a process on its own.
    pub fn thread_level(&self) -> Option<&'static str> {
        self.link.thread_level()
    }

    /// The smallest difference of time that means anything, in seconds.
    pub fn time_resolution(&self) -> f64 {
        self.link.resolution()
    }

    /// Does what rank 0 orders until it orders to leave; returns the exit code to leave with. Not for rank 0.
    pub fn follow(&self) -> Result<u8, Fault> {
        let signals = self.signals();
        loop {
            let mut halted = false;
            // While rank 0 expands, the others wait here; one that is told to stop passes that on.
            let bytes = self.link.broadcast_from_lead(&mut || {
                if let Some(signal) = signals.to_tell(&mut halted) {
                    let (tag, bytes) = ToLead::Halt(signal).encode();
                    self.link.send(0, tag, bytes);
                }
            });
            match serde_json::from_slice(&bytes).map_err(|error| Fault::Protocol(error.to_string()))? {
                Order::Count(job) => count::follow(self, &job, Aim::Count)?,
                Order::Recount(job, way) => count::follow(self, &job, Aim::Recount(way))?,
                Order::CountEach(job, terms) => each::follow(self, &job, terms)?,
                Order::List(job) => list::follow(self, &job)?,
                Order::Leave(code) => {
                    self.link.leave(code);
                    return Ok(code);
                }
            }
        }
    }

    /// Sends all other ranks home with this exit code. Only for rank 0, as its last word.
    pub fn dismiss(&self, code: u8) {
        self.link.step_in(); // and never out: there is nothing after this
        self.order(&Order::Leave(code));
        self.link.leave(code);
    }

    /// Rank 0: ends the job when the time of a run is over and nothing holds it up but output that nobody reads.
    pub fn end_blocked_output(&self, deadline: Instant) {
        let _ = thread::Builder::new().spawn(move || {
            thread::sleep(deadline.saturating_duration_since(Instant::now()));
            stop::end_if_blocked(StopReason::TimeLimit);
        });
    }

    /// Why rank 0 should stop between two counts, if there is a reason.
    pub fn stop_reason(&self, deadline: Option<Instant>) -> Option<StopReason> {
        Stop { signals: self.signals(), deadline }.reason()
    }

    /// The signals that end a run in order, caught from the first call on: as long as nobody looks for them, they do what
    /// they always do.
    fn signals(&self) -> &Signals {
        self.signals.get_or_init(|| Signals::catch(self.launcher.is_none()))
    }

    fn order(&self, order: &Order) {
        // An order is made of numbers and lists: there is nothing in it that JSON cannot say.
        self.link.broadcast(serde_json::to_vec(order).unwrap_or_default());
    }
}

/// Rank 0, before a count or a listing begins: whether there is a reason to stop, or a rank has said that there is one. That
/// is heard once, and not forgotten; the rank will say so again when it has begun.
fn stops<'a>(link: &'a Link, stop: &'a Stop) -> impl Fn() -> bool + 'a {
    let halted = Cell::new(false);
    move || {
        halted.set(halted.get() || stop.reason().is_some() || link.receive().is_some());
        halted.get()
    }
}

#[cfg(feature = "mpi")]
fn connect(launched: bool) -> Result<Link, Fault> {
    match launched {
        true => mpi::World::join().map(Link::Mpi).ok_or(Fault::NoMpi),
        false => Ok(Link::Alone(Instant::now())),
    }
}

#[cfg(not(feature = "mpi"))]
fn connect(_launched: bool) -> Result<Link, Fault> {
    Ok(Link::Alone(Instant::now()))
}

/// Makes sure that a panic on any thread of any rank ends the whole job, at once and with a reason.
pub fn end_job_on_panic() {
    std::panic::set_hook(Box::new(|info| {
        let reason = info.to_string().replace('\n', " ");
        give_up(&format!("internal error, please report it: {reason}"), 3)
    }));
}

/// Leaves with this exit code. Under a launcher nothing is left to do: what libraries run at a normal exit would meet their own
/// threads, and a crash there would cost a job its exit code.
pub fn exit_process(code: u8) -> ExitCode {
    if Launcher::detect().is_some() {
        let _ = io::stdout().flush();
        signal_hook::low_level::exit(code.into());
    }
    code.into()
}

/// How long a job may take to end after somebody has given up.
const END_AT_LAST: Duration = Duration::from_secs(3);

/// Ends the whole job at once, every rank of it, with one line about why: the first reason, not what follows from it.
pub fn give_up(reason: &dyn fmt::Display, code: u8) -> ! {
    // On a host that is cut off, MPI waits for ever for somebody to hear of it.
    let _ = thread::Builder::new().spawn(move || {
        thread::sleep(END_AT_LAST);
        signal_hook::low_level::exit(code.into())
    });
    static GIVEN_UP: AtomicBool = AtomicBool::new(false);
    if GIVEN_UP.swap(true, Ordering::Relaxed) {
        thread::sleep(Duration::from_secs(1)); // the first to give up ends this process, when it has said why
    } else {
        say(reason);
    }
    #[cfg(feature = "mpi")]
    mpi::abort_if_running(code.into());
    std::process::exit(code.into())
}

/// One line on standard error, whatever names are in it.
fn say(reason: &dyn fmt::Display) {
    let line = format!("census: {}\n", printable(&reason.to_string()));
    let _ = io::stderr().write_all(line.as_bytes());
}

/// Ends this process at once, and nothing but this process, with one line about why.
fn end_at_once(reason: &dyn fmt::Display, code: u8) -> ! {
    say(reason); // a launcher that is gone does not hold that up
    signal_hook::low_level::exit(code.into())
}
