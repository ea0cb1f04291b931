//! What rank 0 knows about who has work and who has none, for the schedule `steal`.

use std::collections::VecDeque;

/// Who is hungry, in the order in which they said so, and who may be asked to share, in turns.
#[derive(Default)]
pub(super) struct Broker {
    hungry: VecDeque<u32>,
    givers: VecDeque<u32>,
    /// For each rank, whether it stands in `givers`.
    is_giver: Vec<bool>,
    /// For each rank, whether it has told that it has nothing.
    has_nothing: Vec<bool>,
}

impl Broker {
    /// All ranks have work.
    pub(super) fn new(ranks: usize) -> Broker {
        Broker {
            hungry: VecDeque::new(),
            givers: (0..ranks as u32).collect(),
            is_giver: vec![true; ranks],
            has_nothing: vec![false; ranks],
        }
    }

    /// A rank has told that it has nothing.
    pub(super) fn is_hungry(&mut self, rank: u32) {
        self.has_nothing[rank as usize] = true;
        self.hungry.push_back(rank);
    }

    /// A hungry rank was refused, and is the next to be helped.
    pub(super) fn is_still_hungry(&mut self, rank: u32) {
        self.hungry.push_front(rank);
    }

    /// A rank has work, and may be asked for some of it. One that has refused is not asked again before it gets some.
    pub(super) fn has_work(&mut self, rank: u32) {
        self.has_nothing[rank as usize] = false;
        if !std::mem::replace(&mut self.is_giver[rank as usize], true) {
            self.givers.push_back(rank);
        }
    }

    /// The next two to bring together: who gives, and who takes.
    pub(super) fn next_pair(&mut self) -> Option<(u32, u32)> {
        if self.hungry.is_empty() {
            return None;
        }
        while let Some(giver) = self.givers.pop_front() {
            self.is_giver[giver as usize] = false;
            if !self.has_nothing[giver as usize] {
                return Some((giver, self.hungry.pop_front()?));
            }
        }
        None
    }
}
