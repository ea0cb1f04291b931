//! How the counting of a process is watched and stopped from outside.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Shared by the workers of a process and the thread that watches them: workers say what they have done and ask whether
/// to stop and whether to give parts of their work away; the watcher reads the one and decides the other. Nothing else
/// passes between them.
#[derive(Debug)]
pub struct Control {
    stop: AtomicBool,
    found: AtomicU64,
    nodes: AtomicU64,
    wanted: AtomicUsize,
    limit: u64,
    budget: u64,
}

impl Control {
    /// Nothing found yet. Counting stops by itself at `limit` solutions in this process.
    pub fn new(limit: Option<u64>) -> Control {
        Control {
            stop: AtomicBool::new(limit == Some(0)),
            found: AtomicU64::new(0),
            nodes: AtomicU64::new(0),
            wanted: AtomicUsize::new(0),
            limit: limit.unwrap_or(u64::MAX),
            budget: u64::MAX,
        }
    }

    /// Counting also stops by itself soon after so many nodes.
    pub fn with_budget(self, nodes: u64) -> Control {
        Control { budget: nodes, ..self }
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
    pub fn found(&self) -> u64 {
        self.found.load(Ordering::Relaxed)
    }

    /// Nodes that the workers have told of so far.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// A worker tells of the solutions it found and the nodes it visited since it last did. Says whether to go on.
    pub fn tell(&self, solutions: u64, nodes: u64) -> bool {
        let visited = self.nodes.fetch_add(nodes, Ordering::Relaxed).saturating_add(nodes);
        let found = match solutions {
            0 => 0,
            _ => self.found.fetch_add(solutions, Ordering::Relaxed).saturating_add(solutions),
        };
        if found >= self.limit || visited >= self.budget {
            self.stop();
        }
        !self.stopped()
    }

    /// How many solutions a worker may keep to itself before it tells.
    pub fn patience(&self) -> u64 {
        self.limit.clamp(1, 4096)
    }

    /// Says how many parts the workers should give away of what they are at.
    pub fn want(&self, parts: usize) {
        self.wanted.store(parts, Ordering::Relaxed);
    }

    /// How many parts are wanted.
    pub fn wanted(&self) -> usize {
        self.wanted.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_stops_the_workers_when_it_is_reached_and_not_before() {
        let control = Control::new(Some(5));
        assert!(control.tell(4, 0));
        assert!(!control.tell(1, 0));
        assert!(control.stopped());
        assert_eq!(control.found(), 5);
    }

    #[test]
    fn without_a_limit_only_a_stop_ends_the_work() {
        let control = Control::new(None);
        assert!(control.tell(u64::MAX / 2, 1));
        control.stop();
        assert!(!control.tell(0, 1));
    }

    #[test]
    fn a_budget_of_nodes_stops_the_workers_whatever_they_find() {
        let control = Control::new(None).with_budget(1000);
        assert!(control.tell(5000, 999));
        assert!(!control.tell(0, 1));
        assert_eq!((control.found(), control.nodes()), (5000, 1000));
    }
}
