//! The pool: all the units of a run, flat, in the order of the search.

use std::fmt;

use super::tally::Tally;

/// How deep to expand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// The smallest depth that gives the number of units asked for, or else where the tree is widest.
    Auto,
    /// This many guesses from the root to a unit.
    Fixed(usize),
}

impl fmt::Display for Depth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Depth::Auto => f.write_str("auto"),
            Depth::Fixed(depth) => depth.fmt(f),
        }
    }
}

/// What pool is wanted.
#[derive(Clone, Copy, Debug)]
pub struct PoolOptions {
    /// How deep to expand.
    pub depth: Depth,
    /// With [`Depth::Auto`]: how many units to reach.
    pub units: usize,
    /// Keep solutions that are met above the depth as units in their place, so that a listing stays in order.
    pub keep_solved: bool,
    /// The pool may not take more bytes than this.
    pub max_bytes: usize,
}

/// All the units of a run, in the order of the search.
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// Bytes of one unit.
    pub unit_bytes: usize,
    /// The units, one behind the other.
    pub bytes: Vec<u8>,
    /// The depth at which expansion ended: the one asked for, or where the tree ended before.
    pub depth_reached: usize,
    /// What was met on the way: solutions above the depth, and the nodes visited.
    pub above: Tally,
}

impl Pool {
    /// The number of units.
    pub fn units(&self) -> usize {
        self.bytes.len() / self.unit_bytes
    }
}

/// The pool would not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the pool at depth {asked} would take more than {} MiB; --depth {fits} fits, with {units} units",
    max_bytes >> 20
)]
pub struct PoolTooLarge {
    /// The depth asked for.
    pub asked: usize,
    /// The deepest depth that fits.
    pub fits: usize,
    /// The units at that depth.
    pub units: usize,
    /// The bytes a pool may take.
    pub max_bytes: usize,
}
