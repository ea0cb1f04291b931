//! Recounts units in another way, to detect errors: a bug in one way is unlikely to be repeated in the other.
//!
//! `docs/reliability.md` has the ways of each method.
//!
//! *Rotated* means: rotated by 180°, with the values in reverse order. Ties between cells with the fewest candidates then
//! resolve differently, and the search tree is a different one.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use census_puzzle::{Grid, Puzzle, Regions, Shape};

use super::search::{CellOrder, SearchOptions, search_by_other_engine, search_with};
use super::{Control, Counted, Counter, Method, MethodName, Pool, PoolOptions, PoolTooLarge, SplitSink};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RecountVariant {
    /// Visits every solution, by another engine where there is one.
    Visit,
    /// The same method on the mirrored puzzle.
    Mirror,
}

/// So many solutions are always visited: it takes up to half a minute of one core.
const FEW: u128 = 10_000_000;

impl RecountVariant {
    /// The variant for a count of so many solutions and nodes. What was visited once can be visited again.
    pub fn for_solutions(solutions: u128, nodes: u64) -> RecountVariant {
        if solutions <= FEW.max(nodes.into()) { RecountVariant::Visit } else { RecountVariant::Mirror }
    }

    pub fn describe(self, method: MethodName, shape: &Shape) -> &'static str {
        match (method, self, shape.order()) {
            (MethodName::Bands, RecountVariant::Visit, _) => "search, instead of bands",
            (MethodName::Bands, RecountVariant::Mirror, _) => {
                "bands, with two bands exchanged and without vector instructions"
            }
            (MethodName::Search, _, 17..) => "search of the rotated puzzle, by the same engine",
            (MethodName::Search, RecountVariant::Visit, _) if shape.is_plain_nine() => {
                "search of the rotated puzzle by the generic board, without the endgame in vector registers"
            }
            (MethodName::Search, RecountVariant::Visit, _) => {
                "search of the rotated puzzle by the board of large puzzles, without a cache"
            }
            (MethodName::Search, RecountVariant::Mirror, _) => {
                "search of the rotated puzzle, by the same engine, with a cache"
            }
        }
    }
}

/// The puzzle rotated by 180°, with its values in reverse order.
fn rotated(puzzle: &Puzzle) -> Puzzle {
    let shape = &puzzle.shape;
    let regions = match shape.regions() {
        Regions::Jigsaw(map) => Regions::Jigsaw(map.iter().rev().copied().collect()),
        // Boxes and extra houses are symmetric under this rotation.
        regions => regions.clone(),
    };
    let rotated = Shape::new(shape.order(), regions, shape.extras()).expect("every shape can be rotated");
    Puzzle::new(Arc::new(rotated), Grid::new(rotate(shape.order(), puzzle.givens.values())))
}

/// An involution.
fn rotate(order: usize, grid: &[u8]) -> Vec<u8> {
    let reversed = |&value: &u8| if value == 0 { 0 } else { order as u8 + 1 - value };
    grid.iter().rev().map(reversed).collect()
}

/// Counts the units of a search in another way. `config` is that of another rank, if the method was made there.
pub(super) fn recount_search(
    puzzle: &Puzzle,
    options: SearchOptions,
    variant: RecountVariant,
    config: Option<&[u8]>,
    stop: &dyn Fn() -> bool,
) -> Box<dyn Method> {
    let options = SearchOptions { cells: CellOrder::Fewest, ..options };
    let puzzle = rotated(puzzle);
    let search = match variant {
        RecountVariant::Visit => search_by_other_engine,
        RecountVariant::Mirror => search_with,
    };
    let inner = search(&puzzle, options, config, stop);
    Box::new(Rotated { inner, order: puzzle.shape.order() })
}

/// A search of the rotated puzzle that takes and returns units of the original puzzle.
struct Rotated {
    inner: Box<dyn Method>,
    order: usize,
}

impl Method for Rotated {
    fn unit_bytes(&self) -> usize {
        self.inner.unit_bytes()
    }

    fn config_bytes(&self) -> Vec<u8> {
        self.inner.config_bytes()
    }

    fn expand(&self, plan: &PoolOptions, stop: &dyn Fn() -> bool) -> Result<Pool, PoolTooLarge> {
        let mut pool = self.inner.expand(plan, stop)?;
        let units = pool.bytes.chunks_exact(pool.unit_bytes);
        pool.bytes = units.flat_map(|unit| rotate(self.order, unit)).collect();
        Ok(pool)
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        Box::new(RotatedCounter { inner: self.inner.counter(), order: self.order })
    }
}

struct RotatedCounter<'a> {
    inner: Box<dyn Counter + 'a>,
    order: usize,
}

impl Counter for RotatedCounter<'_> {
    fn count_unit(&mut self, unit: &[u8], control: &Control, sink: Option<&mut SplitSink>) -> Counted {
        let (order, unit) = (self.order, rotate(self.order, unit));
        match sink {
            None => self.inner.count(&unit, control),
            Some(sink) => self.inner.count_splitting(&unit, control, &mut |part| sink(&rotate(order, part))),
        }
    }
}
