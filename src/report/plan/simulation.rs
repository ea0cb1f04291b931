//! Simulates a count phase, event by event: its duration if units of known cost are distributed to a number of ranks.
//!
//! ```text
//!   rank                                             rank 0
//!   few units wait      ──── REQUEST ── latency ───▶ answers one request after the other, `request` seconds each,
//!   the queue grows     ◀──── BLOCK ─── latency ──── with the next blocks of the pool, if it is not empty
//!
//!   with `steal`, when the pool is empty:
//!   idle                ──── IDLE ───── latency ───▶ chooses a donor
//!   donor               ◀ STEAL_REQUEST  latency ───
//!   half of the queue, or of a unit: DONATION ─────▶ `request` seconds ──── BLOCK ── latency ──▶ the idle rank
//! ```
//!
//! This is a simplified model of [`schedule`](crate::cluster), with its arithmetic ([`Distribution`]):
//! - All ranks have the same speed, and a unit has the same cost on each of them.
//! - First blocks have arrived when the count begins. Rank 0's own messages take no time and do not slow down its workers.
//! - A trace has no costs within a unit. Every split is even: half of the seconds that are left.
//! - A donor serves one idle rank, at once. The coordinator requests donations for all idle ranks together, divides them among these,
//!   and waits until workers have split their units.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

use crate::cluster::{Distribution, Schedule};
use crate::report::trace::MessageCost;

use super::broker::Broker;
use super::rank::{Prediction, Rank};

/// The fewest seconds that are split: less would be counted before the subtask arrives.
const LEAST_SPLIT: f64 = 300e-6;

/// The result of a simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Simulated {
    /// Seconds until rank 0 knows that everything is counted.
    pub count: f64,
    /// Busy seconds of all workers together.
    pub busy: f64,
    /// Units and subtasks counted.
    pub pieces: usize,
    /// Blocks of the pool that were requested.
    pub blocks: usize,
    /// Donations from busy ranks to idle ones.
    pub steals: usize,
    /// Units and subtasks that were split in two.
    pub splits: usize,
}

/// Simulates the count phase of units with these costs in seconds.
pub fn simulate(costs: &[f64], distribution: &Distribution, messages: MessageCost) -> Simulated {
    let costs: Vec<f64> = distribution.permutation(costs.len()).map(|unit| costs[unit]).collect();
    let first = distribution.first_blocks(costs.len());
    let mut simulation = Simulation {
        distribution: *distribution,
        messages,
        pool: first.last().map_or(0, |block| block.end)..costs.len(),
        ranks: first.into_iter().map(|block| Rank::new(distribution.threads, &costs[block])).collect(),
        costs,
        broker: Broker::new(distribution.ranks),
        events: BinaryHeap::new(),
        posted: 0,
        now: 0.0,
        free_at: 0.0,
        result: Simulated::default(),
    };
    simulation.run();
    let Simulation { result, ranks, .. } = simulation;
    let (busy, pieces) = ranks.iter().fold((0.0, 0), |(s, p), rank| (s + rank.seconds, p + rank.pieces));
    Simulated { busy, pieces, ..result }
}

enum Kind {
    /// A worker ends its unit, if the prediction is still valid.
    Done {
        rank: u32,
        worker: u32,
        prediction: u32,
    },
    /// Rank 0 receives a request.
    Request {
        rank: u32,
        blocks: usize,
    },
    /// A rank receives blocks of the pool.
    Block {
        rank: u32,
        units: Range<usize>,
    },
    /// Rank 0 receives the message that a rank is idle.
    Idle {
        rank: u32,
    },
    StealRequest {
        donor: u32,
        idle: u32,
    },
    /// Rank 0 receives a donation for an idle rank, perhaps an empty one.
    Donation {
        donor: u32,
        idle: u32,
        work: Vec<f64>,
    },
    /// An idle rank receives a donation.
    DonatedBlock {
        rank: u32,
        work: Vec<f64>,
    },
}

struct Event {
    time: f64,
    /// Events at the same time happen in the order in which they were posted.
    number: u64,
    kind: Kind,
}

struct Simulation {
    distribution: Distribution,
    messages: MessageCost,
    /// Seconds of the units, in the order of the distribution.
    costs: Vec<f64>,
    /// The units that no rank has.
    pool: Range<usize>,
    ranks: Vec<Rank>,
    broker: Broker,
    events: BinaryHeap<Event>,
    posted: u64,
    now: f64,
    /// When rank 0 will have served all requests so far.
    free_at: f64,
    result: Simulated,
}

impl Simulation {
    fn run(&mut self) {
        for rank in 0..self.ranks.len() {
            self.advance(rank as u32);
        }
        while let Some(Event { time, kind, .. }) = self.events.pop() {
            self.now = time;
            match kind {
                Kind::Done { rank, worker, prediction } => {
                    if self.rank(rank).finish(worker, prediction) {
                        self.result.count = self.result.count.max(self.now + self.latency(rank));
                        self.advance(rank);
                    }
                }
                Kind::Request { rank, blocks } => self.send_blocks(rank, blocks),
                Kind::Block { rank, units } => {
                    self.result.blocks += 1;
                    self.ranks[rank as usize].receive_blocks(self.now, &self.costs[units]);
                    self.received_work(rank);
                }
                // Work is in transit to this rank.
                Kind::Idle { rank } if self.rank(rank).in_transit > 0 => {}
                Kind::Idle { rank } => {
                    self.broker.add_idle(rank);
                    self.send_steal_requests();
                }
                Kind::StealRequest { donor, idle } => {
                    let work = self.take_donation(donor);
                    self.post(self.latency(donor), Kind::Donation { donor, idle, work });
                }
                Kind::Donation { donor, idle, work } => self.forward_donation(donor, idle, work),
                Kind::DonatedBlock { rank, work } => {
                    self.rank(rank).waiting.extend(work);
                    self.received_work(rank);
                }
            }
        }
    }

