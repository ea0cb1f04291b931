//! The worker threads of one rank, and the loop in which its main thread watches over them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, Scope};
use std::time::Instant;

use crate::count::{Control, Method, Tally};

use super::backoff::POLL;
use super::give_up;

/// What the workers of a rank have done together.
pub(super) struct Work {
    /// Everything counted, units that were left before their end included.
    pub tally: Tally,
    /// Units left undone, or not done to their end.
    pub unfinished: u64,
}

/// Starts a worker thread. Where the system has no room for one more, the job ends with that reason.
pub(super) fn start<'scope>(scope: &'scope Scope<'scope, '_>, work: impl FnOnce() + Send + 'scope) {
    if let Err(error) = thread::Builder::new().spawn_scoped(scope, work) {
        give_up(&format!("a worker thread could not be started: {error}"), 3);
    }
}

/// Counts `units` with `threads` workers that take one unit after the other, and calls `talk` about twice a
/// millisecond meanwhile, on the thread that called.
pub(super) fn count_units(
    method: &dyn Method,
    units: &[u8],
    threads: usize,
    control: &Control,
    mut talk: impl FnMut(),
) -> Work {
    let units: Vec<&[u8]> = units.chunks_exact(method.unit_bytes()).collect();
    let next = AtomicUsize::new(0);
    let mut work = Work { tally: Tally::ZERO, unfinished: units.len() as u64 };
    thread::scope(|scope| {
        let (send, finished) = mpsc::channel();
        for _ in 0..threads.clamp(1, units.len().max(1)) {
            let send = send.clone();
            let (units, next) = (&units, &next);
            start(scope, move || {
                let mut counter = method.counter();
                let mut tally = Tally::ZERO;
                while let Some(unit) = units.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if control.stopped() {
                        break;
                    }
                    let start = Instant::now();
                    let counted = counter.count(unit, control);
                    let seconds = start.elapsed().as_secs_f64();
                    tally = tally.merge(Tally {
                        solutions: counted.solutions,
                        nodes: counted.nodes,
                        units: u64::from(counted.finished),
                        seconds,
                        longest: seconds,
                    });
                }
                let _ = send.send(tally);
            });
        }
        drop(send);
        loop {
            match finished.recv_timeout(POLL) {
                Ok(tally) => work.tally = work.tally.merge(tally),
                Err(RecvTimeoutError::Timeout) => talk(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    });
    work.unfinished -= work.tally.units;
    work
}
