//! Depth-first search below one unit: iterative, on a stack of states that is allocated once.
//!
//! When other workers are idle, the search splits off untouched branches, those nearest to the root first, because they are
//! the largest. Every branch on the stack has values left to try, so these are the branches at the bottom. Of a unit that
//! takes long, the search splits off all it can, so that finished units can be written to the journal.
//!
//! ```text
//!   stack   0: cell 12, values 4 7     ◀ split off first: cell 12 = 4 and cell 12 = 7, each a subtask
//!           1: cell 40, values 9       ◀ then this one
//!           2: cell 33, values 2 5
//!           3: cell 71, values 8       the search is below here
//! ```

mod pending;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use crate::{Control, Counted, Counter, Solutions, SplitSink};

use super::endgame::{Endgame, LeafTally};
use super::engine::{Engine, Propagation, PropagationResult, Tree};
use super::memo::MemoTable;
use super::vectors::Vectors;
use super::{SearchOptions, ValueOrder};
use pending::PendingNodes;

/// Nodes between two polls of the control: some tens of microseconds on a 9×9, some milliseconds on the largest boards.
const NODES_BETWEEN_POLLS: u64 = 512;
/// Branches at the top of the stack that are never split off: counting them takes less time than sending them.
const MIN_BRANCHES_KEPT: usize = 4;

struct Branch {
    cell: usize,
    /// Values still to try, as bits; never empty.
    values: u64,
}

/// Searches units one after the other. Level d of the stack is the state in which branch d is made.
pub(super) struct Dfs<'a, E: Engine, S = ()> {
    engine: &'a E,
    tree: Tree,
    values: ValueOrder,
    levels: Vec<E::State>,
    branches: Vec<Branch>,
    endgame: Endgame,
    memo: MemoTable,
    pending: PendingNodes,
    shortcut: S,
    solution: Vec<u8>,
    /// The bottom of the stack: the branches below this index are split off.
    base: usize,
}

/// What was found while splitting off subtasks.
#[derive(Default)]
struct SplitOff {
    solutions: u64,
    nodes: u64,
}

/// Counts the subtree below a branch without a search.
pub(super) trait Shortcut<E: Engine>: Send {
    /// `report` takes nodes on the way and returns whether to continue.
    fn below(&mut self, state: &mut E::State, report: &mut dyn FnMut(LeafTally) -> bool) -> ShortcutResult;
}

pub(super) enum ShortcutResult {
    /// The subtree has to be searched.
    Unknown,
    /// Solutions, and nodes that were not reported yet.
    Counted(Solutions, u64),
    /// The count was stopped.
    Stopped,
}

impl<E: Engine> Shortcut<E> for () {
    #[inline(always)]
    fn below(&mut self, _: &mut E::State, _: &mut dyn FnMut(LeafTally) -> bool) -> ShortcutResult {
        ShortcutResult::Unknown
    }
}

/// What the search does with solutions: counts or visits them.
trait Leaf<E: Engine> {
    /// Whether a subtree with a known number of solutions may be skipped.
    const COUNTS: bool;

    fn solved(&mut self, engine: &E, state: &E::State) -> ControlFlow<()>;
    /// Searches the cells loaded into the endgame. Returns what was not reported, and whether the search is complete.
    fn endgame(
        &mut self,
        search: (&E, Tree, ValueOrder),
        state: &E::State,
        endgame: &mut Endgame,
        report: &mut dyn FnMut(LeafTally) -> bool,
    ) -> (LeafTally, bool);
}

struct Counting;

impl<E: Engine> Leaf<E> for Counting {
    const COUNTS: bool = true;

    #[inline(always)]
    fn solved(&mut self, _: &E, _: &E::State) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn endgame(
        &mut self,
        (_, tree, _): (&E, Tree, ValueOrder),
        _: &E::State,
        endgame: &mut Endgame,
        report: &mut dyn FnMut(LeafTally) -> bool,
    ) -> (LeafTally, bool) {
        endgame.count(tree.cells, report)
    }
}

struct Visiting<'a> {
    solution: &'a mut [u8],
    visit: &'a mut dyn FnMut(&[u8]) -> ControlFlow<()>,
}

