//! Breadth-first expansion of the tree, level by level, into a pool of partial grids.
//!
//! Every level keeps the order of the search: children replace their parent. So the pool of any depth, read from front to
//! back, yields the solutions in the order of a depth-first search from the root.

use crate::{Depth, Pool, PoolOptions, PoolTooLarge, Solutions, Tally};
use census_puzzle::Grid;

use super::ValueOrder;
use super::engine::{Engine, PropagationResult, Tree};

/// Nodes expanded between two polls of `stop`: well below a millisecond.
const PARENTS_BETWEEN_LOOKS: usize = 64;

/// Expands `givens` to the depth of the plan, or until `stop`.
pub(super) fn expand<E: Engine>(
    engine: &E,
    tree: Tree,
    values: ValueOrder,
    givens: &Grid,
    plan: &PoolOptions,
    stop: &dyn Fn() -> bool,
) -> Result<Pool, PoolTooLarge> {
    let unit_bytes = engine.cells();
    let mut state = engine.blank();
    let mut child = engine.blank();
    let mut unit = vec![0; unit_bytes];
    let mut solutions = 0u128;
    let mut nodes = 1u64;

    let mut level = Vec::new();
    engine.load(givens.values(), &mut state);
    let outcome = engine.propagate(tree, &mut state);
    let mut open = keep(engine, &state, outcome, plan, &mut unit, &mut level, &mut solutions);
    let mut depth = 0;
    'levels: while open > 0 && wants_more(plan, depth, level.len() / unit_bytes) {
        let mut next = Vec::new();
        let before = (solutions, nodes);
        open = 0;
        for (expanded, parent) in level.chunks_exact(unit_bytes).enumerate() {
            engine.load(parent, &mut state);
            let PropagationResult::Branch(cell) = engine.propagate(tree, &mut state) else {
                next.extend_from_slice(parent); // a solution kept at its position
                continue;
            };
            let mut candidates = engine.candidates(&state, cell);
            while candidates != 0 {
                let value = values.take(&mut candidates);
                nodes += 1;
                let outcome = engine.guess(tree, &state, &mut child, cell, value);
                open += keep(engine, &child, outcome, plan, &mut unit, &mut next, &mut solutions);
            }
            let stopped = expanded % PARENTS_BETWEEN_LOOKS == 0 && stop();
            if stopped
                || is_too_large(plan, &next, unit_bytes)
                || will_be_too_large(plan, &next, expanded, &level, unit_bytes)
            {
                if let Depth::Fixed(asked) = plan.depth
                    && !stopped
                {
                    let units = level.len() / unit_bytes;
                    return Err(PoolTooLarge { asked, fits: depth, units, max_bytes: plan.max_bytes });
                }
                // An automatic depth, or a stop: take the previous level, as if this one had not been begun.
                (solutions, nodes) = before;
                break 'levels;
            }
        }
        // Below its widest level, the tree has ever fewer units.
        if plan.depth == Depth::Auto && next.len() < level.len() {
            (solutions, nodes) = before;
            break;
        }
        level = next;
        depth += 1;
    }
    let above = Tally { solutions: Solutions::new(solutions), nodes, ..Tally::default() };
    Ok(Pool { unit_bytes, bytes: level, depth_reached: depth, above })
}

fn wants_more(plan: &PoolOptions, depth: usize, units: usize) -> bool {
    match plan.depth {
        Depth::Fixed(wanted) => depth < wanted,
        Depth::Auto => units < plan.units,
    }
}

/// Appends an open state to the level, counts or keeps a solution. Returns 1 for an open state.
fn keep<E: Engine>(
    engine: &E,
    state: &E::State,
    outcome: PropagationResult,
    plan: &PoolOptions,
    unit: &mut [u8],
    level: &mut Vec<u8>,
    solutions: &mut u128,
) -> usize {
    match outcome {
        PropagationResult::Contradiction => 0,
        PropagationResult::Solved if !plan.keep_solved => {
            *solutions += 1;
            0
        }
        PropagationResult::Solved => {
            engine.store(state, unit);
            level.extend_from_slice(unit);
            0
        }
        PropagationResult::Branch(_) => {
            engine.store(state, unit);
            level.extend_from_slice(unit);
            1
        }
    }
}

/// Whether a level exceeds the plan, or has more units than an MPI count can hold.
fn is_too_large(plan: &PoolOptions, level: &[u8], unit_bytes: usize) -> bool {
    level.len() > plan.max_bytes || level.len() / unit_bytes > i32::MAX as usize
}

/// Whether a level will clearly be too large: even if the remaining parents have half as many children as those expanded so
/// far. Saves time and memory.
fn will_be_too_large(plan: &PoolOptions, next: &[u8], expanded: usize, level: &[u8], unit_bytes: usize) -> bool {
    const MIN_EXPANDED: usize = 10_000;
    let growth = next.len() as f64 / (expanded + 1) as f64 / unit_bytes as f64;
    expanded > MIN_EXPANDED && level.len() as f64 * growth / 2.0 > plan.max_bytes as f64
}
