//! The answers to the puzzles of a collection: a line for each, the summary, and the report.

use std::io::Write;
use std::path::Path;
use std::time::SystemTime;

use crate::cli::CountArgs;
use crate::cluster::{Cluster, CountPlan, Host, StopReason};
use crate::count::{CacheUse, MethodName, Solutions};
use crate::puzzle::grid::push_line;
use crate::report::collection::{CollectionReport, CollectionResult, PuzzleLine, Spool};
use crate::report::progress::Meter;
use crate::report::run::{Answer, Config, Provenance};

use super::count::{exit, tell};
use super::waves::{Entry, Group, Source};
use super::{Exit, Failure, Outcome, complain, output};

/// Lines are written when they take as many bytes as this, at the latest.
const LINES_BYTES: usize = 1 << 20;

/// A puzzle of a wave and where it stands.
pub(super) struct Place<'a> {
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
    pub(super) fn expected(&self) -> Option<u128> {
        self.entry.note.as_ref().and_then(|note| note.expected)
    }

    /// Where it stands in its file.
    pub(super) fn words(&self) -> String {
        format!("{}:{}", self.source.name, self.entry.line)
    }

    /// Its number, in words.
    pub(super) fn number(&self) -> String {
        let of = self.all.map(|all| format!(" of {all}")).unwrap_or_default();
        format!("puzzle {}{of}", self.number)
    }
}

/// The answers so far.
pub(super) struct Answers<'a> {
    args: &'a CountArgs,
    spool: Option<Spool>,
    /// Those that have not been written yet.
    lines: Vec<u8>,
    pub result: CollectionResult,
    total: Solutions,
    /// What caches were used for in the puzzles that were counted alone: in a moment none pays.
    cache: CacheUse,
    exit: Exit,
    /// Whether something could not be read, and nothing behind it was.
    failed: bool,
    /// Whether nobody reads them any more, nor will find them in a report.
    pub deserted: bool,
}

/// How it all ended.
pub(super) struct Ending {
    pub started: SystemTime,
    pub seconds: f64,
    pub stopped: Option<StopReason>,
    pub hosts: Vec<Host>,
}

impl<'a> Answers<'a> {
    pub(super) fn new(args: &'a CountArgs) -> Result<Answers<'a>, Failure> {
        let spool = |target: &Path| Spool::beside(target).map_err(|error| Failure::io(target, error));
        Ok(Answers {
            args,
            spool: args.report.as_deref().map(spool).transpose()?,
            lines: Vec::new(),
            result: CollectionResult::default(),
            total: Solutions::ZERO,
            cache: CacheUse::default(),
            exit: Exit::Done,
            failed: false,
            deserted: false,
        })
    }

    /// Takes down an answer: its line, its part of the summary, and its line of the report.
    pub(super) fn add(
        &mut self,
        place: &Place,
        found: Answer,
        nodes: u64,
        method: MethodName,
        meter: &mut Meter,
    ) -> Result<(), Failure> {
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
            self.exit = Exit::No;
        }
        self.result.add(found);
        self.total = self.total.plus(Solutions::new(found.solutions));
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
            spool.push(&line).map_err(|error| Failure::io(target, error))?;
        }
        Ok(())
    }

    /// Takes down what caches were used for in one count. Their memory is given back after it, so that the most counts.
    pub(super) fn add_cache(&mut self, cache: CacheUse) {
        let bytes = self.cache.bytes.max(cache.bytes);
        self.cache = CacheUse { bytes, ..self.cache.plus(cache) };
    }

    /// Ends the answers at something that cannot be read.
    pub(super) fn fail(&mut self, failure: &Failure) {
        complain(failure);
        self.result.add_bad(failure.subject());
        self.failed = true;
        self.exit = failure.exit();
    }

    /// Writes the lines that wait.
    pub(super) fn write(&mut self, meter: &mut Meter) -> Result<(), Failure> {
        if !self.lines.is_empty() {
            meter.clear();
            self.deserted |= !tell(&self.lines, self.args)? && self.args.report.is_none();
            self.lines.clear();
        }
        Ok(())
    }

    /// The summary, and the report.
    pub(super) fn end(self, cluster: &Cluster, plan: &CountPlan, ending: &Ending) -> Outcome {
        let &Ending { started, seconds, stopped, .. } = ending;
        let total = self.total.exact().ok_or_else(|| Failure::Overflow("all puzzles together".into()))?;
        let result = self.result;
        let rate = if seconds > 0.0 { result.puzzles as f64 / seconds } else { 0.0 };
        if let (Some(spool), Some(target)) = (self.spool, &self.args.report) {
            let provenance = Provenance::of(cluster, started, plan.threads, ending.hosts.iter());
            let mut report = CollectionReport::new(provenance, Config::of(plan, None), result, seconds, rate);
            report.complete = stopped.is_none() && !self.failed;
            report.cache = Some(self.cache).filter(|cache| cache.looks > 0);
            if target == Path::new("-") {
                output(|stdout| spool.write(&report, stdout))?;
            } else {
                spool.write_to(&report, target).map_err(|error| Failure::io(target, error))?;
            }
        }
        let CollectionResult { puzzles, unique, undecided, several, none, unexpected, bad, bad_headers, bad_files } =
            result;
        let some = |name: &str, number: usize| if number > 0 { format!("{name}: {number}\n") } else { String::new() };
        let (undecided, headers) = (some("one or more", undecided), some("bad headers", bad_headers));
        let files = some("bad files", bad_files);
        let complete = match stopped {
            Some(reason) => format!("no, {reason}"),
            None if self.failed => "no, stopped at bad input".into(),
            None => "yes".into(),
        };
        let cache = self.cache.words().map_or(String::new(), |words| format!("cache: {words}\n"));
        let summary = format!(
            "puzzles: {puzzles}\nunique: {unique}\n{undecided}several: {several}\nnone: {none}\nunexpected: {unexpected}\n\
             bad: {bad}\n{headers}{files}complete: {complete}\nsolutions: {total}\n{cache}seconds: {seconds:.3}\n\
             puzzles/s: {rate:.0}\n"
        );
        if !self.args.quiet {
            tell(summary.as_bytes(), self.args)?;
        }
        Ok(match stopped {
            Some(_) => Exit::Fault,
            None if !self.failed && bad + bad_headers + bad_files > 0 => Exit::Usage,
            None => self.exit,
        })
    }
}
