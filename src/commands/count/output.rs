//! The answers to the puzzles of a collection: a line for each, the summary, and the report.

use std::cell::Cell;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use crate::atomic_file::is_special;
use crate::blocking::Hold;
use crate::cli::CountArgs;
use crate::cluster::{Cluster, CountOptions, Host, StopReason};
use crate::count::{CacheStats, MethodName};
use crate::puzzle::grid::push_line;
use crate::report::batch::{CollectionReport, CollectionResult, PuzzleLine, Spool};
use crate::report::render::progress::Meter;
use crate::report::run::{Config, CountOutcome, Provenance};

use super::printer::Printer;
use super::reader::{Entry, Group, Source};
use super::single::{BEYOND, exit, is_stdout, tell};
use crate::commands::{CommandError, Exit, Outcome, complain, output};

/// Lines are written when they take as many bytes as this, at the latest.
const LINES_BYTES: usize = 1 << 20;
/// How long the report of a run that was told to stop waits for a reader of its answers.
const UNTIL_REPORT: Duration = Duration::from_secs(1);

/// A puzzle of a wave and where it stands.
pub(in crate::commands) struct Place<'a> {
    pub entry: &'a Entry,
    pub group: &'a Group,
    pub givens: &'a [u8],
    pub source: &'a Source,
    /// Its place among all puzzles, from 1, and how many there are, where that is known.
    pub number: usize,
    pub all: Option<usize>,
}

impl Place<'_> {
    /// The number of solutions that its file expects.
    pub(in crate::commands) fn expected(&self) -> Option<u128> {
        self.entry.note.as_ref().and_then(|note| note.expected)
    }

    /// Where it stands in its file.
    pub(in crate::commands) fn words(&self) -> String {
        format!("{}:{}", self.source.name, self.entry.line)
    }

    /// Its number, in words.
    pub(in crate::commands) fn number(&self) -> String {
        let of = self.all.map(|all| format!(" of {all}")).unwrap_or_default();
        format!("puzzle {}{of}", self.number)
    }
}

/// The answers so far.
pub(in crate::commands) struct Answers<'a> {
    cluster: &'a Cluster,
    args: &'a CountArgs,
    plan: &'a CountOptions,
    spool: Option<Spool>,
    /// Until the report is left, unless it goes to something that may block itself.
    hold: Option<Hold>,
    printer: Printer,
    /// Those that have not been written yet.
    lines: Vec<u8>,
    result: CollectionResult,
    /// What caches were used for in the puzzles that were counted alone: in a moment none pays.
    cache: CacheStats,
    exit: Exit,
    /// Why there is something that nobody has looked at.
    pub left: Option<&'static str>,
    /// Whether something failed behind which nothing more is counted.
    pub failed: bool,
    /// Whether nobody reads them any more, nor will find them in a report.
    pub deserted: bool,
}

/// How it all ended.
pub(in crate::commands) struct Ending {
    pub started: SystemTime,
    pub seconds: f64,
    pub stopped: Option<StopReason>,
    pub hosts: Vec<Host>,
}

