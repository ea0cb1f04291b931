//! The report of a collection: the JSON schema `census-batch/1`, with a line for each puzzle.
//!
//! There may be millions of lines: they are kept in a temporary file until the rest of the report is known.
#![warn(missing_docs)]

use std::env;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;

use serde::Serialize;

use crate::count::{CacheStats, MethodName, Solutions};
use crate::puzzle::ErrorScope;

use super::run::{Config, CountOutcome, Provenance};
use super::to_json;
use crate::atomic_file::{directory_of, is_special, resolve_links, write_atomically};

/// The report of a run over several puzzles.
#[derive(Clone, Debug, Serialize)]
pub struct CollectionReport {
    /// Always `census-batch/1`.
    pub schema: &'static str,
    /// Program, command, time and environment.
    #[serde(flatten)]
    pub provenance: Provenance,
    /// Whether every puzzle was counted to its end or to the limit. Input that `--keep-going` skipped does not count; a source that
    /// broke off makes it false.
    pub complete: bool,
    /// The options of the count.
    pub config: Config,
    /// Stands for the lines of the puzzles, in the order of the input: see [`Spool`].
    pub puzzles: [(); 0],
    /// Totals over all puzzles.
    pub result: CollectionResult,
    /// Cache statistics of the puzzles that were not done in the quick attempt; null without lookups.
    pub cache: Option<CacheStats>,
    /// Seconds of the run.
    pub seconds: f64,
    /// Puzzles counted per second of the run.
    pub puzzles_per_second: f64,
}

/// The result of one puzzle of a collection.
#[derive(Clone, Debug, Serialize)]
pub struct PuzzleLine<'a> {
    /// The file it was read from.
    pub file: &'a str,
    /// The line of that file on which it starts.
    pub line: usize,
    /// Its name, if it has one.
    pub name: Option<&'a str>,
    /// The number of solutions found.
    pub solutions: Solutions,
    /// The method that counted them.
    pub method: MethodName,
    /// Nodes visited.
    pub nodes: u64,
    /// Whether all solutions were found.
    pub complete: bool,
    /// Whether the count is the one that the file expects; null if it expects none or the count is incomplete.
    pub matches_expected: Option<bool>,
}

/// Totals of a collection. All fields are numbers of puzzles, except `solutions`, `bad_headers` and `bad_files`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CollectionResult {
    /// Puzzles counted.
    pub puzzles: usize,
    /// Puzzles with exactly one solution.
    pub unique: usize,
    /// Puzzles with several solutions.
    pub several: usize,
    /// Puzzles with one solution or more, because the limit was 1.
    pub undecided: usize,
    /// Puzzles without a solution.
    pub none: usize,
    /// Puzzles whose count differs from the one that their file expects.
    pub unexpected: usize,
    /// The solutions of all puzzles together; null for 2¹²⁸ or more.
    pub solutions: Solutions,
    /// Puzzles with 2¹²⁸ solutions or more; no other field counts them.
    pub beyond_128_bits: usize,
    /// Puzzles that are invalid.
    pub bad: usize,
    /// Headers that are invalid.
    pub bad_headers: usize,
    /// Files that could not be read.
    pub bad_files: usize,
}

impl CollectionResult {
    /// Adds a puzzle.
    pub fn add(&mut self, outcome: CountOutcome) {
        self.puzzles += 1;
        match outcome.solutions.exact() {
            Some(0) => self.none += 1,
            Some(1) if outcome.complete => self.unique += 1,
            Some(1) => self.undecided += 1,
            _ => self.several += 1,
        }
        self.unexpected += usize::from(outcome.matches_expected == Some(false));
        self.solutions = self.solutions.plus(outcome.solutions);
    }

    /// Adds a puzzle with 2¹²⁸ solutions or more.
    pub fn add_beyond(&mut self) {
        self.beyond_128_bits += 1;
        self.solutions = Solutions::OVERFLOW;
    }

    /// Adds an error in the input.
    pub fn add_bad(&mut self, scope: ErrorScope) {
        match scope {
            ErrorScope::Puzzle => self.bad += 1,
            ErrorScope::Header => self.bad_headers += 1,
            ErrorScope::Source => self.bad_files += 1,
        }
    }
}

/// The lines of a report in an unnamed temporary file, until the rest of the report is known.
pub struct Spool {
    lines: BufWriter<File>,
    any: bool,
}

impl Spool {
    /// A file beside the target of the report: where the report fits, its lines do.
    pub fn beside(target: &Path) -> io::Result<Spool> {
        let stream = target == Path::new("-") || is_special(target);
        let directory = if stream { env::temp_dir() } else { directory_of(&resolve_links(target)).into() };
        Ok(Spool { lines: BufWriter::with_capacity(1 << 16, tempfile::tempfile_in(directory)?), any: false })
    }

    /// Appends the line of the next puzzle.
    pub fn push(&mut self, line: &PuzzleLine) -> io::Result<()> {
        self.lines.write_all(if self.any { b",\n    " } else { b"\n    " })?;
        self.any = true;
        Ok(serde_json::to_writer(&mut self.lines, line)?)
    }

    /// Writes the report with its lines.
    pub fn write(self, report: &CollectionReport, to: &mut dyn Write) -> io::Result<()> {
        const START: &str = "\n  \"puzzles\": [";
        let json = to_json(report);
        // No string of the report contains this: JSON escapes line ends.
        let at = json.find(START).map_or(json.len(), |at| at + START.len());
        let mut lines = self.lines.into_inner().map_err(|error| error.into_error())?;
        lines.rewind()?;
        to.write_all(&json.as_bytes()[..at])?;
        io::copy(&mut lines, to)?;
        to.write_all(if self.any { b"\n  " } else { b"" })?;
        to.write_all(&json.as_bytes()[at..])
    }

    /// Writes the report with its lines to a file, atomically.
    pub fn write_to(self, report: &CollectionReport, target: &Path) -> io::Result<()> {
        write_atomically(target, |file| self.write(report, file))
    }
}
