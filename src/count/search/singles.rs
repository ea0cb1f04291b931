//! What singles alone say about a puzzle.

use census_puzzle::Puzzle;

use super::boards::generic::Board;
use super::engine::{Engine, Propagation, PropagationResult, Tree};
use super::{CellOrder, with_board_for};

/// A puzzle after all naked and hidden singles have been filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Singles {
    /// The candidates left in each cell; bit v − 1 is value v.
    pub candidates: Vec<u64>,
    /// What singles led to.
    pub verdict: Verdict,
}

/// What singles alone lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The solution: it is the only one.
    Solved,
    /// A contradiction: there is no solution.
    Contradiction,
    /// Neither: from here on it takes more.
    Open,
}

/// Fills in all naked and hidden singles of a puzzle.
pub fn singles(puzzle: &Puzzle) -> Singles {
    // A lean tree has all singles in its root. On a board of any shape they are all it has: the one for the plain 9×9 does more.
    let tree = Tree { cells: CellOrder::First, growth: Propagation::Full };
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
