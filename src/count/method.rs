//! What a method is: how one puzzle is split into units, and how a unit is counted.

use std::ops::ControlFlow;

use super::{Control, Pool, PoolOptions, PoolTooLarge, Solutions};
use crate::tally::CacheStats;

/// How one puzzle is split into units and how a unit is counted.
pub trait Method: Send + Sync {
    /// Bytes of one unit; the same for all units of a puzzle.
    fn unit_bytes(&self) -> usize;

    /// What another rank has to be told to make the same method of the same puzzle: see [`MethodName::again`].
    fn config_bytes(&self) -> Vec<u8> {
        Vec::new() // a method that has nothing to choose
    }

    /// Expands the puzzle breadth-first into a pool. The same plan gives the same pool on every machine, unless `stop`
    /// says so on the way: then the pool is that of the depth reached by then.
    fn expand(&self, plan: &PoolOptions, stop: &dyn Fn() -> bool) -> Result<Pool, PoolTooLarge>;

    /// A counter for one worker thread.
    fn counter(&self) -> Box<dyn Counter + '_>;
}

/// Takes a part of a unit that is given away.
pub type SplitSink<'a> = dyn FnMut(&[u8]) + 'a;

/// Counts units one after the other with memory of its own.
pub trait Counter: Send {
    /// Counts the solutions of a unit.
    fn count(&mut self, unit: &[u8], control: &Control) -> Counted;

    /// Counts the solutions of a unit, and when the control wants parts, may call `give` with parts of it that are units
    /// of their own and that it has not begun: whoever counts those finds the solutions and nodes that are missing here.
    fn count_splitting(&mut self, unit: &[u8], control: &Control, give: &mut SplitSink) -> Counted {
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
    pub cache: CacheStats,
}
