//! The open cells of a board as an exact cover problem: candidates, numbered cell by cell, and the sets (a cell, or a value
//! in a house) of which exactly one candidate has to be chosen.

use super::board::LargeBoard;

/// The sets of each candidate, and the candidates of each set.
pub(crate) struct Cover {
    pub sets: Lists,
    pub members: Lists,
}

/// Lists, one after the other.
pub(crate) struct Lists {
    ends: Vec<u32>,
    entries: Vec<u32>,
}

impl Lists {
    fn new(lists: &[Vec<u32>]) -> Lists {
        let mut ends = vec![0];
        ends.extend(lists.iter().scan(0, |end, list| {
            *end += list.len() as u32;
            Some(*end)
        }));
        Lists { ends, entries: lists.concat() }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len() - 1
    }

    #[inline(always)]
    pub(crate) fn get(&self, list: u32) -> &[u32] {
        let list = list as usize;
        &self.entries[self.ends[list] as usize..self.ends[list + 1] as usize]
    }
}

impl Cover {
    /// The board must have no singles at its start.
    pub(crate) fn new(board: &LargeBoard) -> Cover {
        let mut sets = Vec::new();
        let mut members = vec![Vec::new(); board.start.len()];
        for (number, (cell, value)) in (0u32..).zip(board.candidates_at_start()) {
            let in_houses = board.sets_of(cell as usize, value.into()).map(|(set, _, _)| set as u32);
            let of_candidate: Vec<u32> = std::iter::once(cell).chain(in_houses).collect();
            of_candidate.iter().for_each(|&set| members[set as usize].push(number));
            sets.push(of_candidate);
        }
        Cover { sets: Lists::new(&sets), members: Lists::new(&members) }
    }
}
