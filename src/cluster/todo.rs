//! What is to be counted of a pool: all of it, or what a journal leaves.

use crate::count::Solutions;

use super::journal::Journal;

/// What is to be counted of a pool.
pub(super) struct Todo {
    /// The units.
    pub units: Vec<u8>,
    /// Their labels, if these are not their places.
    pub labels: Option<Vec<u8>>,
    /// What was known before.
    pub before: Before,
}

/// What earlier runs have counted of a pool.
#[derive(Default)]
pub(super) struct Before {
    /// Solutions found.
    pub solutions: Solutions,
    /// Nodes visited.
    pub nodes: u64,
    /// Parts among what is left.
    pub parts_left: usize,
}

impl Todo {
    /// All of the pool, or what a journal leaves of it.
    pub(super) fn of(units: Vec<u8>, unit_bytes: usize, journal: Option<&Journal>) -> Todo {
        let Some(replay) = journal.map(|journal| &journal.replay).filter(|replay| replay.runs > 0) else {
            return Todo { units, labels: None, before: Before::default() };
        };
        let (units, labels) = replay.left(units, unit_bytes);
        let before = Before { solutions: replay.solutions, nodes: replay.nodes, parts_left: replay.rest.len() };
        Todo { units, labels: Some(labels), before }
    }
}
