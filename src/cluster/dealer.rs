//! Rank 0's side of the conversation: what is left of the pool, who has nothing to do, who could give, and when all is
//! done. It knows neither MPI nor clocks: it hears what ranks say and writes down what is to be said to them.

use std::collections::VecDeque;

use super::message::{Label, News, ToLead, ToRank};
use super::schedule::{Deal, Schedule};
use super::stop::StopReason;

/// A block takes no more bytes than this, so that no rank waits long for the block of another to be sent.
const MAX_BLOCK_BYTES: usize = 256 << 10;

/// What rank 0 knows and decides.
pub(super) struct Dealer {
    deal: Deal,
    entry_bytes: usize,
    /// The units that are left, and the place of the first of them in the pool.
    pool: Vec<u8>,
    next: usize,
    units: usize,
    /// Entries that were given away and have no new owner yet.
    gifts: VecDeque<u8>,
    ranks: Vec<Place>,
    idle: usize,
    asked: usize,
    /// The rank to be asked next for a part of its work.
    turn: usize,
    stopped: Option<StopReason>,
    ended: bool,
    said: Vec<(usize, ToRank)>,
    requests: u64,
}

/// What rank 0 knows of a rank.
#[derive(Clone, Debug, Default)]
struct Place {
    /// Blocks sent to it.
    sent: u64,
    /// Whether it has nothing to do, and nothing is on its way to it.
    idle: bool,
    /// Whether it knows that the pool is empty.
    dry: bool,
    /// Whether it has been asked to share and has not answered.
    asked: bool,
    news: News,
}

impl Dealer {
    /// What is left of a pool of `units` units after the first blocks.
    pub(super) fn new(deal: Deal, unit_bytes: usize, units: usize, left: Vec<u8>) -> Dealer {
        Dealer {
            deal,
            entry_bytes: Label::BYTES + unit_bytes,
            next: units - left.len() / unit_bytes,
            pool: left,
            units,
            gifts: VecDeque::new(),
            ranks: vec![Place::default(); deal.ranks],
            idle: 0,
            asked: 0,
            turn: 0,
            stopped: None,
            ended: false,
            said: Vec::new(),
            requests: 0,
        }
    }

    /// Hears what a rank says.
    pub(super) fn hear(&mut self, rank: usize, message: ToLead) {
        match message {
            ToLead::Ask => {
                self.requests += 1;
                self.hand_out(rank);
            }
            ToLead::News(news) => self.ranks[rank].news = news,
            ToLead::Gift(entries) => {
                self.requests += 1;
                self.gifts.extend(entries);
                self.asked -= usize::from(self.ranks[rank].asked);
                self.ranks[rank].asked = false;
            }
            ToLead::Idle { heard, news } => {
                let place = &mut self.ranks[rank];
                place.news = news;
                // If a block is on its way to it, the rank will say so again when that is done.
                if heard == place.sent && !place.idle {
                    place.idle = true;
                    self.idle += 1;
                }
            }
            ToLead::Halt(signal) => self.stop(StopReason::Signal(signal)),
        }
    }

    /// Ends the count: what is left stays undone. The first reason is the one that counts.
    pub(super) fn stop(&mut self, reason: StopReason) {
        if self.stopped.is_none() && !self.ended {
            self.stopped = Some(reason);
            self.tell_all(&ToRank::Stop);
        }
    }

    /// Decides what follows from all that was heard, and returns what is to be said to whom, in this order.
    pub(super) fn decide(&mut self) -> Vec<(usize, ToRank)> {
        if self.deal.schedule == Schedule::Steal && self.stopped.is_none() && self.idle > 0 && self.left() == 0 {
            self.pass_on_gifts();
            self.ask_the_busy();
        }
        let nothing_left = self.stopped.is_some() || self.left() == 0 && self.gifts.is_empty();
        if nothing_left && self.idle == self.ranks.len() && self.asked == 0 && !self.ended {
            self.ended = true;
            self.tell_all(&ToRank::End);
        }
        std::mem::take(&mut self.said)
    }

    /// Why the count has been stopped, if it has.
    pub(super) fn stopped(&self) -> Option<StopReason> {
        self.stopped
    }

    /// What all ranks have told of so far.
    pub(super) fn news(&self) -> impl Iterator<Item = &News> + Clone {
        self.ranks.iter().map(|place| &place.news)
    }

    /// Whether somebody waits for what another rank has been asked to give.
    pub(super) fn expects_a_gift(&self) -> bool {
        self.asked > 0
    }

    /// Requests answered so far.
    pub(super) fn requests(&self) -> u64 {
        self.requests
    }

