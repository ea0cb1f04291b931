//! What singles alone say about a puzzle.

use crate::puzzle::Puzzle;

use super::board::{Board, Settled};
use super::{SearchOptions, for_board_of};

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
    fn run<const W: usize, const N: usize>(puzzle: &Puzzle) -> Singles {
        let board = Board::<W, N>::new(&puzzle.shape, SearchOptions::default()).with_hidden_singles();
        let mut state = vec![[0; W]; board.state_len()];
        board.load(puzzle.givens.values(), &mut state);
        let verdict = match board.settle(&mut state) {
            Settled::Solved => Verdict::Solved,
            Settled::Dead => Verdict::Contradiction,
            Settled::Branch(_) => Verdict::Open,
        };
        let candidates = (0..board.cells()).map(|cell| board.candidates(&state, cell)).collect();
        Singles { candidates, verdict }
    }
    for_board_of!(puzzle.shape.order(), run(puzzle))
}