impl<E: Engine> Leaf<E> for Visiting<'_> {
    const COUNTS: bool = false;

    fn solved(&mut self, engine: &E, state: &E::State) -> ControlFlow<()> {
        engine.store(state, self.solution);
        (self.visit)(self.solution)
    }

    fn endgame(
        &mut self,
        (engine, tree, values): (&E, Tree, ValueOrder),
        state: &E::State,
        endgame: &mut Endgame,
        report: &mut dyn FnMut(LeafTally) -> bool,
    ) -> (LeafTally, bool) {
        engine.store(state, self.solution);
        endgame.visit(tree.cells, values, self.solution, report, self.visit)
    }
}

impl<'a, E: Engine> Dfs<'a, E> {
    pub(super) fn new(engine: &'a E, tree: Tree, options: SearchOptions) -> Self {
        Dfs::with_shortcut(engine, tree, options, ())
    }
}

impl<'a, E: Engine, S: Shortcut<E>> Dfs<'a, E, S> {
    pub(super) fn with_shortcut(engine: &'a E, tree: Tree, options: SearchOptions, shortcut: S) -> Self {
        let words = if tree.propagation == Propagation::Cheap { engine.residual_words() } else { 0 };
        Dfs {
            engine,
            tree,
            values: options.values,
            levels: Vec::new(),
            branches: Vec::new(),
            endgame: Endgame::new(Vectors::best()),
            memo: MemoTable::new(words, options.cache),
            pending: PendingNodes::default(),
            shortcut,
            solution: vec![0; engine.cells()],
            base: 0,
        }
    }

    /// Searches the tree below `unit`. With a `sink`, subtasks may be split off.
    fn search<L: Leaf<E>>(
        &mut self,
        unit: &[u8],
        control: &Control,
        mut sink: Option<&mut SplitSink>,
        mut leaf: L,
    ) -> Counted {
        let (engine, tree) = (self.engine, self.tree);
        let report_interval = control.report_interval();
        let (mut solutions, mut nodes) = (0u128, 0u64);
        let (mut reported, mut reported_nodes, mut next_poll) = (0u128, 0u64, NODES_BETWEEN_POLLS);
        let (mut finished, mut overflow) = (true, false);
        let mut start_tick = control.ticks();

        self.branches.clear();
        self.pending.clear();
        self.base = 0;
        self.ensure_level(0);
        engine.load(unit, &mut self.levels[0]);
        let mut outcome = engine.propagate(tree, &mut self.levels[0]);
        loop {
            // `outcome` is that of the state on top of the stack.
            let depth = self.branches.len();
            match outcome {
                PropagationResult::Contradiction => {}
                PropagationResult::Solved => {
                    solutions = solutions.saturating_add(1);
                    if leaf.solved(engine, &self.levels[depth]).is_break() {
                        finished = false;
                        break;
                    }
                }
                PropagationResult::Branch(cell) => {
                    let state = &mut self.levels[depth];
                    let known = if L::COUNTS && self.memo.should_lookup() {
                        self.pending.lookup(engine, state, &mut self.memo, (depth, solutions, nodes))
                    } else {
                        None
                    };
                    let mut report = |leaves: LeafTally| {
                        solutions = solutions.saturating_add(leaves.solutions.into());
                        nodes += leaves.nodes;
                        let unreported = (solutions - reported, nodes - reported_nodes);
                        (reported, reported_nodes) = (solutions, nodes);
                        control.report(unreported.0, unreported.1)
                    };
                    let below = match known {
                        Some(known) => ShortcutResult::Counted(Solutions::new(known), 0),
                        // With a limit, counting the complete subtree would take too long.
                        None if L::COUNTS && !control.is_limited() => self.shortcut.below(state, &mut report),
                        None => ShortcutResult::Unknown,
                    };
                    match below {
                        ShortcutResult::Counted(found, more) => {
                            let sum = found.exact().and_then(|found| solutions.checked_add(found));
                            overflow |= sum.is_none();
                            solutions = sum.unwrap_or(u128::MAX);
                            nodes += more;
                        }
                        ShortcutResult::Stopped => {
                            finished = false;
                            break;
                        }
                        ShortcutResult::Unknown
                            if tree.propagation == Propagation::Cheap
                                && engine.load_endgame(state, &mut self.endgame) =>
                        {
                            let search = (engine, tree, self.values);
                            let (leaves, complete) = leaf.endgame(search, state, &mut self.endgame, &mut report);
                            solutions = solutions.saturating_add(leaves.solutions.into());
                            nodes += leaves.nodes;
                            if !complete {
                                finished = false;
                                break;
                            }
                        }
                        ShortcutResult::Unknown => {
                            let values = engine.candidates(state, cell);
                            self.branches.push(Branch { cell, values });
                            self.ensure_level(depth + 1);
                        }
                    }
                }
            }
            self.pending.insert_finished(self.branches.len(), solutions, nodes, &mut self.memo);
            if self.branches.len() <= self.base {
                break;
            }
            if nodes >= next_poll || solutions - reported >= report_interval.into() {
                next_poll = nodes + NODES_BETWEEN_POLLS;
                let unreported = (solutions - reported, nodes - reported_nodes);
                (reported, reported_nodes) = (solutions, nodes);
                if !control.report(unreported.0, unreported.1) {
                    finished = false;
                    break;
                }
                let draining = control.draining();
                let split_all = draining || control.ticks() - start_tick >= 2;
                if let Some(sink) = &mut sink
                    && (split_all || control.requested_subtasks() > 0)
                {
                    let keep = if draining { 0 } else { MIN_BRANCHES_KEPT };
                    let split_off = self.split_off(&|| split_all || control.requested_subtasks() > 0, keep, *sink);
                    start_tick = if split_all { control.ticks() } else { start_tick };
                    solutions = solutions.saturating_add(split_off.solutions.into());
                    nodes += split_off.nodes;
                    if self.branches.len() <= self.base {
                        break; // everything is split off
                    }
                }
            }
            let above = self.branches.len() - 1;
            let branch = &mut self.branches[above];
            let value = self.values.take(&mut branch.values);
            let cell = branch.cell;
            nodes += 1;
            // The last value of a cell overwrites its parent; the others use the next level.
            outcome = if branch.values == 0 {
                self.branches.pop();
                engine.guess_in_place(tree, &mut self.levels[above], cell, value)
            } else {
                let (parents, children) = self.levels.split_at_mut(above + 1);
                engine.guess(tree, &parents[above], &mut children[0], cell, value)
            };
        }
        control.report(solutions - reported, nodes - reported_nodes);
        // Sums of single solutions cannot overflow in practice; only known counts can.
        let solutions = if overflow { Solutions::OVERFLOW } else { Solutions::new(solutions) };
        Counted { solutions, nodes, finished, cache: self.memo.take_stats() }
    }

