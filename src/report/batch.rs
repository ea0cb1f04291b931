//! The report of a run over several puzzles: the JSON schema `census-batch/1`, a line a puzzle.
//!
//! There may be millions of lines: they wait in a file until the rest of the report is known.

use std::env;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;

use serde::Serialize;

use crate::count::{CacheStats, MethodName, Solutions};
use crate::puzzle::ErrorScope;

use super::run::{Answer, Config, Provenance};
use super::to_json;
use crate::atomic_file::{directory_of, is_special, resolve_links, write_atomically};

/// What a run over several puzzles says about itself.
#[derive(Clone, Debug, Serialize)]
pub struct CollectionReport {
    /// `census-batch/1`.
    pub schema: &'static str,
    /// What ran when and where.
    #[serde(flatten)]
    pub provenance: Provenance,
    /// Whether the run came to the end that was asked for: all solutions of each puzzle, or as many as the limit. What failed
    /// by itself and was passed over is no end; a source that broke off is.
    pub complete: bool,
    /// How each puzzle was counted.
    pub config: Config,
    /// The place of the puzzles, in the order in which they were given: see [`Spool`].
    puzzles: [(); 0],
    /// All of them together.
    pub result: CollectionResult,
    /// What caches were used for in the puzzles that took more than a moment; null where nobody looked.
    pub cache: Option<CacheStats>,
    /// Seconds of the whole run.
    pub seconds: f64,
    /// Puzzles counted in a second.
    pub puzzles_per_second: f64,
}

impl CollectionReport {
    /// The report of counting puzzles, all that there were, without a cache.
    pub fn new(
        provenance: Provenance,
        config: Config,
        result: CollectionResult,
        seconds: f64,
        puzzles_per_second: f64,
    ) -> Self {
        CollectionReport {
            schema: "census-batch/1",
            provenance,
            complete: true,
            config,
            puzzles: [],
            result,
            cache: None,
            seconds,
            puzzles_per_second,
        }
    }
}

/// One puzzle of a collection and what came out.
#[derive(Clone, Debug, Serialize)]
pub struct PuzzleLine<'a> {
    /// Where it was read from.
    pub file: &'a str,
    /// The line of that file on which it starts.
    pub line: usize,
    /// Its name.
    pub name: Option<&'a str>,
    /// The solutions counted.
    pub solutions: Solutions,
    /// The method that counted them.
    pub method: MethodName,
    /// The nodes visited.
    pub nodes: u64,
    /// Whether these are all solutions.
    pub complete: bool,
    /// Whether that is what the file expects; null where it expects nothing or not all was counted.
    pub matches_expected: Option<bool>,
}

/// What came out of a collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CollectionResult {
    /// Puzzles counted.
    pub puzzles: usize,
    /// Those with exactly one solution.
    pub unique: usize,
    /// Those with several.
    pub several: usize,
    /// Those with one or more: the limit was 1.
    #[serde(default)]
    pub undecided: usize,
    /// Those with none.
    pub none: usize,
    /// Those whose count is not what their file expects.
    pub unexpected: usize,
    /// The solutions of all puzzles together; null where these are more than 128 bits can count.
    pub solutions: Solutions,
    /// Puzzles that have more solutions than 128 bits can count: they are in no other number here.
    pub beyond_128_bits: usize,
    /// Puzzles that could not be read.
    pub bad: usize,
    /// Headers that could not be understood.
    pub bad_headers: usize,
    /// Files that could not be read at all.
    pub bad_files: usize,
}

impl CollectionResult {
    /// One more puzzle.
    pub fn add(&mut self, answer: Answer) {
        self.puzzles += 1;
        match answer.solutions.exact() {
            Some(0) => self.none += 1,
            Some(1) if answer.complete => self.unique += 1,
            Some(1) => self.undecided += 1,
            _ => self.several += 1,
        }
        self.unexpected += usize::from(answer.matches_expected == Some(false));
        self.solutions = self.solutions.plus(answer.solutions);
    }

    /// One more puzzle, with more solutions than can be counted.
    pub fn add_beyond(&mut self) {
        self.beyond_128_bits += 1;
        self.solutions = Solutions::OVERFLOW;
    }

    /// One more thing that could not be read.
    pub fn add_bad(&mut self, subject: ErrorScope) {
        match subject {
            ErrorScope::Puzzle => self.bad += 1,
            ErrorScope::Header => self.bad_headers += 1,
            ErrorScope::Source => self.bad_files += 1,
        }
    }
}

/// The lines of puzzles that wait for the rest of their report, in a file without a name.
pub struct Spool {
    lines: BufWriter<File>,
    any: bool,
}

impl Spool {
    /// A spool where there should be room: beside the report that it is for.
    pub fn beside(target: &Path) -> io::Result<Spool> {
        let stream = target == Path::new("-") || is_special(target);
        let directory = if stream { env::temp_dir() } else { directory_of(&resolve_links(target)).into() };
        Ok(Spool { lines: BufWriter::with_capacity(1 << 16, tempfile::tempfile_in(directory)?), any: false })
    }

    /// Adds the line of the next puzzle.
    pub fn push(&mut self, line: &PuzzleLine) -> io::Result<()> {
        self.lines.write_all(if self.any { b",\n    " } else { b"\n    " })?;
        self.any = true;
        Ok(serde_json::to_writer(&mut self.lines, line)?)
    }

    /// Writes the report with its lines.
    pub fn write(self, report: &CollectionReport, to: &mut dyn Write) -> io::Result<()> {
        const PLACE: &str = "\n  \"puzzles\": [";
        let json = to_json(report);
        // No text inside of it can look like this: line ends in a text are escaped.
        let at = json.find(PLACE).map_or(json.len(), |at| at + PLACE.len());
        let mut lines = self.lines.into_inner().map_err(|error| error.into_error())?;
        lines.rewind()?;
        to.write_all(&json.as_bytes()[..at])?;
        io::copy(&mut lines, to)?;
        to.write_all(if self.any { b"\n  " } else { b"" })?;
        to.write_all(&json.as_bytes()[at..])
    }

    /// Writes the report with its lines to a file, whole or not at all.
    pub fn write_to(self, report: &CollectionReport, target: &Path) -> io::Result<()> {
        write_atomically(target, |file| self.write(report, file))
    }
}
