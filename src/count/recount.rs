//! Counting units again, in another way than they were counted: what both ways agree on is not a mistake of one of them.
//!
//! ```text
//!   method   board            way: visit                                 way: mirror, where solutions are too many to visit
//!   search   plain 9×9        the general board, rotated                 -
//!            up to 16×16      the board of large puzzles, rotated        the general board, rotated, with a cache
//!            from 17×17       the same board, rotated                    the same
//!   bands    plain 9×9        a search of the columns of each class      the join with two bands exchanged, without vectors
//! ```
//!
//! *Rotated* is by half a turn, and with the values in reverse order: the fewest candidates are then found in other cells first,
//! and the tree is another one.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use census_puzzle::{Grid, Puzzle, Regions, Shape};

use super::search::{CellOrder, SearchOptions, search_from_config, search_otherwise, search_until};
use super::{Control, Counted, Counter, Method, MethodName, Pool, PoolOptions, PoolTooLarge, SplitSink};

/// How units are counted again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RecountWay {
    /// Every solution is visited, by another engine where there is one.
    Visit,
    /// By the same method, on the puzzle seen another way round.
    Mirror,
}

/// So many solutions can always be visited: seconds of a core, up to half a minute.
const FEW: u128 = 10_000_000;

impl RecountWay {
    /// The way to recount so many solutions of a count that visited so many nodes. What was visited once can be visited again.
    pub fn for_solutions(solutions: u128, nodes: u64) -> RecountWay {
        if solutions <= FEW.max(nodes.into()) { RecountWay::Visit } else { RecountWay::Mirror }
    }

    /// What is done to recount units of this method and shape.
    pub fn describe(self, method: MethodName, shape: &Shape) -> &'static str {
        match (method, self, shape.order()) {
            (MethodName::Bands, RecountWay::Visit, _) => "search, instead of bands",
            (MethodName::Bands, RecountWay::Mirror, _) => {
                "bands, with two bands exchanged and without vector instructions"
            }
            (MethodName::Search, _, 17..) => "search of the rotated puzzle, by the same engine",
            (MethodName::Search, RecountWay::Visit, _) if shape.is_plain_nine() => {
                "search of the rotated puzzle by the general board, without its last cells in vector registers"
            }
            (MethodName::Search, RecountWay::Visit, _) => {
                "search of the rotated puzzle by the board of large puzzles, without a cache"
            }
            (MethodName::Search, RecountWay::Mirror, _) => {
                "search of the rotated puzzle, by the same engine, with a cache"
            }
        }
    }
}

/// The puzzle after half a turn, with its values in reverse order.
fn rotated(puzzle: &Puzzle) -> Option<Puzzle> {
    let shape = &puzzle.shape;
    let regions = match shape.regions() {
        Regions::Jigsaw(map) => Regions::Jigsaw(map.iter().rev().copied().collect()),
        // Boxes and extra houses are the same after half a turn.
        regions => regions.clone(),
    };
    let turned = Shape::new(shape.order(), regions, shape.extras()).ok()?;
    Some(Puzzle::new(Arc::new(turned), Grid::new(rotate(shape.order(), puzzle.givens.values()).collect())))
}

/// The cells of a grid after half a turn. To do it twice changes nothing.
fn rotate(order: usize, grid: &[u8]) -> impl Iterator<Item = u8> {
    let reversed = move |&value: &u8| if value == 0 { 0 } else { order as u8 + 1 - value };
    grid.iter().rev().map(reversed)
}

/// Counts the units of a search; set up as that of another rank, if there is one.
pub(super) fn recount_search(
    puzzle: &Puzzle,
    options: SearchOptions,
    way: RecountWay,
    config: Option<&[u8]>,
    stop: &dyn Fn() -> bool,
) -> Box<dyn Method> {
    let options = SearchOptions { cells: CellOrder::Fewest, ..options };
    // Every shape can be turned; if one could not, its units would be counted as they are.
    let (puzzle, turned) = rotated(puzzle).map_or_else(|| (puzzle.clone(), false), |puzzle| (puzzle, true));
    let inner = match (way, config) {
        (RecountWay::Visit, _) => search_otherwise(&puzzle, options, config, stop),
        (RecountWay::Mirror, Some(config)) => search_from_config(&puzzle, options, config),
        (RecountWay::Mirror, None) => search_until(&puzzle, options, stop),
    };
    if turned { Box::new(Rotated { inner, order: puzzle.shape.order() }) } else { inner }
}

/// A search of a rotated puzzle, whose units are those of the puzzle itself.
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
        Box::new(RotatedCounter { inner: self.inner.counter(), order: self.order, unit: Vec::new() })
    }
}

struct RotatedCounter<'a> {
    inner: Box<dyn Counter + 'a>,
    order: usize,
    unit: Vec<u8>,
}

impl RotatedCounter<'_> {
    fn turn(&mut self, unit: &[u8]) {
        self.unit.clear();
        self.unit.extend(rotate(self.order, unit));
    }
}

impl Counter for RotatedCounter<'_> {
    fn count(&mut self, unit: &[u8], control: &Control) -> Counted {
        self.turn(unit);
        self.inner.count(&self.unit, control)
    }

    fn count_splitting(&mut self, unit: &[u8], control: &Control, give: &mut SplitSink) -> Counted {
        self.turn(unit);
        let order = self.order;
        self.inner.count_splitting(&self.unit, control, &mut |part| give(&rotate(order, part).collect::<Vec<_>>()))
    }

    fn visit(&mut self, unit: &[u8], control: &Control, visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Counted {
        self.turn(unit);
        let order = self.order;
        self.inner.visit(&self.unit, control, &mut |solution| visit(&rotate(order, solution).collect::<Vec<_>>()))
    }
}
