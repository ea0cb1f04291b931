//! Solves a puzzle by singles only.

use census_puzzle::Puzzle;

use super::boards::generic::GenericBoard;
use super::engine::{Engine, Propagation, PropagationResult, Tree};
use super::{CellOrder, with_board_for};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Singles {
    /// Bit v − 1 is value v.
    pub candidates: Vec<u64>,
    pub verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The puzzle has exactly one solution.
    Solved,
    Contradiction,
    /// Singles do not decide.
    Open,
}

pub fn singles(puzzle: &Puzzle) -> Singles {
    // Full propagation finds all singles at the root. The generic board has no other techniques; that of the plain 9×9 has.
    let tree = Tree { cells: CellOrder::First, propagation: Propagation::Full };
    with_board_for!(&puzzle.shape, |board| {
        let mut state = board.blank();
        board.load(puzzle.givens.values(), &mut state);
        let verdict = match board.propagate(tree, &mut state) {
            PropagationResult::Solved => Verdict::Solved,
            PropagationResult::Contradiction => Verdict::Contradiction,
            PropagationResult::Branch(_) => Verdict::Open,
        };
        let candidates = (0..board.cells()).map(|cell| board.candidates(&state, cell)).collect();
        Singles { candidates, verdict }
    })
}
