//! Counts many puzzles of one shape, each with a result of its own: a unit is a run of puzzles.
//!
//! The tables of a shape are made once for all puzzles. A puzzle that is not finished within a budget of nodes is left for
//! a complete count later, so that no unit is long. The results are kept here until [`Batch::into_counts`]; the tally of a
//! unit is their sum.
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

/// The most puzzles of a unit, and the bytes that it exceeds by at most one puzzle: large enough that overhead vanishes,
/// small enough that units are short.
const MAX_TOGETHER: usize = 64;
const MAX_BYTES: usize = 16 << 10;
/// Units per worker to aim for, if there are enough puzzles.
const UNITS_PER_WORKER: usize = 16;
/// The budget of a puzzle of 81 cells: some milliseconds. On larger boards a node takes longer.
const BUDGET: u64 = 30_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchLimits {
    pub cells: usize,
    /// The most puzzles of a unit.
    pub together: usize,
    /// Solutions at which the count of a puzzle stops.
    pub limit: Option<u64>,
    /// Nodes soon after which the count of a puzzle stops.
    pub budget: u64,
}

impl BatchLimits {
    /// `chunk` is the number of puzzles in a block of the schedule, if the user sets one.
    pub fn new(cells: usize, puzzles: usize, workers: usize, chunk: Option<usize>, limit: Option<u64>) -> BatchLimits {
        let share = puzzles / workers.saturating_mul(UNITS_PER_WORKER).max(1);
        let most = MAX_TOGETHER.min(MAX_BYTES / cells.max(1)).min(chunk.unwrap_or(usize::MAX));
        BatchLimits { cells, together: share.clamp(1, most.max(1)), limit, budget: BUDGET * 81 / cells.max(1) as u64 }
    }
}

/// The result of counting one puzzle of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PuzzleCount {
    /// The number of the puzzle.
    pub puzzle: usize,
    pub solutions: u64,
    /// Including the root.
    pub nodes: u64,
    pub complete: bool,
}

const PUZZLE_COUNT_BYTES: usize = 24;

impl PuzzleCount {
    /// Whether nothing is left to count: all solutions were found, or as many as the limit.
    pub fn is_enough(&self, limit: Option<u64>) -> bool {
        self.complete || limit.is_some_and(|limit| self.solutions >= limit)
    }

