//! The link between the workers of a process and the thread that controls them: progress one way, stop and split requests
//! the other.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use portable_atomic::AtomicU128;

/// Shared by the workers of a process and its main thread. Workers report solutions and nodes, and poll for requests to
/// stop and to split off subtasks. Nothing else passes between them.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    found: AtomicU128,
    nodes: AtomicU64,
    requested_subtasks: AtomicUsize,
    ticks: AtomicU64,
    draining: AtomicBool,
    limit: Option<u64>,
    budget: Option<u64>,
}

impl Control {
    /// Counting stops by itself soon after `limit` solutions in this process.
    pub fn new(limit: Option<u64>) -> Control {
        Control { stop: AtomicBool::new(limit == Some(0)), limit, ..Control::default() }
    }

    /// Counting also stops by itself soon after so many nodes.
    pub fn with_budget(self, nodes: u64) -> Control {
        Control { budget: Some(nodes), ..self }
    }

    /// A control for a probe of the same work: the same limit, and at most so many nodes.
    pub(crate) fn for_probe(&self, nodes: u64) -> Control {
        Control::new(self.limit).with_budget(nodes.min(self.budget.unwrap_or(u64::MAX)))
    }

    /// Asks all workers to stop soon.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Solutions reported by the workers so far: delayed, but never too many.
    pub fn found(&self) -> u128 {
        self.found.load(Ordering::Relaxed)
    }

    /// Nodes reported by the workers so far.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// A worker reports the solutions and nodes since its last report. Returns whether to continue.
    #[inline(never)] // it is rare, and would take registers of the loops that call it
    pub fn report(&self, solutions: u128, nodes: u64) -> bool {
        let visited = self.nodes.fetch_add(nodes, Ordering::Relaxed).saturating_add(nodes);
        let add = |found: u128| Some(found.saturating_add(solutions));
        let (Ok(before) | Err(before)) = self.found.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        if self.reaches_limit(before.saturating_add(solutions)) || self.budget.is_some_and(|budget| visited >= budget) {
            self.stop();
        }
        !self.stopped()
    }

    pub(crate) fn reaches_limit(&self, solutions: u128) -> bool {
        self.limit.is_some_and(|limit| solutions >= limit.into())
    }

    pub(crate) fn is_limited(&self) -> bool {
        self.limit.is_some()
    }

    /// The most solutions between two reports of a worker.
    pub(crate) fn report_interval(&self) -> u64 {
        self.limit.unwrap_or(u64::MAX).clamp(1, 4096)
    }

    /// Sets how many subtasks the workers should split off.
    pub fn request_subtasks(&self, subtasks: usize) {
        self.requested_subtasks.store(subtasks, Ordering::Relaxed);
    }

    pub fn requested_subtasks(&self) -> usize {
        self.requested_subtasks.load(Ordering::Relaxed)
    }

    /// While subtasks are requested, passes the second half of what is left to `split`.
    pub(crate) fn split_off(&self, left: &mut Range<usize>, mut split: impl FnMut(Range<usize>)) {
        while self.requested_subtasks() > 0 && left.start < left.end {
            let middle = left.start + left.len() / 2;
            split(middle..left.end);
            left.end = middle;
        }
    }

    /// Advances the clock of long units: a worker splits off all it can of a unit that it has counted for two ticks,
    /// because only finished units are in the journal.
    pub fn tick(&self) {
        self.ticks.fetch_add(1, Ordering::Relaxed);
    }

    /// Asks all workers to split off all that is left of their units, and to finish.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    pub fn draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    pub fn ticks(&self) -> u64 {
        self.ticks.load(Ordering::Relaxed)
    }
}