impl<'a> Answers<'a> {
    pub(in crate::commands) fn new(
        cluster: &'a Cluster,
        args: &'a CountArgs,
        plan: &'a CountOptions,
    ) -> Result<Answers<'a>, CommandError> {
        let beside_report = is_stdout(args.report.as_deref());
        let spool = |target: &Path| Spool::beside(target).map_err(|error| CommandError::io(target, error));
        let waits_for_nobody = |target: &&Path| !is_stdout(Some(target)) && !is_special(target);
        Ok(Answers {
            cluster,
            args,
            plan,
            printer: Printer::new(move |lines| tell(lines, beside_report)),
            spool: args.report.as_deref().map(spool).transpose()?,
            hold: args.report.as_deref().filter(waits_for_nobody).map(|_| Hold::new()),
            lines: Vec::new(),
            result: CollectionResult::default(),
            cache: CacheStats::default(),
            exit: Exit::Done,
            left: None,
            failed: false,
            deserted: false,
        })
    }

    /// Takes down an answer: its line, its part of the summary, and its line of the report.
    pub(in crate::commands) fn add(
        &mut self,
        place: &Place,
        found: CountOutcome,
        nodes: u64,
        method: MethodName,
        meter: &mut Meter,
    ) -> Result<(), CommandError> {
        let name = place.entry.note.as_ref().and_then(|note| note.name.as_deref());
        match name {
            Some(name) => self.lines.extend(name.as_bytes()),
            None if place.source.is_file_of_one() => self.lines.extend(place.source.name.as_bytes()),
            None => push_line(&mut self.lines, place.group.shape.order(), place.givens.iter().copied()),
        }
        let _ = writeln!(self.lines, " {}", found.solutions); // writing to memory does not fail
        // What is wrong with an answer is said after it.
        if self.lines.len() > LINES_BYTES || found.matches_expected == Some(false) {
            self.write(meter)?;
        }
        if exit(found, place.expected(), || place.words()) == Exit::No {
            self.exit = self.exit.max(Exit::No);
        }
        self.result.add(found);
        if let (Some(spool), Some(target)) = (&mut self.spool, &self.args.report) {
            let line = PuzzleLine {
                file: &place.source.name,
                line: place.entry.line,
                name,
                solutions: found.solutions,
                method,
                nodes,
                complete: found.complete,
                matches_expected: found.matches_expected,
            };
            spool.push(&line).map_err(|error| CommandError::io(target, error))?;
        }
        Ok(())
    }

    /// Takes down what caches were used for in one count. Their memory is given back after it, so that the most counts.
    pub(in crate::commands) fn add_cache(&mut self, cache: CacheStats) {
        let bytes = self.cache.bytes.max(cache.bytes);
        self.cache = CacheStats { bytes, ..self.cache.plus(cache) };
    }

    /// Takes down something that cannot be read and is passed over.
    pub(in crate::commands) fn pass(&mut self, bad: &CommandError) {
        complain(bad);
        self.result.add_bad(bad.subject());
        self.exit = self.exit.max(bad.exit());
        if bad.breaks_off() {
            self.left = Some("a source broke off");
        }
    }

    /// Ends the answers at something that cannot be read.
    pub(in crate::commands) fn fail(&mut self, bad: &CommandError) {
        self.pass(bad);
        self.left = Some("stopped at bad input");
        self.failed = true;
    }

    /// Takes down a puzzle with more solutions than can be counted: whoever does not want to keep going ends there.
    pub(in crate::commands) fn overflow(&mut self, place: &Place) {
        complain(&format!("{}: {BEYOND}", place.words()));
        self.result.add_beyond();
        self.exit = Exit::JobError;
        if !self.args.keep_going {
            self.left = Some("stopped at a puzzle beyond 128 bits");
            self.failed = true;
        }
    }

    /// Writes the lines that wait, unless somebody wants to stop while nobody reads them.
    pub(in crate::commands) fn write(&mut self, meter: &mut Meter) -> Result<(), CommandError> {
        if !self.lines.is_empty() {
            meter.clear();
            let stop = || self.cluster.stop_reason(self.plan.deadline).is_some();
            let read = self.printer.print(&mut self.lines, &stop)?;
            self.deserted |= !read && self.args.report.is_none();
        }
        Ok(())
    }

    /// The lines that still wait, the summary, and the report.
    pub(in crate::commands) fn end(mut self, ending: &Ending) -> Outcome {
        let &Ending { seconds, stopped, .. } = ending;
        let result = self.result;
        let rate = if seconds > 0.0 { result.puzzles as f64 / seconds } else { 0.0 };
        let CollectionResult { puzzles, unique, several, none, unexpected, solutions, bad, .. } = result;
        let some = |name: &str, number: usize| if number > 0 { format!("{name}: {number}\n") } else { String::new() };
        let (undecided, beyond) =
            (some("one or more", result.undecided), some("beyond 128 bits", result.beyond_128_bits));
        let (headers, files) = (some("bad headers", result.bad_headers), some("bad files", result.bad_files));
        let complete = match (stopped, self.left) {
            (Some(reason), _) => format!("no, {reason}"),
            (None, Some(why)) => format!("no, {why}"),
            (None, None) => "yes".into(),
        };
        let cache = self.cache.summary().map_or(String::new(), |words| format!("cache: {words}\n"));
        let summary = format!(
            "puzzles: {puzzles}\nunique: {unique}\n{undecided}several: {several}\nnone: {none}\n{beyond}unexpected: {unexpected}\n\
             bad: {bad}\n{headers}{files}complete: {complete}\nsolutions: {solutions}\n{cache}seconds: {seconds:.3}\n\
             puzzles/s: {rate:.0}\n"
        );
        if !self.args.quiet {
            self.lines.extend(summary.as_bytes());
        }
        // First the answers: a disk that is full must not cost them. But who was told to stop does not wait long for a reader.
        let asked = Cell::new(None);
        let late = || {
            let stop = self.cluster.stop_reason(self.plan.deadline).is_some();
            if stop && asked.get().is_none() {
                asked.set(Some(Instant::now()));
            }
            asked.get().is_some_and(|asked| asked.elapsed() > UNTIL_REPORT)
        };
        let told = self.printer.print(&mut self.lines, &late);
        let written = match (self.spool.take(), &self.args.report) {
            (Some(spool), Some(target)) => self.write_report(spool, target, ending, rate),
            _ => Ok(()),
        };
        self.hold = None;
        told.and_then(|_| self.printer.print(&mut self.lines, &|| false))?;
        written.map(|()| if stopped.is_some() { Exit::JobError } else { self.exit })
    }

    fn write_report(&self, spool: Spool, target: &Path, ending: &Ending, rate: f64) -> Result<(), CommandError> {
        let &Ending { started, seconds, stopped, .. } = ending;
        let provenance = Provenance::of(self.cluster, started, self.plan.threads, ending.hosts.iter());
        let mut report = CollectionReport::new(provenance, Config::of(self.plan, None), self.result, seconds, rate);
        report.complete = stopped.is_none() && self.left.is_none();
        report.cache = Some(self.cache).filter(|cache| cache.lookups > 0);
        match target == Path::new("-") {
            true => output(|stdout| spool.write(&report, stdout)).map(drop),
            false => spool.write_to(&report, target).map_err(|error| CommandError::io(target, error)),
        }
    }
}
