//! Simulates a count phase, event by event: its duration if units of known cost are distributed to a number of ranks.
//!
//! Both sides of the protocol are the real ones, [`Coordinator`] and [`RankClient`]; workers, messages and time are simulated.
//! `docs/traces-and-plan.md` (The model) has what is simulated, and what is assumed.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::cluster::{Coordinator, Distribution, ProgressInterval, RankClient, ToCoordinator, ToRank};
use crate::report::trace::MessageCost;

use super::workers::{Prediction, Workers, entry};

/// Seconds between two polls of a rank for what its workers have split off for a steal request.
const POLL: f64 = 1e-3;

const NEVER: ProgressInterval = ProgressInterval { with_solutions: Duration::MAX, without: Duration::MAX };

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Simulated {
    /// Seconds until rank 0 knows that everything is counted.
    pub count: f64,
    /// Busy seconds of all workers together.
    pub busy: f64,
    /// Units and subtasks counted.
    pub pieces: usize,
    pub blocks: usize,
    pub steals: usize,
    pub splits: usize,
}

/// Simulates the count phase of units with these costs in seconds.
pub fn simulate(costs: &[f64], distribution: &Distribution, messages: MessageCost) -> Simulated {
    let costs: Vec<f64> = distribution.permutation(costs.len()).map(|unit| costs[unit]).collect();
    let first = distribution.first_blocks(costs.len());
    let sent = first.last().map_or(0, |block| block.end);
    let rest = costs[sent..].iter().flat_map(|&cost| entry(cost)).collect();
    let ranks: Vec<RefCell<Workers>> =
        first.into_iter().map(|block| RefCell::new(Workers::new(distribution, &costs[block]))).collect();
    let start = Instant::now();
    let mut simulation = Simulation {
        messages,
        coordinator: Coordinator::new(*distribution, size_of::<f64>(), rest),
        clients: ranks.iter().map(|workers| RankClient::new(*distribution, workers, NEVER, start)).collect(),
        ranks: &ranks,
        polled: vec![false; ranks.len()],
        events: BTreeMap::new(),
        posted: 0,
        start,
        now: 0.0,
        free_at: 0.0,
        result: Simulated::default(),
    };
    simulation.run();
    let mut result = simulation.result;
    for workers in &ranks {
        let workers = workers.borrow();
        result.busy += workers.seconds;
        result.pieces += workers.pieces;
        result.splits += workers.splits;
    }
    result
}

enum Event {
    /// A worker ends its unit, if the prediction is still valid.
    Done(Prediction),
    /// A message from the rank arrives at rank 0.
    Arrives(ToCoordinator),
    /// Rank 0 is done with it.
    Received(ToCoordinator),
    /// A message from rank 0 arrives at the rank.
    Message(ToRank),
    /// The rank polls its queue for a steal request.
    Poll,
}

struct Simulation<'a> {
    messages: MessageCost,
    coordinator: Coordinator,
    ranks: &'a [RefCell<Workers>],
    clients: Vec<RankClient<'a, RefCell<Workers>>>,
    /// For each rank, whether a poll is among the events.
    polled: Vec<bool>,
    /// By time, of which the bits are in the same order as the numbers because it is never negative. Events at the same time happen in
    /// the order in which they were posted.
    events: BTreeMap<(u64, u64), (usize, Event)>,
    posted: u64,
    start: Instant,
    now: f64,
    /// When rank 0 will be done with all messages so far.
    free_at: f64,
    result: Simulated,
}

impl Simulation<'_> {
    fn run(&mut self) {
        for rank in 0..self.ranks.len() {
            self.advance(rank);
        }
        while let Some(((time, _), (rank, event))) = self.events.pop_first() {
            self.now = f64::from_bits(time);
            self.ranks[rank].borrow_mut().now = self.now;
            match event {
                Event::Done(prediction) => {
                    if self.ranks[rank].borrow_mut().finish(prediction) {
                        self.result.count = self.result.count.max(self.now + self.latency(rank));
                        self.advance(rank);
                    }
                }
                Event::Arrives(message) => {
                    let answered = matches!(message, ToCoordinator::Request(_) | ToCoordinator::Donation(_));
                    let seconds = if answered { self.messages.request } else { 0.0 };
                    self.free_at = self.free_at.max(self.now) + seconds;
                    self.post(self.free_at, rank, Event::Received(message));
                }
                Event::Received(message) => {
                    self.coordinator.receive(rank, message);
                    for (rank, message) in self.coordinator.messages() {
                        self.post(self.now + self.latency(rank), rank, Event::Message(message));
                    }
                }
                Event::Message(message) => {
                    if matches!(message, ToRank::Block(_)) {
                        let requested = self.clients[rank].expects_block();
                        self.result.blocks += usize::from(requested);
                        self.result.steals += usize::from(!requested);
                    }
                    let now = self.instant();
                    self.clients[rank].receive(message, now);
                    self.advance(rank);
                }
                Event::Poll => {
                    self.polled[rank] = false;
                    self.advance(rank);
                }
            }
        }
    }

    /// After anything has happened on a rank: its workers begin and split units, and its client sends messages.
    fn advance(&mut self, rank: usize) {
        let workers = &self.ranks[rank];
        workers.borrow_mut().advance();
        let now = self.instant();
        for message in self.clients[rank].messages(now) {
            self.post(self.now + self.latency(rank), rank, Event::Arrives(message));
        }
        let predictions = std::mem::take(&mut workers.borrow_mut().predictions);
        for prediction in predictions {
            self.post(prediction.end, rank, Event::Done(prediction));
        }
        if workers.borrow().donation > 0 && !self.polled[rank] {
            self.polled[rank] = true;
            self.post(self.now + POLL, rank, Event::Poll);
        }
    }

    /// Seconds of a message between this rank and rank 0.
    fn latency(&self, rank: usize) -> f64 {
        if rank == 0 { 0.0 } else { self.messages.latency }
    }

    fn post(&mut self, time: f64, rank: usize, event: Event) {
        self.posted += 1;
        self.events.insert((time.to_bits(), self.posted), (rank, event));
    }

    /// The simulated time for a client.
    fn instant(&self) -> Instant {
        let elapsed = Duration::try_from_secs_f64(self.now).unwrap_or(Duration::MAX);
        self.start.checked_add(elapsed).unwrap_or(self.start)
    }
}
