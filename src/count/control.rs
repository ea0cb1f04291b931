//! How the counting of a process is watched and stopped from outside.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Shared by the workers of a process and the thread that watches them: workers say what they have found and ask
/// whether to stop; the watcher reads the one and decides the other. Nothing else passes between them.
#[derive(Debug)]
pub struct Control {
    stop: AtomicBool,
    found: AtomicU64,
    limit: u64,
}

impl Control {
    /// Nothing found yet. Counting stops by itself at `limit` solutions in this process.
    pub fn new(limit: Option<u64>) -> Control {
        Control { stop: AtomicBool::new(limit == Some(0)), found: AtomicU64::new(0), limit: limit.unwrap_or(u64::MAX) }
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

    /// A worker tells of solutions it found since it last did. Says whether to go on.
    pub fn tell(&self, solutions: u64) -> bool {
        if solutions > 0 && self.found.fetch_add(solutions, Ordering::Relaxed).saturating_add(solutions) >= self.limit {
            self.stop();
        }
        !self.stopped()
    }

    /// How many solutions a worker may keep to itself before it tells.
    pub fn patience(&self) -> u64 {
        self.limit.clamp(1, 4096)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_stops_the_workers_when_it_is_reached_and_not_before() {
        let control = Control::new(Some(5));
        assert!(control.tell(4));
        assert!(!control.tell(1));
        assert!(control.stopped());
        assert_eq!(control.found(), 5);
    }

    #[test]
    fn without_a_limit_only_a_stop_ends_the_work() {
        let control = Control::new(None);
        assert!(control.tell(u64::MAX / 2));
        control.stop();
        assert!(!control.tell(0));
    }
}
