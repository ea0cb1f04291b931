//! The interface between boards and searches. Depth-first search, expansion and estimates use boards only through this trait.

use super::CellOrder;
use super::endgame::Endgame;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PropagationResult {
    /// A cell has no candidate left, or a value has no cell in a house.
    Contradiction,
    Solved,
    /// The cell to branch on.
    Branch(usize),
}

/// The search tree. All trees of a puzzle have the same solutions as leaves.
///
/// Propagation depends on the state only, not on the path to it. So a partial grid describes a node completely and can
/// serve as a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tree {
    pub cells: CellOrder,
    pub propagation: Propagation,
}

/// How much a node propagates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Propagation {
    /// For puzzles where most nodes are dead ends: propagates all that the board can, so that there are few nodes.
    Full,
    /// For puzzles where most nodes lead to solutions: nodes are as cheap as possible, and the last cells are left to the
    /// [`Endgame`].
    Cheap,
}

impl Propagation {
    /// Decodes [`Method::config_bytes`](crate::Method::config_bytes) of a search.
    pub(super) fn from_config_bytes(config: &[u8]) -> Propagation {
        if config == [Propagation::Cheap as u8] { Propagation::Cheap } else { Propagation::Full }
    }
}

pub(super) trait Engine: Send + Sync {
    /// The state of a node.
    type State: Clone + Send;

    fn cells(&self) -> usize;

    /// Allocates a state.
    fn blank(&self) -> Self::State;

    /// Makes `state` that of a partial grid, without propagation.
    fn load(&self, grid: &[u8], state: &mut Self::State);

    /// Writes the values of the settled cells, and 0 elsewhere.
    fn store(&self, state: &Self::State, grid: &mut [u8]);

    fn propagate(&self, tree: Tree, state: &mut Self::State) -> PropagationResult;

    /// Makes `child` the state after `value` (from 0) in `cell` of `parent`. After a contradiction, `child` is unspecified.
    fn guess(
        &self,
        tree: Tree,
        parent: &Self::State,
        child: &mut Self::State,
        cell: usize,
        value: usize,
    ) -> PropagationResult {
        child.clone_from(parent);
        self.guess_in_place(tree, child, cell, value)
    }

    /// Like [`Engine::guess`], overwriting the parent.
    fn guess_in_place(&self, tree: Tree, state: &mut Self::State, cell: usize, value: usize) -> PropagationResult;

    /// Bit v is value v + 1.
    fn candidates(&self, state: &Self::State, cell: usize) -> u64;

    /// Whether [`Propagation::Cheap`] can be faster on this board.
    fn has_cheap_propagation(&self) -> bool {
        true
    }

    /// Words of a residual state; 0 if this board does not use the memo table.
    fn residual_words(&self) -> usize {
        0
    }

    /// Writes the residual state at a branch with cheap propagation in canonical form: independent of a renaming of the
    /// values.
    fn residual(&self, _: &Self::State, _: &mut [u64]) {}

    /// Loads the open cells of a state with cheap propagation into the endgame, if they are few enough. Returns whether it
    /// did.
    fn load_endgame(&self, _: &Self::State, _: &mut Endgame) -> bool {
        false
    }
}
