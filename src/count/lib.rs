//! HOW one process counts: methods, pools, tallies. Knows [`puzzle`](census_puzzle), nothing of MPI.
//!
//! A [`Method`] is bound to one puzzle. It splits the puzzle into a [`Pool`] of units, and makes [`Counter`]s, one a
//! worker thread, that count a unit each time they are asked. Who counts which unit when is not its business.
//! [`batch`] makes one method of many puzzles, for collections.

pub mod bands;
pub mod batch;
pub mod control;
pub mod method;
pub mod pool;
pub mod recount;
pub mod registry;
pub mod search;
pub mod tally;

pub use control::Control;
pub use method::{Counted, Counter, Method, SplitSink};
pub use pool::{Depth, Pool, PoolOptions, PoolTooLarge};
pub use recount::RecountWay;
pub use registry::{DoesNotApply, MethodChoice, MethodName, Purpose};
pub use tally::{CacheStats, Solutions, Tally};
