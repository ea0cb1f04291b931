//! The method `search`: a backtracking search that propagates singles and visits every solution. Works for every shape.

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
use boards::generic::GenericBoard;
use boards::large::LargeBatch;
use boards::nine::NineBoard;
use choose::{TreeChooser, choose_tree};
use dfs::Dfs;
use engine::{Engine, Propagation, Tree};

pub(crate) use boards::generic::bits;
pub use boards::large::CdclUse;
pub(crate) use boards::large::LargeSearch;
pub use estimate::{Budget, Estimate, Mean, estimate};
pub use singles::{Singles, Verdict, singles};

/// The cell that is branched on next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CellOrder {
    #[default]
    Fewest,
    /// Row by row.
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

/// The order in which the values of a cell are tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ValueOrder {
    #[default]
    Min,
    Max,
}

impl ValueOrder {
    /// Takes the next value out of a non-empty set.
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

/// Bytes of the memo table of each worker, by default.
pub const DEFAULT_CACHE: usize = 32 << 20;

/// Search options. They change the shape of the tree, not the number of solutions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchOptions {
    pub cells: CellOrder,
    pub values: ValueOrder,
    /// Bytes of the memo table of each worker; 0 is none. With a memo table, the number of nodes depends on the units that
    /// a worker counted before.
    pub cache: usize,
}

/// Evaluates an expression with the board for a shape: the number of words of a cell set, and the order where a specialised
/// instance is faster.
macro_rules! with_board_for {
    ($shape:expr, |$board:ident| $body:expr) => {
        with_board_for!(@ $shape, $board, $body,
            9 => (2, 9), 6 => (1, 6), 0..=8 => (1, 0), 10..=11 => (2, 0), 12 => (3, 12), 16 => (4, 16), 13..=15 => (4, 0),
            17..=25 => (10, 0), 26..=36 => (21, 0), 37..=49 => (38, 0), _ => (64, 0))
    };
    (@ $shape:expr, $board:ident, $body:expr, $($orders:pat => ($words:literal, $order:literal)),*) => {
        match $shape.order() {
            $($orders => {
                let $board = GenericBoard::<$words, $order>::new($shape);
                $body
            })*
        }
    };
}
use with_board_for;

/// The same for a search: includes the special board of the plain 9×9. From order [`LARGE`] on, [`LargeSearch`] is used
/// instead.
macro_rules! with_engine_for {
    ($shape:expr, |$engine:ident| $body:expr) => {
        if $shape.is_plain_nine() {
            let $engine = NineBoard::new($shape);
            $body
        } else {
            with_board_for!(@ $shape, $engine, $body,
                9 => (2, 9), 6 => (1, 6), 0..=8 => (1, 0), 10..=11 => (2, 0), 12 => (3, 12), 16 => (4, 16), _ => (4, 0))
        }
    };
}
use with_engine_for;

/// From this order on, a puzzle is searched as a large one: most of its cells follow from the givens by singles.
const LARGE: usize = 17;

pub fn search(puzzle: &Puzzle, options: SearchOptions) -> Box<dyn Method> {
    search_with(puzzle, options, None, &|| false)
}

/// The search of one puzzle. `config` is the [`Method::config_bytes`] of the same search on another rank. Without it, CDCL
/// prepares the search of a hard large puzzle, for up to a minute or until `stop` returns `true`: this changes the tree,
/// not the solutions.
pub fn search_with(
    puzzle: &Puzzle,
    options: SearchOptions,
    config: Option<&[u8]>,
    stop: &dyn Fn() -> bool,
) -> Box<dyn Method> {
    if puzzle.shape.order() >= LARGE {
        return match config {
            Some(learned) => Box::new(LargeSearch::from_config(puzzle, options, learned)),
            None => search_large(puzzle, options, CdclUse::IfNeeded, stop),
        };
    }
    with_engine_for!(&puzzle.shape, |engine| {
        let tree = match config {
            Some(config) => Tree { cells: options.cells, propagation: Propagation::from_config_bytes(config) },
            None => choose_tree(&engine, options, puzzle.givens.values()),
        };
        Search::boxed(engine, tree, options, puzzle)
    })
}

/// The search of one puzzle by the engine for large puzzles, whatever its order.
pub fn search_large(
    puzzle: &Puzzle,
    options: SearchOptions,
    cdcl: CdclUse,
    stop: &dyn Fn() -> bool,
) -> Box<dyn Method> {
    Box::new(LargeSearch::new(puzzle, options, cdcl, stop))
}

/// The search of any puzzle of a shape. A unit is the givens of a puzzle; the tree is chosen for each.
pub fn search_batch(shape: &Shape, options: SearchOptions) -> Box<dyn Method> {
    let options = SearchOptions { cache: 0, ..options }; // these searches are too short for a memo table
    if shape.order() >= LARGE {
        return Box::new(LargeBatch::new(shape, options));
    }
    let givens = Grid::empty(shape.cells());
    with_engine_for!(shape, |engine| {
        let tree = Tree { cells: options.cells, propagation: Propagation::Full };
        Box::new(Search { engine, tree, batch: true, options, givens })
    })
}

/// A search by another engine than that of [`search_with`], which visits every solution. `config` is that of another rank,
/// if there is one. From order 17 on there is only one engine.
pub(super) fn search_by_other_engine(
    puzzle: &Puzzle,
    options: SearchOptions,
    config: Option<&[u8]>,
    stop: &dyn Fn() -> bool,
) -> Box<dyn Method> {
    let options = SearchOptions { cache: 0, ..options };
    if puzzle.shape.is_plain_nine() {
        let engine = GenericBoard::<2, 9>::new(&puzzle.shape);
        let tree = Tree { cells: options.cells, propagation: Propagation::Full };
        return Search::boxed(engine, tree, options, puzzle);
    }
    if puzzle.shape.order() < LARGE {
        return search_large(puzzle, options, CdclUse::Never, stop);
    }
    search_with(puzzle, options, config, stop)
}

struct Search<E> {
    engine: E,
    /// Unused in a batch, where each unit has its own tree.
    tree: Tree,
    /// Whether a unit is a puzzle of its own.
    batch: bool,
    options: SearchOptions,
    givens: Grid,
}

impl<E: Engine + 'static> Search<E> {
    fn boxed(engine: E, tree: Tree, options: SearchOptions, puzzle: &Puzzle) -> Box<dyn Method> {
        Box::new(Search { engine, tree, batch: false, options, givens: puzzle.givens.clone() })
    }
}

impl<E: Engine> Method for Search<E> {
    fn unit_bytes(&self) -> usize {
        self.engine.cells()
    }

    fn config_bytes(&self) -> Vec<u8> {
        vec![self.tree.propagation as u8]
    }

    fn expand(&self, plan: &PoolOptions, stop: &dyn Fn() -> bool) -> Result<Pool, PoolTooLarge> {
        expand::expand(&self.engine, self.tree, self.options.values, &self.givens, plan, stop)
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        match self.batch {
            true => Box::new(TreeChooser::new(&self.engine, self.options)),
            false => Box::new(Dfs::new(&self.engine, self.tree, self.options)),
        }
    }
}
