//! Counts many puzzles of one shape, each with a result of its own: a unit is a run of puzzles.
//!
//! The tables of a shape are made once for all puzzles. A puzzle that is not finished within a budget of nodes is left for
//! a complete count later, so that no unit is long. The results are kept here until [`Batch::into_counts`]; the tally of a
//! unit is their sum.
//!
//! ```text
//!   unit   first puzzle (4 bytes)   puzzles (4 bytes)   the givens of each, a byte a cell; zeros where there are fewer
//! ```

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use zerocopy::{FromBytes, IntoBytes, transmute};

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PuzzleCount {
    pub puzzle: usize,
    pub solutions: u64,
    /// Including the root.
    pub nodes: u64,
    pub complete: bool,
}

impl PuzzleCount {
    /// Whether nothing is left to count: all solutions were found, or as many as the limit.
    pub fn is_enough(&self, limit: Option<u64>) -> bool {
        self.complete || limit.is_some_and(|limit| self.solutions >= limit)
    }

    pub fn to_bytes(self) -> [u8; 32] {
        transmute!([self.puzzle as u64, self.solutions, self.nodes, self.complete.into()].map(u64::to_le))
    }

    /// Decodes what [`PuzzleCount::to_bytes`] encoded, for any number of puzzles.
    pub fn all_from(bytes: &[u8]) -> impl Iterator<Item = PuzzleCount> {
        bytes.as_chunks::<32>().0.iter().map(|bytes| {
            let words: [u64; 4] = transmute!(*bytes);
            let [puzzle, solutions, nodes, complete] = words.map(u64::from_le);
            PuzzleCount { puzzle: puzzle as usize, solutions, nodes, complete: complete == 1 }
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

    /// Appends the unit of the puzzles with these givens.
    fn push_unit(&self, first: usize, givens: &[u8], unit: &mut Vec<u8>) {
        let end = unit.len() + self.unit_bytes();
        unit.extend([first as u32, (givens.len() / self.limits.cells) as u32].map(u32::to_le).as_bytes());
        unit.extend(givens);
        unit.resize(end, 0);
    }
}

impl Method for Batch {
    fn unit_bytes(&self) -> usize {
        size_of::<[u32; 2]>() + self.limits.together * self.limits.cells
    }

    fn expand(&self, _: &PoolOptions, _: &dyn Fn() -> bool) -> Result<Pool, PoolTooLarge> {
        let BatchLimits { cells, together, .. } = self.limits;
        let mut bytes = Vec::with_capacity(self.givens.len().div_ceil(cells * together) * self.unit_bytes());
        for (givens, number) in self.givens.chunks(cells * together).zip(0..) {
            self.push_unit(number * together, givens, &mut bytes);
        }
        Ok(Pool { unit_bytes: self.unit_bytes(), bytes, depth_reached: 0, above: Tally::default() })
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        Box::new(BatchCounter { batch: self, inner: self.inner.counter() })
    }
}

struct BatchCounter<'a> {
    batch: &'a Batch,
    inner: Box<dyn Counter + 'a>,
}

impl BatchCounter<'_> {
    fn puzzle(&mut self, puzzle: usize, givens: &[u8]) -> PuzzleCount {
        let BatchLimits { limit, budget, .. } = self.batch.limits;
        let counted = self.inner.count(givens, &Control::new(limit).with_budget(budget));
        // A count beyond 64 bits is left for a complete count.
        let found = counted.solutions.exact().and_then(|found| u64::try_from(found).ok());
        // A search stops soon after the limit, not exactly at it.
        let solutions = found.unwrap_or(0).min(limit.unwrap_or(u64::MAX));
        let complete = counted.finished && found == Some(solutions);
        PuzzleCount { puzzle, solutions, nodes: counted.nodes.saturating_add(1), complete }
    }
}

impl Counter for BatchCounter<'_> {
    fn count_unit(&mut self, unit: &[u8], control: &Control, mut sink: Option<&mut SplitSink>) -> Counted {
        let BatchLimits { cells, together, .. } = self.batch.limits;
        let (head, givens) = <[u32; 2]>::read_from_prefix(unit).unwrap_or_default();
        let [first, puzzles] = head.map(|number| u32::from_le(number) as usize);
        let mut left = 0..puzzles.min(together);
        let mut counts = Vec::with_capacity(left.len());
        let mut finished = true;
        while let Some(puzzle) = left.next() {
            if control.stopped() {
                finished = false;
                break;
            }
            if let Some(sink) = &mut sink {
                control.split_off(&mut left, |part| {
                    let mut unit = Vec::new();
                    let givens = &givens[part.start * cells..part.end * cells];
                    self.batch.push_unit(first + part.start, givens, &mut unit);
                    sink(&unit);
                });
            }
            counts.push(self.puzzle(first + puzzle, &givens[puzzle * cells..][..cells]));
        }
        let solutions = counts.iter().map(|count| count.solutions).fold(0, u64::saturating_add);
        let nodes = counts.iter().map(|count| count.nodes).fold(0, u64::saturating_add);
        self.batch.counts.lock().unwrap_or_else(PoisonError::into_inner).extend(counts);
        control.report(solutions.into(), nodes);
        Counted { solutions: Solutions::new(solutions.into()), nodes, finished, cache: CacheStats::default() }
    }
}
