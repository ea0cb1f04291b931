//! What a board leaves open, as an exact cover: candidates, numbered cell by
//! cell, and the sets of which exactly one has to be chosen.

use super::board::Board;

/// Candidates and sets, each knowing the other. Lists lie one after the other in one vector.
pub(crate) struct Cover {
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

    fn len(&self) -> usize {
        self.ends.len() - 1
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
    pub(crate) fn new(board: &Board) -> Cover {
        let mut sets = Lists::new();
        let mut members = vec![Vec::new(); board.start.len()];
        for (number, (cell, value)) in (0u32..).zip(board.candidates_at_start()) {
            let (cell, value) = (cell as usize, usize::from(value));
            let own = std::iter::once(cell);
            for set in own.chain(board.sets_of(cell, value).map(|(set, _, _)| set)) {
                sets.entries.push(set as u32);
                members[set].push(number);
            }
            sets.end_list();
        }
        let mut lists = Lists::new();
        for list in members {
            lists.entries.extend(list);
            lists.end_list();
        }
        Cover { members: lists, sets }
    }

    /// The number of candidates.
    pub(crate) fn candidates(&self) -> usize {
        self.sets.len()
    }

    /// The number of sets.
    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    /// The candidates in a set.
    #[inline(always)]
    pub(crate) fn members(&self, set: u32) -> &[u32] {
        self.members.get(set)
    }

    /// The sets that a candidate is in.
    #[inline(always)]
    pub(crate) fn sets(&self, candidate: u32) -> &[u32] {
        self.sets.get(candidate)
    }
}
