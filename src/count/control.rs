//! How the counting of a process is watched and stopped from outside.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Shared by the workers of a process and the thread that watches them: workers say what they have done and ask whether
/// to stop and whether to give parts of their work away; the watcher reads the one and decides the other. Nothing else
/// passes between them.
#[derive(Debug)]
pub struct Control {
    stop: AtomicBool,
    found: Found,
    nodes: AtomicU64,
    wanted: AtomicUsize,
    ticks: AtomicU64,
    leaving: AtomicBool,
    limit: Option<u64>,
    budget: u64,
}

impl Control {
    /// Nothing found yet. Counting stops by itself at `limit` solutions in this process.
    pub fn new(limit: Option<u64>) -> Control {
        Control {
            stop: AtomicBool::new(limit == Some(0)),
            found: Found::default(),
            nodes: AtomicU64::new(0),
            wanted: AtomicUsize::new(0),
            ticks: AtomicU64::new(0),
            leaving: AtomicBool::new(false),
            limit,
            budget: u64::MAX,
        }
    }

    /// Counting also stops by itself soon after so many nodes.
    pub fn with_budget(self, nodes: u64) -> Control {
        Control { budget: nodes, ..self }
    }

    /// A control for a look at the same work: the same limit, and so many nodes.
    pub fn for_probe(&self, nodes: u64) -> Control {
        Control::new(self.limit).with_budget(nodes.min(self.budget))
    }

    /// Asks all workers to stop soon.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether the workers have been asked to stop.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Solutions that the workers have told of so far; they tell late, but never too many.
    pub fn found(&self) -> u128 {
        self.found.get()
    }

    /// Nodes that the workers have told of so far.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// A worker tells of the solutions it found and the nodes it visited since it last did. Says whether to go on.
    pub fn report(&self, solutions: u128, nodes: u64) -> bool {
        let visited = self.nodes.fetch_add(nodes, Ordering::Relaxed).saturating_add(nodes);
        self.found.add(solutions);
        if self.is_enough(self.found()) || visited >= self.budget {
            self.stop();
        }
        !self.stopped()
    }

    /// Whether so many solutions are as many as were asked for.
    pub fn is_enough(&self, solutions: u128) -> bool {
        self.limit.is_some_and(|limit| solutions >= limit.into())
    }

    /// Whether some solutions are enough.
    pub fn is_limited(&self) -> bool {
        self.limit.is_some()
    }

    /// How many solutions a worker may keep to itself before it tells.
    pub fn report_interval(&self) -> u64 {
        self.limit.unwrap_or(u64::MAX).clamp(1, 4096)
    }

    /// Says how many parts the workers should give away of what they are at.
    pub fn want(&self, parts: usize) {
        self.wanted.store(parts, Ordering::Relaxed);
    }

    /// How many parts are wanted.
    pub fn wanted(&self) -> usize {
        self.wanted.load(Ordering::Relaxed)
    }

    /// Lets the workers know that some time has gone by. Who has been at a unit for two ticks should give away all it can:
    /// what is finished is safe, what is not may be lost.
    pub fn tick(&self) {
        self.ticks.fetch_add(1, Ordering::Relaxed);
    }

    /// Asks all workers to give away all that is left of what they are at, and to be done with it.
    pub fn leave(&self) {
        self.leaving.store(true, Ordering::Relaxed);
    }

    /// Whether the workers have been asked to leave what they are at to others.
    pub fn leaving(&self) -> bool {
        self.leaving.load(Ordering::Relaxed)
    }

    /// How often it has ticked.
    pub fn ticks(&self) -> u64 {
        self.ticks.load(Ordering::Relaxed)
    }
}

/// A number of solutions that grows, in two halves: processors have no atomic 128 bits.
///
/// Who adds carries from the low half into the high half, in this order, and who reads takes the high half first. So
/// what is read may lack a carry that is on its way, but never has one too many; and whoever carries sees it at once.
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
        fn what_is_told_adds_up_beyond_64_bits(told in proptest::collection::vec(0..u128::MAX >> 5, 0..20)) {
            let control = Control::new(None);
            for &solutions in &told {
                prop_assert!(control.report(solutions, 1));
            }
            prop_assert_eq!((control.found(), control.nodes()), (told.iter().sum(), told.len() as u64));
        }
    }

    #[test]
    fn a_limit_is_reached_by_more_solutions_than_64_bits_can_say() {
        for (limit, told) in [(u64::MAX, 1 << 64), (7, 1 << 64), (u64::MAX, u128::MAX)] {
            let control = Control::new(Some(limit));
            assert!(!control.report(told, 1) && control.found() == told, "{told} and a limit of {limit}");
        }
        let control = Control::new(Some(u64::MAX));
        assert!(control.report((u64::MAX - 1).into(), 0));
        assert!(!control.report(1, 0));
    }

    #[test]
    fn a_reader_never_sees_more_than_workers_have_begun_to_tell() {
        const TOLD: u128 = 1 << 58; // one carry in 64 tells: one too many would not be missed
        const TELLS: u64 = 4_000_000;
        let (control, begun) = (Control::new(None), AtomicU64::new(0));
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..TELLS / 2 {
                        begun.fetch_add(1, Ordering::SeqCst);
                        control.report(TOLD, 0);
                    }
                });
            }
            while begun.load(Ordering::SeqCst) < TELLS {
                let found = control.found();
                assert!(found <= TOLD * u128::from(begun.load(Ordering::SeqCst)));
            }
        });
        assert_eq!(control.found(), TOLD * u128::from(TELLS));
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
