//! HOW one process counts: methods, pools, tallies. Knows [`puzzle`](census_puzzle), nothing of MPI.
//!
//! A [`Method`] is bound to one puzzle. It splits the puzzle into a [`Pool`] of units, and makes [`Counter`]s, one a
//! worker thread, that count a unit each time they are asked. Who counts which unit when is not its business.
//! [`each`] makes one method of many puzzles, for collections.

pub mod bands;
pub mod control;
pub mod each;
pub mod method;
pub mod pool;
pub mod recount;
pub mod search;
pub mod tally;

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

pub use control::Control;
pub use method::{Aim, DoesNotApply, MethodChoice, MethodName};
pub use pool::{Depth, Pool, PoolPlan, PoolTooLarge};
pub use recount::Way;
pub use tally::{Solutions, Tally};

/// How one puzzle is split into units and how a unit is counted.
pub trait Method: Send + Sync {
    /// Bytes of one unit; the same for all units of a puzzle.
    fn unit_bytes(&self) -> usize;

    /// What another rank has to be told to make the same method of the same puzzle: see [`MethodName::again`].
    fn setup(&self) -> Vec<u8> {
        Vec::new() // a method that has nothing to choose
    }

    /// Expands the puzzle breadth-first into a pool. The same plan gives the same pool on every machine, unless `stop`
    /// says so on the way: then the pool is that of the depth reached by then.
    fn expand(&self, plan: &PoolPlan, stop: &dyn Fn() -> bool) -> Result<Pool, PoolTooLarge>;

    /// A counter for one worker thread.
    fn counter(&self) -> Box<dyn Counter + '_>;
}

/// Takes a part of a unit that is given away.
pub type Give<'a> = dyn FnMut(&[u8]) + 'a;

/// Counts units one after the other with memory of its own.
pub trait Counter: Send {
    /// Counts the solutions of a unit.
    fn count(&mut self, unit: &[u8], control: &Control) -> Counted;

    /// Counts the solutions of a unit, and when the control wants parts, may call `give` with parts of it that are units
    /// of their own and that it has not begun: whoever counts those finds the solutions and nodes that are missing here.
    fn share(&mut self, unit: &[u8], control: &Control, give: &mut Give) -> Counted {
        let _ = give; // a method that cannot split a unit gives nothing away
        self.count(unit, control)
    }

    /// Visits the solutions of a unit in the order of the method, each as the values of its cells, until `visit` breaks.
    /// Gives nothing away.
    fn visit(&mut self, unit: &[u8], control: &Control, visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Counted;
}

/// What one unit has yielded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Solutions found.
    pub solutions: Solutions,
    /// Nodes visited below the unit.
    pub nodes: u64,
    /// Whether the unit was counted to its end.
    pub finished: bool,
    /// What a cache was used for on the way.
    pub cache: CacheUse,
}

/// What a cache of remainders was used for; the same since the last time, where it is told again and again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheUse {
    /// How often a remainder was looked for.
    pub looks: u64,
    /// How often it was found.
    pub hits: u64,
    /// Bytes of memory.
    pub bytes: u64,
}

impl CacheUse {
    /// It in words, if anybody looked.
    pub fn words(self) -> Option<String> {
        let CacheUse { looks, hits, bytes } = self;
        let mebibytes = bytes as f64 / f64::from(1 << 20);
        (looks > 0).then(|| format!("{hits} hits of {looks} looks, {mebibytes:.1} MiB"))
    }

    /// Both together.
    pub fn plus(self, other: CacheUse) -> CacheUse {
        CacheUse {
            looks: self.looks.saturating_add(other.looks),
            hits: self.hits.saturating_add(other.hits),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }
}
