//! The board as the search knows boards.

use crate::search::endgame::Endgame;
use crate::search::engine::{Engine, PropagationResult, Tree};

use super::{Board, State};

impl Board {
    fn next(&self, tree: Tree, state: &State, alive: bool) -> PropagationResult {
        if !alive {
            return PropagationResult::Contradiction;
        }
        let next = Board::choose(tree.cells, state, 0..self.open.len());
        next.map_or(PropagationResult::Solved, PropagationResult::Branch)
    }
}

impl Engine for Board {
    type State = State;

    fn cells(&self) -> usize {
        self.filled.len()
    }

    fn blank(&self) -> State {
        State { sets: Vec::new(), unsettled: 0, look: 0, queue: Vec::new(), dead: false }
    }

    /// A grid that contradicts what the board takes for granted has no solution: another engine may have guessed what
    /// this one has settled.
    fn load(&self, grid: &[u8], state: &mut State) {
        *state = self.root();
        state.dead |= grid.iter().zip(&self.filled).any(|(&value, &known)| value != 0 && known != 0 && value != known);
        for (number, &cell) in (0..).zip(&self.open) {
            let value = grid[usize::from(cell)];
            if value != 0 {
                state.queue.push((number, value - 1));
            }
        }
    }

    fn store(&self, state: &State, grid: &mut [u8]) {
        grid.copy_from_slice(&self.filled);
        for (&cell, set) in self.open.iter().zip(&state.sets) {
            if set.is_power_of_two() {
                grid[usize::from(cell)] = set.trailing_zeros() as u8 + 1;
            }
        }
    }

    fn propagate(&self, tree: Tree, state: &mut State) -> PropagationResult {
        let alive = !state.dead && self.propagate_singles(state);
        self.next(tree, state, alive)
    }

    fn guess(&self, tree: Tree, parent: &State, child: &mut State, cell: usize, value: usize) -> PropagationResult {
        child.copy(parent);
        self.guess_in_place(tree, child, cell, value)
    }

    fn guess_in_place(&self, tree: Tree, state: &mut State, cell: usize, value: usize) -> PropagationResult {
        let alive = self.fill(state, cell, value);
        self.next(tree, state, alive)
    }

    fn candidates(&self, state: &State, cell: usize) -> u64 {
        state.sets[cell]
    }

    fn has_cheap_propagation(&self) -> bool {
        false
    }

    fn remainder_words(&self) -> usize {
        0
    }

    fn remainder(&self, _: &State, _: &mut [u64]) {}

    fn hand_over(&self, _: &State, _: &mut Endgame) -> bool {
        false
    }
}
