//! What ends a run before its end: enough solutions, enough time, a signal.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

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
pub(super) struct Signals(Arc<AtomicUsize>);

impl Signals {
    /// Catches SIGINT and SIGTERM from now on. A process on its own ends at once at a second SIGINT: then somebody has no
    /// patience with it. Programs, such as launchers and `timeout`, send SIGTERM more than once and mean nothing by it.
    pub(super) fn catch(alone: bool) -> Signals {
        let caught = Arc::new(AtomicUsize::new(0));
        // Where handlers cannot be had, signals do what they always do.
        if alone {
            let again = Arc::new(AtomicBool::new(false));
            let _ = flag::register_conditional_shutdown(SIGINT, 128 + SIGINT, again.clone());
            let _ = flag::register(SIGINT, again);
        }
        for signal in [SIGINT, SIGTERM] {
            let _ = flag::register_usize(signal, caught.clone(), signal as usize);
        }
        Signals(caught)
    }

    /// The signal that has come, if one has.
    pub(super) fn caught(&self) -> Option<i32> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            signal => Some(signal as i32),
        }
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
