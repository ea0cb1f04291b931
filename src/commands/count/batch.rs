//! Several puzzles: a line for each, in input order, then a summary.
//!
//! Each batch is counted in slices. A slice gets a quick attempt: the ranks search its puzzles, each within a budget of nodes. A
//! puzzle that exceeds the budget is then counted by all ranks together, when its turn comes.

use std::ops::Range;
use std::time::{Duration, Instant};

use super::output::{BatchOutput, BatchPuzzle, RunEnd};
use super::progress::ProgressDisplay;
use super::{Run, answer_of};
use crate::cluster::print_error;
use crate::cluster::{self, Host, Progress, StopReason};
use crate::commands::batch_reader::{BatchReader, PuzzleBatch};
use crate::commands::{CommandError, Outcome};
use crate::count::batch::PuzzleCount;
use crate::count::{MethodChoice, MethodName, Solutions};
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
        progress,
        output: BatchOutput::new(run)?,
        first_slice,
        slice: first_slice,
        done: 0,
        fractions: 0.0..0.0,
        stopped: None,
        hosts: Vec::new(),
    };
    let mut counted = counter.count_all(&mut reader, first);
    let BatchCounter { mut output, progress, stopped, hosts, .. } = counter;
    // After an error, the answers so far are still printed. After a signal, the launcher may not read them: the report is first.
    if stopped.is_none() {
        counted = counted.and(output.flush(&mut progress.meter));
    }
    if counted.is_err() {
        output.incomplete = Some("stopped by an error");
    }
    progress.meter.clear();
    let ended = output.end(&RunEnd { seconds: run.start.elapsed().as_secs_f64(), stopped, hosts });
    counted.and(ended)
}

struct BatchCounter<'a> {
    run: &'a Run<'a>,
    progress: &'a mut ProgressDisplay,
    output: BatchOutput<'a>,
    first_slice: usize,
    /// Puzzles of the next slice.
    slice: usize,
    /// Puzzles before this batch.
    done: usize,
    /// The fraction of all bytes before this batch and at its end.
    fractions: Range<f64>,
    stopped: Option<StopReason>,
    hosts: Vec<Host>,
}