    fn rank(&mut self, rank: u32) -> &mut Rank {
        &mut self.ranks[rank as usize]
    }

    /// Seconds of a message between this rank and rank 0.
    fn latency(&self, rank: u32) -> f64 {
        if rank == 0 { 0.0 } else { self.messages.latency }
    }

    fn post(&mut self, delay: f64, kind: Kind) {
        self.post_at(self.now + delay, kind);
    }

    fn post_at(&mut self, time: f64, kind: Kind) {
        self.posted += 1;
        self.events.push(Event { time, number: self.posted, kind });
    }

    fn predict(&mut self, rank: u32, Prediction { worker, number, end }: Prediction) {
        self.post_at(end, Kind::Done { rank, worker, prediction: number });
    }

    /// After work has arrived or a worker is done: workers begin units, the rank requests blocks or reports that it is idle.
    fn advance(&mut self, rank: u32) {
        let now = self.now;
        while let Some(prediction) = self.rank(rank).start_next(now) {
            self.predict(rank, prediction);
        }
        // A rank does not know that the pool is empty, but a request without an answer has no effect.
        if !self.pool.is_empty() {
            let distribution = self.distribution;
            let blocks = self.rank(rank).request(&distribution, now);
            if blocks > 0 {
                self.post(self.latency(rank), Kind::Request { rank, blocks });
            }
        }
        if self.distribution.schedule == Schedule::Steal {
            self.split_for_idle_workers(rank);
            let own = self.rank(rank);
            if own.is_idle() && !std::mem::replace(&mut own.reported_idle, true) {
                self.post(self.latency(rank), Kind::Idle { rank });
            }
        }
    }

    fn received_work(&mut self, rank: u32) {
        let own = self.rank(rank);
        own.in_transit -= 1;
        own.reported_idle = false;
        self.advance(rank);
        self.broker.add_donor(rank);
        self.send_steal_requests();
    }

    /// Seconds until rank 0 has served one more request.
    fn serve(&mut self) -> f64 {
        self.free_at = self.free_at.max(self.now) + self.messages.request;
        self.free_at - self.now
    }

    fn send_blocks(&mut self, rank: u32, blocks: usize) {
        let length = (0..blocks).fold(0, |units, _| units + self.distribution.block(self.pool.len() - units));
        if length == 0 {
            return;
        }
        let units = self.pool.start..self.pool.start + length;
        self.pool.start = units.end;
        let delay = self.serve() + self.latency(rank);
        self.rank(rank).in_transit += 1;
        self.post(delay, Kind::Block { rank, units });
    }

    /// When the pool is empty, busy workers of a rank split their units for idle ones.
    fn split_for_idle_workers(&mut self, rank: u32) {
        while self.pool.is_empty() && self.ranks[rank as usize].has_idle_worker() {
            let Some(half) = self.split(rank) else { return };
            let now = self.now;
            let own = self.rank(rank);
            own.waiting.push_back(half);
            if let Some(prediction) = own.start_next(now) {
                self.predict(rank, prediction);
            }
        }
    }

    fn split(&mut self, rank: u32) -> Option<f64> {
        let now = self.now;
        let (half, prediction) = self.rank(rank).split(now, LEAST_SPLIT)?;
        self.result.splits += 1;
        self.predict(rank, prediction);
        Some(half)
    }

    fn send_steal_requests(&mut self) {
        while let Some((donor, idle)) = self.broker.next_pair() {
            self.post(self.latency(donor), Kind::StealRequest { donor, idle });
        }
    }

    /// The later half of the queue, or else half of a unit.
    fn take_donation(&mut self, donor: u32) -> Vec<f64> {
        let waiting = &mut self.rank(donor).waiting;
        if waiting.is_empty() {
            return self.split(donor).into_iter().collect();
        }
        waiting.split_off(waiting.len() / 2).into()
    }

    fn forward_donation(&mut self, donor: u32, idle: u32, work: Vec<f64>) {
        if work.is_empty() {
            self.broker.retry(idle);
        } else {
            self.result.steals += 1;
            let delay = self.serve() + self.latency(idle);
            self.rank(idle).in_transit += 1;
            self.post(delay, Kind::DonatedBlock { rank: idle, work });
            self.broker.add_donor(donor);
        }
        self.send_steal_requests();
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Event) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Event {}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Event) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Event {
    /// The earliest event is the greatest: a heap returns the greatest first.
    fn cmp(&self, other: &Event) -> Ordering {
        other.time.total_cmp(&self.time).then(other.number.cmp(&self.number))
    }
}