    pub fn to_bytes(self) -> [u8; PUZZLE_COUNT_BYTES] {
        let words = [(self.puzzle as u64) << 1 | u64::from(self.complete), self.solutions, self.nodes];
        let mut bytes = [0; PUZZLE_COUNT_BYTES];
        for (eight, word) in bytes.chunks_exact_mut(8).zip(words) {
            eight.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// Decodes what [`PuzzleCount::to_bytes`] encoded, for any number of puzzles.
    pub fn all_from(bytes: &[u8]) -> impl Iterator<Item = PuzzleCount> {
        bytes.chunks_exact(PUZZLE_COUNT_BYTES).map(|bytes| {
            let word = |at: usize| u64::from_le_bytes(bytes[at * 8..][..8].try_into().unwrap_or_default());
            let puzzle = (word(0) >> 1) as usize;
            PuzzleCount { puzzle, solutions: word(1), nodes: word(2), complete: word(0) & 1 == 1 }
        })
    }
}

pub struct Batch {
    /// A method for this shape whose units are partial grids, a byte a cell.
    inner: Box<dyn Method>,
    limits: BatchLimits,
    /// The givens of all puzzles; empty on a rank that receives its units.
    givens: Vec<u8>,
    counts: Mutex<Vec<PuzzleCount>>,
}

impl Batch {
    /// `givens` are those of all puzzles, one after the other.
    pub fn new(inner: Box<dyn Method>, limits: BatchLimits, givens: Vec<u8>) -> Batch {
        Batch { inner, limits, givens, counts: Mutex::default() }
    }

    /// In no particular order.
    pub fn into_counts(self) -> Vec<PuzzleCount> {
        self.counts.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends the unit of these puzzles.
    fn push_unit(&self, puzzles: Range<usize>, givens: &[u8], unit: &mut Vec<u8>) {
        let end = unit.len() + self.unit_bytes();
        unit.extend((puzzles.start as u32).to_le_bytes());
        unit.extend((puzzles.len() as u32).to_le_bytes());
        unit.extend(givens);
        unit.resize(end, 0);
    }
}

const HEAD: usize = 8;

impl Method for Batch {
    fn unit_bytes(&self) -> usize {
        HEAD + self.limits.together * self.limits.cells
    }

    fn expand(&self, _: &PoolOptions, _: &dyn Fn() -> bool) -> Result<Pool, PoolTooLarge> {
        let BatchLimits { cells, together, .. } = self.limits;
        let mut bytes = Vec::with_capacity(self.givens.len().div_ceil(cells * together) * self.unit_bytes());
        for (givens, number) in self.givens.chunks(cells * together).zip(0..) {
            let first = number * together;
            self.push_unit(first..first + givens.len() / cells, givens, &mut bytes);
        }
        Ok(Pool { unit_bytes: self.unit_bytes(), bytes, depth_reached: 0, above: Tally::ZERO })
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        Box::new(BatchCounter { batch: self, inner: self.inner.counter(), counts: Vec::new(), part: Vec::new() })
    }
}

struct BatchCounter<'a> {
    batch: &'a Batch,
    inner: Box<dyn Counter + 'a>,
    counts: Vec<PuzzleCount>,
    part: Vec<u8>,
}

impl Counter for BatchCounter<'_> {
    fn count_unit(&mut self, unit: &[u8], control: &Control, mut sink: Option<&mut SplitSink>) -> Counted {
        let BatchLimits { cells, together, limit, budget } = self.batch.limits;
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
            if let Some(sink) = &mut sink {
                while control.requested_subtasks() > 0 && !left.is_empty() {
                    let middle = left.start + left.len() / 2;
                    self.part.clear();
                    let given = first + middle..first + left.end;
                    self.batch.push_unit(given, &givens[middle * cells..left.end * cells], &mut self.part);
                    sink(&self.part);
                    left.end = middle;
                }
            }
            let own = Control::new(limit).with_budget(budget);
            let counted = self.inner.count(&givens[puzzle * cells..][..cells], &own);
            // A count beyond 64 bits is left for a complete count.
            let found = counted.solutions.exact().and_then(|found| u64::try_from(found).ok());
            // A search stops soon after the limit, not exactly at it.
            let reported = found.unwrap_or(0).min(limit.unwrap_or(u64::MAX));
            let count = PuzzleCount {
                puzzle: first + puzzle,
                solutions: reported,
                nodes: counted.nodes.saturating_add(1),
                complete: counted.finished && found == Some(reported),
            };
            solutions = solutions.saturating_add(count.solutions);
            nodes = nodes.saturating_add(count.nodes);
            self.counts.push(count);
        }
        self.batch.counts.lock().unwrap_or_else(PoisonError::into_inner).append(&mut self.counts);
        control.report(solutions.into(), nodes);
        Counted { solutions: Solutions::new(solutions.into()), nodes, finished, cache: CacheStats::default() }
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

    fn batch(limits: BatchLimits, givens: Vec<u8>) -> Batch {
        let shape = Shape::usual(limits.cells.isqrt()).expect("a shape");
        Batch::new(search_batch(&shape, SearchOptions::default()), limits, givens)
    }

    fn alone(givens: &[u8]) -> Counted {
        search(&four(), SearchOptions::default()).counter().count(givens, &Control::new(None))
    }

    proptest! {
        #[test]
        fn every_puzzle_has_its_own_count_however_units_are_split(
            puzzles in proptest::collection::vec(proptest::collection::vec(0u8..5, 16), 0..40),
            together in 1usize..9,
            requests in proptest::collection::vec(0usize..3, 1..9),
        ) {
            // Few enough clues that some puzzles have a solution.
            let sparse = |values: &Vec<u8>| values.iter().enumerate().map(|(i, &v)| if i % 5 == 0 { v } else { 0 }).collect::<Vec<_>>();
            let puzzles: Vec<Vec<u8>> = puzzles.iter().map(sparse).collect();
            let limits = BatchLimits { cells: 16, together, limit: None, budget: u64::MAX };
            let batch = batch(limits, puzzles.concat());
            let pool = batch.expand(&PLAN, &|| false).expect("a pool");
            prop_assert_eq!(pool.units(), puzzles.len().div_ceil(together));
            let control = Control::new(None);
            let mut units: Vec<Vec<u8>> = pool.bytes.chunks_exact(pool.unit_bytes).map(<[u8]>::to_vec).collect();
            let mut turn = 0;
            let mut total = 0;
            while let Some(unit) = units.pop() {
                turn += 1;
                control.request_subtasks(requests[turn % requests.len()]);
                let counted = batch.counter().count_splitting(&unit, &control, &mut |part| {
                    control.request_subtasks(control.requested_subtasks() - 1);
                    units.push(part.to_vec());
                });
                prop_assert!(counted.finished);
                total += counted.solutions.exact().expect("few");
            }
            let mut counts = batch.into_counts();
            counts.sort_by_key(|count| count.puzzle);
            prop_assert_eq!(counts.len(), puzzles.len());
            prop_assert_eq!(total, counts.iter().map(|count| u128::from(count.solutions)).sum::<u128>());
            for (count, (number, givens)) in counts.iter().zip(puzzles.iter().enumerate()) {
                let expected = alone(givens);
                prop_assert_eq!((count.puzzle, count.complete, count.nodes), (number, true, expected.nodes + 1));
                prop_assert_eq!(Some(u128::from(count.solutions)), expected.solutions.exact());
            }
        }

        #[test]
        fn a_puzzle_count_survives_encoding(puzzle in 0usize..1 << 40, solutions: u64, nodes: u64, complete: bool) {
            let count = PuzzleCount { puzzle, solutions, nodes, complete };
            let bytes = [count.to_bytes(), count.to_bytes()].concat();
            prop_assert_eq!(PuzzleCount::all_from(&bytes).collect::<Vec<_>>(), [count, count]);
        }
    }

    #[test]
    fn limits_and_budgets_are_those_of_each_puzzle() {
        let limits = BatchLimits { cells: 16, together: 4, limit: Some(2), budget: u64::MAX };
        let solved = [1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1];
        let limited = batch(limits, [vec![0; 16], solved.to_vec(), vec![0; 16]].concat());
        let pool = limited.expand(&PLAN, &|| false).expect("a pool");
        let control = Control::new(None);
        assert!(limited.counter().count(&pool.bytes, &control).finished, "a puzzle's limit is not the end of the unit");
        let counts = limited.into_counts();
        assert!(counts.iter().all(|count| count.is_enough(Some(2))));
        let found: Vec<(u64, bool)> = counts.iter().map(|count| (count.solutions, count.complete)).collect();
        assert_eq!(found, [(2, false), (1, true), (2, false)]);

        let long = ".......39.....1.......5.8....8.9...6.7...2...1..4.......9.8.....2....6.....7.....";
        let long: Vec<u8> = long.bytes().map(|c| if c == b'.' { 0 } else { c - b'0' }).collect();
        let one_left: Vec<u8> = (0..81u8).map(|i| if i == 0 { 0 } else { (i / 27 + i / 9 * 3 + i) % 9 + 1 }).collect();
        let budget = 1000;
        let limits = BatchLimits { cells: 81, together: 4, limit: None, budget };
        let hurried = batch(limits, [long.clone(), one_left, long].concat());
        let pool = hurried.expand(&PLAN, &|| false).expect("a pool");
        assert!(hurried.counter().count(&pool.bytes, &control).finished, "a puzzle's budget is not that of the unit");
        let counts = hurried.into_counts();
        assert_eq!(counts.iter().map(|count| count.complete).collect::<Vec<_>>(), [false, true, false]);
        assert_eq!(counts[1].solutions, 1);
        for long in [counts[0], counts[2]] {
            assert!(!long.is_enough(None) && (budget..10 * budget).contains(&long.nodes), "{long:?}");
        }
    }

    #[test]
    fn a_stopped_unit_is_unfinished_and_has_no_counts_of_puzzles_not_begun() {
        let batch = batch(BatchLimits { cells: 16, together: 4, limit: None, budget: 9 }, vec![0; 64]);
        let control = Control::new(None);
        control.stop();
        let pool = batch.expand(&PLAN, &|| false).expect("a pool");
        assert!(!batch.counter().count(&pool.bytes, &control).finished);
        assert!(batch.into_counts().is_empty());
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
