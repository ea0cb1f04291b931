//! Counts a puzzle on all cores.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use census_count::search::SearchOptions;
use census_count::{Control, Depth, MethodName, PoolOptions, Purpose, Solutions};
use census_puzzle::Puzzle;

/// Solutions and nodes.
pub fn count(puzzle: &Puzzle, method: MethodName, options: SearchOptions) -> (u128, u64) {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let method = method.of(puzzle, options, Purpose::Count, None, &|| false).expect("a method for this shape");
    let plan = PoolOptions { depth: Depth::Auto, units: 64 * workers, keep_solved: false, max_bytes: 1 << 28 };
    let pool = method.expand(&plan, &|| false).expect("a pool that fits");
    let units: Vec<&[u8]> = pool.bytes.chunks(pool.unit_bytes).collect();
    let (next, control) = (AtomicUsize::new(0), Control::new(None));
    let worker = || {
        let mut counter = method.counter();
        let mut found = (Solutions::ZERO, 0);
        while let Some(unit) = units.get(next.fetch_add(1, Ordering::Relaxed)) {
            let counted = counter.count(unit, &control);
            found = (found.0.plus(counted.solutions), found.1 + counted.nodes);
        }
        found
    };
    let (solutions, nodes) = thread::scope(|scope| {
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        let found = handles.into_iter().map(|handle| handle.join().expect("a worker that does not panic"));
        let above = (pool.above.solutions, pool.above.nodes);
        found.fold(above, |sum, found| (sum.0.plus(found.0), sum.1 + found.1))
    });
    (solutions.exact().expect("a count below 2^128"), nodes)
}
