//! Counts the solutions of a puzzle within one process. Knows [`puzzle`](census_puzzle), nothing of MPI.
//!
//! A [`Method`] is bound to one puzzle. It expands the puzzle into a [`Pool`] of units, and makes a [`Counter`] for each worker
//! thread, which counts one unit at a time. Which worker counts which unit is decided by the caller. [`batch`] counts many puzzles of
//! one shape.
//!
//! Count all solutions of a puzzle, or stop at a limit. The count may exceed the limit a little, but not the number of
//! solutions:
//!
//! ```
//! use std::sync::Arc;
//! use census_count::search::{SearchOptions, search};
//! use census_count::{Control, Solutions};
//! use census_puzzle::{Grid, Puzzle, Shape};
//!
//! let puzzle = Puzzle::new(Arc::new(Shape::usual(6).expect("a shape")), Grid::empty(36));
//! let method = search(&puzzle, SearchOptions::default());
//! let counted = method.counter().count(puzzle.givens.values(), &Control::new(None));
//! assert!(counted.finished);
//! assert_eq!(counted.solutions, Solutions::new(28_200_960));
//!
//! let control = Control::new(Some(1000));
//! let counted = method.counter().count(puzzle.givens.values(), &control);
//! assert!(!counted.finished && control.stopped());
//! assert!(counted.solutions.exact() >= Some(1000));
//! ```
//!
//! Expand a pool and count its units. Solutions above the depth of the pool are in `pool.above`:
//!
//! ```
//! # use std::sync::Arc;
//! # use census_puzzle::{Grid, Puzzle, Shape};
//! use census_count::{Control, Depth, MethodName, PoolOptions, Purpose, Solutions};
//!
//! # let puzzle = Puzzle::new(Arc::new(Shape::usual(4).expect("a shape")), Grid::empty(16));
//! let method = MethodName::Search.of(&puzzle, Default::default(), Purpose::Count, &|| false)?;
//! let options = PoolOptions { depth: Depth::Fixed(2), units: 0, keep_solved: false, max_bytes: 1 << 20 };
//! let pool = method.expand(&options, &|| false)?;
//! let mut counter = method.counter();
//! let control = Control::new(None);
//! let units = pool.bytes.chunks_exact(pool.unit_bytes);
//! let sum = units.fold(pool.above.solutions, |sum, unit| sum.plus(counter.count(unit, &control).solutions));
//! assert_eq!(sum, Solutions::new(288));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bands;
pub mod batch;
mod choice;
mod control;
mod method;
mod pool;
mod recount;
mod registry;
pub mod search;
mod tally;

pub use choice::Choice;
pub use control::Control;
pub use method::{Counted, Counter, Method, SplitSink};
pub use pool::{Depth, Pool, PoolOptions, PoolTooLarge};
pub use recount::RecountVariant;
pub use registry::{Capabilities, DoesNotApply, MethodChoice, MethodName, Purpose};
pub use tally::{CacheStats, Solutions, Tally};
