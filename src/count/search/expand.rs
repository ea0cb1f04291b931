//! Breadth-first expansion of the tree, level by level, into a pool of partial grids.
//!
//! Every level keeps the order of the search: children replace their parent. So the pool of any depth, read from front to
//! back, yields the solutions in the order of a depth-first search from the root.

use crate::{Depth, Pool, PoolOptions, PoolTooLarge, Solutions, Tally};
use census_puzzle::Grid;

use super::ValueOrder;
use super::engine::{Engine, PropagationResult, Tree};

/// Nodes expanded between two polls of `stop`: well below a millisecond.
const PARENTS_BETWEEN_POLLS: usize = 64;

/// The units of a level of the tree, how many of them are not solved, and what was found above it.
struct Level {
    units: Vec<u8>,
    open: usize,
    solutions: u128,
    nodes: u64,
}

impl Level {
    fn add<E: Engine>(&mut self, engine: &E, state: &E::State, result: PropagationResult, keep_solved: bool) {
        match result {
            PropagationResult::Contradiction => {}
            PropagationResult::Solved if !keep_solved => self.solutions += 1,
            PropagationResult::Solved | PropagationResult::Branch(_) => {
                let unit = self.units.len();
                self.units.resize(unit + engine.cells(), 0);
                engine.store(state, &mut self.units[unit..]);
                self.open += usize::from(result != PropagationResult::Solved);
            }
        }
    }
}

pub(super) fn expand<E: Engine>(
    engine: &E,
    tree: Tree,
    values: ValueOrder,
    givens: &Grid,
    plan: &PoolOptions,
    stop: &dyn Fn() -> bool,
) -> Result<Pool, PoolTooLarge> {
    let unit_bytes = engine.cells();
    let (mut state, mut child) = (engine.blank(), engine.blank());
    engine.load(givens.values(), &mut state);
    let root = engine.propagate(tree, &mut state);
    let mut level = Level { units: Vec::new(), open: 0, solutions: 0, nodes: 1 };
    level.add(engine, &state, root, plan.keep_solved);
    let mut depth = 0;
    'levels: while level.open > 0 && wants_more(plan, depth, level.units.len() / unit_bytes) {
        // If this level is not completed, the pool is the previous one.
        let mut next = Level { units: Vec::new(), open: 0, ..level };
        for (expanded, parent) in level.units.chunks_exact(unit_bytes).enumerate() {
            engine.load(parent, &mut state);
            let PropagationResult::Branch(cell) = engine.propagate(tree, &mut state) else {
                next.units.extend_from_slice(parent); // a solution kept at its position
                continue;
            };
            let mut candidates = engine.candidates(&state, cell);
            while candidates != 0 {
                let value = values.take(&mut candidates);
                next.nodes += 1;
                let result = engine.guess(tree, &state, &mut child, cell, value);
                next.add(engine, &child, result, plan.keep_solved);
            }
            if expanded % PARENTS_BETWEEN_POLLS == 0 && stop() {
                break 'levels;
            }
            if is_too_large(plan, &next.units, expanded, &level.units, unit_bytes) {
                if let Depth::Fixed(asked) = plan.depth {
                    let units = level.units.len() / unit_bytes;
                    return Err(PoolTooLarge { asked, fits: depth, units, max_bytes: plan.max_bytes });
                }
                break 'levels;
            }
        }
        // Below its widest level, the tree has ever fewer units.
        if plan.depth == Depth::Auto && next.units.len() < level.units.len() {
            break;
        }
        level = next;
        depth += 1;
    }
    let above = Tally { solutions: Solutions::new(level.solutions), nodes: level.nodes, ..Tally::default() };
    Ok(Pool { unit_bytes, bytes: level.units, depth_reached: depth, above })
}

fn wants_more(plan: &PoolOptions, depth: usize, units: usize) -> bool {
    match plan.depth {
        Depth::Fixed(wanted) => depth < wanted,
        Depth::Auto => units < plan.units,
    }
}

/// Whether a level exceeds the plan, or has more units than an MPI count can hold, or clearly will exceed the plan: even if
/// the remaining parents have half as many children as those expanded so far. This saves time and memory.
fn is_too_large(plan: &PoolOptions, next: &[u8], expanded: usize, level: &[u8], unit_bytes: usize) -> bool {
    const MIN_EXPANDED: usize = 10_000;
    let growth = next.len() as f64 / (expanded + 1) as f64 / unit_bytes as f64;
    next.len() > plan.max_bytes
        || next.len() / unit_bytes > i32::MAX as usize
        || expanded > MIN_EXPANDED && level.len() as f64 * growth / 2.0 > plan.max_bytes as f64
}
