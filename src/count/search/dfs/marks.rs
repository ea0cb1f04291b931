//! The nodes that a walk is below, and what the cache will be told of each when it is done.

use crate::search::engine::Engine;
use crate::search::memo::Cache;

use super::Given;

/// Nodes whose solutions are being counted, the deepest last, and what is left at each.
#[derive(Default)]
pub(super) struct Marks {
    nodes: Vec<Mark>,
    remainders: Vec<u64>,
}

struct Mark {
    /// Branches on the stack above the node: when there are no more than these, the node is done.
    depth: usize,
    /// Solutions and nodes before.
    solutions: u128,
    nodes: u64,
}

impl Marks {
    /// Forgets all of them.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.remainders.clear();
    }

    /// The solutions below a branch, if they are known; else they will be, when it is done.
    pub(super) fn find<E: Engine>(
        &mut self,
        engine: &E,
        state: &E::State,
        cache: &mut Cache,
        (depth, solutions, nodes): (usize, u128, u64),
    ) -> Option<u128> {
        let before = self.remainders.len();
        self.remainders.resize(before + engine.remainder_words(), 0);
        let remainder = &mut self.remainders[before..];
        engine.remainder(state, remainder);
        let known = cache.find(remainder);
        if known.is_none() {
            self.nodes.push(Mark { depth, solutions, nodes });
        } else {
            self.remainders.truncate(before);
        }
        known
    }

    /// Writes down what has become of the nodes that are done, now that there are so many branches on the stack.
    #[inline(always)]
    pub(super) fn record_finished(&mut self, branches: usize, solutions: u128, nodes: u64, cache: &mut Cache) {
        while let Some(mark) = self.nodes.pop_if(|mark| branches <= mark.depth) {
            let words = self.remainders.len() / (self.nodes.len() + 1);
            let remainder = self.remainders.len() - words;
            if solutions < u128::MAX {
                cache.keep(&self.remainders[remainder..], solutions - mark.solutions, nodes - mark.nodes);
            }
            self.remainders.truncate(remainder);
        }
    }

    /// Forgets the nodes that a branch is below: those with no more than so many branches above them.
    pub(super) fn forget_above(&mut self, branch: usize) {
        let words = self.remainders.len().checked_div(self.nodes.len()).unwrap_or(0);
        let gone = self.nodes.iter().take_while(|mark| mark.depth <= branch).count();
        self.nodes.drain(..gone);
        self.remainders.drain(..gone * words);
    }

    /// LeafTally out what was found just now beside all of these nodes, not below them.
    pub(super) fn leave_out(&mut self, given: &Given) {
        for mark in &mut self.nodes {
            mark.solutions = mark.solutions.saturating_add(given.solutions.into());
            mark.nodes += given.nodes;
        }
    }
}
