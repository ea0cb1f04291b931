//! The interface of a method: how one puzzle is split into units, and how a unit is counted.

use std::ops::ControlFlow;

use super::{CacheStats, Control, Pool, PoolOptions, PoolTooLarge, Solutions};

/// A way to count, bound to one puzzle.
pub trait Method: Send + Sync {
    /// Bytes of one unit; the same for all units of a puzzle.
    fn unit_bytes(&self) -> usize;

    /// The choices of this method that determine what a unit means. [`MethodName::of`](crate::MethodName::of)
    /// makes the same method from them on another rank.
    fn config_bytes(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Expands the puzzle breadth-first into a pool. The same plan gives the same pool on every machine, unless `stop` returns
    /// `true`: then the pool has the depth reached so far.
    fn expand(&self, plan: &PoolOptions, stop: &dyn Fn() -> bool) -> Result<Pool, PoolTooLarge>;

    /// A counter for one worker thread.
    fn counter(&self) -> Box<dyn Counter + '_>;
}

/// Receives the subtasks that are split off a unit. A subtask is a unit itself.
pub type SplitSink<'a> = dyn FnMut(&[u8]) + 'a;

/// Counts units one after the other; owns the memory of one worker.
pub trait Counter: Send {
    /// Counts the solutions of a unit. With a `sink`, and while `control` requests subtasks, passes untouched parts of the unit to
    /// it: their solutions and nodes are not in the result. A method that cannot split a unit ignores `sink`.
    fn count_unit(&mut self, unit: &[u8], control: &Control, sink: Option<&mut SplitSink>) -> Counted;

    fn count(&mut self, unit: &[u8], control: &Control) -> Counted {
        self.count_unit(unit, control, None)
    }

    fn count_splitting(&mut self, unit: &[u8], control: &Control, sink: &mut SplitSink) -> Counted {
        self.count_unit(unit, control, Some(sink))
    }

    /// Visits the solutions of a unit in the order of the method, each as the values of its cells, until `visit` breaks.
    /// Splits nothing off. Called only for a method that was made for [`Purpose::List`](crate::Purpose::List).
    fn visit(&mut self, _: &[u8], _: &Control, _: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Counted {
        unreachable!("solutions are listed by another method")
    }
}

/// The result of counting one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    pub solutions: Solutions,
    /// Nodes visited below the unit.
    pub nodes: u64,
    /// Whether nothing but the subtasks split off is left to count.
    pub finished: bool,
    pub cache: CacheStats,
}