    /// Splits off branches from the bottom of the stack, while subtasks are requested and more than `keep` branches are
    /// left. Each is propagated first, so that no subtask is a dead end or a solution.
    #[cold]
    fn split_off(&mut self, requested: &dyn Fn() -> bool, keep: usize, sink: &mut SplitSink) -> SplitOff {
        let mut split_off = SplitOff::default();
        self.ensure_level(self.branches.len() + 1);
        while requested() && self.branches.len() > self.base + keep {
            let (stack, above) = self.levels.split_at_mut(self.branches.len() + 1);
            let child = &mut above[0];
            let branch = &mut self.branches[self.base];
            let value = self.values.take(&mut branch.values);
            split_off.nodes += 1;
            match self.engine.guess(self.tree, &stack[self.base], child, branch.cell, value) {
                PropagationResult::Contradiction => {}
                PropagationResult::Solved => split_off.solutions += 1,
                PropagationResult::Branch(_) => {
                    self.engine.store(child, &mut self.solution);
                    sink(&self.solution);
                }
            }
            // The counts of the nodes above this branch will be incomplete here.
            self.pending.discard_above(self.base);
            self.base += usize::from(branch.values == 0);
        }
        self.pending.exclude(&split_off);
        split_off
    }

    /// The stack grows when the search first gets to a depth, and keeps its levels.
    #[inline(always)]
    fn ensure_level(&mut self, depth: usize) {
        while self.levels.len() <= depth {
            self.levels.push(self.engine.blank());
        }
    }
}

impl<E: Engine, S: Shortcut<E>> Counter for Dfs<'_, E, S> {
    fn count_unit(&mut self, unit: &[u8], control: &Control, sink: Option<&mut SplitSink>) -> Counted {
        self.search(unit, control, sink, Counting)
    }

    fn visit(&mut self, unit: &[u8], control: &Control, visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Counted {
        let mut solution = std::mem::take(&mut self.solution);
        let counted = self.search(unit, control, None, Visiting { solution: &mut solution, visit });
        self.solution = solution;
        counted
    }
}
