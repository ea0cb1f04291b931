//! Depth-first search below one unit: iterative, on a stack of states that is allocated once.
//!
//! When others have nothing to do, a walker gives away untouched branches of the tree it is in, those nearest to the root
//! first: they are the largest. As every branch on the stack has values left to try, these are the ones at its bottom.
//!
//! ```text
//!   stack   0: cell 12, values 4 7     ◀ given away first: cell 12 = 4 and cell 12 = 7, each a unit of its own
//!           1: cell 40, values 9       ◀ then this one
//!           2: cell 33, values 2 5
//!           3: cell 71, values 8       the walker is below here
//! ```

use std::ops::ControlFlow;

use crate::count::{Control, Counted, Counter, Give, Solutions};

use super::ValueOrder;
use super::board::{Board, Cells, Settled};

/// Nodes between two looks at the control: a few tens of microseconds on a 9×9, some milliseconds on the largest boards.
const NODES_BETWEEN_LOOKS: u64 = 512;
/// Branches on the stack that a walker keeps to itself: what hangs on the last ones is done sooner than given away.
const BRANCHES_TO_KEEP: usize = 4;

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
    /// Where the stack of branches begins: those below have been given away.
    base: usize,
}

/// What giving away has come to.
#[derive(Default)]
struct Given {
    solutions: u64,
    nodes: u64,
}

impl<'a, const W: usize, const N: usize> Walker<'a, W, N> {
    pub(super) fn new(board: &'a Board<W, N>, values: ValueOrder) -> Self {
        Walker { board, values, levels: Vec::new(), branches: Vec::new(), solution: vec![0; board.cells()], base: 0 }
    }

    /// Walks the tree below `unit` and calls `leaf` with the state of each solution. With `give`, parts of the tree may
    /// go to others.
    #[inline(always)]
    fn walk(
        &mut self,
        unit: &[u8],
        control: &Control,
        mut give: Option<&mut Give>,
        mut leaf: impl FnMut(&Board<W, N>, &[Cells<W>]) -> ControlFlow<()>,
    ) -> Counted {
        let board = self.board;
        let len = board.state_len();
        let patience = control.patience();
        let (mut solutions, mut nodes) = (0u64, 0u64);
        let (mut told, mut told_nodes, mut next_look) = (0u64, 0u64, NODES_BETWEEN_LOOKS);
        let mut finished = true;

        self.branches.clear();
        self.base = 0;
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
        while self.branches.len() > self.base {
            if nodes >= next_look || solutions - told >= patience {
                next_look = nodes + NODES_BETWEEN_LOOKS;
                let news = (solutions - told, nodes - told_nodes);
                (told, told_nodes) = (solutions, nodes);
                if !control.tell(news.0.into(), news.1) {
                    finished = false;
                    break;
                }
                if let Some(give) = &mut give
                    && control.wanted() > 0
                {
                    let given = self.give_away(control, *give);
                    solutions += given.solutions;
                    nodes += given.nodes;
                }
            }
            let Some(branch) = self.branches.last_mut() else { break };
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
        control.tell((solutions - told).into(), nodes - told_nodes);
        Counted { solutions: Solutions::new(solutions.into()), nodes, finished }
    }

    /// Gives away branches from the bottom of the stack, as long as parts are wanted and the stack is high enough. Each
    /// is settled first, so that nobody gets one that is a dead end or a solution already.
    #[cold]
    fn give_away(&mut self, control: &Control, give: &mut Give) -> Given {
        let len = self.board.state_len();
        let mut given = Given::default();
        self.make_room(self.branches.len() + 1, len);
        while control.wanted() > 0 && self.branches.len() > self.base + BRANCHES_TO_KEEP {
            let (stack, above) = self.levels.split_at_mut((self.branches.len() + 1) * len);
            let state = &stack[self.base * len..][..len];
            let child = &mut above[..len];
            let branch = &mut self.branches[self.base];
            self.board.guess(state, child, branch.cell, self.values.take(&mut branch.values));
            given.nodes += 1;
            match self.board.settle(child) {
                Settled::Dead => {}
                Settled::Solved => given.solutions += 1,
                Settled::Branch(_) => {
                    self.board.store(child, &mut self.solution);
                    give(&self.solution);
                }
            }
            self.base += usize::from(branch.values == 0);
        }
        given
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
        self.walk(unit, control, None, |_, _| ControlFlow::Continue(()))
    }

    fn share(&mut self, unit: &[u8], control: &Control, give: &mut Give) -> Counted {
        self.walk(unit, control, Some(give), |_, _| ControlFlow::Continue(()))
    }

    fn visit(&mut self, unit: &[u8], control: &Control, visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Counted {
        let mut solution = std::mem::take(&mut self.solution);
        let counted = self.walk(unit, control, None, |board, state| {
            board.store(state, &mut solution);
            visit(&solution)
        });
        self.solution = solution;
        counted
    }
}
