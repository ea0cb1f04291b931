//! Depth-first search below one unit: iterative, on a stack of states that is allocated once.
//!
//! When others have nothing to do, a walker gives away untouched branches of the tree it is in, those nearest to the root
//! first: they are the largest. As every branch on the stack has values left to try, these are the ones at its bottom.
//! When it has been at a unit for long, it gives away all that it can, so that there is something finished to write down.
//!
//! ```text
//!   stack   0: cell 12, values 4 7     ◀ given away first: cell 12 = 4 and cell 12 = 7, each a unit of its own
//!           1: cell 40, values 9       ◀ then this one
//!           2: cell 33, values 2 5
//!           3: cell 71, values 8       the walker is below here
//! ```

mod marks;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use crate::{Control, Counted, Counter, Solutions, SplitSink};

use super::endgame::{Endgame, LeafTally};
use super::engine::{Engine, Propagation, PropagationResult, Tree};
use super::memo::Cache;
use super::vectors::Vectors;
use super::{SearchOptions, ValueOrder};
use marks::Marks;

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
pub(super) struct Dfs<'a, E: Engine, S = ()> {
    engine: &'a E,
    tree: Tree,
    values: ValueOrder,
    levels: Vec<E::State>,
    branches: Vec<Branch>,
    tail: Endgame,
    cache: Cache,
    marks: Marks,
    shortcut: S,
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

/// A way to count what is below a branch without walking there.
pub(super) trait Shortcut<E: Engine>: Send {
    /// What is below a branch, if this is one for it. `tell` takes nodes on the way, and says whether to go on.
    fn below(&mut self, state: &mut E::State, tell: &mut dyn FnMut(LeafTally) -> bool) -> ShortcutResult;
}

/// What a shortcut has found below a branch.
pub(super) enum ShortcutResult {
    /// Nothing: walk.
    Unknown,
    /// So many solutions; and nodes that it has not told of.
    Counted(Solutions, u64),
    /// It was stopped on the way.
    Stopped,
}

/// There is none.
impl<E: Engine> Shortcut<E> for () {
    #[inline(always)]
    fn below(&mut self, _: &mut E::State, _: &mut dyn FnMut(LeafTally) -> bool) -> ShortcutResult {
        ShortcutResult::Unknown
    }
}

/// What is done with solutions.
trait Leaf<E: Engine> {
    /// Whether a node may be passed over whose number of solutions is known.
    const COUNTS: bool;

    /// A state that is solved.
    fn solved(&mut self, engine: &E, state: &E::State) -> ControlFlow<()>;
    /// The last cells of a state: what was not told of them, and whether they were walked to the end.
    fn last(
        &mut self,
        walker: (&E, Tree, ValueOrder),
        state: &E::State,
        tail: &mut Endgame,
        tell: &mut dyn FnMut(LeafTally) -> bool,
    ) -> (LeafTally, bool);
}

/// They are counted.
struct Counting;

impl<E: Engine> Leaf<E> for Counting {
    const COUNTS: bool = true;

    #[inline(always)]
    fn solved(&mut self, _: &E, _: &E::State) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn last(
        &mut self,
        (_, tree, _): (&E, Tree, ValueOrder),
        _: &E::State,
        tail: &mut Endgame,
        tell: &mut dyn FnMut(LeafTally) -> bool,
    ) -> (LeafTally, bool) {
        tail.count(tree.cells, tell)
    }
}

/// They are visited.
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

    fn last(
        &mut self,
        (engine, tree, values): (&E, Tree, ValueOrder),
        state: &E::State,
        tail: &mut Endgame,
        tell: &mut dyn FnMut(LeafTally) -> bool,
    ) -> (LeafTally, bool) {
        engine.store(state, self.solution);
        tail.visit(tree.cells, values, self.solution, tell, self.visit)
    }
}

impl<'a, E: Engine> Dfs<'a, E> {
    pub(super) fn new(engine: &'a E, tree: Tree, options: SearchOptions) -> Self {
        Dfs::with_shortcut(engine, tree, options, ())
    }
}

impl<'a, E: Engine, S: Shortcut<E>> Dfs<'a, E, S> {
    pub(super) fn with_shortcut(engine: &'a E, tree: Tree, options: SearchOptions, shortcut: S) -> Self {
        let words = if tree.growth == Propagation::Cheap { engine.remainder_words() } else { 0 };
        Dfs {
            engine,
            tree,
            values: options.values,
            levels: Vec::new(),
            branches: Vec::new(),
            tail: Endgame::new(Vectors::best()),
            cache: Cache::new(words, options.cache),
            marks: Marks::default(),
            shortcut,
            solution: vec![0; engine.cells()],
            base: 0,
        }
    }

