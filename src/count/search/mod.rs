//! The method `search`: visits every solution by guessing and propagating singles. Works for every shape.

mod boards;
mod cdcl;
mod choose;
mod dfs;
mod endgame;
mod engine;
mod estimate;
mod expand;
mod memo;
mod singles;
#[cfg(test)]
mod tests;
mod vectors;

use std::fmt;

use serde::{Deserialize, Serialize};

use census_puzzle::{Grid, Puzzle, Shape};

use super::{Counter, Method, Pool, PoolOptions, PoolTooLarge};
use boards::generic::Board;
use boards::large::{Large, LargeBatch};
use boards::nine::Nine;
use choose::{Chooser, choose_tree};
use dfs::Dfs;
use engine::{Engine, Propagation, Tree};

pub use boards::large::Learning;
pub use estimate::{Budget, Estimate, Mean, estimate};
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

/// Bytes of each worker for what it remembers, unless the user says another number.
pub const DEFAULT_CACHE: usize = 32 << 20;

/// How to search. The number of solutions does not depend on it, the shape of the tree does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchOptions {
    /// Which cell is next.
    pub cells: CellOrder,
    /// Which value is next.
    pub values: ValueOrder,
    /// Bytes of memory that each worker may use to remember what it has counted; 0 is none. Then nodes depend on what a
    /// worker has seen before.
    pub cache: usize,
}

/// Does something with the board that fits a shape: the words of a set of cells, and the order itself where a specialised
/// build is worth its while.
macro_rules! with_board_for {
    ($shape:expr, |$board:ident| $body:expr) => {
        with_board_for!(@ $shape, $board, $body,
            9 => (2, 9), 6 => (1, 6), 0..=8 => (1, 0), 10..=11 => (2, 0), 12 => (3, 12), 16 => (4, 16), 13..=15 => (4, 0),
            17..=25 => (10, 0), 26..=36 => (21, 0), 37..=49 => (38, 0), _ => (64, 0))
    };
    (@ $shape:expr, $board:ident, $body:expr, $($orders:pat => ($words:literal, $order:literal)),*) => {
        match $shape.order() {
            $($orders => {
                let $board = Board::<$words, $order>::new($shape);
                $body
            })*
        }
    };
}
use with_board_for;

/// The same for a search, with the special board of the plain 9×9 among them. From order [`LARGE`] on there is [`Large`].
macro_rules! with_engine_for {
    ($shape:expr, |$engine:ident| $body:expr) => {
        if $shape.is_plain_nine() {
            let $engine = Nine::new($shape);
            $body
        } else {
            with_board_for!(@ $shape, $engine, $body,
                9 => (2, 9), 6 => (1, 6), 0..=8 => (1, 0), 10..=11 => (2, 0), 12 => (3, 12), 16 => (4, 16), _ => (4, 0))
        }
    };
}
use with_engine_for;

/// The order from which a puzzle is searched as a large one: settled for the most part by its givens.
const LARGE: usize = 17;

/// The search of one puzzle.
pub fn search(puzzle: &Puzzle, options: SearchOptions) -> Box<dyn Method> {
    search_until(puzzle, options, &|| false)
}

/// The same for the impatient: a large puzzle is learned from before its search, for up to a minute, but only until
/// `stop` says so. The tree is another then, its solutions are the same.
pub fn search_until(puzzle: &Puzzle, options: SearchOptions, stop: &dyn Fn() -> bool) -> Box<dyn Method> {
    if puzzle.shape.order() >= LARGE {
        return search_large(puzzle, options, Learning::IfNeeded, stop);
    }
    with_engine_for!(&puzzle.shape, |engine| {
        let tree = choose_tree(&engine, options, puzzle.givens.values());
        Box::new(Search { engine, tree, each: false, options, givens: puzzle.givens.clone() })
    })
}

/// The search of one puzzle as that of a large one, whatever its order.
pub fn search_large(
    puzzle: &Puzzle,
    options: SearchOptions,
    learning: Learning,
    stop: &dyn Fn() -> bool,
) -> Box<dyn Method> {
    Box::new(Large::new(puzzle, options, learning, stop))
}

/// The same again, set up as [`Method::config`] of the first said.
pub fn search_from_config(puzzle: &Puzzle, options: SearchOptions, config: &[u8]) -> Box<dyn Method> {
    if puzzle.shape.order() >= LARGE {
        return Box::new(Large::from_config(puzzle, options, config));
    }
    let tree = Tree { cells: options.cells, growth: Propagation::from_config_bytes(config) };
    with_engine_for!(&puzzle.shape, |engine| {
        Box::new(Search { engine, tree, each: false, options, givens: puzzle.givens.clone() })
    })
}

/// The search of any puzzle of a shape: the tree is chosen for each unit anew, and a unit is the givens of a puzzle.
pub fn search_batch(shape: &Shape, options: SearchOptions) -> Box<dyn Method> {
    let options = SearchOptions { cache: 0, ..options }; // nothing that is soon over is worth remembering
    if shape.order() >= LARGE {
        return Box::new(LargeBatch::new(shape, options));
    }
    let givens = Grid::empty(shape.cells());
    with_engine_for!(shape, |engine| {
        let tree = Tree { cells: options.cells, growth: Propagation::Full };
        Box::new(Search { engine, tree, each: true, options, givens })
    })
}

/// The search of the solutions of a puzzle whose cells have these values only, as bits: bit v is value v + 1.
pub(super) fn search_within(puzzle: &Puzzle, allowed: &[u64]) -> Box<dyn Method> {
    Box::new(Large::within(puzzle, allowed))
}

/// A search with another engine than [`search_until`] would take, which visits every solution; set up as that of another
/// rank, if there is one. Orders from 17 up have one engine only.
pub(super) fn search_otherwise(
    puzzle: &Puzzle,
    options: SearchOptions,
    config: Option<&[u8]>,
    stop: &dyn Fn() -> bool,
) -> Box<dyn Method> {
    let options = SearchOptions { cache: 0, ..options };
    match config {
        _ if puzzle.shape.is_plain_nine() => {
            let engine = Board::<2, 9>::new(&puzzle.shape);
            let tree = Tree { cells: options.cells, growth: Propagation::Full };
            Box::new(Search { engine, tree, each: false, options, givens: puzzle.givens.clone() })
        }
        _ if puzzle.shape.order() < LARGE => search_large(puzzle, options, Learning::Never, stop),
        Some(config) => search_from_config(puzzle, options, config),
        None => search_until(puzzle, options, stop),
    }
}

struct Search<E> {
    engine: E,
    /// The tree of the puzzle.
    tree: Tree,
    /// Whether units are other puzzles.
    each: bool,
    options: SearchOptions,
    givens: Grid,
}

impl<E: Engine> Method for Search<E> {
    fn unit_bytes(&self) -> usize {
        self.engine.cells()
    }

    fn config_bytes(&self) -> Vec<u8> {
        vec![self.tree.growth as u8]
    }

    fn expand(&self, plan: &PoolOptions, stop: &dyn Fn() -> bool) -> Result<Pool, PoolTooLarge> {
        expand::expand(&self.engine, self.tree, self.options.values, &self.givens, plan, stop)
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        match self.each {
            true => Box::new(Chooser::new(&self.engine, self.options)),
            false => Box::new(Dfs::new(&self.engine, self.tree, self.options)),
        }
    }
}
