//! A count phase, event by event: how long it takes when units of known cost are dealt to so many ranks.
//!
//! ```text
//!   rank                                          rank 0
//!   few units waiting ──── Ask ── latency ──────▶ answers one ask after the other, `request` seconds each,
//!   queue grows      ◀──── Block ── latency ───── with the next block of the pool; no answer when it is dry
//!
//!   and with `steal`, when the pool is dry:
//!   nothing to do ──────── Idle ─── latency ────▶ finds a rank with work
//!   giver            ◀──── Share ── latency ─────
//!   half of its queue, or half of a unit: Gift ─▶ `request` seconds ── Parcel ── latency ──▶ the idle rank
//! ```
//!
//! It follows what `cluster` does, and knows these things no better than a trace does:
//! - Ranks are alike and a unit costs the same wherever it is counted.
//! - First blocks are there when the count begins. Rank 0's own messages take no time, and its workers are not slowed
//!   by what its main thread does.
//! - What happens inside a unit is not recorded. A split is taken to be even: half of the seconds that are left.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

use crate::cluster::{Distribution, Schedule};
use crate::report::trace::MessageCost;

use super::broker::Broker;
use super::rank::{Predicted, Rank};

/// Nothing is split of which fewer seconds are left: it would be counted before the part arrives.
const LEAST_SPLIT: f64 = 300e-6;

/// What came of a simulated count phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Simulated {
    /// Seconds until rank 0 knows that all is counted.
    pub count: f64,
    /// Seconds that all workers together were busy.
    pub busy: f64,
    /// Units, and parts of units, that were counted.
    pub pieces: usize,
    /// Blocks that were asked for and came.
    pub blocks: usize,
    /// Gifts from busy ranks to idle ones.
    pub steals: usize,
    /// Units, or parts of them, that were split in two.
    pub splits: usize,
}

/// Simulates the count phase of units that cost so many seconds each.
pub fn simulate(costs: &[f64], deal: &Distribution, messages: MessageCost) -> Simulated {
    let costs: Vec<f64> = deal.permutation(costs.len()).map(|unit| costs[unit]).collect();
    let first = deal.first_blocks(costs.len());
    let mut simulation = Simulation {
        deal: *deal,
        messages,
        pool: first.last().map_or(0, |block| block.end)..costs.len(),
        ranks: first.into_iter().map(|block| Rank::new(deal.threads, &costs[block])).collect(),
        costs,
        broker: Broker::new(deal.ranks),
        events: BinaryHeap::new(),
        posted: 0,
        now: 0.0,
        free_at: 0.0,
        outcome: Simulated::default(),
    };
    simulation.run();
    let Simulation { outcome, ranks, .. } = simulation;
    let (busy, pieces) = ranks.iter().fold((0.0, 0), |(s, p), rank| (s + rank.seconds, p + rank.pieces));
    Simulated { busy, pieces, ..outcome }
}

/// Something that happens to someone.
enum Kind {
    /// A worker is done, if this is still how it was foretold.
    Done { rank: u32, worker: u32, turn: u32 },
    /// Rank 0 hears that a rank would like so many blocks.
    Ask { rank: u32, blocks: usize },
    /// A rank gets blocks of the pool.
    Block { rank: u32, units: Range<usize> },
    /// Rank 0 hears that a rank has nothing to do.
    Idle { rank: u32 },
    /// A rank is asked to share.
    Share { giver: u32, taker: u32 },
    /// Rank 0 gets work for a rank that has none; or nothing, where there was too little to share.
    Gift { giver: u32, taker: u32, work: Vec<f64> },
    /// A rank gets work that another has given.
    Parcel { taker: u32, work: Vec<f64> },
}

struct Event {
    time: f64,
    /// Of two events at the same time, the one that was posted first comes first.
    number: u64,
    kind: Kind,
}

struct Simulation {
    deal: Distribution,
    messages: MessageCost,
    /// Seconds of the units, in the order in which they are dealt.
    costs: Vec<f64>,
    /// The units that nobody has.
    pool: Range<usize>,
    ranks: Vec<Rank>,
    broker: Broker,
    events: BinaryHeap<Event>,
    posted: u64,
    now: f64,
    /// When rank 0 will have served all who have asked so far.
    free_at: f64,
    outcome: Simulated,
}

impl Simulation {
    fn run(&mut self) {
        for rank in 0..self.ranks.len() {
            self.go_on(rank as u32);
        }
        while let Some(Event { time, kind, .. }) = self.events.pop() {
            self.now = time;
            match kind {
                Kind::Done { rank, worker, turn } => {
                    if self.rank(rank).finish(worker, turn) {
                        self.outcome.count = self.outcome.count.max(self.now + self.way(rank));
                        self.go_on(rank);
                    }
                }
                Kind::Ask { rank, blocks } => self.answer(rank, blocks),
                Kind::Block { rank, units } => {
                    self.outcome.blocks += 1;
                    self.ranks[rank as usize].take_blocks(self.now, &self.costs[units]);
                    self.arrived(rank);
                }
                // Rank 0 knows whether it has sent something since.
                Kind::Idle { rank } if self.rank(rank).on_the_way > 0 => {}
                Kind::Idle { rank } => {
                    self.broker.is_hungry(rank);
                    self.bring_together();
                }
                Kind::Share { giver, taker } => {
                    let work = self.share(giver);
                    self.post(self.way(giver), Kind::Gift { giver, taker, work });
                }
                Kind::Gift { giver, taker, work } => self.pass_on(giver, taker, work),
                Kind::Parcel { taker, work } => {
                    self.rank(taker).waiting.extend(work);
                    self.arrived(taker);
                }
            }
        }
    }

