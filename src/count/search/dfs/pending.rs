//! The open nodes on the search path whose counts go into the memo table once they are complete.

use crate::search::endgame::LeafTally;
use crate::search::engine::Engine;
use crate::search::memo::MemoTable;

/// The deepest node is last; `residuals` has the residual state of each.
#[derive(Default)]
pub(super) struct PendingNodes {
    nodes: Vec<PendingNode>,
    residuals: Vec<u64>,
}

struct PendingNode {
    /// Branches on the stack above the node: the node is finished when there are no more than these.
    depth: usize,
    /// Solutions and nodes found before the node.
    solutions: u128,
    nodes: u64,
}

impl PendingNodes {
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.residuals.clear();
    }

    /// Looks up the number of solutions below a branch. On a miss, the node becomes pending.
    pub(super) fn lookup<E: Engine>(
        &mut self,
        engine: &E,
        state: &E::State,
        memo: &mut MemoTable,
        (depth, solutions, nodes): (usize, u128, u64),
    ) -> Option<u128> {
        let before = self.residuals.len();
        self.residuals.resize(before + engine.residual_words(), 0);
        let residual = &mut self.residuals[before..];
        engine.residual(state, residual);
        let known = memo.lookup(residual);
        if known.is_none() {
            self.nodes.push(PendingNode { depth, solutions, nodes });
        } else {
            self.residuals.truncate(before);
        }
        known
    }

    /// Inserts the counts of the nodes that are finished, given the number of branches on the stack.
    #[inline(always)]
    pub(super) fn insert_finished(&mut self, branches: usize, solutions: u128, nodes: u64, memo: &mut MemoTable) {
        while let Some(node) = self.nodes.pop_if(|node| branches <= node.depth) {
            let words = self.residuals.len() / (self.nodes.len() + 1);
            let residual = self.residuals.len() - words;
            if solutions < u128::MAX {
                memo.insert(&self.residuals[residual..], solutions - node.solutions, nodes - node.nodes);
            }
            self.residuals.truncate(residual);
        }
    }

    /// Discards the nodes at or above a branch of the stack.
    pub(super) fn discard_above(&mut self, branch: usize) {
        let words = self.residuals.len().checked_div(self.nodes.len()).unwrap_or(0);
        let gone = self.nodes.iter().take_while(|node| node.depth <= branch).count();
        self.nodes.drain(..gone);
        self.residuals.drain(..gone * words);
    }

    /// Excludes solutions and nodes that were found elsewhere while these nodes are open.
    pub(super) fn exclude(&mut self, split_off: LeafTally) {
        for node in &mut self.nodes {
            node.solutions = node.solutions.saturating_add(split_off.solutions.into());
            node.nodes += split_off.nodes;
        }
    }
}
