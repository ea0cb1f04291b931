//! What a board leaves open, as an exact cover: numbered candidates, and the sets of which exactly one has to be chosen.

use crate::count::search::board::bits;

use super::board::{Board, Candidate};

/// Candidates and sets, each knowing the other. Lists lie one after the other in one vector.
pub(super) struct Cover {
    /// The cell and the value of each candidate.
    pub candidates: Vec<Candidate>,
    members: Lists,
    sets: Lists,
}

/// Many short lists in one vector.
struct Lists {
    ends: Vec<u32>,
    entries: Vec<u32>,
}

impl Lists {
    fn new() -> Lists {
        Lists { ends: vec![0], entries: Vec::new() }
    }

    fn end_list(&mut self) {
        self.ends.push(self.entries.len() as u32);
    }

    #[inline(always)]
    fn get(&self, list: u32) -> &[u32] {
        let list = list as usize;
        &self.entries[self.ends[list] as usize..self.ends[list + 1] as usize]
    }
}

impl Cover {
    /// The cover of a board at its start, which has no singles.
    pub(super) fn new(board: &Board) -> Cover {
        let cells = board.open.len();
        let mut candidates = Vec::new();
        let mut sets = Lists::new();
        let mut members = vec![Vec::new(); board.start.len()];
        for cell in 0..cells {
            for value in bits(board.start[cell]) {
                let number = candidates.len() as u32;
                candidates.push((cell as u32, value as u8));
                let own = std::iter::once(cell);
                for set in own.chain(board.sets_of(cell, value).map(|(set, _, _)| set)) {
                    sets.entries.push(set as u32);
                    members[set].push(number);
                }
                sets.end_list();
            }
        }
        let mut lists = Lists::new();
        for list in members {
            lists.entries.extend(list);
            lists.end_list();
        }
        Cover { candidates, members: lists, sets }
    }

    /// The number of sets.
    pub(super) fn len(&self) -> usize {
        self.members.ends.len() - 1
    }

    /// The candidates in a set.
    #[inline(always)]
    pub(super) fn members(&self, set: u32) -> &[u32] {
        self.members.get(set)
    }

    /// The sets that a candidate is in.
    #[inline(always)]
    pub(super) fn sets(&self, candidate: u32) -> &[u32] {
        self.sets.get(candidate)
    }
}
