//! The output of a collection: a line for each puzzle, the summary, and the report.

use std::cell::Cell;
use std::fmt::Display;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use super::printer::Printer;
use super::progress::ProgressDisplay;
use super::{OVERFLOW, Run, check_answer};
use crate::atomic_file::is_special;
use crate::blocking::PendingWork;
use crate::cluster::{Host, StopReason, print_error};
use crate::commands::batch_reader::{PuzzleBatch, PuzzleRecord};
use crate::commands::streams::{AnswerLines, is_stdout, print_answers, write_stdout};
use crate::commands::{CommandError, Exit, Outcome};
use crate::count::{CacheStats, MethodName};
use crate::puzzle::{ErrorScope, InputError, StreamedPuzzle};
use crate::report::batch::{CollectionReport, CollectionResult, PuzzleLine, Spool};
use crate::report::run::{Config, CountOutcome, Provenance};

/// Lines are printed at the latest when they have this many bytes.
const MAX_BUFFERED: usize = 1 << 20;
/// After a signal, how long the report waits for a reader of the answers.
const REPORT_DELAY: Duration = Duration::from_secs(1);

pub(super) struct BatchPuzzle<'a> {
    pub batch: &'a PuzzleBatch,
    pub record: &'a PuzzleRecord,
    /// Its number among all puzzles, from 1.
    pub number: usize,
    /// The number of all puzzles, if known.
    pub total: Option<usize>,
}

impl BatchPuzzle<'_> {
    pub(super) fn location(&self) -> String {
        format!("{}:{}", self.record.source.name, self.record.puzzle.line)
    }

    pub(super) fn number_text(&self) -> String {
        let of_total = self.total.map(|total| format!(" of {total}")).unwrap_or_default();
        format!("puzzle {}{of_total}", self.number)
    }
}

pub(super) struct BatchOutput<'a> {
    run: &'a Run<'a>,
    pub progress: &'a mut ProgressDisplay,
    spool: Option<Spool>,
    /// Until the report is written, unless that may block, too.
    pending_report: Option<PendingWork>,
    printer: Printer,
    /// Lines that are not printed yet.
    lines: Vec<u8>,
    result: CollectionResult,
    /// Of the puzzles that were counted by all ranks: quick attempts use no cache.
    cache: CacheStats,
    exit: Exit,
    /// Why not all puzzles of the input were counted.
    incomplete: Option<&'static str>,
    pub stopped: Option<StopReason>,
    /// The host of each rank, after a count.
    pub hosts: Vec<Host>,
    /// Whether an error ends the run.
    pub failed: bool,
    /// Whether the answers have no reader any more and there will be no report.
    pub unread: bool,
}

