//! Rank 0's side of the conversation: what is left of the pool, who has nothing to do, who could give, and when all is
//! done. It knows neither MPI nor clocks: it hears what ranks say and writes down what is to be said to them.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use super::label::Label;
use super::message::{News, ToLead, ToRank};
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
    /// Their labels, where these do not follow from their places.
    labels: Option<Vec<u8>>,
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
    /// Whether it has been asked to share and has not answered.
    asked: bool,
    news: News,
}

impl Dealer {
    /// What is left of a pool of `units` units after the first blocks, with the labels of what is left, unless these are the
    /// places in the pool.
    pub(super) fn new(deal: Deal, unit_bytes: usize, units: usize, left: Vec<u8>, labels: Option<Vec<u8>>) -> Dealer {
        Dealer {
            deal,
            entry_bytes: Label::BYTES + unit_bytes,
            next: units - left.len() / unit_bytes,
            pool: left,
            labels,
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
            ToLead::Ask(blocks) => {
                self.requests += 1;
                self.hand_out(rank, blocks);
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

    /// Solutions that all ranks have told of so far.
    pub(super) fn found(&self) -> u128 {
        self.news().fold(0, |sum, news| sum.saturating_add(news.found))
    }

    /// Whether somebody waits for what another rank has been asked to give.
    pub(super) fn expects_a_gift(&self) -> bool {
        self.asked > 0
    }

    /// How the pool is dealt out.
    pub(super) fn deal(&self) -> &Deal {
        &self.deal
    }

    /// Units of the pool.
    pub(super) fn units(&self) -> usize {
        self.units
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

    /// Gives a rank the next blocks of the pool, in one message, or tells it that there are none.
    fn hand_out(&mut self, rank: usize, blocks: usize) {
        if self.stopped.is_some() {
            return;
        }
        if self.left() == 0 {
            self.said.push((rank, ToRank::Dry));
            return;
        }
        let most = (MAX_BLOCK_BYTES / self.entry_bytes).max(1);
        let units = (0..blocks.max(1)).fold(0, |units, _| units + self.deal.block(self.left() - units)).min(most);
        let unit_bytes = self.entry_bytes - Label::BYTES;
        let start = self.pool.len() / unit_bytes - self.left();
        let mut entries = Vec::with_capacity(units * self.entry_bytes);
        for (unit, place) in self.pool.chunks_exact(unit_bytes).skip(start).take(units).zip(0..) {
            match &self.labels {
                None => entries.extend(Label::whole(self.next + place).to_bytes()),
                Some(labels) => entries.extend(&labels[(start + place) * Label::BYTES..][..Label::BYTES]),
            }
            entries.extend(unit);
        }
        self.next += units;
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
