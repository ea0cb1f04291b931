//! Several puzzles: a line for each, in input order, then a summary. Each batch is counted in slices: docs/batches.md
//! describes how.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::output::{BatchOutput, BatchPuzzle};
use super::progress::ProgressDisplay;
use super::{Run, answer_of};
use crate::cluster::{self, Progress, StopReason};
use crate::commands::batch_reader::{BatchReader, PuzzleBatch, PuzzleRecord};
use crate::commands::{CommandError, Outcome};
use crate::count::batch::PuzzleCount;
use crate::count::{MethodChoice, MethodName, Solutions};
use crate::puzzle::Shape;
use crate::report::render::progress::BatchProgress;

/// The fewest puzzles of the first slice.
const MIN_FIRST_SLICE: usize = 256;
/// A slice should take as long as this: so soon are the answers printed.
const SLICE_SECONDS: Range<Duration> = Duration::from_millis(250)..Duration::from_secs(1);

/// Counts all batches. `first` is the first one, or the reason to stop before it.
pub(super) fn count_batches(
    run: &Run,
    mut reader: BatchReader,
    first: Result<PuzzleBatch, StopReason>,
    progress: &mut ProgressDisplay,
) -> Outcome {
    let first_slice = MIN_FIRST_SLICE.max(64 * run.cluster.ranks() * run.options.threads);
    let mut counter = BatchCounter {
        run,
        output: BatchOutput::new(run, progress)?,
        first_slice,
        slice: first_slice,
        done: 0,
        fractions: 0.0..0.0,
    };
    let counted = counter.count_all(&mut reader, first);
    counter.output.end(counted)
}

struct BatchCounter<'a> {
    run: &'a Run<'a>,
    output: BatchOutput<'a>,
    first_slice: usize,
    slice: usize,
    /// Puzzles before this batch.
    done: usize,
    /// The fraction of all bytes before this batch and at its end.
    fractions: Range<f64>,
}

#[derive(Clone, Copy)]
enum QuickAttempt {
    NotMade,
    /// The count was stopped before the attempt.
    Stopped(StopReason),
    /// It may be incomplete.
    Made(PuzzleCount),
}