    fn rank(&mut self, rank: u32) -> &mut Rank {
        &mut self.ranks[rank as usize]
    }

    /// Seconds between this rank and rank 0.
    fn way(&self, rank: u32) -> f64 {
        if rank == 0 { 0.0 } else { self.messages.latency }
    }

    fn post(&mut self, delay: f64, kind: Kind) {
        self.posted += 1;
        self.events.push(Event { time: self.now + delay, number: self.posted, kind });
    }

    fn foretell(&mut self, rank: u32, Predicted { worker, turn, end }: Predicted) {
        self.posted += 1;
        self.events.push(Event { time: end, number: self.posted, kind: Kind::Done { rank, worker, turn } });
    }

    fn steals(&self) -> bool {
        self.deal.schedule == Schedule::Steal && self.pool.is_empty()
    }

    /// What a rank does whenever it has got work or a worker is done: workers take what waits, more is asked for in
    /// time, and who has nothing tells.
    fn go_on(&mut self, rank: u32) {
        let now = self.now;
        while let Some(foretold) = self.rank(rank).start_next(now) {
            self.foretell(rank, foretold);
        }
        // A rank cannot know that the pool is dry, but an ask that nobody answers changes nothing.
        if !self.pool.is_empty() {
            let deal = self.deal;
            let blocks = self.rank(rank).asks(&deal, now);
            if blocks > 0 {
                self.post(self.way(rank), Kind::Ask { rank, blocks });
            }
        }
        if self.deal.schedule == Schedule::Steal {
            self.share_inside(rank);
            let own = self.rank(rank);
            if own.has_nothing() && !std::mem::replace(&mut own.has_told, true) {
                self.post(self.way(rank), Kind::Idle { rank });
            }
        }
    }

    /// Work has come to a rank.
    fn arrived(&mut self, rank: u32) {
        let own = self.rank(rank);
        own.on_the_way -= 1;
        own.has_told = false;
        self.go_on(rank);
        self.broker.has_work(rank);
        self.bring_together();
    }

    /// When rank 0 is done with one more request that has just come.
    fn serve(&mut self) -> f64 {
        self.free_at = self.free_at.max(self.now) + self.messages.request;
        self.free_at - self.now
    }

    fn answer(&mut self, rank: u32, blocks: usize) {
        let length = (0..blocks).fold(0, |units, _| units + self.deal.block(self.pool.len() - units));
        if length == 0 {
            return;
        }
        let units = self.pool.start..self.pool.start + length;
        self.pool.start = units.end;
        let delay = self.serve() + self.way(rank);
        self.rank(rank).on_the_way += 1;
        self.post(delay, Kind::Block { rank, units });
    }

    /// Workers of a rank without work take from those that have some.
    fn share_inside(&mut self, rank: u32) {
        while self.steals() && self.ranks[rank as usize].has_idle_worker() {
            let Some(half) = self.split(rank) else { return };
            let now = self.now;
            let own = self.rank(rank);
            own.waiting.push_back(half);
            if let Some(foretold) = own.start_next(now) {
                self.foretell(rank, foretold);
            }
        }
    }

    fn split(&mut self, rank: u32) -> Option<f64> {
        let now = self.now;
        let (half, foretold) = self.rank(rank).split(now, LEAST_SPLIT)?;
        self.outcome.splits += 1;
        self.foretell(rank, foretold);
        Some(half)
    }

    fn bring_together(&mut self) {
        while let Some((giver, taker)) = self.broker.next_pair() {
            self.post(self.way(giver), Kind::Share { giver, taker });
        }
    }

    /// What a rank gives when it is asked to share: the later half of what waits, or half of what a worker has left.
    fn share(&mut self, giver: u32) -> Vec<f64> {
        let waiting = &mut self.rank(giver).waiting;
        if waiting.is_empty() {
            return self.split(giver).into_iter().collect();
        }
        waiting.split_off(waiting.len() / 2).into()
    }

    fn pass_on(&mut self, giver: u32, taker: u32, work: Vec<f64>) {
        if work.is_empty() {
            self.broker.is_still_hungry(taker);
        } else {
            self.outcome.steals += 1;
            let delay = self.serve() + self.way(taker);
            self.rank(taker).on_the_way += 1;
            self.post(delay, Kind::Parcel { taker, work });
            self.broker.has_work(giver);
        }
        self.bring_together();
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
    /// The earliest event is the greatest: a heap gives the greatest first.
    fn cmp(&self, other: &Event) -> Ordering {
        other.time.total_cmp(&self.time).then(other.number.cmp(&self.number))
    }
}
