//! Depth-first search below one unit: iterative, on a stack of states that is allocated once.
//!
//! When other workers are idle, the search splits off untouched branches, those nearest to the root first, because they
//! are the largest. Every branch on the stack has values left to try, so these are the branches at the bottom. Of a
//! unit that takes long, the search splits off all it can, so that finished units can be written to the journal.

mod pending;
#[cfg(test)]
pub(super) mod tests;

use std::ops::ControlFlow;

use crate::{Control, Counted, Counter, Solutions, SplitSink};

use super::boards::large::Stopped;
use super::endgame::{Endgame, LeafTally, Report};
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
pub(super) struct Dfs<'a, E: Engine> {
    engine: &'a E,
    pub(super) tree: Tree,
    values: ValueOrder,
    levels: Vec<E::State>,
    branches: Vec<Branch>,
    /// With cheap propagation only.
    endgame: Option<Endgame>,
    memo: MemoTable,
    pending: PendingNodes,
    shortcut: Option<Box<Shortcut<'a, E>>>,
    solution: Vec<u8>,
    /// The bottom of the stack: the branches below this index are split off.
    base: usize,
}

/// Counts the subtree below a branch without a search, if it can: solutions, and nodes that were not reported.
pub(super) type Shortcut<'a, E> =
    dyn FnMut(&mut <E as Engine>::State, Report) -> Result<Option<(Solutions, u64)>, Stopped> + Send + 'a;

/// What was found in a unit, and how much of it was reported.
#[derive(Default)]
struct Found {
    solutions: u128,
    nodes: u64,
    reported: (u128, u64),
    overflow: bool,
}

impl Found {
    /// Sums of single solutions cannot overflow in practice.
    #[inline(always)]
    fn add(&mut self, more: LeafTally) {
        self.solutions = self.solutions.saturating_add(more.solutions.into());
        self.nodes += more.nodes;
    }

    fn add_known(&mut self, solutions: Solutions, nodes: u64) {
        let sum = solutions.exact().and_then(|solutions| self.solutions.checked_add(solutions));
        self.overflow |= sum.is_none();
        self.solutions = sum.unwrap_or(u128::MAX);
        self.nodes += nodes;
    }

    /// Returns whether to continue.
    #[inline(always)]
    fn report(&mut self, control: &Control) -> bool {
        let (solutions, nodes) = (self.solutions - self.reported.0, self.nodes - self.reported.1);
        self.reported = (self.solutions, self.nodes);
        control.report(solutions, nodes)
    }
}

impl<'a, E: Engine> Dfs<'a, E> {
    pub(super) fn new(engine: &'a E, tree: Tree, options: SearchOptions) -> Self {
        let cheap = tree.propagation == Propagation::Cheap;
        Dfs {
            engine,
            tree,
            values: options.values,
            levels: Vec::new(),
            branches: Vec::new(),
            endgame: cheap.then(|| Endgame::new(Vectors::best())),
            memo: MemoTable::new(if cheap { engine.residual_words() } else { 0 }, options.cache),
            pending: PendingNodes::default(),
            shortcut: None,
            solution: vec![0; engine.cells()],
            base: 0,
        }
    }

    pub(super) fn with_shortcut(self, shortcut: Box<Shortcut<'a, E>>) -> Self {
        Dfs { shortcut: Some(shortcut), ..self }
    }

