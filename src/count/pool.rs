//! The pool: all units of a run in one byte vector, in the order of the search.

use super::{Choice, Tally};

/// `Auto` is the smallest depth with at least as many units as asked for, or else the depth at which the tree is widest.
pub type Depth = Choice<usize>;

#[derive(Clone, Copy, Debug)]
pub struct PoolOptions {
    pub depth: Depth,
    /// With [`Choice::Auto`]: the number of units to reach.
    pub units: usize,
    /// Keep solutions found above the depth as units at their position, so that a listing stays in order.
    pub keep_solved: bool,
    pub max_bytes: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    pub unit_bytes: usize,
    /// The units, one after the other.
    pub bytes: Vec<u8>,
    /// The depth of the units: the one asked for, or the depth at which the tree ended before.
    pub depth_reached: usize,
    /// Solutions found above the depth, and the nodes visited.
    pub above: Tally,
}

impl Pool {
    pub fn units(&self) -> usize {
        self.bytes.len() / self.unit_bytes
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the pool at depth {asked} would take more than {} MiB; --depth {fits} fits, with {units} units",
    max_bytes >> 20
)]
pub struct PoolTooLarge {
    pub asked: usize,
    pub fits: usize,
    /// Units at the depth that fits.
    pub units: usize,
    pub max_bytes: usize,
}
