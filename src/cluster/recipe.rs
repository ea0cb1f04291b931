//! What it takes to make a pool again, and to see that it is the same one.
//!
//! A unit is known by its place in the pool, so what is known of units means nothing without the pool. Whoever reads it makes the
//! same pool again, from what stands here and not from what a new run would choose, and compares.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::count::search::{CellOrder, SearchOptions, ValueOrder};
use crate::count::{Aim, Depth, Method, MethodName, Pool, PoolPlan};
use crate::puzzle::Puzzle;

use super::Fault;
use super::auto::Choice;
use super::count::MAX_POOL_BYTES;
use super::hex::{hex, unhex};

/// What a pool is of, and how it is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolRecipe {
    /// A hash of the puzzle's shape and givens.
    pub puzzle_sha256: String,
    /// How units are counted.
    pub method: MethodName,
    /// How the method was set up, in hexadecimal digits.
    pub setup: String,
    /// Which cell was guessed next.
    pub cells: String,
    /// Which value was tried next.
    pub values: String,
    /// The depth that was asked for.
    pub depth: String,
    /// The depth at which expansion ended.
    pub depth_reached: usize,
    /// The units that were asked for, where the depth is `auto`.
    pub units_wanted: usize,
    /// The units of the pool.
    pub units: usize,
    /// Bytes of one unit.
    pub unit_bytes: usize,
    /// A hash of all units.
    pub pool_sha256: String,
}

impl PoolRecipe {
    /// The recipe of the pool of this choice.
    pub(super) fn of(puzzle: &Puzzle, search: SearchOptions, choice: &Choice) -> PoolRecipe {
        let Choice { name, method, pool, pool_plan, .. } = choice;
        PoolRecipe {
            puzzle_sha256: puzzle_hash(puzzle),
            method: *name,
            setup: hex(&method.setup()),
            cells: search.cells.to_string(),
            values: search.values.to_string(),
            depth: pool_plan.depth.to_string(),
            depth_reached: pool.depth_reached,
            units_wanted: pool_plan.units,
            units: pool.units(),
            unit_bytes: pool.unit_bytes,
            pool_sha256: pool_hash(pool),
        }
    }

    /// Whether the pool is of this puzzle.
    pub fn is_of(&self, puzzle: &Puzzle) -> bool {
        self.puzzle_sha256 == puzzle_hash(puzzle)
    }

    /// How the method was set up.
    pub(super) fn setup(&self) -> Vec<u8> {
        unhex(&self.setup).unwrap_or_default()
    }

    /// How the tree was searched, without a cache.
    pub(super) fn search(&self) -> SearchOptions {
        let cells = [CellOrder::Fewest, CellOrder::First].into_iter().find(|cells| cells.to_string() == self.cells);
        let values = [ValueOrder::Min, ValueOrder::Max].into_iter().find(|values| values.to_string() == self.values);
        // Options that there are not lead to another pool, if to any.
        SearchOptions { cells: cells.unwrap_or_default(), values: values.unwrap_or_default(), cache: 0 }
    }

    /// The method and the pool, made again, or as much of it as there is until `stop`; and what the pool was expanded by.
    pub(super) fn make(
        &self,
        puzzle: &Puzzle,
        search: SearchOptions,
        stop: &dyn Fn() -> bool,
    ) -> Result<(Box<dyn Method>, Pool, PoolPlan), Fault> {
        let method = self.method.again(puzzle, search, Aim::Count, &self.setup())?;
        let depth = self.depth.parse().map_or(Depth::Auto, Depth::Fixed);
        let plan = PoolPlan { depth, units: self.units_wanted, keep_solved: false, max_bytes: MAX_POOL_BYTES };
        let pool = method.expand(&plan, stop)?;
        Ok((method, pool, plan))
    }

    /// Whether this is the pool.
    pub(super) fn makes(&self, pool: &Pool) -> bool {
        let size = (self.units, self.unit_bytes) == (pool.units(), pool.unit_bytes);
        size && self.pool_sha256 == pool_hash(pool)
    }
}

/// A hash of all that decides how many solutions a puzzle has.
fn puzzle_hash(puzzle: &Puzzle) -> String {
    let shape = &puzzle.shape;
    let facts = (shape.order(), shape.regions(), shape.extras(), puzzle.givens.values());
    format!("{:x}", Sha256::digest(serde_json::to_vec(&facts).unwrap_or_default()))
}

fn pool_hash(pool: &Pool) -> String {
    format!("{:x}", Sha256::digest(&pool.bytes))
}
