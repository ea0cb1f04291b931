//! Rank 0's side of the protocol: distributes the pool, passes donations on (work stealing), and detects termination.
//! It calls neither MPI nor a clock: messages are passed in, and it returns messages to send.
//!
//! END is sent when all ranks are idle, no steal request lacks its answer, and nothing is left to send.
//! docs/protocol.md proves that then no work is in transit, and that this state is reached: a subtask is smaller than what it
//! was split off, and a rank that gets entries begins at least one of them.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use super::message::{RankProgress, ToCoordinator, ToRank};
use super::{Distribution, MAX_BLOCK_BYTES};
use crate::cluster::lifecycle::stop::StopReason;
use crate::cluster::worker::unit_id::UnitId;

#[derive(Default)]
pub(crate) struct Coordinator {
    distribution: Distribution,
    entry_bytes: usize,
    /// The entries of the pool that follow the first blocks.
    pool: Vec<u8>,
    /// Bytes of the pool that were sent.
    sent: usize,
    /// Entries that were donated and not yet sent on.
    donations: VecDeque<u8>,
    ranks: Vec<RankState>,
    idle: usize,
    /// Steal requests without an answer.
    steal_requests: usize,
    /// The rank to ask next for a donation.
    next_victim: usize,
    pub stopped: Option<StopReason>,
    ended: bool,
    outbox: Vec<(usize, ToRank)>,
    /// Requests and donations answered.
    pub requests: u64,
}

#[derive(Clone, Debug, Default)]
struct RankState {
    blocks_sent: u64,
    /// Idle, and no block is in transit to it.
    idle: bool,
    /// It has a steal request to answer.
    asked: bool,
    progress: RankProgress,
}

impl Coordinator {
    /// `pool` has the entries that follow the first blocks.
    pub(crate) fn new(distribution: Distribution, unit_bytes: usize, pool: Vec<u8>) -> Coordinator {
        let ranks = vec![RankState::default(); distribution.ranks];
        Coordinator { distribution, entry_bytes: UnitId::BYTES + unit_bytes, pool, ranks, ..Coordinator::default() }
    }

    pub(crate) fn receive(&mut self, rank: usize, message: ToCoordinator) {
        match message {
            ToCoordinator::Request(blocks) => {
                self.requests += 1;
                self.send_blocks(rank, blocks);
            }
            ToCoordinator::Progress(progress) => self.ranks[rank].progress = progress,
            ToCoordinator::Donation(entries) => {
                self.requests += 1;
                self.donations.extend(entries);
                self.steal_requests -= usize::from(self.ranks[rank].asked);
                self.ranks[rank].asked = false;
            }
            ToCoordinator::Idle { received, progress } => {
                let state = &mut self.ranks[rank];
                state.progress = progress;
                // If a block is in transit to it, the rank will send IDLE again when that is counted.
                if received == state.blocks_sent && !state.idle {
                    state.idle = true;
                    self.idle += 1;
                }
            }
            ToCoordinator::Signal(signal) => self.stop(StopReason::Signal(signal)),
        }
    }

    /// Stops the count: the rest stays uncounted. The first reason is kept.
    pub(crate) fn stop(&mut self, reason: StopReason) {
        if self.stopped.is_none() && !self.ended {
            self.stopped = Some(reason);
            self.send_all(&ToRank::Stop);
        }
    }

    /// The messages that follow from everything received so far, to be sent in this order.
    pub(crate) fn messages(&mut self) -> Vec<(usize, ToRank)> {
        if self.distribution.schedule.splits_units() && self.stopped.is_none() && self.idle > 0 && self.left() == 0 {
            self.send_donations();
            self.send_steal_requests();
        }
        // See docs/protocol.md, “Why it terminates”.
        let nothing_left = self.stopped.is_some() || self.left() == 0 && self.donations.is_empty();
        if nothing_left && self.idle == self.ranks.len() && self.steal_requests == 0 && !self.ended {
            self.ended = true;
            self.send_all(&ToRank::End);
        }
        std::mem::take(&mut self.outbox)
    }

    pub(crate) fn progress(&self) -> impl Iterator<Item = &RankProgress> + Clone {
        self.ranks.iter().map(|rank| &rank.progress)
    }

    pub(crate) fn found(&self) -> u128 {
        self.progress().fold(0, |sum, progress| sum.saturating_add(progress.found))
    }

    pub(crate) fn expects_donation(&self) -> bool {
        self.steal_requests > 0
    }

    /// Units and subtasks that no rank has received.
    pub(crate) fn unassigned(&self) -> u64 {
        (self.left() + self.donations.len() / self.entry_bytes) as u64
    }

    fn left(&self) -> usize {
        (self.pool.len() - self.sent) / self.entry_bytes
    }

    /// Sends the next blocks of the pool in one message.
    fn send_blocks(&mut self, rank: usize, blocks: usize) {
        if self.stopped.is_some() {
            return;
        }
        if self.left() == 0 {
            self.outbox.push((rank, ToRank::PoolEmpty));
            return;
        }
        let most = (MAX_BLOCK_BYTES / self.entry_bytes).max(1);
        let units =
            (0..blocks.max(1)).fold(0, |units, _| units + self.distribution.block(self.left() - units)).min(most);
        let entries = self.pool[self.sent..][..units * self.entry_bytes].to_vec();
        self.sent += entries.len();
        self.send_block(rank, entries);
    }

    /// Divides donated entries among the idle ranks.
    fn send_donations(&mut self) {
        let mut rank = 0;
        while !self.donations.is_empty() && self.idle > 0 {
            if self.ranks[rank].idle {
                let entries = self.donations.len() / self.entry_bytes;
                let rest = self.donations.split_off(entries.div_ceil(self.idle) * self.entry_bytes);
                let share = std::mem::replace(&mut self.donations, rest);
                self.send_block(rank, share.into());
            }
            rank += 1;
        }
    }

    /// Asks as many busy ranks for a donation as there are idle ranks.
    fn send_steal_requests(&mut self) {
        let ranks = self.ranks.len();
        let busy = ranks - self.idle;
        let wanted = (self.idle * self.distribution.threads).div_ceil(busy.max(1));
        for _ in 0..ranks {
            if self.steal_requests >= self.idle {
                return;
            }
            let rank = self.next_victim;
            self.next_victim = (self.next_victim + 1) % ranks;
            if !self.ranks[rank].idle && !self.ranks[rank].asked {
                self.ranks[rank].asked = true;
                self.steal_requests += 1;
                self.outbox.push((rank, ToRank::StealRequest(wanted)));
            }
        }
    }

    fn send_block(&mut self, rank: usize, entries: Vec<u8>) {
        let state = &mut self.ranks[rank];
        state.blocks_sent += 1;
        self.idle -= usize::from(state.idle);
        state.idle = false;
        self.outbox.push((rank, ToRank::Block(entries)));
    }

    fn send_all(&mut self, message: &ToRank) {
        self.outbox.extend((0..self.ranks.len()).map(|rank| (rank, message.clone())));
    }
}
