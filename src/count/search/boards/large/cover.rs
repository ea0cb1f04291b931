//! The open cells of a board as an exact cover problem: candidates, numbered cell by cell, and the sets (a cell, or a value
//! in a house) of which exactly one candidate has to be chosen.

use super::board::LargeBoard;
use crate::groups::Groups;

/// The sets of each candidate, and the candidates of each set.
pub(crate) struct Cover {
    pub sets: Groups<u32>,
    pub members: Groups<u32>,
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
        Cover { sets: sets.into(), members: members.into() }
    }
}