    /// Units and parts that nobody has got.
    pub(super) fn undealt(&self) -> u64 {
        (self.left() + self.gifts.len() / self.entry_bytes) as u64
    }

    fn left(&self) -> usize {
        self.units - self.next
    }

    /// Gives a rank the next block of the pool, or tells it that there is none.
    fn hand_out(&mut self, rank: usize) {
        let most = (MAX_BLOCK_BYTES / self.entry_bytes).max(1);
        let block = self.deal.block(self.left()).min(most);
        if self.stopped.is_some() {
            return;
        }
        if block == 0 {
            if !std::mem::replace(&mut self.ranks[rank].dry, true) {
                self.said.push((rank, ToRank::Dry));
            }
            return;
        }
        let unit_bytes = self.entry_bytes - Label::BYTES;
        let start = self.pool.len() - self.left() * unit_bytes;
        let mut entries = Vec::with_capacity(block * self.entry_bytes);
        for (unit, place) in self.pool[start..].chunks_exact(unit_bytes).take(block).zip(self.next..) {
            entries.extend(Label::whole(place).to_bytes());
            entries.extend(unit);
        }
        self.next += block;
        self.send_block(rank, entries);
    }

    /// Shares out what was given among the ranks that have nothing to do.
    fn pass_on_gifts(&mut self) {
        let mut rank = 0;
        while !self.gifts.is_empty() && self.idle > 0 {
            if self.ranks[rank].idle {
                let gifts = self.gifts.len() / self.entry_bytes;
                let rest = self.gifts.split_off(gifts.div_ceil(self.idle) * self.entry_bytes);
                let entries = std::mem::replace(&mut self.gifts, rest);
                self.send_block(rank, entries.into());
            }
            rank += 1;
        }
    }

    /// Asks as many busy ranks for a part of their work as there are ranks without any.
    fn ask_the_busy(&mut self) {
        let ranks = self.ranks.len();
        let busy = ranks - self.idle;
        let wanted = (self.idle * self.deal.threads).div_ceil(busy.max(1));
        for _ in 0..ranks {
            if self.asked >= self.idle {
                return;
            }
            let rank = self.turn;
            self.turn = (self.turn + 1) % ranks;
            if !self.ranks[rank].idle && !self.ranks[rank].asked {
                self.ranks[rank].asked = true;
                self.asked += 1;
                self.said.push((rank, ToRank::Share(wanted)));
            }
        }
    }

    fn send_block(&mut self, rank: usize, entries: Vec<u8>) {
        let place = &mut self.ranks[rank];
        place.sent += 1;
        self.idle -= usize::from(place.idle);
        place.idle = false;
        self.said.push((rank, ToRank::Block(entries)));
    }

