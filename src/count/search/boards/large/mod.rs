//! The search of large puzzles ("Beyond 16×16" in `docs/search.md`): singles are filled in, CDCL eliminates candidates
//! if a short search gets nowhere, and the rest is searched like any board. A count multiplies independent components.

mod backbone;
mod batch;
pub(crate) mod board;
mod components;
pub(crate) mod cover;

use std::sync::Arc;

use crate::{Counter, Method, Pool, PoolOptions, PoolTooLarge};
use census_puzzle::{Grid, Puzzle};

use crate::search::dfs::Dfs;
use crate::search::endgame::Report;
use crate::search::engine::{Engine, Propagation, PropagationResult, Tree};
use crate::search::{SearchOptions, expand};
use backbone::{STEPS_IN_ALL, impossible_candidates};
use board::{LargeBoard, LargeState, Layout};
use components::ComponentCounter;

pub(crate) use batch::LargeBatch;
pub(crate) use components::Stopped;

/// Nodes of a short search that decides whether CDCL is needed.
const PROBE_NODES: u64 = 1024;

/// CDCL pays if the short search finds at least one dead end in so many nodes.
const NODES_PER_DEAD_END: u64 = 8;

/// Whether CDCL eliminates candidates before the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CdclUse {
    /// If a short search gets nowhere.
    IfNeeded,
    Always,
    Never,
}

pub(crate) struct LargeSearch {
    board: LargeBoard,
    tree: Tree,
    options: SearchOptions,
    givens: Grid,
    /// The candidates that CDCL eliminated: one bit for each candidate that singles leave. Empty without CDCL.
    learned: Vec<u8>,
}

impl LargeSearch {
    /// Makes the board of a puzzle, and runs CDCL as needed, until `stop`. Deterministic, unless `stop` returns `true`.
    pub(crate) fn new(puzzle: &Puzzle, options: SearchOptions, cdcl: CdclUse, stop: &dyn Fn() -> bool) -> LargeSearch {
        let (mut large, open) = LargeSearch::without_cdcl(puzzle, options);
        let needed = match cdcl {
            CdclUse::IfNeeded => open && large.needs_cdcl(),
            CdclUse::Always => open,
            CdclUse::Never => false,
        };
        if needed {
            large.learned = impossible_candidates(&large.board, STEPS_IN_ALL, stop);
            large.apply_learned();
        }
        large
    }

    /// The same search on another rank. `learned` are the config bytes of the first.
    pub(crate) fn from_config(puzzle: &Puzzle, options: SearchOptions, learned: &[u8]) -> LargeSearch {
        let (mut large, _) = LargeSearch::without_cdcl(puzzle, options);
        if !learned.is_empty() {
            large.learned = learned.to_vec();
            large.apply_learned();
        }
        large
    }

    /// The search of the solutions whose cells have only the allowed values: bit v is value v + 1.
    pub(crate) fn within(puzzle: &Puzzle, allowed: &[u64]) -> LargeSearch {
        let (mut large, _) = LargeSearch::without_cdcl(puzzle, SearchOptions::default());
        let board = &large.board;
        let may = |cell: usize, value: u8| allowed[cell] >> value & 1 == 1;
        let filled = (0..).zip(&board.filled).filter(|&(_, &value)| value != 0);
        let contradiction = !filled.clone().all(|(cell, &value)| may(cell, value - 1));
        let candidates = board.candidates_at_start();
        let outside: Vec<_> =
            candidates.filter(|&(cell, value)| !may(board.open[cell as usize].into(), value)).collect();
        large.board.contradiction |= contradiction;
        if !large.board.contradiction {
            large.propagate_root(&outside);
        }
        large
    }

    /// The board that singles leave, and whether any cell is open.
    fn without_cdcl(puzzle: &Puzzle, options: SearchOptions) -> (LargeSearch, bool) {
        let tree = Tree { cells: options.cells, propagation: Propagation::Full };
        let board = LargeBoard::of_grid(&Arc::new(Layout::new(&puzzle.shape)), puzzle.givens.values());
        let givens = puzzle.givens.clone();
        let mut large = LargeSearch { board, tree, options, givens, learned: Vec::new() };
        let open = large.propagate_root(&[]);
        (large, open)
    }

    /// Whether a short search did not finish and found mostly dead ends.
    fn needs_cdcl(&self) -> bool {
        let mut nodes = 0;
        let mut components = ComponentCounter::new(&self.board, self.tree.cells);
        let finished = components.count(&self.board.root(), &mut |tally| {
            nodes += tally.nodes;
            nodes < PROBE_NODES
        });
        finished.is_err() && components.dead_ends * NODES_PER_DEAD_END >= nodes
    }

    fn apply_learned(&mut self) {
        let learned = |number: usize| self.learned.get(number / 8).is_some_and(|byte| byte >> (number % 8) & 1 == 1);
        let candidates = self.board.candidates_at_start().enumerate();
        let impossible: Vec<_> = candidates.filter(|&(number, _)| learned(number)).map(|(_, it)| it).collect();
        self.propagate_root(&impossible);
    }

    /// Eliminates these candidates, propagates singles, and makes the board of the cells still open. Returns whether there
    /// are any.
    fn propagate_root(&mut self, impossible: &[board::Candidate]) -> bool {
        let mut root = self.board.root();
        let alive =
            impossible.iter().all(|&(cell, value)| self.board.eliminate(&mut root, cell as usize, usize::from(value)));
        let settled = if alive { self.board.propagate(self.tree, &mut root) } else { PropagationResult::Contradiction };
        if settled == PropagationResult::Contradiction {
            self.board.contradiction = true;
        } else {
            self.board = self.board.shrink(&root);
        }
        matches!(settled, PropagationResult::Branch(_))
    }

    pub(in crate::search) fn tree(&self) -> (&impl Engine, Tree) {
        (&self.board, self.tree)
    }
}

impl Method for LargeSearch {
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
        let mut components = ComponentCounter::new(&self.board, self.tree.cells);
        let shortcut = Box::new(move |state: &mut LargeState, report: Report<'_>| components.below(state, report));
        Box::new(Dfs::new(&self.board, self.tree, self.options).with_shortcut(shortcut))
    }
}
