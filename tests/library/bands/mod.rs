//! The join of bands against the search, known totals, sums over one more clue, and the symmetries of a puzzle.

mod counts;
mod lists;
pub mod puzzles;
mod units;

use census_count::bands::bands;
use census_count::{Control, Depth, Method, PoolOptions};
use census_puzzle::Puzzle;

/// `units` is for an automatic depth.
fn plan(depth: Depth, units: usize) -> PoolOptions {
    PoolOptions { depth, units, keep_solved: false, max_bytes: 1 << 30 }
}

/// Counts a puzzle by joining bands, on one thread, in one unit.
fn joined(puzzle: &Puzzle) -> u128 {
    sum(&*bands(puzzle, None))
}

/// Counts the puzzle of a method, on one thread, in one unit.
fn sum(method: &dyn Method) -> u128 {
    let pool = method.expand(&plan(Depth::Fixed(0), 1), &|| false).expect("a small pool");
    let mut counter = method.counter();
    let count = |unit| counter.count(unit, &Control::new(None)).solutions.exact().expect("no overflow");
    pool.bytes.chunks_exact(pool.unit_bytes).map(count).sum()
}
