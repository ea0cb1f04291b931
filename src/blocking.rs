//! Writes that may block: to a pipe or a terminal that is not read.
//!
//! A process that is to end must not wait for such a reader. [`blocked_since`] shows whether only a blocked write keeps it from
//! ending: every write that may block is done in [`write`], and [`PendingWork`] marks work that must be finished.

use std::time::Instant;

use parking_lot::Mutex;

static STATE: Mutex<State> = Mutex::new(State { writes: Vec::new(), pending: 0, finished: None });

struct State {
    /// The start of each write that has not returned.
    writes: Vec<Instant>,
    pending: usize,
    /// When the last pending work was finished.
    finished: Option<Instant>,
}

/// Does something that may block until its output is read.
pub fn write<R>(work: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    STATE.lock().writes.push(start);
    let result = work();
    let mut state = STATE.lock();
    if let Some(index) = state.writes.iter().position(|&write| write == start) {
        state.writes.swap_remove(index);
    }
    result
}

/// The time since which this process has done nothing but wait for a write.
pub fn blocked_since() -> Option<Instant> {
    let state = STATE.lock();
    let oldest = state.writes.iter().min().copied().filter(|_| state.pending == 0)?;
    Some(state.finished.map_or(oldest, |finished| oldest.max(finished)))
}

/// Work beside the writes, for as long as this value lives: a report is still to be written.
pub struct PendingWork(());

impl PendingWork {
    #[allow(clippy::new_without_default)]
    pub fn new() -> PendingWork {
        STATE.lock().pending += 1;
        PendingWork(())
    }
}

impl Drop for PendingWork {
    fn drop(&mut self) {
        let mut state = STATE.lock();
        state.pending -= 1;
        state.finished = Some(Instant::now());
    }
}
