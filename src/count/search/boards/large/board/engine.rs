//! Implements [`Engine`] for the large board.

use crate::search::engine::{Engine, PropagationResult, Tree};

use super::{LargeBoard, LargeState};

impl LargeBoard {
    fn next(&self, tree: Tree, state: &LargeState, alive: bool) -> PropagationResult {
        if !alive {
            return PropagationResult::Contradiction;
        }
        let next = LargeBoard::choose(tree.cells, state, 0..self.open.len());
        next.map_or(PropagationResult::Solved, PropagationResult::Branch)
    }
}

impl Engine for LargeBoard {
    type State = LargeState;

    fn cells(&self) -> usize {
        self.filled.len()
    }

    fn blank(&self) -> LargeState {
        LargeState { sets: Vec::new(), unsettled: 0, next_split: 0, queue: Vec::new(), contradiction: false }
    }

    /// A grid that contradicts a cell filled in by this board has no solution: another engine may have guessed a value that
    /// this board has excluded.
    fn load(&self, grid: &[u8], state: &mut LargeState) {
        *state = self.root();
        state.contradiction |=
            grid.iter().zip(&self.filled).any(|(&value, &known)| value != 0 && known != 0 && value != known);
        for (number, &cell) in (0..).zip(&self.open) {
            let value = grid[usize::from(cell)];
            if value != 0 {
                state.queue.push((number, value - 1));
            }
        }
    }

    fn store(&self, state: &LargeState, grid: &mut [u8]) {
        grid.copy_from_slice(&self.filled);
        for (&cell, set) in self.open.iter().zip(&state.sets) {
            if set.is_power_of_two() {
                grid[usize::from(cell)] = set.trailing_zeros() as u8 + 1;
            }
        }
    }

    fn propagate(&self, tree: Tree, state: &mut LargeState) -> PropagationResult {
        let alive = !state.contradiction && self.propagate_singles(state);
        self.next(tree, state, alive)
    }

    fn guess(
        &self,
        tree: Tree,
        parent: &LargeState,
        child: &mut LargeState,
        cell: usize,
        value: usize,
    ) -> PropagationResult {
        child.copy(parent);
        self.guess_in_place(tree, child, cell, value)
    }

    fn guess_in_place(&self, tree: Tree, state: &mut LargeState, cell: usize, value: usize) -> PropagationResult {
        let alive = self.fill(state, cell, value);
        self.next(tree, state, alive)
    }

    fn candidates(&self, state: &LargeState, cell: usize) -> u64 {
        state.sets[cell]
    }

    fn has_cheap_propagation(&self) -> bool {
        false
    }
}
