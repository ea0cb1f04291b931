//! Waiting without burning a core.
//!
//! MPI's own waits spin, so waiting is polling with sleeps between. On a virtual machine a sleep costs some 30 µs of
//! processor time (measured), whatever its length: the longest pause keeps a quiet wait below one part in a hundred.

use std::thread;
use std::time::{Duration, Instant};

/// The longest pause between two polls.
const LONGEST: Duration = Duration::from_millis(8);
/// The shortest pause of a thread whose workers are busy: nothing that it could hear is so urgent.
const SHORTEST_AT_WORK: Duration = Duration::from_millis(1);
/// How long a wait gives way before it sleeps, so that a quick answer is a quick answer.
const GIVE_WAY: Duration = Duration::from_micros(50);

/// Waits between polls: gives way in the first moments, then sleeps longer and longer.
pub(super) struct Backoff {
    start: Instant,
    sleep: Duration,
}

impl Backoff {
    pub(super) fn new() -> Backoff {
        Backoff { start: Instant::now(), sleep: Duration::from_micros(20) }
    }

    pub(super) fn wait(&mut self) {
        match self.pause(false) {
            Duration::ZERO => thread::yield_now(),
            pause => thread::sleep(pause),
        }
    }

    /// Something is about to come: does not sleep long the next time.
    pub(super) fn hurry(&mut self) {
        self.sleep = self.sleep.min(SHORTEST_AT_WORK);
    }

    /// How long to wait this time; nothing in the first moments, unless there are workers `at_work` meanwhile.
    pub(super) fn pause(&mut self, at_work: bool) -> Duration {
        if at_work {
            self.sleep = self.sleep.max(SHORTEST_AT_WORK);
        } else if self.start.elapsed() < GIVE_WAY {
            return Duration::ZERO;
        }
        let pause = self.sleep;
        self.sleep = (self.sleep * 2).min(LONGEST);
        pause
    }
}
