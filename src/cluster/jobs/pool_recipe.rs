//! How to make a pool again, and to check that it is the same.
//!
//! A unit is identified by its index in the pool, so whatever is recorded of units is only valid for that pool. Whoever reads it makes
//! the pool again, by the recipe and not by what a new run would choose, and compares.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::count::MAX_POOL_BYTES;
use super::prepare::Prepared;
use crate::cluster::JobError;
use crate::count::search::{CellOrder, SearchOptions, ValueOrder};
use crate::count::{Depth, Method, MethodName, Pool, PoolOptions, Purpose};
use crate::puzzle::Puzzle;

/// What a pool belongs to, and how to make it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolRecipe {
    /// A hash of the puzzle's shape and givens.
    pub puzzle_sha256: String,
    pub method: MethodName,
    /// The configuration of the method, in hexadecimal digits. Existing reports and journals call it `setup`.
    #[serde(rename = "setup")]
    pub config: String,
    pub cells: String,
    pub values: String,
    /// The depth that was asked for.
    pub depth: String,
    /// The depth at which the expansion ended.
    pub depth_reached: usize,
    /// With depth `auto`, the number of units that was asked for.
    pub units_wanted: usize,
    pub units: usize,
    pub unit_bytes: usize,
    pub pool_sha256: String,
}

impl PoolRecipe {
    pub(crate) fn of(puzzle: &Puzzle, search: SearchOptions, prepared: &Prepared) -> PoolRecipe {
        let Prepared { name, method, pool, pool_options, .. } = prepared;
        PoolRecipe {
            puzzle_sha256: puzzle_hash(puzzle),
            method: *name,
            config: hex::encode(method.config_bytes()),
            cells: search.cells.to_string(),
            values: search.values.to_string(),
            depth: pool_options.depth.to_string(),
            depth_reached: pool.depth_reached,
            units_wanted: pool_options.units,
            units: pool.units(),
            unit_bytes: pool.unit_bytes,
            pool_sha256: pool_hash(pool),
        }
    }

    pub fn is_of(&self, puzzle: &Puzzle) -> bool {
        self.puzzle_sha256 == puzzle_hash(puzzle)
    }

    pub(crate) fn config_bytes(&self) -> Vec<u8> {
        hex::decode(&self.config).unwrap_or_default()
    }

    /// The search options, without a cache.
    pub(crate) fn search(&self) -> SearchOptions {
        let cells = [CellOrder::Fewest, CellOrder::First].into_iter().find(|cells| cells.to_string() == self.cells);
        let values = [ValueOrder::Min, ValueOrder::Max].into_iter().find(|values| values.to_string() == self.values);
        // Unknown options lead to another pool, which is refused.
        SearchOptions { cells: cells.unwrap_or_default(), values: values.unwrap_or_default(), cache: 0 }
    }

    /// Makes the method and the pool again, or a part of the pool if `stop` ends it.
    pub(crate) fn make(
        &self,
        puzzle: &Puzzle,
        search: SearchOptions,
        stop: &dyn Fn() -> bool,
    ) -> Result<(Box<dyn Method>, Pool, PoolOptions), JobError> {
        let method = self.method.of(puzzle, search, Purpose::Count, Some(&self.config_bytes()), stop)?;
        let depth = self.depth.parse().map_or(Depth::Auto, Depth::Fixed);
        let options = PoolOptions { depth, units: self.units_wanted, keep_solved: false, max_bytes: MAX_POOL_BYTES };
        let pool = method.expand(&options, stop)?;
        Ok((method, pool, options))
    }

    pub(crate) fn makes(&self, pool: &Pool) -> bool {
        let size = (self.units, self.unit_bytes) == (pool.units(), pool.unit_bytes);
        size && self.pool_sha256 == pool_hash(pool)
    }
}

/// A hash of everything that determines the solutions of a puzzle.
fn puzzle_hash(puzzle: &Puzzle) -> String {
    let shape = &puzzle.shape;
    let facts = (shape.order(), shape.regions(), shape.extras(), puzzle.givens.values());
    hex::encode(Sha256::digest(serde_json::to_vec(&facts).unwrap_or_default()))
}

fn pool_hash(pool: &Pool) -> String {
    hex::encode(Sha256::digest(&pool.bytes))
}
