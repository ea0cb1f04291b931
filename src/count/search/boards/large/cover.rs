//! The open cells of a board as an exact cover problem: candidates, numbered cell by cell, and the sets (a cell, or a value
//! in a house) of which exactly one candidate has to be chosen.

use super::board::LargeBoard;

/// The sets of each candidate, and the candidates of each set.
pub(crate) struct Cover {
    members: Lists,
    sets: Lists,
}

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
    /// The board must have no singles at its start.
    pub(crate) fn new(board: &LargeBoard) -> Cover {
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

    pub(crate) fn candidates(&self) -> usize {
        self.sets.len()
    }

    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    #[inline(always)]
    pub(crate) fn members(&self, set: u32) -> &[u32] {
        self.members.get(set)
    }

    #[inline(always)]
    pub(crate) fn sets(&self, candidate: u32) -> &[u32] {
        self.sets.get(candidate)
    }
}
