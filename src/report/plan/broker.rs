//! The coordinator's view of idle ranks and donors, for the schedule `steal`.

use std::collections::VecDeque;

/// Pairs idle ranks, in the order in which they became idle, with donors, in turns.
#[derive(Default)]
pub(super) struct Broker {
    idle: VecDeque<u32>,
    donors: VecDeque<u32>,
    /// For each rank, whether it is in `donors`.
    is_donor: Vec<bool>,
    /// For each rank, whether it has reported that it is idle.
    is_idle: Vec<bool>,
}

impl Broker {
    /// All ranks have work.
    pub(super) fn new(ranks: usize) -> Broker {
        Broker {
            idle: VecDeque::new(),
            donors: (0..ranks as u32).collect(),
            is_donor: vec![true; ranks],
            is_idle: vec![false; ranks],
        }
    }

    /// A rank has reported that it is idle.
    pub(super) fn add_idle(&mut self, rank: u32) {
        self.is_idle[rank as usize] = true;
        self.idle.push_back(rank);
    }

    /// A donor had nothing for this rank, which is the next to get a donation.
    pub(super) fn retry(&mut self, rank: u32) {
        self.idle.push_front(rank);
    }

    /// A rank has work and can be a donor. A donor without a donation is not asked again before it has received work.
    pub(super) fn add_donor(&mut self, rank: u32) {
        self.is_idle[rank as usize] = false;
        if !std::mem::replace(&mut self.is_donor[rank as usize], true) {
            self.donors.push_back(rank);
        }
    }

    /// The next donor and the idle rank that gets its donation.
    pub(super) fn next_pair(&mut self) -> Option<(u32, u32)> {
        if self.idle.is_empty() {
            return None;
        }
        while let Some(donor) = self.donors.pop_front() {
            self.is_donor[donor as usize] = false;
            if !self.is_idle[donor as usize] {
                return Some((donor, self.idle.pop_front()?));
            }
        }
        None
    }
}