    /// Walks the tree below `unit`. With `give`, parts of the tree may go to others.
    fn walk<L: Leaf<E>>(
        &mut self,
        unit: &[u8],
        control: &Control,
        mut give: Option<&mut SplitSink>,
        mut leaf: L,
    ) -> Counted {
        let (engine, tree) = (self.engine, self.tree);
        let patience = control.report_interval();
        let (mut solutions, mut nodes) = (0u128, 0u64);
        let (mut told, mut told_nodes, mut next_look) = (0u128, 0u64, NODES_BETWEEN_LOOKS);
        let (mut finished, mut overflow) = (true, false);
        let mut began = control.ticks();

        self.branches.clear();
        self.marks.clear();
        self.base = 0;
        self.make_room(0);
        engine.load(unit, &mut self.levels[0]);
        let mut settled = engine.propagate(tree, &mut self.levels[0]);
        loop {
            // The state on top of the stack has just been settled.
            let depth = self.branches.len();
            match settled {
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
                    let known = if L::COUNTS && self.cache.pays() {
                        self.marks.find(engine, state, &mut self.cache, (depth, solutions, nodes))
                    } else {
                        None
                    };
                    let mut tell = |leaves: LeafTally| {
                        solutions = solutions.saturating_add(leaves.solutions.into());
                        nodes += leaves.nodes;
                        let news = (solutions - told, nodes - told_nodes);
                        (told, told_nodes) = (solutions, nodes);
                        control.report(news.0, news.1)
                    };
                    let below = match known {
                        Some(known) => ShortcutResult::Counted(Solutions::new(known), 0),
                        // Whoever wants only some solutions would wait too long for all that are below.
                        None if L::COUNTS && !control.is_limited() => self.shortcut.below(state, &mut tell),
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
                            if tree.growth == Propagation::Cheap && engine.hand_over(state, &mut self.tail) =>
                        {
                            let walker = (engine, tree, self.values);
                            let (leaves, whole) = leaf.last(walker, state, &mut self.tail, &mut tell);
                            solutions = solutions.saturating_add(leaves.solutions.into());
                            nodes += leaves.nodes;
                            if !whole {
                                finished = false;
                                break;
                            }
                        }
                        ShortcutResult::Unknown => {
                            let values = engine.candidates(state, cell);
                            self.branches.push(Branch { cell, values });
                            self.make_room(depth + 1);
                        }
                    }
                }
            }
            self.marks.record_finished(self.branches.len(), solutions, nodes, &mut self.cache);
            if self.branches.len() <= self.base {
                break;
            }
            if nodes >= next_look || solutions - told >= patience.into() {
                next_look = nodes + NODES_BETWEEN_LOOKS;
                let news = (solutions - told, nodes - told_nodes);
                (told, told_nodes) = (solutions, nodes);
                if !control.report(news.0, news.1) {
                    finished = false;
                    break;
                }
                let leaving = control.leaving();
                let long = leaving || control.ticks() - began >= 2;
                if let Some(give) = &mut give
                    && (long || control.wanted() > 0)
                {
                    let keep = if leaving { 0 } else { BRANCHES_TO_KEEP };
                    let given = self.give_away(&|| long || control.wanted() > 0, keep, *give);
                    began = if long { control.ticks() } else { began };
                    solutions = solutions.saturating_add(given.solutions.into());
                    nodes += given.nodes;
                    if self.branches.len() <= self.base {
                        break; // nothing is left here
                    }
                }
            }
            let above = self.branches.len() - 1;
            let branch = &mut self.branches[above];
            let value = self.values.take(&mut branch.values);
            let cell = branch.cell;
            nodes += 1;
            // The last value of a cell takes the place of its parent, the others a place one level below.
            settled = if branch.values == 0 {
                self.branches.pop();
                engine.guess_in_place(tree, &mut self.levels[above], cell, value)
            } else {
                let (parents, children) = self.levels.split_at_mut(above + 1);
                engine.guess(tree, &parents[above], &mut children[0], cell, value)
            };
        }
        control.report(solutions - told, nodes - told_nodes);
        // All that is added one by one would take longer than a lifetime to overflow.
        let solutions = if overflow { Solutions::OVERFLOW } else { Solutions::new(solutions) };
        Counted { solutions, nodes, finished, cache: self.cache.news() }
    }

    /// Gives away branches from the bottom of the stack, as long as parts are wanted and there are more than to `keep`. Each
    /// is settled first, so that nobody gets one that is a dead end or a solution already.
    #[cold]
    fn give_away(&mut self, wanted: &dyn Fn() -> bool, keep: usize, give: &mut SplitSink) -> Given {
        let mut given = Given::default();
        self.make_room(self.branches.len() + 1);
        while wanted() && self.branches.len() > self.base + keep {
            let (stack, above) = self.levels.split_at_mut(self.branches.len() + 1);
            let child = &mut above[0];
            let branch = &mut self.branches[self.base];
            let value = self.values.take(&mut branch.values);
            given.nodes += 1;
            match self.engine.guess(self.tree, &stack[self.base], child, branch.cell, value) {
                PropagationResult::Contradiction => {}
                PropagationResult::Solved => given.solutions += 1,
                PropagationResult::Branch(_) => {
                    self.engine.store(child, &mut self.solution);
                    give(&self.solution);
                }
            }
            // Whatever this branch is below will not be counted here to its end.
            self.marks.forget_above(self.base);
            self.base += usize::from(branch.values == 0);
        }
        self.marks.leave_out(&given);
        given
    }

    /// Makes sure that the stack has a level `depth`: it grows when the search first gets that deep, and stays.
    #[inline(always)]
    fn make_room(&mut self, depth: usize) {
        while self.levels.len() <= depth {
            self.levels.push(self.engine.blank());
        }
    }
}

impl<E: Engine, S: Shortcut<E>> Counter for Dfs<'_, E, S> {
    fn count(&mut self, unit: &[u8], control: &Control) -> Counted {
        self.walk(unit, control, None, Counting)
    }

    fn count_splitting(&mut self, unit: &[u8], control: &Control, give: &mut SplitSink) -> Counted {
        self.walk(unit, control, Some(give), Counting)
    }

    fn visit(&mut self, unit: &[u8], control: &Control, visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Counted {
        let mut solution = std::mem::take(&mut self.solution);
        let counted = self.walk(unit, control, None, Visiting { solution: &mut solution, visit });
        self.solution = solution;
        counted
    }
}
