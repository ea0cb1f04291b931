//! The search of large puzzles, where the givens propagate most cells and blind guessing gets lost in the rest.
//!
//! 1. Singles, naked and hidden, are filled in. What stays open makes a small [board](Board) of its own.
//! 2. If a short search does not reach the end, a [learner](learner::Cdcl) finds the candidates that are in no solution, and they are
//!    taken out. This is where dead ends teach something; what they teach does not depend on the order of the lessons.
//! 3. The tree of what is left is searched as that of any board: units, pools and lists know nothing of all this. Whoever only
//!    counts multiplies the solutions of [parts](parts::Parts) that have nothing to do with each other.

mod batch;
pub(crate) mod board;
pub(crate) mod cover;
mod parts;
mod possible;

use std::sync::Arc;

use crate::{Counter, Method, Pool, PoolOptions, PoolTooLarge};
use census_puzzle::{Grid, Puzzle};

use crate::search::dfs::Dfs;
use crate::search::engine::{Engine, Propagation, PropagationResult, Tree};
use crate::search::{SearchOptions, expand};
use board::{Board, Layout};
use parts::Parts;
use possible::{STEPS_IN_ALL, impossible};

pub(crate) use batch::LargeBatch;

/// Nodes of a first search, at the end of which it is known that nothing has to be learned.
const NODES_WITHOUT_LEARNING: u64 = 1024;

/// Dead ends are many, and worth learning from, where at least one node in so many is one.
const NODES_PER_DEAD_END: u64 = 8;

/// Whether to learn from dead ends before the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learning {
    /// If a short search gets nowhere without.
    IfNeeded,
    /// In any case.
    Always,
    /// In no case.
    Never,
}

/// The search of one puzzle.
pub(crate) struct Large {
    board: Board,
    tree: Tree,
    options: SearchOptions,
    givens: Grid,
    /// What was learned: one bit for each candidate that singles leave, set if it is in no solution. Nothing without.
    learned: Vec<u8>,
}

impl Large {
    /// Makes the board of a puzzle, and learns what it takes, or what it can until `stop`. The same puzzle gives the same
    /// board on every machine, if nobody stops it.
    pub(crate) fn new(puzzle: &Puzzle, options: SearchOptions, learning: Learning, stop: &dyn Fn() -> bool) -> Large {
        let (mut large, open) = Large::without_learning(puzzle, options);
        let needed = match learning {
            Learning::IfNeeded => open && large.is_lost(),
            Learning::Always => open,
            Learning::Never => false,
        };
        if needed {
            large.learned = impossible(&large.board, STEPS_IN_ALL, stop);
            large.use_learned();
        }
        large
    }

    /// Makes the same board again from what was learned elsewhere.
    pub(crate) fn from_config(puzzle: &Puzzle, options: SearchOptions, learned: &[u8]) -> Large {
        let (mut large, _) = Large::without_learning(puzzle, options);
        if !learned.is_empty() {
            large.learned = learned.to_vec();
            large.use_learned();
        }
        large
    }

    /// The search of the solutions whose cells have these values only, as bits: bit v is value v + 1.
    pub(crate) fn within(puzzle: &Puzzle, allowed: &[u64]) -> Large {
        let (mut large, _) = Large::without_learning(puzzle, SearchOptions::default());
        let board = &large.board;
        let may = |cell: usize, value: u8| allowed[cell] >> value & 1 == 1;
        let filled = (0..).zip(&board.filled).filter(|&(_, &value)| value != 0);
        let dead = !filled.clone().all(|(cell, &value)| may(cell, value - 1));
        let candidates = board.candidates_at_start();
        let outside: Vec<_> =
            candidates.filter(|&(cell, value)| !may(board.open[cell as usize].into(), value)).collect();
        large.board.dead |= dead;
        if !large.board.dead {
            large.settle_root(&outside);
        }
        large
    }

    /// The board that singles leave, and whether anything is open.
    fn without_learning(puzzle: &Puzzle, options: SearchOptions) -> (Large, bool) {
        let tree = Tree { cells: options.cells, growth: Propagation::Full };
        let board = Board::of_grid(&Arc::new(Layout::new(&puzzle.shape)), puzzle.givens.values());
        let givens = puzzle.givens.clone();
        let mut large = Large { board, tree, options, givens, learned: Vec::new() };
        let open = large.settle_root(&[]);
        (large, open)
    }

    /// Whether a short search ran into dead ends all the time and got nowhere.
    fn is_lost(&self) -> bool {
        let mut nodes = 0;
        let mut parts = Parts::new(&self.board, self.tree.cells);
        let finished = parts.count(&self.board.root(), &mut |news| {
            nodes += news.nodes;
            nodes < NODES_WITHOUT_LEARNING
        });
        finished.is_err() && parts.dead_ends * NODES_PER_DEAD_END >= nodes
    }

    fn use_learned(&mut self) {
        let learned = |number: usize| self.learned.get(number / 8).is_some_and(|byte| byte >> (number % 8) & 1 == 1);
        let candidates = self.board.candidates_at_start().enumerate();
        let impossible: Vec<_> = candidates.filter(|&(number, _)| learned(number)).map(|(_, it)| it).collect();
        self.settle_root(&impossible);
    }

    /// Takes these candidates out, fills in all singles, and makes the board of what is open then. `false` if nothing is.
    fn settle_root(&mut self, impossible: &[board::Candidate]) -> bool {
        let mut root = self.board.root();
        let alive =
            impossible.iter().all(|&(cell, value)| self.board.take_out(&mut root, cell as usize, usize::from(value)));
        let settled = if alive { self.board.propagate(self.tree, &mut root) } else { PropagationResult::Contradiction };
        if settled == PropagationResult::Contradiction {
            self.board.dead = true;
        } else {
            self.board = self.board.shrunk(&root);
        }
        matches!(settled, PropagationResult::Branch(_))
    }
}

impl Large {
    /// The board and the tree that is searched.
    pub(crate) fn tree(&self) -> (&impl Engine, Tree) {
        (&self.board, self.tree)
    }
}

impl Method for Large {
    fn unit_bytes(&self) -> usize {
        self.board.cells()
    }

    fn config_bytes(&self) -> Vec<u8> {
        self.learned.clone()
    }

    fn expand(&self, plan: &PoolOptions, stop: &dyn Fn() -> bool) -> Result<Pool, PoolTooLarge> {
        expand::expand(&self.board, self.tree, self.options.values, &self.givens, plan, stop)
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        let parts = Parts::new(&self.board, self.tree.cells);
        Box::new(Dfs::with_shortcut(&self.board, self.tree, self.options, parts))
    }
}
