//! Chooses the tree by a probe: whether a puzzle has many solutions cannot be known from its givens.

use std::ops::ControlFlow;

use crate::{Control, Counted, Counter, SplitSink};

use super::SearchOptions;
use super::dfs::Dfs;
use super::engine::{Engine, Propagation, Tree};

/// Nodes of a probe.
const PROBE_NODES: u64 = 512;
/// A puzzle has many solutions if the probe found at least one for so many nodes.
const NODES_PER_SOLUTION: u128 = 8;

/// Deterministic: the same puzzle has the same tree on every machine.
pub(super) fn choose_tree<E: Engine>(engine: &E, options: SearchOptions, givens: &[u8]) -> Tree {
    let mut chooser = TreeChooser::new(engine, options);
    let chosen = chooser.choose(givens, &Control::new(None)).map(|dfs| dfs.tree);
    chosen.unwrap_or(chooser.full.tree)
}

/// Counts puzzles of one shape, and chooses the tree for each. Most are finished by the probe.
pub(super) struct TreeChooser<'a, E: Engine> {
    full: Dfs<'a, E>,
    cheap: Dfs<'a, E>,
    choice: bool,
}

impl<'a, E: Engine> TreeChooser<'a, E> {
    pub(super) fn new(engine: &'a E, options: SearchOptions) -> Self {
        let dfs = |propagation| Dfs::new(engine, Tree { cells: options.cells, propagation }, options);
        TreeChooser {
            full: dfs(Propagation::Full),
            cheap: dfs(Propagation::Cheap),
            choice: engine.has_cheap_propagation(),
        }
    }

    /// The search for a unit, or the result of the probe if that is final.
    fn choose(&mut self, unit: &[u8], control: &Control) -> Result<&mut Dfs<'a, E>, Counted> {
        if !self.choice {
            return Ok(&mut self.full);
        }
        let probe = control.for_probe(PROBE_NODES);
        let probed = self.full.count(unit, &probe);
        if probed.finished || control.reaches_limit(probe.found()) {
            control.report(probe.found(), probed.nodes);
            return Err(probed);
        }
        let solutions = probed.solutions.exact().unwrap_or(u128::MAX);
        let many = solutions.saturating_mul(NODES_PER_SOLUTION) >= probed.nodes.into();
        Ok(if many { &mut self.cheap } else { &mut self.full })
    }
}

impl<E: Engine> Counter for TreeChooser<'_, E> {
    fn count_unit(&mut self, unit: &[u8], control: &Control, _: Option<&mut SplitSink>) -> Counted {
        match self.choose(unit, control) {
            Ok(dfs) => dfs.count(unit, control),
            Err(probed) => probed,
        }
    }

    fn visit(&mut self, unit: &[u8], control: &Control, visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Counted {
        self.full.visit(unit, control, visit)
    }
}
