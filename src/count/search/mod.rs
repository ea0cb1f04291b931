//! The method `search`: visits every solution by guessing and propagating singles. Works for every shape.

mod board;
mod expand;
mod probe;
mod singles;
mod walk;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::puzzle::{Grid, Puzzle};

use super::{Counter, Method, Pool, PoolPlan, PoolTooLarge};
use board::Board;
use walk::Walker;

pub use probe::{Budget, Estimate, Mean, estimate};
pub use singles::{Singles, Verdict, singles};

/// Which cell a search guesses next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CellOrder {
    /// The cell with the fewest candidates.
    #[default]
    Fewest,
    /// The first empty cell, row by row.
    First,
}

impl fmt::Display for CellOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CellOrder::Fewest => "fewest",
            CellOrder::First => "first",
        })
    }
}

/// In which order the values of a cell are tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ValueOrder {
    /// Ascending.
    #[default]
    Min,
    /// Descending.
    Max,
}

impl ValueOrder {
    /// Takes the next value out of a set that is not empty.
    #[inline(always)]
    fn take(self, values: &mut u64) -> usize {
        let value = match self {
            ValueOrder::Min => values.trailing_zeros(),
            ValueOrder::Max => 63 - values.leading_zeros(),
        };
        *values &= !(1 << value);
        value as usize
    }
}

impl fmt::Display for ValueOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ValueOrder::Min => "min",
            ValueOrder::Max => "max",
        })
    }
}

/// How to search. The number of solutions does not depend on it, the shape of the tree does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchOptions {
    /// Which cell is next.
    pub cells: CellOrder,
    /// Which value is next.
    pub values: ValueOrder,
}

/// Calls a function with the board that fits an order: the words of a set of cells, and the order itself where a
/// specialised build is worth its while.
macro_rules! for_board_of {
    ($order:expr, $function:ident($($argument:expr),*)) => {
        match $order {
            9 => $function::<2, 9>($($argument),*),
            6 => $function::<1, 6>($($argument),*),
            0..=8 => $function::<1, 0>($($argument),*),
            10..=11 => $function::<2, 0>($($argument),*),
            12 => $function::<3, 12>($($argument),*),
            16 => $function::<4, 16>($($argument),*),
            13..=15 => $function::<4, 0>($($argument),*),
            17..=25 => $function::<10, 0>($($argument),*),
            26..=36 => $function::<21, 0>($($argument),*),
            37..=49 => $function::<38, 0>($($argument),*),
            _ => $function::<64, 0>($($argument),*),
        }
    };
}
use for_board_of;

/// The search of one puzzle.
pub fn search(puzzle: &Puzzle, options: SearchOptions) -> Box<dyn Method> {
    fn build<const W: usize, const N: usize>(puzzle: &Puzzle, options: SearchOptions) -> Box<dyn Method> {
        let board = Board::<W, N>::new(&puzzle.shape, options);
        Box::new(Search { board, values: options.values, givens: puzzle.givens.clone() })
    }
    for_board_of!(puzzle.shape.order(), build(puzzle, options))
}

struct Search<const W: usize, const N: usize> {
    board: Board<W, N>,
    values: ValueOrder,
    givens: Grid,
}

impl<const W: usize, const N: usize> Method for Search<W, N> {
    fn unit_bytes(&self) -> usize {
        self.board.cells()
    }

    fn expand(&self, plan: &PoolPlan, stop: &dyn Fn() -> bool) -> Result<Pool, PoolTooLarge> {
        expand::expand(&self.board, self.values, &self.givens, plan, stop)
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        Box::new(Walker::new(&self.board, self.values))
    }
}
