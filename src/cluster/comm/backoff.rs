//! Waiting without burning a core: MPI's own waits spin, so waiting is polling with sleeps in between. On a virtual
//! machine a sleep costs some 30 µs of processor time (measured), whatever its length: the longest pause keeps an idle
//! wait below 1 % of a core.

use std::thread;
use std::time::{Duration, Instant};

const LONGEST: Duration = Duration::from_millis(8);
/// The shortest pause while workers of this rank count: no message is more urgent than their work.
const SHORTEST_WHILE_COUNTING: Duration = Duration::from_millis(1);
/// How long a wait yields before it sleeps, so that a fast answer is received fast.
const YIELD: Duration = Duration::from_micros(50);

/// Exponential backoff between polls: yields at first, then sleeps longer and longer.
pub(crate) struct Backoff {
    start: Instant,
    sleep: Duration,
}

impl Backoff {
    pub(crate) fn new() -> Backoff {
        Backoff { start: Instant::now(), sleep: Duration::from_micros(20) }
    }

    pub(crate) fn wait(&mut self) {
        match self.pause(false) {
            Duration::ZERO => thread::yield_now(),
            pause => thread::sleep(pause),
        }
    }

    /// Shortens the next pause: an answer is expected.
    pub(crate) fn expect_answer(&mut self) {
        self.sleep = self.sleep.min(SHORTEST_WHILE_COUNTING);
    }

    /// The next pause; zero at first, unless workers are `counting` meanwhile.
    pub(crate) fn pause(&mut self, counting: bool) -> Duration {
        if counting {
            self.sleep = self.sleep.max(SHORTEST_WHILE_COUNTING);
        } else if self.start.elapsed() < YIELD {
            return Duration::ZERO;
        }
        let pause = self.sleep;
        self.sleep = (self.sleep * 2).min(LONGEST);
        pause
    }
}
