//! What ends a run before its end: enough solutions, enough time, a signal.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use std::{fmt, mem};

use signal_hook::consts::{SIGINT, SIGTERM};

use super::give_up;
use crate::blocking;

/// Why a run was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The limit on solutions was reached.
    Limit,
    /// The limit on time was reached.
    TimeLimit,
    /// This signal was sent to one of the ranks, or to their launcher.
    Signal(i32),
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopReason::Limit => f.write_str("stopped at the limit"),
            StopReason::TimeLimit => f.write_str("stopped at the time limit"),
            StopReason::Signal(SIGINT) => f.write_str("stopped by SIGINT"),
            StopReason::Signal(SIGTERM) => f.write_str("stopped by SIGTERM"),
            StopReason::Signal(number) => write!(f, "stopped by signal {number}"),
        }
    }
}

/// The signals that ask a process to end, and that it means to answer in order.
#[derive(Clone, Debug)]
pub(super) struct Signals(Arc<AtomicI32>);

/// A second signal that comes sooner than this is no second thought: programs such as `timeout` send a signal to a process
/// and to its group.
const SECOND_THOUGHT: Duration = Duration::from_millis(300);
/// How long output may block after a reason to stop, before the process ends without it.
const UNTIL_READ: Duration = Duration::from_secs(2);
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// Ends the job as soon as a write has blocked for some time after this call. Returns only with the process.
pub(super) fn end_if_blocked(reason: StopReason) {
    let told = Instant::now();
    loop {
        thread::sleep(BETWEEN_LOOKS);
        if blocking::blocked_since().is_some_and(|since| since.max(told).elapsed() > UNTIL_READ) {
            give_up(&format!("{reason}, while nobody reads the output"), 3);
        }
    }
}

impl Signals {
    /// Catches SIGINT and SIGTERM from now on. A process on its own ends at once at a second signal: then somebody has no
    /// patience with it. Under a launcher a second one means nothing, because launchers send several. Output that nobody reads holds
    /// up neither.
    pub(super) fn catch(alone: bool) -> Signals {
        let caught = Arc::new(AtomicI32::new(0));
        // Where handlers cannot be had, signals do what they always do.
        if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) {
            let caught = caught.clone();
            let _ = thread::Builder::new().spawn(move || {
                let mut first = None;
                for signal in signals.forever() {
                    let first = *first.get_or_insert_with(Instant::now);
                    if alone && first.elapsed() > SECOND_THOUGHT {
                        signal_hook::low_level::exit(128 + signal);
                    }
                    if caught.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                        let _ = thread::Builder::new().spawn(move || end_if_blocked(StopReason::Signal(signal)));
                    }
                }
            });
        }
        Signals(caught)
    }

    /// The signal that has come, if one has.
    pub(super) fn caught(&self) -> Option<i32> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            signal => Some(signal),
        }
    }

    /// The signal that has come, if nobody has been told of it yet.
    pub(super) fn to_tell(&self, told: &mut bool) -> Option<i32> {
        let signal = self.caught()?;
        (!mem::replace(told, true)).then_some(signal)
    }
}

/// What rank 0 watches for while it leads a run.
#[derive(Clone, Debug)]
pub(super) struct Stop<'a> {
    pub signals: &'a Signals,
    pub deadline: Option<Instant>,
}

impl Stop<'_> {
    /// Why to stop now, if there is a reason outside of the count itself.
    pub(super) fn reason(&self) -> Option<StopReason> {
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.signals.caught().map(StopReason::Signal).or(late.then_some(StopReason::TimeLimit))
    }
}
