//! What ranks say to each other while they count.
//!
//! ```text
//!   rank r → rank 0   FOUND n      so many solutions so far (only with a limit)
//!                     FINISHED n   my units are done, with so many solutions
//!   rank 0 → rank r   STOP         enough, finish with what you have
//!                     END          everyone has finished
//! ```
//!
//! Messages between two ranks keep their order, so nothing is on its way any more once END has come.

use std::time::{Duration, Instant};

use crate::count::Control;

use super::backoff::Backoff;
use super::link::Link;

const FOUND: i32 = 1;
const FINISHED: i32 = 2;
const STOP: i32 = 3;
const END: i32 = 4;

/// One rank's part in the conversation of one count.
pub(super) struct Exchange<'a> {
    link: &'a Link,
    control: &'a Control,
    limit: Option<u64>,
    /// What this rank last told of, and when.
    told: u64,
    told_at: Instant,
    /// Rank 0: what each rank last told of.
    found: Vec<u64>,
    /// Rank 0: ranks that have finished, itself aside.
    finished: usize,
    /// Rank 0: whether the others have been told to stop.
    stopped: bool,
    ended: bool,
}

impl<'a> Exchange<'a> {
    pub(super) fn new(link: &'a Link, control: &'a Control, limit: Option<u64>) -> Self {
        let found = vec![0; link.size()];
        Exchange {
            link,
            control,
            limit,
            told: 0,
            told_at: Instant::now(),
            found,
            finished: 0,
            stopped: false,
            ended: false,
        }
    }

    /// Says what is to be said and hears what has come in; never waits.
    pub(super) fn talk(&mut self) {
        if self.link.rank() == 0 { self.lead() } else { self.follow() }
    }

    /// Called when this rank's units are done: returns when those of all ranks are.
    pub(super) fn finish(&mut self) {
        let mut backoff = Backoff::new();
        if self.link.rank() == 0 {
            self.talk();
            while self.finished + 1 < self.link.size() {
                backoff.wait();
                self.talk();
            }
            self.tell_all(END);
        } else {
            self.told = self.control.found(); // the last word: FOUND after FINISHED would find nobody listening
            self.link.send(0, FINISHED, &self.told.to_le_bytes());
            while !self.ended {
                backoff.wait();
                self.talk();
            }
        }
    }

    fn lead(&mut self) {
        self.found[0] = self.control.found();
        // No more than all ranks can have sent since the last time: the others' news must not keep rank 0 from its own.
        for _ in 0..2 * self.link.size() {
            let Some((rank, tag, bytes)) = self.link.receive() else { break };
            self.found[rank] = bytes.try_into().map_or(u64::MAX, u64::from_le_bytes);
            self.finished += usize::from(tag == FINISHED);
        }
        let total = self.found.iter().fold(0u64, |sum, &found| sum.saturating_add(found));
        if !self.stopped && self.limit.is_some_and(|limit| total >= limit) {
            self.stopped = true;
            self.control.stop();
            self.tell_all(STOP);
        }
    }

    fn follow(&mut self) {
        let found = self.control.found();
        if self.limit.is_some() && found > self.told && self.told_at.elapsed() >= between_news(self.link.size()) {
            (self.told, self.told_at) = (found, Instant::now());
            self.link.send(0, FOUND, &found.to_le_bytes());
        }
        while let Some((_, tag, _)) = self.link.receive() {
            match tag {
                STOP => self.control.stop(),
                _ => self.ended = true,
            }
        }
    }

    fn tell_all(&self, tag: i32) {
        for rank in 1..self.link.size() {
            self.link.send(rank, tag, &[]);
        }
    }
}

/// How long a rank keeps its news to itself: the more ranks, the longer, so that rank 0 can hear them all.
fn between_news(ranks: usize) -> Duration {
    Duration::from_millis(2) + Duration::from_micros(20) * ranks as u32
}
