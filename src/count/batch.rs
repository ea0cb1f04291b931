//! Many puzzles of one shape, each with an answer of its own: a unit is a run of puzzles.
//!
//! What a search needs to know of a shape it knows once for all of them. A puzzle that is not done within a budget of nodes
//! is left to others, so that no unit is long. The answers are kept here until somebody takes them: what a unit yields is
//! their sum.
//!
//! ```text
//!   unit   first puzzle (4 bytes)   puzzles (4 bytes)   the givens of each, a byte a cell; zeros where there are fewer
//! ```

use std::ops::{ControlFlow, Range};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::{
    CacheStats, Control, Counted, Counter, Method, Pool, PoolOptions, PoolTooLarge, Solutions, SplitSink, Tally,
};

/// The most puzzles of a unit, and the bytes that it should not exceed by more than one puzzle: enough that nothing but
/// the search takes time, and few enough that units are short.
const MOST_TOGETHER: usize = 64;
const MOST_BYTES: usize = 16 << 10;
/// Units that a worker should have, if there are enough puzzles.
const UNITS_PER_WORKER: usize = 16;
/// The nodes after which a puzzle of 81 cells is left to others: some milliseconds. On larger boards a node takes longer.
const BUDGET: u64 = 30_000;

/// How each puzzle is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchLimits {
    /// Cells of a puzzle.
    pub cells: usize,
    /// Puzzles of a unit, at the most.
    pub together: usize,
    /// Stop at so many solutions of a puzzle.
    pub limit: Option<u64>,
    /// Leave a puzzle soon after so many nodes.
    pub budget: u64,
}

impl BatchLimits {
    /// The usual terms for so many puzzles of so many cells and so many workers. A block that workers get has `chunk`
    /// puzzles, if that is given.
    pub fn new(cells: usize, puzzles: usize, workers: usize, chunk: Option<usize>, limit: Option<u64>) -> BatchLimits {
        let count_splitting = puzzles / workers.saturating_mul(UNITS_PER_WORKER).max(1);
        let most = MOST_TOGETHER.min(MOST_BYTES / cells.max(1)).min(chunk.unwrap_or(usize::MAX));
        BatchLimits {
            cells,
            together: count_splitting.clamp(1, most.max(1)),
            limit,
            budget: BUDGET * 81 / cells.max(1) as u64,
        }
    }
}

/// What is known of one puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The puzzle.
    pub puzzle: usize,
    /// Solutions found.
    pub solutions: u64,
    /// Nodes visited, the root included.
    pub nodes: u64,
    /// Whether these are all solutions.
    pub complete: bool,
}

/// Bytes of an answer on its way.
const ANSWER_BYTES: usize = 24;

impl Answer {
    /// Whether that is what was asked for: all solutions, or as many as the limit.
    pub fn is_enough(&self, limit: Option<u64>) -> bool {
        self.complete || limit.is_some_and(|limit| self.solutions >= limit)
    }

