//! The link between the workers of a process and the thread that controls them: progress one way, stop and split requests
//! the other.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Shared by the workers of a process and its main thread. Workers report solutions and nodes, and poll for requests to
/// stop and to split off subtasks. Nothing else passes between them.
#[derive(Debug)]
pub struct Control {
    stop: AtomicBool,
    found: Found,
    nodes: AtomicU64,
    requested_subtasks: AtomicUsize,
    ticks: AtomicU64,
    draining: AtomicBool,
    limit: Option<u64>,
    budget: u64,
}

impl Control {
    /// Counting stops by itself at `limit` solutions in this process.
    pub fn new(limit: Option<u64>) -> Control {
        Control {
            stop: AtomicBool::new(limit == Some(0)),
            found: Found::default(),
            nodes: AtomicU64::new(0),
            requested_subtasks: AtomicUsize::new(0),
            ticks: AtomicU64::new(0),
            draining: AtomicBool::new(false),
            limit,
            budget: u64::MAX,
        }
    }

    /// Counting also stops by itself soon after so many nodes.
    pub fn with_budget(self, nodes: u64) -> Control {
        Control { budget: nodes, ..self }
    }

    /// A control for a probe of the same work: the same limit, and at most so many nodes.
    pub(crate) fn for_probe(&self, nodes: u64) -> Control {
        Control::new(self.limit).with_budget(nodes.min(self.budget))
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
        self.found.get()
    }

    /// Nodes reported by the workers so far.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// A worker reports the solutions and nodes since its last report. Returns whether to continue.
    pub fn report(&self, solutions: u128, nodes: u64) -> bool {
        let visited = self.nodes.fetch_add(nodes, Ordering::Relaxed).saturating_add(nodes);
        self.found.add(solutions);
        if self.reaches_limit(self.found()) || visited >= self.budget {
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

/// A growing 128-bit number in two halves: processors have no atomic 128-bit addition.
///
/// A writer adds to the low half and then carries into the high half. A reader loads the high half first. So a reader may
/// miss a carry that is in progress, but never sees one too many; and the writer that carries sees its own carry.
#[derive(Debug, Default)]
struct Found {
    low: AtomicU64,
    high: AtomicU64,
}

impl Found {
    fn add(&self, solutions: u128) {
        let (low, mut high) = (solutions as u64, (solutions >> 64) as u64);
        if low > 0 && self.low.fetch_add(low, Ordering::Relaxed).checked_add(low).is_none() {
            high = high.saturating_add(1);
        }
        if high > 0 {
            let add = |before: u64| Some(before.saturating_add(high));
            let _ = self.high.fetch_update(Ordering::Release, Ordering::Relaxed, add);
        }
    }

    fn get(&self) -> u128 {
        let high = self.high.load(Ordering::Acquire);
        u128::from(high) << 64 | u128::from(self.low.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::thread;

    proptest! {
        #[test]
        fn reports_add_up_beyond_64_bits(reports in proptest::collection::vec(0..u128::MAX >> 5, 0..20)) {
            let control = Control::new(None);
            for &solutions in &reports {
                prop_assert!(control.report(solutions, 1));
            }
            prop_assert_eq!((control.found(), control.nodes()), (reports.iter().sum(), reports.len() as u64));
        }
    }

    #[test]
    fn a_limit_is_reached_by_more_solutions_than_fit_64_bits() {
        for (limit, reported) in [(u64::MAX, 1 << 64), (7, 1 << 64), (u64::MAX, u128::MAX)] {
            let control = Control::new(Some(limit));
            assert!(!control.report(reported, 1) && control.found() == reported, "{reported}, limit {limit}");
        }
        let control = Control::new(Some(u64::MAX));
        assert!(control.report((u64::MAX - 1).into(), 0));
        assert!(!control.report(1, 0));
    }

    #[test]
    fn a_reader_never_sees_more_than_workers_have_begun_to_report() {
        const EACH: u128 = 1 << 58; // one report in 64 carries: a carry too many would be noticed
        const REPORTS: u64 = 4_000_000;
        let (control, begun) = (Control::new(None), AtomicU64::new(0));
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..REPORTS / 2 {
                        begun.fetch_add(1, Ordering::SeqCst);
                        control.report(EACH, 0);
                    }
                });
            }
            while begun.load(Ordering::SeqCst) < REPORTS {
                let found = control.found();
                assert!(found <= EACH * u128::from(begun.load(Ordering::SeqCst)));
            }
        });
        assert_eq!(control.found(), EACH * u128::from(REPORTS));
    }

    #[test]
    fn the_limit_stops_the_workers_when_it_is_reached_and_not_before() {
        let control = Control::new(Some(5));
        assert!(control.report(4, 0));
        assert!(!control.report(1, 0));
        assert!(control.stopped());
        assert_eq!(control.found(), 5);
    }

    #[test]
    fn without_a_limit_only_a_stop_ends_the_work() {
        let control = Control::new(None);
        assert!(control.report(u128::MAX / 2, 1));
        control.stop();
        assert!(!control.report(0, 1));
    }

    #[test]
    fn a_budget_of_nodes_stops_the_workers_whatever_they_find() {
        let control = Control::new(None).with_budget(1000);
        assert!(control.report(5000, 999));
        assert!(!control.report(0, 1));
        assert_eq!((control.found(), control.nodes()), (5000, 1000));
    }
}
