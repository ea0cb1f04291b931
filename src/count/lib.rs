//! Counts the solutions of a puzzle within one process. Knows [`puzzle`](census_puzzle), nothing of MPI.
//!
//! A [`Method`] is bound to one puzzle. It expands the puzzle into a [`Pool`] of units, and makes a [`Counter`] for each worker
//! thread, which counts one unit at a time. Which worker counts which unit is decided by the caller. [`batch`] counts many puzzles of
//! one shape.
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
//! assert_eq!(counted.solutions, Solutions::new(28_200_960));
//! ```

pub mod bands;
pub mod batch;
mod choice;
mod control;
mod groups;
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
