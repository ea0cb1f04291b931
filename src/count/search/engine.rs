//! What a search needs of a board: states, guesses, and what follows from them. The walk, the expansion and the probes know
//! boards by this alone.

use super::CellOrder;
use super::endgame::Endgame;

/// What propagation has led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PropagationResult {
    /// A cell or a house has no candidate left.
    Contradiction,
    /// Every cell has its value.
    Solved,
    /// This cell is the one to guess next.
    Branch(usize),
}

/// Which tree is searched: all trees of a puzzle have the same solutions as leaves.
///
/// What follows from a guess depends on the state alone, not on the way there, so that a partial grid says all there is to
/// say about a node: that is what makes a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tree {
    /// Which cell is guessed next.
    pub cells: CellOrder,
    /// How bushy it is.
    pub growth: Propagation,
}

/// How much work goes into a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Propagation {
    /// Most nodes lead nowhere: whatever can be seen at a node is seen, so that there are few of them.
    Full,
    /// Most nodes lead to solutions: they are made as cheap as possible, and the last cells are left to the [`Endgame`].
    Cheap,
}

impl Propagation {
    /// What [`Method::config`](crate::Method::config) of a search says.
    pub(super) fn from_config_bytes(config: &[u8]) -> Propagation {
        if config == [Propagation::Cheap as u8] { Propagation::Cheap } else { Propagation::Full }
    }
}

/// A board of some shape.
pub(super) trait Engine: Send + Sync {
    /// What is known at a node.
    type State: Clone + Send;

    /// The number of cells.
    fn cells(&self) -> usize;

    /// Room for a state.
    fn blank(&self) -> Self::State;

    /// Makes `state` that of a partial grid; nothing is propagated yet.
    fn load(&self, grid: &[u8], state: &mut Self::State);

    /// Writes the values of the settled cells, 0 elsewhere.
    fn store(&self, state: &Self::State, grid: &mut [u8]);

    /// Propagates as far as the tree wants it and says what comes next.
    fn propagate(&self, tree: Tree, state: &mut Self::State) -> PropagationResult;

    /// Makes `child` what follows from `value` (from 0) in `cell` of `parent`. Only what is a branch or solved is whole.
    fn guess(
        &self,
        tree: Tree,
        parent: &Self::State,
        child: &mut Self::State,
        cell: usize,
        value: usize,
    ) -> PropagationResult;

    /// The same, in the place of the parent.
    fn guess_in_place(&self, tree: Tree, state: &mut Self::State, cell: usize, value: usize) -> PropagationResult;

    /// The candidates of a cell; bit v is value v + 1.
    fn candidates(&self, state: &Self::State, cell: usize) -> u64;

    /// Whether there is anything to gain from a bushy tree.
    fn has_cheap_propagation(&self) -> bool;

    /// Words of a remainder; 0 where none is worth remembering.
    fn remainder_words(&self) -> usize;

    /// Writes down what is left at a branch of a bushy tree, in a form that does not depend on which values are which.
    fn remainder(&self, state: &Self::State, remainder: &mut [u64]);

    /// Hands the open cells of a state that is a branch of a bushy tree to the tail, if they are few enough for it.
    fn hand_over(&self, state: &Self::State, tail: &mut Endgame) -> bool;
}
