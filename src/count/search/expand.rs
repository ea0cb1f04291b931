//! Breadth-first expansion: the tree, level by level, into a pool of partial grids.
//!
//! Every level keeps the order of the search: the children of a node take its place. So the pool of any depth, read
//! from front to back, meets the solutions in the order in which a depth-first search from the root would.

use crate::count::{Depth, Pool, PoolPlan, PoolTooLarge, Solutions, Tally};
use crate::puzzle::Grid;

use super::ValueOrder;
use super::board::{Board, Settled};

/// Expands `givens` as `plan` says.
pub(super) fn expand<const W: usize, const N: usize>(
    board: &Board<W, N>,
    values: ValueOrder,
    givens: &Grid,
    plan: &PoolPlan,
) -> Result<Pool, PoolTooLarge> {
    let len = board.state_len();
    let unit_bytes = board.cells();
    let mut state = vec![[0; W]; len];
    let mut child = vec![[0; W]; len];
    let mut unit = vec![0; unit_bytes];
    let mut solutions = 0u128;
    let mut nodes = 1u64;

    let mut level = Vec::new();
    board.load(givens.values(), &mut state);
    let outcome = board.settle(&mut state);
    let mut open = keep(board, &state, outcome, plan, &mut unit, &mut level, &mut solutions);
    let mut depth = 0;
    while open > 0 && wants_more(plan, depth, level.len() / unit_bytes) {
        let mut next = Vec::new();
        open = 0;
        for parent in level.chunks_exact(unit_bytes) {
            board.load(parent, &mut state);
            let Settled::Branch(cell) = board.settle(&mut state) else {
                next.extend_from_slice(parent); // a solution that was kept in its place
                continue;
            };
            let mut candidates = board.candidates(&state, cell);
            while candidates != 0 {
                let value = values.take(&mut candidates);
                nodes += 1;
                board.guess(&state, &mut child, cell, value);
                let outcome = board.settle(&mut child);
                open += keep(board, &child, outcome, plan, &mut unit, &mut next, &mut solutions);
            }
            if next.len() > plan.max_bytes || next.len() / unit_bytes > i32::MAX as usize {
                let asked = match plan.depth {
                    Depth::Fixed(asked) => asked,
                    Depth::Auto => depth + 1,
                };
                let units = level.len() / unit_bytes;
                return Err(PoolTooLarge { asked, fits: depth, units, max_bytes: plan.max_bytes });
            }
        }
        level = next;
        depth += 1;
    }
    let above = Tally { solutions: Solutions::new(solutions), nodes, ..Tally::ZERO };
    Ok(Pool { unit_bytes, bytes: level, depth_reached: depth, above })
}

fn wants_more(plan: &PoolPlan, depth: usize, units: usize) -> bool {
    match plan.depth {
        Depth::Fixed(wanted) => depth < wanted,
        Depth::Auto => units < plan.units,
    }
}

/// Puts a settled state where it belongs: into the level, among the solutions, or nowhere. Returns 1 for an open one.
fn keep<const W: usize, const N: usize>(
    board: &Board<W, N>,
    state: &[[u64; W]],
    outcome: Settled,
    plan: &PoolPlan,
    unit: &mut [u8],
    level: &mut Vec<u8>,
    solutions: &mut u128,
) -> usize {
    match outcome {
        Settled::Dead => 0,
        Settled::Solved if !plan.keep_solved => {
            *solutions += 1;
            0
        }
        Settled::Solved => {
            board.store(state, unit);
            level.extend_from_slice(unit);
            0
        }
        Settled::Branch(_) => {
            board.store(state, unit);
            level.extend_from_slice(unit);
            1
        }
    }
}