    /// As another rank gets it.
    pub fn to_bytes(self) -> [u8; ANSWER_BYTES] {
        let words = [(self.puzzle as u64) << 1 | u64::from(self.complete), self.solutions, self.nodes];
        let mut bytes = [0; ANSWER_BYTES];
        for (eight, word) in bytes.chunks_exact_mut(8).zip(words) {
            eight.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// The answers that came as these bytes.
    pub fn all_from(bytes: &[u8]) -> impl Iterator<Item = Answer> {
        bytes.chunks_exact(ANSWER_BYTES).map(|bytes| {
            let word = |at: usize| u64::from_le_bytes(bytes[at * 8..][..8].try_into().unwrap_or_default());
            let puzzle = (word(0) >> 1) as usize;
            Answer { puzzle, solutions: word(1), nodes: word(2), complete: word(0) & 1 == 1 }
        })
    }
}

/// Counts each of many puzzles by itself.
pub struct Batch {
    /// The method, bound to a puzzle of the same shape, whose units are partial grids, a byte a cell.
    inner: Box<dyn Method>,
    terms: BatchLimits,
    /// The givens of all puzzles; nothing on a rank that gets its units from another.
    givens: Vec<u8>,
    answers: Mutex<Vec<Answer>>,
}

impl Batch {
    /// Counts these puzzles, one behind the other, as `inner` does.
    pub fn new(inner: Box<dyn Method>, terms: BatchLimits, givens: Vec<u8>) -> Batch {
        Batch { inner, terms, givens, answers: Mutex::default() }
    }

    /// The answers so far, in no order.
    pub fn into_answers(self) -> Vec<Answer> {
        self.answers.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// The unit of these puzzles, whose givens are given.
    fn push_unit(&self, puzzles: Range<usize>, givens: &[u8], unit: &mut Vec<u8>) {
        let end = unit.len() + self.unit_bytes();
        unit.extend((puzzles.start as u32).to_le_bytes());
        unit.extend((puzzles.len() as u32).to_le_bytes());
        unit.extend(givens);
        unit.resize(end, 0);
    }
}

/// Bytes of a unit before the givens.
const HEAD: usize = 8;

impl Method for Batch {
    fn unit_bytes(&self) -> usize {
        HEAD + self.terms.together * self.terms.cells
    }

    fn expand(&self, _: &PoolOptions, _: &dyn Fn() -> bool) -> Result<Pool, PoolTooLarge> {
        let BatchLimits { cells, together, .. } = self.terms;
        let mut bytes = Vec::with_capacity(self.givens.len().div_ceil(cells * together) * self.unit_bytes());
        for (givens, number) in self.givens.chunks(cells * together).zip(0..) {
            let first = number * together;
            self.push_unit(first..first + givens.len() / cells, givens, &mut bytes);
        }
        Ok(Pool { unit_bytes: self.unit_bytes(), bytes, depth_reached: 0, above: Tally::ZERO })
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        Box::new(BatchCounter { each: self, inner: self.inner.counter(), answers: Vec::new(), part: Vec::new() })
    }
}

struct BatchCounter<'a> {
    each: &'a Batch,
    inner: Box<dyn Counter + 'a>,
    answers: Vec<Answer>,
    part: Vec<u8>,
}

impl BatchCounter<'_> {
    fn walk(&mut self, unit: &[u8], control: &Control, mut give: Option<&mut SplitSink>) -> Counted {
        let BatchLimits { cells, together, limit, budget } = self.each.terms;
        let word = |at: usize| u32::from_le_bytes(unit[at..][..4].try_into().unwrap_or_default()) as usize;
        let (first, givens) = (word(0), &unit[HEAD..]);
        let mut left = 0..word(4).min(together);
        let (mut solutions, mut nodes) = (0u64, 0u64);
        let mut finished = true;
        while let Some(puzzle) = left.next() {
            if control.stopped() {
                finished = false;
                break;
            }
            if let Some(give) = &mut give {
                while control.wanted() > 0 && !left.is_empty() {
                    let middle = left.start + left.len() / 2;
                    self.part.clear();
                    let given = first + middle..first + left.end;
                    self.each.push_unit(given, &givens[middle * cells..left.end * cells], &mut self.part);
                    give(&self.part);
                    left.end = middle;
                }
            }
            let own = Control::new(limit).with_budget(budget);
            let counted = self.inner.count(&givens[puzzle * cells..][..cells], &own);
            // More than 64 bits can say is as good as not done: others will count it.
            let found = counted.solutions.exact().and_then(|found| u64::try_from(found).ok());
            // A search stops soon after the limit, not at it.
            let told = found.unwrap_or(0).min(limit.unwrap_or(u64::MAX));
            let answer = Answer {
                puzzle: first + puzzle,
                solutions: told,
                nodes: counted.nodes.saturating_add(1),
                complete: counted.finished && found == Some(told),
            };
            solutions = solutions.saturating_add(answer.solutions);
            nodes = nodes.saturating_add(answer.nodes);
            self.answers.push(answer);
        }
        self.each.answers.lock().unwrap_or_else(PoisonError::into_inner).append(&mut self.answers);
        control.report(solutions.into(), nodes);
        Counted { solutions: Solutions::new(solutions.into()), nodes, finished, cache: CacheStats::default() }
    }
}

impl Counter for BatchCounter<'_> {
    fn count(&mut self, unit: &[u8], control: &Control) -> Counted {
        self.walk(unit, control, None)
    }

    fn count_splitting(&mut self, unit: &[u8], control: &Control, give: &mut SplitSink) -> Counted {
        self.walk(unit, control, Some(give))
    }

