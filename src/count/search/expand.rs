//! Breadth-first expansion: the tree, level by level, into a pool of partial grids.
//!
//! Every level keeps the order of the search: the children of a node take its place. So the pool of any depth, read
//! from front to back, meets the solutions in the order in which a depth-first search from the root would.

use crate::{Depth, Pool, PoolOptions, PoolTooLarge, Solutions, Tally};
use census_puzzle::Grid;

use super::ValueOrder;
use super::engine::{Engine, PropagationResult, Tree};

/// Nodes expanded between two looks at whether to stop: well below a millisecond.
const PARENTS_BETWEEN_LOOKS: usize = 64;

/// Expands `givens` as `plan` says, or as deep as it gets until `stop`.
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
                next.extend_from_slice(parent); // a solution that was kept in its place
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
                // The depth was ours to choose, or does not matter any more: the last one that fits, as if this level
                // had not been begun.
                (solutions, nodes) = before;
                break 'levels;
            }
        }
        // Deeper than where the tree is widest there are fewer units: what is not enough here will never be.
        if plan.depth == Depth::Auto && next.len() < level.len() {
            (solutions, nodes) = before;
            break;
        }
        level = next;
        depth += 1;
    }
    let above = Tally { solutions: Solutions::new(solutions), nodes, ..Tally::ZERO };
    Ok(Pool { unit_bytes, bytes: level, depth_reached: depth, above })
}

fn wants_more(plan: &PoolOptions, depth: usize, units: usize) -> bool {
    match plan.depth {
        Depth::Fixed(wanted) => depth < wanted,
        Depth::Auto => units < plan.units,
    }
}

/// Puts a settled state where it belongs: into the level, among the solutions, or nowhere. Returns 1 for an open one.
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

/// Whether a level takes more than the plan allows, or has more units than MPI can number.
fn is_too_large(plan: &PoolOptions, level: &[u8], unit_bytes: usize) -> bool {
    level.len() > plan.max_bytes || level.len() / unit_bytes > i32::MAX as usize
}

/// Whether a level that is being made will be too large by far: if its other parents have as many children as those
/// expanded so far, or even half as many. Saves the time and the memory to find out the long way.
fn will_be_too_large(plan: &PoolOptions, next: &[u8], expanded: usize, level: &[u8], unit_bytes: usize) -> bool {
    const ENOUGH_TO_TELL: usize = 10_000;
    let growth = next.len() as f64 / (expanded + 1) as f64 / unit_bytes as f64;
    expanded > ENOUGH_TO_TELL && level.len() as f64 * growth / 2.0 > plan.max_bytes as f64
}