impl<'a> BatchOutput<'a> {
    pub(super) fn new(run: &'a Run<'a>, progress: &'a mut ProgressDisplay) -> Result<BatchOutput<'a>, CommandError> {
        let report = run.args.report.as_deref();
        let to_stderr = is_stdout(report);
        let spool = |target: &Path| Spool::beside(target).map_err(|error| CommandError::io(target, error));
        Ok(BatchOutput {
            run,
            progress,
            printer: Printer::new(move |lines| print_answers(lines, to_stderr)),
            spool: report.map(spool).transpose()?,
            pending_report: report.filter(|target| !to_stderr && !is_special(target)).map(|_| PendingWork::new()),
            lines: Vec::new(),
            result: CollectionResult::default(),
            cache: CacheStats::default(),
            exit: Exit::Done,
            incomplete: None,
            stopped: None,
            hosts: Vec::new(),
            failed: false,
            unread: false,
        })
    }

    /// Adds an answer to the lines, the summary and the report.
    pub(super) fn add(
        &mut self,
        puzzle: &BatchPuzzle,
        answer: CountOutcome,
        nodes: u64,
        method: MethodName,
    ) -> Result<(), CommandError> {
        let PuzzleRecord { source, puzzle: StreamedPuzzle { line, shape, name, expected }, .. } = puzzle.record;
        let name = name.as_deref();
        source.push_label(&mut self.lines, name, shape, puzzle.batch.givens(puzzle.record));
        let _ = writeln!(self.lines, " {}", answer.solutions); // a Vec takes all bytes
        // An error about an answer is printed after it.
        if self.lines.len() > MAX_BUFFERED || answer.matches_expected == Some(false) {
            self.flush()?;
        }
        if check_answer(answer, *expected, || puzzle.location()) == Exit::No {
            self.exit = self.exit.max(Exit::No);
        }
        self.result.add(answer);
        if let (Some(spool), Some(target)) = (&mut self.spool, &self.run.args.report) {
            let line = PuzzleLine {
                file: &source.name,
                line: *line,
                name,
                solutions: answer.solutions,
                method,
                nodes,
                complete: answer.complete,
                matches_expected: answer.matches_expected,
            };
            spool.push(&line).map_err(|error| CommandError::io(target, error))?;
        }
        Ok(())
    }

    /// Adds the cache of one count. Its memory was freed at the end of that count, so that the largest is reported.
    pub(super) fn add_cache(&mut self, cache: CacheStats) {
        let bytes = self.cache.bytes.max(cache.bytes);
        self.cache = CacheStats { bytes, ..self.cache.plus(cache) };
    }

    pub(super) fn error(&mut self, error: &dyn Display) {
        self.progress.meter.clear();
        print_error(error);
    }

    /// Adds an error in the input that is skipped.
    pub(super) fn skip(&mut self, error: &CommandError) {
        self.error(error);
        let input = if let CommandError::Input(error) = error { Some(error) } else { None };
        self.result.add_bad(input.map_or(ErrorScope::Puzzle, InputError::scope));
        self.exit = self.exit.max(error.exit());
        if input.is_some_and(InputError::rest_unread) {
            self.incomplete = Some("a source was not read to its end");
        }
    }

    /// Adds an error in the input that ends the run.
    pub(super) fn fail(&mut self, error: &CommandError) {
        self.skip(error);
        self.incomplete = Some("stopped at bad input");
        self.failed = true;
    }

    /// Adds a puzzle with more solutions than can be counted. It ends the run, except with `--keep-going`.
    pub(super) fn overflow(&mut self, puzzle: &BatchPuzzle) {
        self.error(&format!("{}: {OVERFLOW}", puzzle.location()));
        self.result.add_beyond();
        self.exit = Exit::Failure;
        if !self.run.args.keep_going {
            self.incomplete = Some("stopped at a puzzle beyond 128 bits");
            self.failed = true;
        }
    }

    /// Prints the lines. A reason to stop ends the wait for their reader.
    pub(super) fn flush(&mut self) -> Result<(), CommandError> {
        if !self.lines.is_empty() {
            self.progress.meter.clear();
            let has_reader = self.printer.print(&mut self.lines, &|| self.run.stop_reason().is_some())?;
            self.unread |= !has_reader && self.run.args.report.is_none();
        }
        Ok(())
    }

    /// Prints the remaining lines and the summary, and writes the report. `counted` is the error that ended the count.
    pub(super) fn end(mut self, mut counted: Result<(), CommandError>) -> Outcome {
        // After an error, the answers so far are still printed. After a signal, the launcher may not read them: the report is first.
        if self.stopped.is_none() {
            counted = counted.and(self.flush());
        }
        if counted.is_err() {
            self.incomplete = Some("stopped by an error");
        }
        self.progress.meter.clear();
        let seconds = self.run.start.elapsed().as_secs_f64();
        if !self.run.args.quiet {
            self.lines.extend(self.summary(seconds).as_bytes());
        }
        // The answers come first: a full disk must not cost them. After a reason to stop, they soon make way for the report.
        let stop_seen = Cell::new(None);
        let run = self.run;
        let stop = || {
            if stop_seen.get().is_none() && run.stop_reason().is_some() {
                stop_seen.set(Some(Instant::now()));
            }
            stop_seen.get().is_some_and(|seen: Instant| seen.elapsed() > REPORT_DELAY)
        };
        let printed = self.printer.print(&mut self.lines, &stop);
        let written = self.write_report(seconds);
        self.pending_report = None;
        let printed = printed.and_then(|_| self.printer.print(&mut self.lines, &|| false));
        counted.and(printed.map(drop)).and(written)?;
        Ok(if self.stopped.is_some() { Exit::Failure } else { self.exit })
    }

    fn puzzles_per_second(&self, seconds: f64) -> f64 {
        if seconds > 0.0 { self.result.puzzles as f64 / seconds } else { 0.0 }
    }

    fn summary(&self, seconds: f64) -> String {
        let result = &self.result;
        let unless_0 = |number: usize| Some(number).filter(|&number| number > 0);
        let complete = match (self.stopped, self.incomplete) {
            (Some(reason), _) => format!("no, {reason}"),
            (None, Some(reason)) => format!("no, {reason}"),
            (None, None) => "yes".into(),
        };
        AnswerLines::default()
            .add("puzzles", result.puzzles)
            .add("unique", result.unique)
            .add_some("one or more", unless_0(result.undecided))
            .add("several", result.several)
            .add("none", result.none)
            .add_some("beyond 128 bits", unless_0(result.beyond_128_bits))
            .add("unexpected", result.unexpected)
            .add("bad", result.bad)
            .add_some("bad headers", unless_0(result.bad_headers))
            .add_some("bad files", unless_0(result.bad_files))
            .add("complete", complete)
            .add("solutions", result.solutions)
            .add_some("cache", self.cache.summary())
            .add("seconds", format_args!("{seconds:.3}"))
            .add("puzzles/s", format_args!("{:.0}", self.puzzles_per_second(seconds)))
            .0
    }

    fn write_report(&mut self, seconds: f64) -> Result<(), CommandError> {
        let run = self.run;
        let (Some(spool), Some(target)) = (self.spool.take(), &run.args.report) else { return Ok(()) };
        let report = CollectionReport {
            schema: "census-batch/1",
            provenance: Provenance::of(run.cluster, run.started, run.options.threads, self.hosts.iter()),
            complete: self.stopped.is_none() && self.incomplete.is_none(),
            config: Config::of(&run.options, None),
            puzzles: [],
            result: self.result,
            cache: Some(self.cache).filter(|cache| cache.lookups > 0),
            seconds,
            puzzles_per_second: self.puzzles_per_second(seconds),
        };
        match is_stdout(Some(target)) {
            true => write_stdout(|stdout| spool.write(&report, stdout)).map(drop),
            false => spool.write_to(&report, target).map_err(|error| CommandError::io(target, error)),
        }
    }
}
