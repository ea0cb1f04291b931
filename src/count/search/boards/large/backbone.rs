//! Finds the candidates that are in no solution: the negative backbone literals, computed with the CDCL solver.
//!
//! Every solution found clears all of its candidates at once. A candidate without a solution so far is assumed: then it
//! is either in a solution or in none. The result does not depend on the order of this, unless it is stopped.

use super::board::LargeBoard;
use super::cover::Cover;
use crate::search::cdcl::{Cdcl, SolveResult, chosen};

/// Steps until the first solution: about twenty seconds. Without a solution, there would be nothing to search.
const STEPS_TO_A_SOLUTION: u64 = 4_000_000_000;
/// Steps since the last eliminated candidate: a puzzle in which almost every candidate is in a solution is better searched.
const STEPS_TO_A_RULED_OUT_ONE: u64 = 400_000_000;

/// Steps in total: about a minute.
pub(crate) const STEPS_IN_ALL: u64 = 8_000_000_000;

/// One bit for each candidate of the board's start, set if it is in no solution. Ends soon after `steps_in_all`, or when it
/// is stopped, with the candidates found by then.
pub(crate) fn impossible_candidates(board: &LargeBoard, steps_in_all: u64, stop: &dyn Fn() -> bool) -> Vec<u8> {
    let cover = Cover::new(board);
    let mut solver = Cdcl::new(&cover);
    let candidates = cover.sets.len();
    let mut in_solution = vec![false; candidates];
    let mut result = solver.solve(None, STEPS_TO_A_SOLUTION.min(steps_in_all), stop);
    let mut steps = STEPS_TO_A_RULED_OUT_ONE;
    let mut next = 0..candidates as u32;
    while result != SolveResult::Unknown {
        if result == SolveResult::Sat {
            for (candidate, in_solution) in in_solution.iter_mut().enumerate() {
                *in_solution |= solver.is_chosen(candidate);
            }
        }
        solver.backtrack(0);
        let unknown = |&candidate: &u32| {
            let candidate = candidate as usize;
            !in_solution[candidate] && !solver.is_ruled_out(candidate)
        };
        let Some(candidate) = next.find(unknown) else { break };
        let before = solver.steps;
        result = solver.solve(Some(chosen(candidate)), steps.min(steps_in_all.saturating_sub(before)), stop);
        steps = steps.saturating_sub(solver.steps - before);
        if result == SolveResult::Unsat {
            solver.rule_out(candidate);
            steps = STEPS_TO_A_RULED_OUT_ONE;
        }
    }
    solver.backtrack(0);
    let mut learned = vec![0; candidates.div_ceil(8)];
    for candidate in (0..candidates).filter(|&candidate| solver.is_ruled_out(candidate)) {
        learned[candidate / 8] |= 1 << (candidate % 8);
    }
    learned
}

#[cfg(test)]
mod tests {
    use super::super::board::Layout;
    use super::*;
    use census_puzzle::Shape;
    use std::cell::Cell;
    use std::sync::Arc;

    /// A 36×36 with half of its clues, which is not solved within a minute.
    fn hard() -> LargeBoard {
        let shape = Shape::usual(36).expect("a shape");
        let mut random = fastrand::Rng::with_seed(1);
        let value = |cell: usize| (cell / 36 % 6 * 6 + cell / 216 + cell % 36) % 36 + 1;
        let grid: Vec<u8> = (0..shape.cells()).map(|cell| if random.bool() { value(cell) as u8 } else { 0 }).collect();
        LargeBoard::of_grid(&Arc::new(Layout::new(&shape)), &grid)
    }

    #[test]
    fn it_takes_no_more_steps_than_allowed_and_polls_stop_often() {
        let board = hard();
        for (most, stop_at) in [(2_500_000, u32::MAX), (5_500_000, u32::MAX), (STEPS_IN_ALL, 1), (STEPS_IN_ALL, 4)] {
            let compute = || {
                let polls = Cell::new(0);
                let impossible = impossible_candidates(&board, most, &|| {
                    polls.set(polls.get() + 1);
                    polls.get() >= stop_at
                });
                (impossible, polls.get())
            };
            let (impossible, polls) = compute();
            assert_eq!(polls, stop_at.min(most as u32 / 1_000_000 + 1));
            assert_eq!((impossible, polls), compute(), "deterministic");
        }
    }
}
