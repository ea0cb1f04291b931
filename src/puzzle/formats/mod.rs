//! The formats: each is recognised by what it holds, not by a file's name, and each has a file of its own here.
//!
//! [`read`] takes comments and frames off (`body`), asks each format whether the lines are its own (`detect`),
//! and lets it read them. Recognition is generous: a file with a slip should get an error about its format, not be
//! told that nobody knows it. [`write()`] adds the headers without which a file would read back as another puzzle.

mod body;
mod cells;
pub(crate) mod collection;
mod detect;
mod flagged;
mod header;
mod integers;
mod jigsaw;
mod line;
mod map;
mod rows;
mod sudokount;
mod table;

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::error::{InputError, Position};
use super::input::{ReadOptions, Text};
use super::{Grid, ParsedPuzzle, Puzzle};
use body::{Document, Line, count_of};
use cells::Cells;
pub use collection::PuzzleInfo;
use header::Headers;
pub(super) use line::nearest_order;
use map::Map;

/// A way to write a puzzle as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// All cells on one line, one character each.
    Line,
    /// Many puzzles, one a line (`.sdm`).
    Collection,
    /// Rows of one character a cell, with or without frames (`.sdk`, `.ss`).
    Rows,
    /// Rows of integers.
    Integers,
    /// Order and flag, rows, and a region map where the flag is 1.
    Flagged,
    /// Box size and integers (Marathon of Parallel Programming).
    Sudokount,
    /// A line of clues and a line of regions.
    Jigsaw,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 7] = [
        Format::Line,
        Format::Collection,
        Format::Rows,
        Format::Integers,
        Format::Flagged,
        Format::Sudokount,
        Format::Jigsaw,
    ];

    /// Its name, as options take it.
    pub fn name(self) -> &'static str {
        match self {
            Format::Line => "line",
            Format::Collection => "collection",
            Format::Rows => "rows",
            Format::Integers => "integers",
            Format::Flagged => "flagged",
            Format::Sudokount => "sudokount",
            Format::Jigsaw => "jigsaw",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Why a puzzle cannot be written in a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The format has one character a cell, and there are too few characters.
    #[error(
        "order {order} has values without a character: only the formats integers, flagged and sudokount can hold it"
    )]
    Symbols {
        /// The order of the puzzle.
        order: usize,
    },
    /// The format has no place for a region map.
    #[error("this format cannot hold the regions of a jigsaw: only the formats flagged and jigsaw can")]
    Jigsaw,
    /// The format is a region map, and the puzzle has none.
    #[error("the format jigsaw needs a region map, and this puzzle has none")]
    NoMap,
    /// The format takes square boxes only.
    #[error("the format sudokount takes orders 4, 9, 16, 25, 36, 49 and 64, not {order}")]
    NotSquare {
        /// The order of the puzzle.
        order: usize,
    },
    /// The name cannot stand in a comment.
    #[error("the puzzle's name is blank, or has spaces at an end or control characters in it")]
    Name,
}

/// Reads every puzzle of a text, in whatever format it is.
pub fn read(text: &Text) -> Result<Vec<ParsedPuzzle>, InputError> {
    match begin(text)? {
        Begun::One(reading) => Ok(vec![*reading]),
        Begun::Collection(within) => collection::read(text, within),
    }
}

/// What a text turns out to be.
pub(crate) enum Begun {
    /// One puzzle, which has been read.
    One(Box<ParsedPuzzle>),
    /// Puzzles on these lines, to be read one by one.
    Collection(RangeInclusive<usize>),
}

/// Recognises the format of a text, and reads it unless it is a collection.
pub(crate) fn begin(text: &Text) -> Result<Begun, InputError> {
    let mut document = Document::new(text);
    if document.lines.is_empty() {
        return Err(nothing_in(document.source));
    }
    rows::keep_puzzle_section(&mut document)?;
    document.zero = text.options.zero.or_else(|| header::zero(&document));
    let headers = || Headers::of(&document);
    let reading = match detect::detect(&document) {
        Format::Line => line::read(&document, headers()?),
        Format::Collection => {
            jigsaw::refuse_unclear_pair(&document)?;
            jigsaw::refuse_maps(&document)?;
            let (first, last) = (&document.lines[0], &document.lines[document.lines.len() - 1]);
            return Ok(Begun::Collection(first.number..=last.number));
        }
        Format::Rows => rows::read(&document, headers()?),
        Format::Integers => integers::read(&document, headers()?),
        Format::Flagged => flagged::read(&document, headers()?),
        Format::Sudokount => sudokount::read(&document, headers()?),
        Format::Jigsaw => jigsaw::read(&document, headers()?),
    };
    reading.map(|reading| Begun::One(Box::new(reading)))
}

/// What is wrong with a text without a puzzle: with all of it.
pub(crate) fn nothing_in(source: &str) -> InputError {
    InputError::new(source, Some(Position { line: 1, column: 1 }), "there is no puzzle in here").about_source()
}

/// Refuses a collection that begins with these lines if a region map is among them.
pub(crate) fn refuse_maps(name: &Arc<str>, lines: &[u8]) -> Result<(), InputError> {
    let content = String::from_utf8_lossy(lines).into_owned();
    let options = ReadOptions::default();
    jigsaw::refuse_maps(&Document::new(&Text { name: Arc::clone(name), content, raw: Vec::new(), options }))
}

/// Whether a text that begins with these lines is a collection, whatever follows.
pub(crate) fn begins_collection(lines: &[u8]) -> bool {
    let Ok(content) = std::str::from_utf8(lines) else { return false };
    let options = ReadOptions::default();
    let text = Text { name: "".into(), content: content.into(), raw: Vec::new(), options };
    detect::begins_collection(&Document::new(&text))
}

/// Writes a puzzle so that reading the text gives the same puzzle again.
pub fn write(puzzle: &Puzzle, format: Format) -> Result<String, WriteError> {
    match format {
        Format::Line | Format::Collection => line::write(puzzle),
        Format::Rows => rows::write(puzzle),
        Format::Integers => integers::write(puzzle),
        Format::Flagged => flagged::write(puzzle),
        Format::Sudokount => sudokount::write(puzzle),
        Format::Jigsaw => jigsaw::write(puzzle),
    }
}

/// The one puzzle of a file.
fn one(
    document: &Document<'_>,
    mut headers: Headers,
    order: usize,
    cells: Cells,
    map: Option<Map>,
) -> Result<ParsedPuzzle, InputError> {
    cells.check_zero(document, order)?;
    let shape = headers.shape(document, order, map.as_ref(), document.lines[0].start())?;
    let (name, expected) = headers.next();
    let puzzle = Puzzle { name, shape, givens: Grid::new(cells.values), expected };
    Ok(ParsedPuzzle { puzzle, source: Arc::clone(document.source), places: cells.places })
}

/// Refuses a grid with too few or too many rows, and points at where the next should begin, or at the first too many.
fn check_row_count(document: &Document<'_>, rows: &[Line<'_>], expected: usize, what: &str) -> Result<(), InputError> {
    if rows.len() == expected {
        return Ok(());
    }
    let place = match (rows.get(expected), rows.last()) {
        (Some(extra), _) => extra.start(),
        (None, Some(last)) => last.end(),
        (None, None) => document.lines[0].end(),
    };
    let message = format!("the {what} has {}, expected {expected}", count_of(rows.len(), "row"));
    Err(document.error(place, message))
}