impl BatchCounter<'_> {
    /// Whether nothing more is to be counted.
    fn ended(&self) -> bool {
        self.output.stopped.is_some() || self.output.failed || self.output.unread
    }

    fn count_all(
        &mut self,
        reader: &mut BatchReader,
        first: Result<PuzzleBatch, StopReason>,
    ) -> Result<(), CommandError> {
        let mut next = first;
        loop {
            let batch = match next {
                Ok(batch) => batch,
                Err(reason) => {
                    self.output.stopped = Some(reason);
                    self.output.error(&format!("{reason} after {} puzzles, while waiting for input", self.done));
                    return Ok(());
                }
            };
            self.count_batch(&batch)?;
            if self.ended() {
                return Ok(());
            }
            if let Some(error) = &batch.failed {
                self.output.fail(error);
            }
            if batch.failed.is_some() || batch.last {
                return Ok(());
            }
            next = reader.next(1, || self.run.stop_reason());
        }
    }

    fn count_batch(&mut self, batch: &PuzzleBatch) -> Result<(), CommandError> {
        batch.skipped.iter().for_each(|error| self.output.skip(error));
        self.fractions = self.fractions.end..batch.fraction_read.unwrap_or(0.0);
        let total = batch.last.then_some(self.done + batch.records.len());
        let mut start = 0;
        while start < batch.records.len() && !self.ended() {
            let end = (start + self.slice).min(batch.records.len());
            let begin = Instant::now();
            let attempts = self.attempt_slice(batch, start..end)?;
            if end - start == self.slice {
                self.adjust_slice(begin.elapsed());
            }
            let numbers = self.done + start + 1..;
            for ((record, attempt), number) in batch.records[start..end].iter().zip(attempts).zip(numbers) {
                self.count_puzzle(&BatchPuzzle { batch, record, number, total }, attempt)?;
                if self.ended() {
                    break;
                }
            }
            if !self.ended() {
                self.output.flush()?;
            }
            start = end;
        }
        self.done += batch.records.len();
        Ok(())
    }

    /// Makes the quick attempts at a slice of a batch: one for each puzzle.
    fn attempt_slice(&mut self, batch: &PuzzleBatch, slice: Range<usize>) -> Result<Vec<QuickAttempt>, CommandError> {
        let options = &self.run.options;
        let workers = self.run.cluster.ranks() * options.threads;
        let mut attempts = vec![QuickAttempt::NotMade; slice.len()];
        // With tables for each puzzle, all ranks count each puzzle together.
        let Some(method) = options.method.for_batch() else { return Ok(attempts) };
        let records = &batch.records[slice.clone()];
        let mut groups: Vec<(&Arc<Shape>, Vec<usize>)> = Vec::new();
        for (at, PuzzleRecord { puzzle, .. }) in records.iter().enumerate() {
            match groups.iter_mut().find(|(shape, _)| **shape == puzzle.shape) {
                Some((_, members)) => members.push(at),
                None => groups.push((&puzzle.shape, vec![at])),
            }
        }
        // The same for fewer puzzles than workers.
        groups.retain(|(_, members)| members.len() >= workers);
        let mut stopped = None;
        let mut counted = 0;
        for (shape, members) in groups {
            if let Some(reason) = stopped {
                members.into_iter().for_each(|at| attempts[at] = QuickAttempt::Stopped(reason));
                continue;
            }
            let puzzles = members.len();
            let givens = members.iter().map(|&at| batch.givens(&records[at])).collect::<Vec<_>>().concat();
            let before = slice.start + counted;
            let (start, done, fractions) = (self.run.start, self.done, self.fractions.clone());
            let meter = &mut self.output.progress.meter;
            let mut show = |progress: &Progress| {
                let puzzles = before as f64 + progress.share.unwrap_or(0.0) * puzzles as f64;
                let of_batch = puzzles / batch.records.len() as f64;
                let fraction = fractions.start + (fractions.end - fractions.start) * of_batch;
                meter.show_puzzles(&BatchProgress {
                    seconds: start.elapsed().as_secs_f64(),
                    puzzles: done as f64 + puzzles,
                    share: batch.fraction_read.map(|_| fraction),
                    active: progress.active,
                    workers: progress.workers,
                });
            };
            let result = cluster::count_batch(self.run.cluster, method, shape, givens, options, &mut show)?;
            counted += puzzles;
            stopped = result.stopped;
            self.output.hosts = result.hosts;
            let missing = stopped.map_or(QuickAttempt::NotMade, QuickAttempt::Stopped);
            for (at, answer) in members.into_iter().zip(result.puzzles) {
                attempts[at] = answer.map_or(missing, QuickAttempt::Made);
            }
        }
        Ok(attempts)
    }

    fn adjust_slice(&mut self, time: Duration) {
        if time < SLICE_SECONDS.start {
            self.slice = self.slice.saturating_mul(4);
        } else if time > SLICE_SECONDS.end {
            self.slice = (self.slice / 2).max(self.first_slice / 8);
        }
    }

    /// Outputs the answer of the quick attempt, or counts the puzzle with all ranks.
    fn count_puzzle(&mut self, puzzle: &BatchPuzzle, attempt: QuickAttempt) -> Result<(), CommandError> {
        let limit = self.run.options.limit;
        match attempt {
            QuickAttempt::Made(quick) if quick.is_enough(limit) => {
                let solutions = Solutions::new(quick.solutions.into());
                let answer = answer_of(solutions, quick.complete, None, puzzle.record.puzzle.expected, limit);
                let method = self.run.options.method.for_batch().unwrap_or(MethodName::Search);
                self.output.add(puzzle, answer, quick.nodes, method)
            }
            QuickAttempt::Stopped(reason) => {
                self.stop(puzzle, reason, Solutions::ZERO);
                Ok(())
            }
            QuickAttempt::Made(_) => self.count_with_all_ranks(puzzle, true),
            QuickAttempt::NotMade => self.count_with_all_ranks(puzzle, false),
        }
    }

    fn count_with_all_ranks(&mut self, puzzle: &BatchPuzzle, attempted: bool) -> Result<(), CommandError> {
        self.output.flush()?;
        if self.output.unread {
            return Ok(());
        }
        let mut options = self.run.options.clone();
        let BatchPuzzle { batch, record, .. } = *puzzle;
        // `auto` would search for a moment first, as the attempt did.
        if attempted
            && options.method == MethodChoice::Auto
            && let Some(method) = MethodName::without_visiting(&record.puzzle.shape)
        {
            options.method = MethodChoice::Fixed(method);
        }
        let parsed = batch.puzzle(record);
        self.output.progress.meter.about(puzzle.number_text() + ": ");
        let progress = &mut *self.output.progress;
        let mut show = |state: &Progress| progress.show(&parsed, state);
        let count = cluster::count(self.run.cluster, &parsed, &options, &mut |_, _| {}, &mut show)?;
        self.output.progress.meter.about(String::new());
        self.output.hosts = count.hosts;
        self.output.add_cache(count.reduction.cache());
        if count.solutions.exact().is_none() {
            self.output.overflow(puzzle);
            return Ok(());
        }
        let (expected, limit) = (puzzle.record.puzzle.expected, self.run.options.limit);
        let answer = answer_of(count.solutions, count.complete, count.stopped, expected, limit);
        if let Some(reason) = answer.stopped.filter(|&reason| reason != StopReason::Limit) {
            self.stop(puzzle, reason, answer.solutions);
            return Ok(());
        }
        self.output.add(puzzle, answer, count.nodes, count.method)
    }

    /// Stops the run at a puzzle without an answer.
    fn stop(&mut self, puzzle: &BatchPuzzle, reason: StopReason, counted: Solutions) {
        let (number, location) = (puzzle.number_text(), puzzle.location());
        self.output.error(&format!("{reason} at {number} ({location}), with {counted} of its solutions counted"));
        self.output.stopped = Some(reason);
    }
}