    fn visit(&mut self, _: &[u8], _: &Control, _: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Counted {
        unreachable!("solutions of many puzzles are counted, not listed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Depth;
    use crate::search::{SearchOptions, search, search_batch};
    use census_puzzle::{Grid, Puzzle, Shape};
    use proptest::prelude::*;
    use std::sync::Arc;

    const PLAN: PoolOptions = PoolOptions { depth: Depth::Auto, units: 1, keep_solved: false, max_bytes: 1 << 30 };

    fn four() -> Puzzle {
        Puzzle::new(Arc::new(Shape::usual(4).expect("a shape")), Grid::empty(16))
    }

    fn each(terms: BatchLimits, givens: Vec<u8>) -> Batch {
        let shape = Shape::usual(terms.cells.isqrt()).expect("a shape");
        Batch::new(search_batch(&shape, SearchOptions::default()), terms, givens)
    }

    fn alone(givens: &[u8]) -> Counted {
        search(&four(), SearchOptions::default()).counter().count(givens, &Control::new(None))
    }

    proptest! {
        #[test]
        fn every_puzzle_has_its_own_answer_whoever_counts_which_part(
            puzzles in proptest::collection::vec(proptest::collection::vec(0u8..5, 16), 0..40),
            together in 1usize..9,
            wishes in proptest::collection::vec(0usize..3, 1..9),
        ) {
            // Clues that are few enough to leave a solution now and then.
            let sparse = |values: &Vec<u8>| values.iter().enumerate().map(|(i, &v)| if i % 5 == 0 { v } else { 0 }).collect::<Vec<_>>();
            let puzzles: Vec<Vec<u8>> = puzzles.iter().map(sparse).collect();
            let terms = BatchLimits { cells: 16, together, limit: None, budget: u64::MAX };
            let each = each(terms, puzzles.concat());
            let pool = each.expand(&PLAN, &|| false).expect("a pool");
            prop_assert_eq!(pool.units(), puzzles.len().div_ceil(together));
            let control = Control::new(None);
            let mut units: Vec<Vec<u8>> = pool.bytes.chunks_exact(pool.unit_bytes).map(<[u8]>::to_vec).collect();
            let mut turn = 0;
            let mut total = 0;
            while let Some(unit) = units.pop() {
                turn += 1;
                control.want(wishes[turn % wishes.len()]);
                let counted = each.counter().count_splitting(&unit, &control, &mut |part| {
                    control.want(control.wanted() - 1);
                    units.push(part.to_vec());
                });
                prop_assert!(counted.finished);
                total += counted.solutions.exact().expect("few");
            }
            let mut answers = each.into_answers();
            answers.sort_by_key(|answer| answer.puzzle);
            prop_assert_eq!(answers.len(), puzzles.len());
            prop_assert_eq!(total, answers.iter().map(|answer| u128::from(answer.solutions)).sum::<u128>());
            for (answer, (number, givens)) in answers.iter().zip(puzzles.iter().enumerate()) {
                let expected = alone(givens);
                prop_assert_eq!((answer.puzzle, answer.complete, answer.nodes), (number, true, expected.nodes + 1));
                prop_assert_eq!(Some(u128::from(answer.solutions)), expected.solutions.exact());
            }
        }

        #[test]
        fn an_answer_survives_its_journey(puzzle in 0usize..1 << 40, solutions: u64, nodes: u64, complete: bool) {
            let answer = Answer { puzzle, solutions, nodes, complete };
            let bytes = [answer.to_bytes(), answer.to_bytes()].concat();
            prop_assert_eq!(Answer::all_from(&bytes).collect::<Vec<_>>(), [answer, answer]);
        }
    }

    #[test]
    fn limits_and_budgets_are_those_of_each_puzzle() {
        let terms = BatchLimits { cells: 16, together: 4, limit: Some(2), budget: u64::MAX };
        let solved = [1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1];
        let limited = each(terms, [vec![0; 16], solved.to_vec(), vec![0; 16]].concat());
        let pool = limited.expand(&PLAN, &|| false).expect("a pool");
        let control = Control::new(None);
        assert!(limited.counter().count(&pool.bytes, &control).finished, "a puzzle's limit is not the end of the unit");
        let answers = limited.into_answers();
        assert!(answers.iter().all(|answer| answer.is_enough(Some(2))));
        let found: Vec<(u64, bool)> = answers.iter().map(|answer| (answer.solutions, answer.complete)).collect();
        assert_eq!(found, [(2, false), (1, true), (2, false)]);

        // 534,494 solutions take more nodes than that.
        let long = ".......39.....1.......5.8....8.9...6.7...2...1..4.......9.8.....2....6.....7.....";
        let long: Vec<u8> = long.bytes().map(|c| if c == b'.' { 0 } else { c - b'0' }).collect();
        let one_left: Vec<u8> = (0..81u8).map(|i| if i == 0 { 0 } else { (i / 27 + i / 9 * 3 + i) % 9 + 1 }).collect();
        let budget = 1000;
        let terms = BatchLimits { cells: 81, together: 4, limit: None, budget };
        let hurried = each(terms, [long.clone(), one_left, long].concat());
        let pool = hurried.expand(&PLAN, &|| false).expect("a pool");
        assert!(hurried.counter().count(&pool.bytes, &control).finished, "a puzzle's budget is not that of the unit");
        let answers = hurried.into_answers();
        assert_eq!(answers.iter().map(|answer| answer.complete).collect::<Vec<_>>(), [false, true, false]);
        assert_eq!(answers[1].solutions, 1);
        for long in [answers[0], answers[2]] {
            assert!(!long.is_enough(None) && (budget..10 * budget).contains(&long.nodes), "{long:?}");
        }
    }

    #[test]
    fn a_unit_that_is_stopped_keeps_the_answers_that_it_has() {
        let each = each(BatchLimits { cells: 16, together: 4, limit: None, budget: 9 }, vec![0; 64]);
        let control = Control::new(None);
        control.stop();
        let pool = each.expand(&PLAN, &|| false).expect("a pool");
        assert!(!each.counter().count(&pool.bytes, &control).finished);
        assert!(each.into_answers().is_empty());
    }

    #[test]
    fn units_are_small_where_there_are_many_workers_or_large_boards() {
        let together = |cells, puzzles, workers, chunk| BatchLimits::new(cells, puzzles, workers, chunk, None).together;
        assert_eq!(together(81, 100_000, 2, None), 64);
        assert_eq!(together(81, 100_000, 2, Some(10)), 10);
        assert_eq!(together(81, 100, 16, None), 1);
        assert_eq!(together(4096, 100_000, 2, None), 4);
    }
}
