//! Waiting without burning a core.

use std::thread;
use std::time::{Duration, Instant};

/// How long the main thread sleeps between two polls at the most.
const POLL: Duration = Duration::from_micros(500);

/// Waits between polls: gives way for the first moments, so that a quick answer is a quick answer, then sleeps longer
/// and longer up to [`POLL`], so that a waiting rank leaves its core to those who count.
pub(super) struct Backoff {
    start: Instant,
    sleep: Duration,
}

impl Backoff {
    pub(super) fn new() -> Backoff {
        Backoff { start: Instant::now(), sleep: Duration::from_micros(20) }
    }

    pub(super) fn wait(&mut self) {
        match self.pause() {
            Duration::ZERO => thread::yield_now(),
            pause => thread::sleep(pause),
        }
    }

    /// How long to wait this time; nothing in the first moments.
    pub(super) fn pause(&mut self) -> Duration {
        if self.start.elapsed() < Duration::from_micros(50) {
            return Duration::ZERO;
        }
        let pause = self.sleep;
        self.sleep = (self.sleep * 2).min(POLL);
        pause
    }
}
