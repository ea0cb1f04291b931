//! Which candidates are in any solution at all: the learner finds out before the search begins.
//!
//! Every solution that it finds clears all of its candidates at once; a candidate that none has had so far is assumed, and is
//! either in a solution, or in none. What is left does not depend on how it was found out: the same tree on every
//! rank, for counting and for listing. In a large puzzle with few solutions, hardly anything is left.

use super::board::{Board, Candidate};
use super::cover::Cover;
use super::learner::{Answer, Learner, chosen};

/// Steps until the first solution is found: some ten seconds. Without one there is nothing to search.
const STEPS_TO_A_SOLUTION: u64 = 4_000_000_000;
/// Steps after that without a candidate that turns out to be in no solution: a puzzle in which almost everything is possible
/// is better searched.
const STEPS_TO_AN_IMPOSSIBLE_ONE: u64 = 400_000_000;

/// What the learner knows of a board.
pub(super) enum Verdict {
    /// There is no solution.
    None,
    /// These candidates are in no solution.
    Impossible(Vec<Candidate>),
}

/// Looks for the candidates that are in no solution. Gives up after a number of steps, with those found by then.
pub(super) fn impossible(board: &Board) -> Verdict {
    let cover = Cover::new(board);
    let mut learner = Learner::new(&cover);
    let candidates = cover.candidates.len();
    let mut possible = vec![false; candidates];
    let mut answer = learner.solve(None, STEPS_TO_A_SOLUTION);
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
        answer = learner.solve(Some(chosen(candidate)), steps);
        steps = steps.saturating_sub(learner.steps - before);
        if answer == Answer::None {
            learner.rule_out(candidate);
            steps = STEPS_TO_AN_IMPOSSIBLE_ONE;
        }
    }
    learner.go_back(0);
    let impossible: Vec<Candidate> = (0..candidates)
        .filter(|&candidate| learner.is_impossible(candidate))
        .map(|candidate| cover.candidates[candidate])
        .collect();
    if impossible.len() == candidates { Verdict::None } else { Verdict::Impossible(impossible) }
}
