//! One rank of a simulation: its queue, its workers and its requests.

use std::collections::VecDeque;

use crate::cluster::{Distribution, MAX_REQUESTED};

#[derive(Clone, Copy, Default)]
struct Worker {
    start: f64,
    end: f64,
    /// The number of the last prediction of `end`. A split brings the end forward and makes earlier predictions invalid.
    prediction: u32,
}

pub(super) struct Rank {
    /// Seconds of each unit or subtask that no worker has begun.
    pub waiting: VecDeque<f64>,
    workers: Vec<Worker>,
    idle: Vec<u32>,
    /// When blocks were requested that have not arrived, and how many.
    requested: Option<(f64, usize)>,
    /// The number of units in the last block: the expected size of the next one.
    last_block: usize,
    /// The number of round trips, and their seconds.
    round_trips: (usize, f64),
    /// Blocks from rank 0 that have not arrived.
    pub in_transit: usize,
    /// Whether it has reported that it is idle.
    pub reported_idle: bool,
    /// Units and subtasks that were counted here, and their seconds.
    pub pieces: usize,
    pub seconds: f64,
}

/// The predicted end of a worker's unit, unless it is split before.
pub(super) struct Prediction {
    pub worker: u32,
    pub number: u32,
    pub end: f64,
}

impl Rank {
    pub(super) fn new(threads: usize, first_block: &[f64]) -> Rank {
        Rank {
            waiting: first_block.iter().copied().collect(),
            workers: vec![Worker::default(); threads],
            idle: (0..threads as u32).rev().collect(),
            requested: None,
            last_block: first_block.len().max(1),
            round_trips: (0, 0.0),
            in_transit: 0,
            reported_idle: false,
            pieces: 0,
            seconds: 0.0,
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.idle.len() == self.workers.len()
    }

    pub(super) fn has_idle_worker(&self) -> bool {
        !self.idle.is_empty()
    }

    /// An idle worker begins the next unit.
    pub(super) fn start_next(&mut self, now: f64) -> Option<Prediction> {
        if self.idle.is_empty() {
            return None;
        }
        let seconds = self.waiting.pop_front()?;
        let worker = self.idle.pop()?;
        let own = &mut self.workers[worker as usize];
        *own = Worker { start: now, end: now + seconds, prediction: own.prediction.wrapping_add(1) };
        Some(Prediction { worker, number: own.prediction, end: own.end })
    }

    /// A worker ends its unit. Returns false for an invalid prediction.
    pub(super) fn finish(&mut self, worker: u32, prediction: u32) -> bool {
        let own = self.workers[worker as usize];
        if own.prediction != prediction {
            return false;
        }
        self.idle.push(worker);
        self.pieces += 1;
        self.seconds += own.end - own.start;
        true
    }

    /// Splits half of what is left off the unit with the latest end, if that is at least so many seconds. Returns the seconds of the
    /// subtask and the new end.
    pub(super) fn split(&mut self, now: f64, least: f64) -> Option<(f64, Prediction)> {
        let (worker, own) = self.workers.iter_mut().enumerate().max_by(|(_, a), (_, b)| a.end.total_cmp(&b.end))?;
        let left = own.end - now;
        if left < least || left <= 0.0 {
            return None;
        }
        own.end = now + left / 2.0;
        own.prediction = own.prediction.wrapping_add(1);
        Some((left / 2.0, Prediction { worker: worker as u32, number: own.prediction, end: own.end }))
    }

    /// The number of blocks to request now, from the mean round trip and the mean cost of a unit so far.
    pub(super) fn request(&mut self, distribution: &Distribution, now: f64) -> usize {
        let unit = self.seconds / self.pieces.max(1) as f64;
        let (count, seconds) = self.round_trips;
        let (low, enough) = distribution.request_ahead(unit, (count > 0).then(|| seconds / count as f64));
        if self.requested.is_some() || self.waiting.len() >= low {
            return 0;
        }
        let blocks = (enough - self.waiting.len()).div_ceil(self.last_block).min(MAX_REQUESTED);
        self.requested = Some((now, blocks));
        blocks
    }

    /// Requested blocks arrive.
    pub(super) fn receive_blocks(&mut self, now: f64, units: &[f64]) {
        self.waiting.extend(units);
        if let Some((since, blocks)) = self.requested.take() {
            self.last_block = units.len().div_ceil(blocks).max(1);
            self.round_trips = (self.round_trips.0 + 1, self.round_trips.1 + (now - since));
        }
    }
}