    fn tell_all(&mut self, message: &ToRank) {
        self.said.extend((0..self.ranks.len()).map(|rank| (rank, message.clone())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Ranks that do what a [`Member`](super::super::member::Member) does, in a world without time: all that is left to
    /// chance is who comes next. A unit is its place as one byte pair; counting one means to write it down.
    struct World {
        dealer: Dealer,
        ranks: Vec<Rank>,
        counted: Vec<(usize, bool)>,
        split: usize,
    }

    #[derive(Default)]
    struct Rank {
        queue: VecDeque<Label>,
        /// What this rank has said and rank 0 has not heard, and the other way round.
        out: VecDeque<ToLead>,
        inbox: VecDeque<ToRank>,
        heard: u64,
        told_idle: Option<u64>,
        asked: bool,
        dry: bool,
        stopped: bool,
        ended: bool,
    }

    const UNIT_BYTES: usize = 2;

    fn world(deal: Deal, units: usize) -> World {
        let blocks = deal.first_blocks(units);
        let places: Vec<usize> = deal.arrange(units).collect();
        let end = blocks.last().map_or(0, |block| block.end);
        let left = vec![7; (units - end) * UNIT_BYTES];
        let queue =
            |block: &std::ops::Range<usize>| places[block.clone()].iter().map(|&place| Label::whole(place)).collect();
        let ranks = blocks.iter().map(|block| Rank { queue: queue(block), ..Rank::default() }).collect();
        World { dealer: Dealer::new(deal, UNIT_BYTES, units, left), ranks, counted: Vec::new(), split: 0 }
    }

    fn labels(entries: &[u8]) -> impl Iterator<Item = Label> {
        entries
            .chunks_exact(Label::BYTES + UNIT_BYTES)
            .map(|entry| Label::from_bytes(entry[..8].try_into().expect("8")))
    }

    impl World {
        /// One step of a rank: count a unit (or split it), talk, or hear one thing.
        fn step(&mut self, rank: usize, chance: u8) {
            let fixed = self.dealer.deal.schedule.is_fixed();
            let me = &mut self.ranks[rank];
            if me.ended {
                return;
            }
            match chance % 3 {
                0 if !me.stopped => self.counted.extend(me.queue.pop_front().map(|label| (label.unit, label.part))),
                1 => match me.inbox.pop_front() {
                    Some(ToRank::Block(entries)) => {
                        me.heard += 1;
                        me.asked = false;
                        me.queue.extend(labels(&entries));
                    }
                    Some(ToRank::Dry) => me.dry = true,
                    Some(ToRank::Share(_)) => {
                        // Half of the queue, or a part split off what it is at, or nothing.
                        let taken = if me.stopped { None } else { me.queue.pop_back() };
                        let gift = match taken {
                            Some(label) if chance > 100 => {
                                me.queue.push_back(label);
                                self.split += 1;
                                Some(label.of_part())
                            }
                            other => other,
                        };
                        let entry = |label: Label| [&label.to_bytes()[..], &[7; UNIT_BYTES]].concat();
                        me.out.push_back(ToLead::Gift(gift.map(entry).unwrap_or_default()));
                    }
                    Some(ToRank::Stop) => me.stopped = true,
                    Some(ToRank::End) => me.ended = true,
                    None => {}
                },
                _ => {
                    if me.queue.len() < 2 && !fixed && !me.asked && !me.dry && !me.stopped {
                        me.asked = true;
                        me.out.push_back(ToLead::Ask);
                    }
                    if (me.queue.is_empty() || me.stopped) && me.told_idle != Some(me.heard) {
                        me.told_idle = Some(me.heard);
                        me.out.push_back(ToLead::Idle { heard: me.heard, news: News::default() });
                    }
                }
            }
        }

        /// Rank 0 hears one thing from a rank and says what follows.
        fn lead(&mut self, rank: usize) {
            if let Some(message) = self.ranks[rank].out.pop_front() {
                self.dealer.hear(rank, message);
            }
            for (rank, message) in self.dealer.decide() {
                assert!(!self.ranks[rank].ended, "nothing is said after END");
                self.ranks[rank].inbox.push_back(message);
            }
        }

        fn run(&mut self, chances: &[u8], stop_after: Option<usize>) {
            let ranks = self.ranks.len();
            for step in 0.. {
                assert!(step < 1_000_000, "it never ends");
                let chance = chances[step % chances.len()] ^ (step / chances.len()) as u8;
                if stop_after == Some(step) {
                    self.dealer.stop(StopReason::TimeLimit);
                }
                self.step((step + chance as usize) % ranks, chance);
                self.step(step % ranks, (step / ranks) as u8);
                self.lead((step + chance as usize / 2) % ranks);
                if self.ranks.iter().all(|rank| rank.ended) {
                    break;
                }
            }
            for rank in &self.ranks {
                assert!(rank.out.is_empty() && rank.inbox.is_empty(), "nothing is on its way after END");
            }
        }
    }

    fn any_deal() -> impl Strategy<Value = (Deal, usize)> {
        let schedule = proptest::sample::select(Schedule::ALL.to_vec());
        (schedule, proptest::option::of(1usize..9), 0usize..60, 1usize..9)
            .prop_map(|(schedule, chunk, units, ranks)| (Deal::new(schedule, chunk, units, ranks, 1), units))
    }

    proptest! {
        #[test]
        fn every_unit_and_every_part_is_counted_once_in_whatever_order_things_happen(
            (deal, units) in any_deal(),
            chances in proptest::collection::vec(any::<u8>(), 1..200),
        ) {
            let mut world = world(deal, units);
            world.run(&chances, None);
            let parts = world.counted.iter().filter(|(_, part)| *part).count();
            let mut whole: Vec<usize> = world.counted.iter().filter(|(_, part)| !part).map(|(unit, _)| *unit).collect();
            whole.sort_unstable();
            prop_assert!(whole.into_iter().eq(0..units));
            prop_assert_eq!(parts, world.split);
            prop_assert_eq!((world.dealer.stopped(), world.dealer.undealt()), (None, 0));
        }

        #[test]
        fn a_stop_at_any_moment_ends_it_and_what_is_left_is_known(
            (deal, units) in any_deal(),
            chances in proptest::collection::vec(any::<u8>(), 1..200),
            moment in 0usize..300,
        ) {
            let mut world = world(deal, units);
            world.run(&chances, Some(moment));
            let left = world.ranks.iter().map(|rank| rank.queue.len()).sum::<usize>() + world.dealer.undealt() as usize;
            prop_assert_eq!(world.counted.len() + left, units + world.split);
        }
    }
}
