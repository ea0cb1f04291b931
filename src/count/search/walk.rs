//! Depth-first search below one unit: iterative, on a stack of states that is allocated once.

use std::ops::ControlFlow;

use crate::count::{Control, Counted, Counter, Solutions};

use super::ValueOrder;
use super::board::{Board, Cells, Settled};

/// Nodes between two looks at the control: a few tens of microseconds.
const NODES_BETWEEN_LOOKS: u64 = 512;

/// A guess that is being worked through.
struct Branch {
    cell: usize,
    /// Values still to try, as bits; never none.
    values: u64,
}

/// Walks the trees of units, one after the other. Level d of the stack is the state in which branch d is made.
pub(super) struct Walker<'a, const W: usize, const N: usize> {
    board: &'a Board<W, N>,
    values: ValueOrder,
    levels: Vec<Cells<W>>,
    branches: Vec<Branch>,
    solution: Vec<u8>,
}

impl<'a, const W: usize, const N: usize> Walker<'a, W, N> {
    pub(super) fn new(board: &'a Board<W, N>, values: ValueOrder) -> Self {
        Walker { board, values, levels: Vec::new(), branches: Vec::new(), solution: vec![0; board.cells()] }
    }

    /// Walks the tree below `unit` and calls `leaf` with the state of each solution.
    #[inline(always)]
    fn walk(
        &mut self,
        unit: &[u8],
        control: &Control,
        mut leaf: impl FnMut(&Board<W, N>, &[Cells<W>]) -> ControlFlow<()>,
    ) -> Counted {
        let board = self.board;
        let len = board.state_len();
        let patience = control.patience();
        let (mut solutions, mut nodes) = (0u64, 0u64);
        let (mut told, mut next_look) = (0u64, NODES_BETWEEN_LOOKS);
        let mut finished = true;

        self.branches.clear();
        self.make_room(0, len);
        board.load(unit, &mut self.levels[..len]);
        match board.settle(&mut self.levels[..len]) {
            Settled::Dead => {}
            Settled::Solved => {
                solutions = 1;
                finished = leaf(board, &self.levels[..len]).is_continue();
            }
            Settled::Branch(cell) => self.branch(cell, 0, len),
        }
        while let Some(branch) = self.branches.last_mut() {
            if nodes >= next_look || solutions - told >= patience {
                next_look = nodes + NODES_BETWEEN_LOOKS;
                let news = solutions - told;
                told = solutions;
                if !control.tell(news) {
                    finished = false;
                    break;
                }
            }
            let value = self.values.take(&mut branch.values);
            let cell = branch.cell;
            nodes += 1;
            // The last value of a cell takes the place of its parent, the others a copy one level below.
            if branch.values == 0 {
                self.branches.pop();
            } else {
                let parent = (self.branches.len() - 1) * len;
                self.levels.copy_within(parent..parent + len, parent + len);
            }
            let depth = self.branches.len();
            let child = &mut self.levels[depth * len..][..len];
            board.fill(child, cell, value);
            match board.settle(child) {
                Settled::Dead => {}
                Settled::Solved => {
                    solutions += 1;
                    if leaf(board, child).is_break() {
                        finished = false;
                        break;
                    }
                }
                Settled::Branch(cell) => self.branch(cell, depth, len),
            }
        }
        control.tell(solutions - told);
        Counted { solutions: Solutions::new(solutions.into()), nodes, finished }
    }

    /// Goes on guessing at `cell` of the state on level `depth`.
    #[inline(always)]
    fn branch(&mut self, cell: usize, depth: usize, len: usize) {
        let values = self.board.candidates(&self.levels[depth * len..], cell);
        self.branches.push(Branch { cell, values });
        self.make_room(depth + 1, len);
    }

    /// Makes sure that the stack has a level `depth`: it grows when the search first gets that deep, and stays.
    #[inline(always)]
    fn make_room(&mut self, depth: usize, len: usize) {
        if self.levels.len() < (depth + 1) * len {
            self.levels.resize((depth + 1) * len, [0; W]);
        }
    }
}

impl<const W: usize, const N: usize> Counter for Walker<'_, W, N> {
    fn count(&mut self, unit: &[u8], control: &Control) -> Counted {
        self.walk(unit, control, |_, _| ControlFlow::Continue(()))
    }

    fn visit(&mut self, unit: &[u8], control: &Control, visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Counted {
        let mut solution = std::mem::take(&mut self.solution);
        let counted = self.walk(unit, control, |board, state| {
            board.store(state, &mut solution);
            visit(&solution)
        });
        self.solution = solution;
        counted
    }
}