    /// Searches the tree below `unit`. Without `VISITS`, subtrees with a known number of solutions are skipped. With a
    /// `sink`, subtasks may be split off.
    fn search<const VISITS: bool>(
        &mut self,
        unit: &[u8],
        control: &Control,
        mut sink: Option<&mut SplitSink>,
        visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Counted {
        let (engine, tree) = (self.engine, self.tree);
        let report_interval = control.report_interval();
        let mut found = Found::default();
        let mut next_poll = NODES_BETWEEN_POLLS;
        let mut start_tick = control.ticks();

        self.branches.clear();
        self.pending.clear();
        self.base = 0;
        self.ensure_level(0);
        engine.load(unit, &mut self.levels[0]);
        let mut outcome = engine.propagate(tree, &mut self.levels[0]);
        let finished = loop {
            // `outcome` is that of the state on top of the stack.
            let depth = self.branches.len();
            match outcome {
                PropagationResult::Contradiction => {}
                PropagationResult::Solved => {
                    found.add(LeafTally { solutions: 1, nodes: 0 });
                    if VISITS {
                        engine.store(&self.levels[depth], &mut self.solution);
                        if visit(&self.solution).is_break() {
                            break false;
                        }
                    }
                }
                PropagationResult::Branch(cell) => {
                    let state = &mut self.levels[depth];
                    let mut known = None;
                    if !VISITS && self.memo.should_lookup() {
                        let before = (depth, found.solutions, found.nodes);
                        let memo = self.pending.lookup(engine, state, &mut self.memo, before);
                        known = memo.map(|solutions| (Solutions::new(solutions), 0));
                    }
                    let mut report = |leaves: LeafTally| {
                        found.add(leaves);
                        found.report(control)
                    };
                    // With a limit, counting the complete subtree would take too long.
                    if !VISITS
                        && known.is_none()
                        && !control.is_limited()
                        && let Some(shortcut) = &mut self.shortcut
                    {
                        let Ok(below) = shortcut(state, &mut report) else { break false };
                        known = below;
                    }
                    if let Some((solutions, nodes)) = known {
                        found.add_known(solutions, nodes);
                    } else if let Some(endgame) = &mut self.endgame
                        && engine.load_endgame(state, endgame)
                    {
                        let (leaves, complete) = if VISITS {
                            engine.store(state, &mut self.solution);
                            endgame.visit(tree.cells, self.values, &mut self.solution, &mut report, visit)
                        } else {
                            endgame.count(tree.cells, &mut report)
                        };
                        found.add(leaves);
                        if !complete {
                            break false;
                        }
                    } else {
                        let values = engine.candidates(state, cell);
                        self.branches.push(Branch { cell, values });
                        self.ensure_level(depth + 1);
                    }
                }
            }
            self.pending.insert_finished(self.branches.len(), found.solutions, found.nodes, &mut self.memo);
            if self.branches.len() <= self.base {
                break true;
            }
            if found.nodes >= next_poll || found.solutions - found.reported.0 >= report_interval.into() {
                next_poll = found.nodes + NODES_BETWEEN_POLLS;
                if !found.report(control) {
                    break false;
                }
                let draining = control.draining();
                let split_all = draining || control.ticks() - start_tick >= 2;
                if let Some(sink) = &mut sink
                    && (split_all || control.requested_subtasks() > 0)
                {
                    let keep = if draining { 0 } else { MIN_BRANCHES_KEPT };
                    found.add(self.split_off(&|| split_all || control.requested_subtasks() > 0, keep, *sink));
                    start_tick = if split_all { control.ticks() } else { start_tick };
                    if self.branches.len() <= self.base {
                        break true; // everything is split off
                    }
                }
            }
            let above = self.branches.len() - 1;
            let branch = &mut self.branches[above];
            let value = self.values.take(&mut branch.values);
            let cell = branch.cell;
            found.nodes += 1;
            // The last value of a cell overwrites its parent; the others use the next level.
            outcome = if branch.values == 0 {
                self.branches.pop();
                engine.guess_in_place(tree, &mut self.levels[above], cell, value)
            } else {
                let (parents, children) = self.levels.split_at_mut(above + 1);
                engine.guess(tree, &parents[above], &mut children[0], cell, value)
            };
        };
        found.report(control);
        let solutions = if found.overflow { Solutions::OVERFLOW } else { Solutions::new(found.solutions) };
        Counted { solutions, nodes: found.nodes, finished, cache: self.memo.take_stats() }
    }

    /// Splits off branches from the bottom of the stack, while subtasks are requested and more than `keep` branches are
    /// left. Each is propagated first, so that no subtask is a dead end or a solution.
    #[cold]
    fn split_off(&mut self, requested: &dyn Fn() -> bool, keep: usize, sink: &mut SplitSink) -> LeafTally {
        let mut split_off = LeafTally::default();
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
        self.pending.exclude(split_off);
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

impl<E: Engine> Counter for Dfs<'_, E> {
    fn count_unit(&mut self, unit: &[u8], control: &Control, sink: Option<&mut SplitSink>) -> Counted {
        self.search::<false>(unit, control, sink, &mut |_| ControlFlow::Continue(()))
    }

    fn visit(&mut self, unit: &[u8], control: &Control, visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Counted {
        self.search::<true>(unit, control, None, visit)
    }
}
