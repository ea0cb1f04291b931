//! One rank of a simulation: its queue, its workers, and what it waits for.

use std::collections::VecDeque;

use crate::cluster::{Distribution, MAX_REQUESTED};

/// A worker: until when it is busy with what it has.
#[derive(Clone, Copy, Default)]
struct Worker {
    start: f64,
    end: f64,
    /// Which of the ends that were foretold for this worker is the true one: a split brings an end forward.
    turn: u32,
}

/// A rank.
pub(super) struct Rank {
    /// Work that no worker has taken yet: seconds for each piece, a unit or a part of one.
    pub waiting: VecDeque<f64>,
    workers: Vec<Worker>,
    /// The workers without work.
    idle: Vec<u32>,
    /// When blocks were asked for that have not come, and how many.
    asked: Option<(f64, usize)>,
    /// The units of the last block that was asked for: what the next one is expected to hold.
    last_block: usize,
    /// Blocks that came, and the seconds from asking to having them, all together.
    rounds: (usize, f64),
    /// Parcels of work that rank 0 has sent and that have not arrived.
    pub on_the_way: usize,
    /// Whether rank 0 was told that there is nothing left to do here.
    pub has_told: bool,
    /// Pieces that were counted here, and their seconds.
    pub pieces: usize,
    pub seconds: f64,
}

/// When a worker will be done, if nothing is taken from it.
pub(super) struct Predicted {
    pub worker: u32,
    pub turn: u32,
    pub end: f64,
}

impl Rank {
    pub(super) fn new(threads: usize, first_block: &[f64]) -> Rank {
        Rank {
            waiting: first_block.iter().copied().collect(),
            workers: vec![Worker::default(); threads],
            idle: (0..threads as u32).rev().collect(),
            asked: None,
            last_block: first_block.len().max(1),
            rounds: (0, 0.0),
            on_the_way: 0,
            has_told: false,
            pieces: 0,
            seconds: 0.0,
        }
    }

    /// Whether no worker is busy and nothing waits for one.
    pub(super) fn has_nothing(&self) -> bool {
        self.waiting.is_empty() && self.idle.len() == self.workers.len()
    }

    /// Whether a worker has nothing to do.
    pub(super) fn has_idle_worker(&self) -> bool {
        !self.idle.is_empty()
    }

    /// An idle worker takes what has waited longest.
    pub(super) fn start_next(&mut self, now: f64) -> Option<Predicted> {
        if self.idle.is_empty() {
            return None;
        }
        let seconds = self.waiting.pop_front()?;
        let worker = self.idle.pop()?;
        let own = &mut self.workers[worker as usize];
        *own = Worker { start: now, end: now + seconds, turn: own.turn.wrapping_add(1) };
        Some(Predicted { worker, turn: own.turn, end: own.end })
    }

    /// A worker is done, if this is still how it was foretold.
    pub(super) fn finish(&mut self, worker: u32, turn: u32) -> bool {
        let own = self.workers[worker as usize];
        if own.turn != turn {
            return false;
        }
        self.idle.push(worker);
        self.pieces += 1;
        self.seconds += own.end - own.start;
        true
    }

    /// Takes half of what the worker that would be busy longest has left, if that is worth it: a split gives the
    /// seconds it frees and the worker's new end.
    pub(super) fn split(&mut self, now: f64, least: f64) -> Option<(f64, Predicted)> {
        let (worker, own) = self.workers.iter_mut().enumerate().max_by(|(_, a), (_, b)| a.end.total_cmp(&b.end))?;
        let left = own.end - now;
        if left < least || left <= 0.0 {
            return None;
        }
        own.end = now + left / 2.0;
        own.turn = own.turn.wrapping_add(1);
        Some((left / 2.0, Predicted { worker: worker as u32, turn: own.turn, end: own.end }))
    }

    /// How many blocks it asks for at this moment. How long they take to come, and how long a unit takes, it knows from
    /// those it has had.
    pub(super) fn asks(&mut self, deal: &Distribution, now: f64) -> usize {
        let unit = self.seconds / self.pieces.max(1) as f64;
        let (rounds, waited) = self.rounds;
        let (low, enough) = deal.request_ahead(unit, (rounds > 0).then(|| waited / rounds as f64));
        if self.asked.is_some() || self.waiting.len() >= low {
            return 0;
        }
        let blocks = (enough - self.waiting.len()).div_ceil(self.last_block).min(MAX_REQUESTED);
        self.asked = Some((now, blocks));
        blocks
    }

    /// Blocks have come that were asked for.
    pub(super) fn take_blocks(&mut self, now: f64, units: &[f64]) {
        self.waiting.extend(units);
        if let Some((asked, blocks)) = self.asked.take() {
            self.last_block = units.len().div_ceil(blocks).max(1);
            self.rounds = (self.rounds.0 + 1, self.rounds.1 + (now - asked));
        }
    }
}
