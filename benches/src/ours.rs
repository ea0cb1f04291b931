//! Census itself, on one core.

use std::hint::black_box;
use std::ops::ControlFlow;

use census::count::bands::bands;
use census::count::search::{DEFAULT_CACHE, SearchOptions, search, search_batch};
use census::count::{Control, Counted, Counter, Depth, Method, PoolOptions};
use census::puzzle::grid::value_of;
use census::puzzle::{Grid, Puzzle, Shape};

/// Counts all solutions by search, including its set-up.
pub fn count(puzzle: &Puzzle) -> u128 {
    count_with(&mut *method(puzzle).counter(), puzzle.givens.values())
}

/// Visits all solutions by search, including its set-up.
pub fn list(puzzle: &Puzzle) -> u128 {
    let discard = &mut |grid: &[u8]| {
        black_box(grid);
        ControlFlow::Continue(())
    };
    all(method(puzzle).counter().visit(puzzle.givens.values(), &Control::new(None), discard))
}

/// The search of a puzzle, with the default cache.
pub fn method(puzzle: &Puzzle) -> Box<dyn Method> {
    search(puzzle, SearchOptions { cache: DEFAULT_CACHE, ..SearchOptions::default() })
}

/// The search of a collection of puzzles of a shape.
pub fn method_for_each(shape: &Shape) -> Box<dyn Method> {
    search_batch(shape, SearchOptions::default())
}

/// Counts all solutions with an existing counter.
pub fn count_with(counter: &mut dyn Counter, givens: &[u8]) -> u128 {
    all(counter.count(givens, &Control::new(None)))
}

/// Counts all solutions by bands, including the set-up.
pub fn count_by_bands(puzzle: &Puzzle) -> u128 {
    let method = bands(puzzle, None);
    let options = PoolOptions { depth: Depth::Fixed(0), units: 1, keep_solved: false, max_bytes: 1 << 30 };
    let pool = method.expand(&options, &|| false).expect("one unit fits");
    let mut counter = method.counter();
    pool.bytes.chunks_exact(pool.unit_bytes).map(|unit| count_with(&mut *counter, unit)).sum()
}

/// A plain 9×9 from its 81 characters.
pub fn from_line(line: &str) -> Puzzle {
    let givens = Grid::new(line.chars().map(|c| value_of(c).expect("a cell")).collect());
    Puzzle::new(Shape::usual(9).expect("9x9 is a shape").into(), givens)
}

fn all(counted: Counted) -> u128 {
    counted.solutions.exact().expect("few enough")
}
