//! Which tree to search: after a look, for it cannot be told from outside whether a puzzle has many solutions.

use std::ops::ControlFlow;

use crate::{Control, Counted, Counter};

use super::SearchOptions;
use super::dfs::Dfs;
use super::engine::{Engine, Propagation, Tree};

/// The nodes after which it should be clear whether solutions are many.
const LOOK_NODES: u64 = 512;
/// They are, where at least one node in so many led to one.
const NODES_PER_SOLUTION: u128 = 8;

/// How the tree should grow whose lean form looked like this.
fn growth(looked: &Counted) -> Propagation {
    let solutions = looked.solutions.exact().unwrap_or(u128::MAX);
    let many = solutions.saturating_mul(NODES_PER_SOLUTION) >= looked.nodes.into();
    if many && !looked.finished { Propagation::Cheap } else { Propagation::Full }
}

/// The tree to search. The same puzzle has the same tree on every machine.
pub(super) fn choose_tree<E: Engine>(engine: &E, options: SearchOptions, givens: &[u8]) -> Tree {
    let lean = Tree { cells: options.cells, growth: Propagation::Full };
    if !engine.has_cheap_propagation() {
        return lean;
    }
    let control = Control::new(None).with_budget(LOOK_NODES);
    let looked = Dfs::new(engine, lean, options).count(givens, &control);
    Tree { growth: growth(&looked), ..lean }
}

/// Counts puzzles of one shape, and chooses the tree for each. Most are done when the look at them is.
pub(super) struct Chooser<'a, E: Engine> {
    lean: Dfs<'a, E>,
    bushy: Dfs<'a, E>,
    choice: bool,
}

impl<'a, E: Engine> Chooser<'a, E> {
    pub(super) fn new(engine: &'a E, options: SearchOptions) -> Self {
        let walker = |growth| Dfs::new(engine, Tree { cells: options.cells, growth }, options);
        Chooser {
            lean: walker(Propagation::Full),
            bushy: walker(Propagation::Cheap),
            choice: engine.has_cheap_propagation(),
        }
    }

    /// The walker for a unit, or what a look at it has found, if that is all or enough.
    fn choose(&mut self, unit: &[u8], control: &Control) -> Result<&mut Dfs<'a, E>, Counted> {
        if !self.choice {
            return Ok(&mut self.lean);
        }
        let look = control.for_probe(LOOK_NODES);
        let looked = self.lean.count(unit, &look);
        if looked.finished || control.is_enough(look.found()) {
            control.report(look.found(), looked.nodes);
            return Err(looked);
        }
        Ok(match growth(&looked) {
            Propagation::Full => &mut self.lean,
            Propagation::Cheap => &mut self.bushy,
        })
    }
}

impl<E: Engine> Counter for Chooser<'_, E> {
    fn count(&mut self, unit: &[u8], control: &Control) -> Counted {
        match self.choose(unit, control) {
            Ok(walker) => walker.count(unit, control),
            Err(looked) => looked,
        }
    }

    fn visit(&mut self, unit: &[u8], control: &Control, visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Counted {
        self.lean.visit(unit, control, visit)
    }
}