/// Result of the quick attempt at a puzzle.
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
        self.stopped.is_some() || self.output.failed || self.output.unread
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
                    self.stopped = Some(reason);
                    self.progress.meter.clear();
                    print_error(&format!("{reason} after {} puzzles, while waiting for input", self.done));
                    return Ok(());
                }
            };
            self.count_batch(&batch)?;
            if self.ended() {
                return Ok(());
            }
            if let Some(error) = &batch.failed {
                self.progress.meter.clear();
                self.output.fail(error);
            }
            if batch.failed.is_some() || batch.last {
                return Ok(());
            }
            next = reader.next(1, || self.run.stop_reason());
        }
    }

    fn count_batch(&mut self, batch: &PuzzleBatch) -> Result<(), CommandError> {
        for error in &batch.skipped {
            self.progress.meter.clear();
            self.output.skip(error);
        }
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
            let mut attempts: Vec<_> = attempts.into_iter().map(Vec::into_iter).collect();
            for (record, number) in batch.records[start..end].iter().zip(self.done + start + 1..) {
                let attempt = attempts[record.group as usize].next().unwrap_or(QuickAttempt::NotMade);
                self.count_puzzle(&BatchPuzzle { batch, record, number, total }, attempt)?;
                if self.ended() {
                    break;
                }
            }
            if !self.ended() {
                self.output.flush(&mut self.progress.meter)?;
            }
            start = end;
        }
        self.done += batch.records.len();
        Ok(())
    }

    /// Makes the quick attempts at a slice of a batch. Returns those of each group.
    fn attempt_slice(
        &mut self,
        batch: &PuzzleBatch,
        slice: Range<usize>,
    ) -> Result<Vec<Vec<QuickAttempt>>, CommandError> {
        let options = &self.run.options;
        let workers = self.run.cluster.ranks() * options.threads;
        let mut stopped = None;
        let mut counted = 0;
        let mut attempts = Vec::new();
        // The puzzles of a group in a slice are consecutive in the group.
        let mut ranges = vec![(0, 0); batch.groups.len()];
        for record in &batch.records[slice.clone()] {
            let (first, puzzles) = &mut ranges[record.group as usize];
            *first = record.index as usize - *puzzles;
            *puzzles += 1;
        }
        for (group, (first, puzzles)) in batch.groups.iter().zip(ranges) {
            // With fewer puzzles than workers, and with tables for each puzzle, all ranks count each puzzle together.
            let Some(method) = options.method.for_batch().filter(|_| puzzles >= workers) else {
                attempts.push(vec![QuickAttempt::NotMade; puzzles]);
                continue;
            };
            if let Some(reason) = stopped {
                attempts.push(vec![QuickAttempt::Stopped(reason); puzzles]);
                continue;
            }
            let cells = group.shape.cells();
            let givens = group.givens[first * cells..][..puzzles * cells].to_vec();
            let before = slice.start + counted;
            let (start, done, fractions) = (self.run.start, self.done, self.fractions.clone());
            let meter = &mut self.progress.meter;
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
            let result = cluster::count_batch(self.run.cluster, method, &group.shape, givens, options, &mut show)?;
            counted += puzzles;
            stopped = result.stopped;
            self.hosts = result.hosts;
            let missing = stopped.map_or(QuickAttempt::NotMade, QuickAttempt::Stopped);
            attempts
                .push(result.puzzles.into_iter().map(|answer| answer.map_or(missing, QuickAttempt::Made)).collect());
        }
        Ok(attempts)
    }

    /// Chooses the size of the next slice from the time that this one took.
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
                let answer = answer_of(solutions, quick.complete, None, puzzle.record.expected(), limit);
                let method = self.run.options.method.for_batch().unwrap_or(MethodName::Search);
                self.output.add(puzzle, answer, quick.nodes, method, &mut self.progress.meter)
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
        self.output.flush(&mut self.progress.meter)?;
        if self.output.unread {
            return Ok(());
        }
        let mut options = self.run.options.clone();
        let BatchPuzzle { batch, record, .. } = *puzzle;
        // `auto` would search for a moment first, as the attempt did.
        if attempted
            && options.method == MethodChoice::Auto
            && let Some(method) = MethodName::without_visiting(batch.shape(record))
        {
            options.method = MethodChoice::Fixed(method);
        }
        let parsed = batch.puzzle(record);
        self.progress.meter.about(puzzle.number_text() + ": ");
        let progress = &mut *self.progress;
        let mut show = |state: &Progress| progress.show(&parsed, state);
        let count = cluster::count(self.run.cluster, &parsed, &options, &mut |_, _| {}, &mut show)?;
        self.progress.meter.about(String::new());
        self.add(puzzle, count)
    }

    /// Outputs the answer of a count with all ranks.
    fn add(&mut self, puzzle: &BatchPuzzle, count: cluster::Count) -> Result<(), CommandError> {
        self.hosts = count.hosts;
        self.output.add_cache(count.reduction.cache());
        if count.solutions.exact().is_none() {
            self.progress.meter.clear();
            self.output.overflow(puzzle);
            return Ok(());
        }
        let (expected, limit) = (puzzle.record.expected(), self.run.options.limit);
        let answer = answer_of(count.solutions, count.complete, count.stopped, expected, limit);
        if let Some(reason) = answer.stopped.filter(|&reason| reason != StopReason::Limit) {
            self.stop(puzzle, reason, answer.solutions);
            return Ok(());
        }
        self.output.add(puzzle, answer, count.nodes, count.method, &mut self.progress.meter)
    }

    /// Stops the run at a puzzle without an answer.
    fn stop(&mut self, puzzle: &BatchPuzzle, reason: StopReason, counted: Solutions) {
        self.progress.meter.clear();
        let (number, location) = (puzzle.number_text(), puzzle.location());
        print_error(&format!("{reason} at {number} ({location}), with {counted} of its solutions counted"));
        self.stopped = Some(reason);
    }
}
