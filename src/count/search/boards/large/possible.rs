//! Which candidates are in any solution at all: the learner finds out before the search begins.
//!
//! Every solution that it finds clears all of its candidates at once; a candidate that none has had so far is assumed, and is
//! either in a solution, or in none. What is left does not depend on how it was found out, unless somebody stops it: the same
//! tree for counting and for listing, and on every rank, because rank 0 tells the others. In a large puzzle with few solutions, hardly anything is left.

use super::board::Board;
use super::cover::Cover;
use crate::search::cdcl::{Answer, Cdcl, chosen};

/// Steps until the first solution is found: some twenty seconds. Without one there is nothing to search.
const STEPS_TO_A_SOLUTION: u64 = 4_000_000_000;
/// Steps after that without a candidate that turns out to be in no solution: a puzzle in which almost everything is possible
/// is better searched.
const STEPS_TO_AN_IMPOSSIBLE_ONE: u64 = 400_000_000;

/// Steps in all, whatever turns up: about a minute.
pub(crate) const STEPS_IN_ALL: u64 = 8_000_000_000;

/// Looks for the candidates of a board's start that are in no solution: one bit for each, set if it is in none. Gives up soon
/// after so many steps, or when it is stopped, with those found by then.
pub(crate) fn impossible(board: &Board, steps_in_all: u64, stop: &dyn Fn() -> bool) -> Vec<u8> {
    let cover = Cover::new(board);
    let mut learner = Cdcl::new(&cover);
    let candidates = cover.candidates();
    let mut possible = vec![false; candidates];
    let mut answer = learner.solve(None, STEPS_TO_A_SOLUTION.min(steps_in_all), stop);
    let mut steps = STEPS_TO_AN_IMPOSSIBLE_ONE;
    let mut next = 0..candidates as u32;
    while answer != Answer::GaveUp {
        if answer == Answer::Solution {
            possible.iter_mut().enumerate().for_each(|(candidate, possible)| *possible |= learner.is_chosen(candidate));
        }
        learner.go_back(0);
        let unknown = |&candidate: &u32| {
            let candidate = candidate as usize;
            !possible[candidate] && !learner.is_impossible(candidate)
        };
        let Some(candidate) = next.find(unknown) else { break };
        let before = learner.steps;
        answer = learner.solve(Some(chosen(candidate)), steps.min(steps_in_all.saturating_sub(before)), stop);
        steps = steps.saturating_sub(learner.steps - before);
        if answer == Answer::None {
            learner.rule_out(candidate);
            steps = STEPS_TO_AN_IMPOSSIBLE_ONE;
        }
    }
    learner.go_back(0);
    let mut learned = vec![0; candidates.div_ceil(8)];
    for candidate in (0..candidates).filter(|&candidate| learner.is_impossible(candidate)) {
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

    /// A 36×36 with every other clue: nobody knows its solutions within a minute.
    fn hard() -> Board {
        let shape = Shape::usual(36).expect("a shape");
        let mut random = fastrand::Rng::with_seed(1);
        let value = |cell: usize| (cell / 36 % 6 * 6 + cell / 216 + cell % 36) % 36 + 1;
        let grid: Vec<u8> = (0..shape.cells()).map(|cell| if random.bool() { value(cell) as u8 } else { 0 }).collect();
        Board::of_grid(&Arc::new(Layout::new(&shape)), &grid)
    }

    #[test]
    fn it_takes_no_more_steps_than_it_may_and_looks_often_whether_to_stop() {
        let board = hard();
        for (most, stop_at) in [(2_500_000, u32::MAX), (5_500_000, u32::MAX), (STEPS_IN_ALL, 1), (STEPS_IN_ALL, 4)] {
            let learn = || {
                let looks = Cell::new(0);
                let learned = impossible(&board, most, &|| {
                    looks.set(looks.get() + 1);
                    looks.get() >= stop_at
                });
                (learned, looks.get())
            };
            let (learned, looks) = learn();
            assert_eq!(looks, stop_at.min(most as u32 / 1_000_000 + 1));
            assert_eq!((learned, looks), learn(), "the same again");
        }
    }
}
