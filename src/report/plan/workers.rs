//! The workers of one simulated rank: a queue of units, each with its seconds, and the [`WorkSource`] of the rank's client.

use std::cell::RefCell;
use std::collections::VecDeque;

use crate::cluster::{Distribution, RankProgress, UnitId, WorkSource, WorkerStatus};

/// The fewest seconds that are split: less would be counted before the subtask arrives.
const LEAST_SPLIT: f64 = 300e-6;

const ENTRY_BYTES: usize = UnitId::BYTES + size_of::<f64>();

/// An entry: a unit id, which does not matter, and the seconds of the unit.
pub(super) fn entry(seconds: f64) -> Vec<u8> {
    [UnitId::of_unit(0).to_bytes(), seconds.to_le_bytes()].concat()
}

#[derive(Clone, Copy, Default)]
struct Worker {
    start: f64,
    end: f64,
    busy: bool,
    /// The number of the last prediction of `end`. A split brings the end forward and makes earlier predictions invalid.
    prediction: u32,
}

pub(super) struct Workers {
    /// Simulated seconds since the count began.
    pub now: f64,
    /// Seconds of each unit or subtask that no worker has begun.
    queue: VecDeque<f64>,
    workers: Vec<Worker>,
    splits_units: bool,
    /// Entries that other ranks want.
    pub donation: usize,
    /// Predictions that are not in the list of events yet.
    pub predictions: Vec<Prediction>,
    /// Units and subtasks that were counted here, and their seconds.
    pub pieces: usize,
    pub seconds: f64,
    /// Units and subtasks that were split in two.
    pub splits: usize,
}

/// The predicted end of a worker's unit, unless it is split before.
pub(super) struct Prediction {
    pub worker: usize,
    pub number: u32,
    pub end: f64,
}

impl Workers {
    pub(super) fn new(distribution: &Distribution, first_block: &[f64]) -> Workers {
        Workers {
            now: 0.0,
            queue: first_block.iter().copied().collect(),
            workers: vec![Worker::default(); distribution.threads],
            splits_units: distribution.schedule.splits_units(),
            donation: 0,
            predictions: Vec::new(),
            pieces: 0,
            seconds: 0.0,
            splits: 0,
        }
    }

    /// A worker ends its unit. Returns false for an invalid prediction.
    pub(super) fn finish(&mut self, Prediction { worker, number, .. }: Prediction) -> bool {
        let own = &mut self.workers[worker];
        if own.prediction != number {
            return false;
        }
        own.busy = false;
        self.pieces += 1;
        self.seconds += own.end - own.start;
        true
    }

    /// Idle workers begin units; busy ones split theirs, as the worker pool has them do.
    pub(super) fn advance(&mut self) {
        loop {
            while let Some(worker) = self.workers.iter().position(|worker| !worker.busy)
                && let Some(seconds) = self.queue.pop_front()
            {
                let own = &mut self.workers[worker];
                *own = Worker { start: self.now, busy: true, ..*own };
                self.predict(worker, self.now + seconds);
            }
            if self.queue.len() >= self.idle() + self.donation || !self.splits_units || !self.split() {
                return;
            }
        }
    }

    fn idle(&self) -> usize {
        self.workers.iter().filter(|worker| !worker.busy).count()
    }

    fn predict(&mut self, worker: usize, end: f64) {
        let own = &mut self.workers[worker];
        (own.end, own.prediction) = (end, own.prediction.wrapping_add(1));
        self.predictions.push(Prediction { worker, number: own.prediction, end });
    }

    /// Splits half of what is left off the unit with the latest end, if that is worth it.
    fn split(&mut self) -> bool {
        let busy = self.workers.iter().enumerate().filter(|(_, worker)| worker.busy);
        let Some((worker, own)) = busy.max_by(|(_, a), (_, b)| a.end.total_cmp(&b.end)) else { return false };
        let half = (own.end - self.now) / 2.0;
        if 2.0 * half < LEAST_SPLIT {
            return false;
        }
        self.splits += 1;
        self.queue.push_front(half);
        self.predict(worker, self.now + half);
        true
    }
}

impl WorkSource for RefCell<Workers> {
    fn status(&self) -> WorkerStatus {
        let own = self.borrow();
        WorkerStatus {
            waiting: own.queue.len(),
            idle: own.queue.is_empty() && own.idle() == own.workers.len(),
            mean_unit: own.seconds / own.pieces.max(1) as f64,
            progress: RankProgress::default(),
        }
    }

    fn add(&self, entries: &[u8]) -> usize {
        let (entries, _) = entries.as_chunks::<ENTRY_BYTES>();
        let seconds = entries.iter().filter_map(|entry| entry.last_chunk()).map(|&bytes| f64::from_le_bytes(bytes));
        let mut own = self.borrow_mut();
        own.queue.extend(seconds);
        own.advance();
        entries.len()
    }

    fn request_donation(&self, entries: usize) {
        let mut own = self.borrow_mut();
        own.donation = entries;
        own.advance();
    }

    fn set_low_mark(&self, _: usize) {}

    /// As many as the worker pool would donate.
    fn take_donation(&self) -> Vec<u8> {
        let mut own = self.borrow_mut();
        let waiting = own.queue.len();
        let taken = waiting.saturating_sub(own.idle()).div_ceil(2);
        own.queue.split_off(waiting - taken).into_iter().flat_map(entry).collect()
    }

    fn stop(&self) {}

    fn stopped(&self) -> bool {
        false
    }
}
