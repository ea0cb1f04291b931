//! What stops a run before its end: enough solutions, a time limit, a signal.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};
use std::{mem, thread};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level;

use crate::blocking;
use crate::cluster::{JobError, abort_job};

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StopReason {
    #[error("stopped at the limit")]
    Limit,
    #[error("stopped at the time limit")]
    TimeLimit,
    /// A rank or the launcher received this signal.
    #[error("stopped by {}", low_level::signal_name(*.0).map_or(format!("signal {}", .0), Into::into))]
    Signal(i32),
}

/// The signal handlers of this process, and the signal that was caught.
#[derive(Clone, Debug)]
pub(crate) struct Signals(Arc<AtomicI32>);

/// A second signal within this time is not a second request: programs such as `timeout` signal a process and its group.
const DUPLICATE: Duration = Duration::from_millis(300);
/// How long output may block after a reason to stop, before the process ends without it.
const BLOCKED_OUTPUT: Duration = Duration::from_secs(2);
const BETWEEN_CHECKS: Duration = Duration::from_millis(100);

/// Aborts the job as soon as a write has blocked for some time after this call. Returns only with the process.
pub(crate) fn abort_on_blocked_output(reason: StopReason) {
    let called = Instant::now();
    loop {
        thread::sleep(BETWEEN_CHECKS);
        if blocking::blocked_since().is_some_and(|since| since.max(called).elapsed() > BLOCKED_OUTPUT) {
            abort_job(&format!("{reason}, while output was blocked: its reader does not read"), 3);
        }
    }
}

impl Signals {
    /// Catches SIGINT and SIGTERM from now on. A second signal ends a single process at once. Under a launcher it means
    /// nothing, because launchers send several. Without handlers, signals keep their default action.
    pub(crate) fn catch(single_process: bool) -> Signals {
        let caught = Arc::new(AtomicI32::new(0));
        if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) {
            let caught = caught.clone();
            let _ = thread::Builder::new().spawn(move || {
                let mut first = None;
                for signal in signals.forever() {
                    let first = *first.get_or_insert_with(Instant::now);
                    if single_process && first.elapsed() > DUPLICATE {
                        low_level::exit(128 + signal);
                    }
                    if caught.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                        let _ =
                            thread::Builder::new().spawn(move || abort_on_blocked_output(StopReason::Signal(signal)));
                    }
                }
            });
        }
        Signals(caught)
    }

    pub(crate) fn caught(&self) -> Option<i32> {
        Some(self.0.load(Ordering::Relaxed)).filter(|&signal| signal != 0)
    }

    /// The signal that was caught, unless it was already `reported` to rank 0.
    pub(crate) fn caught_once(&self, reported: &mut bool) -> Option<i32> {
        let signal = self.caught()?;
        (!mem::replace(reported, true)).then_some(signal)
    }
}

/// What may stop a run that rank 0 coordinates, beside the count itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StopConditions<'a> {
    pub signals: &'a Signals,
    pub deadline: Option<Instant>,
}

impl StopConditions<'_> {
    pub(crate) fn reason(self) -> Option<StopReason> {
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.signals.caught().map(StopReason::Signal).or(late.then_some(StopReason::TimeLimit))
    }

    /// Without a reason on this rank, another one was stopped.
    pub(crate) fn error(self) -> JobError {
        JobError::Stopped(self.reason().unwrap_or(StopReason::Signal(SIGTERM)))
    }
}
