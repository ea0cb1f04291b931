//! Reading and writing puzzles as text. A format is recognised by the content, not by a file's name.
//!
//! [`read`] removes comments and frames (`body`), recognises the format (`detect`) and parses the lines; each format has a
//! module of its own. Recognition accepts files with mistakes, so that the error is about the intended format.
//! [`write()`] adds the headers that are needed to read the same puzzle back.

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

use std::collections::BTreeSet;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::grid::{MAX_SYMBOL_ORDER, symbol, value_of};
use crate::{Grid, InputError, ParsedPuzzle, Position, Puzzle, Text};
pub(crate) use body::split_lines;
use body::{Document, TextLine, quantity};
use cells::{Cells, Layout};
use header::Headers;
pub(crate) use line::nearest_order;
use map::Map;

/// A text format for puzzles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the table below says it")]
pub enum Format {
    Line,
    Collection,
    Rows,
    Integers,
    Flagged,
    Sudokount,
    Jigsaw,
}

impl Format {
    /// All formats with their names in options and descriptions, in the order of the variants.
    const TABLE: [(Format, &'static str, &'static str); 7] = [
        (Format::Line, "line", "one line, a character for each cell"),
        (Format::Collection, "collection", "one puzzle a line (.sdm)"),
        (Format::Rows, "rows", "rows of characters, with or without frames (.sdk, .ss)"),
        (Format::Integers, "integers", "rows of integers"),
        (Format::Flagged, "flagged", "order and flag, rows of integers, and a map of regions if the flag is 1"),
        (Format::Sudokount, "sudokount", "box size and integers (Marathon of Parallel Programming)"),
        (Format::Jigsaw, "jigsaw", "a line of clues and a line of regions"),
    ];

    /// All formats.
    pub fn all() -> impl Iterator<Item = Format> + Clone {
        Format::TABLE.into_iter().map(|(format, ..)| format)
    }

    /// The name in options.
    pub fn name(self) -> &'static str {
        Format::TABLE[self as usize].1
    }

    /// What it looks like, in a few words.
    pub fn help(self) -> &'static str {
        Format::TABLE[self as usize].2
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The reason for which a puzzle cannot be written in a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum WriteError {
    #[error(
        "order {order} has values without a character: only the formats integers, flagged and sudokount can hold it"
    )]
    Symbols { order: usize },
    #[error("this format cannot hold the regions of a jigsaw: only the formats flagged and jigsaw can")]
    Jigsaw,
    #[error("the format jigsaw needs a region map, and this puzzle has none")]
    NoMap,
    #[error("the format sudokount takes orders 4, 9, 16, 25, 36, 49 and 64, not {order}")]
    NotSquare { order: usize },
    #[error("the puzzle's name is blank, or has spaces at an end or control characters in it")]
    Name,
}

/// Recognises the format of a text and reads all its puzzles. Givens may conflict: see [`ParsedPuzzle::checked`].
pub fn read(text: &Text) -> Result<Vec<ParsedPuzzle>, InputError> {
    match recognize(text)? {
        Contents::One(parsed) => Ok(vec![*parsed]),
        Contents::Collection(lines) => collection::read(text, lines),
    }
}

pub(crate) enum Contents {
    One(Box<ParsedPuzzle>),
    /// Puzzles on these lines, not yet read.
    Collection(RangeInclusive<usize>),
}

/// Recognises the format of a text, and reads the puzzle unless it is a collection.
pub(crate) fn recognize(text: &Text) -> Result<Contents, InputError> {
    let mut document = Document::new(&text.name, 1, &text.content, None);
    if document.lines.is_empty() {
        return Err(no_puzzle(document.source));
    }
    if let Some(stray) = stray_symbol(&document) {
        return Err(document.error(stray, "this is not a puzzle in a known format (docs/formats.md)"));
    }
    rows::keep_puzzle_section(&mut document)?;
    document.zero = text.options.zero.or_else(|| header::zero(&document));
    let read: fn(&Document<'_>, Headers) -> Result<ParsedPuzzle, InputError> = match detect::detect(&document) {
        Format::Line => line::read,
        Format::Collection => {
            jigsaw::reject_ambiguous_pair(&document)?;
            jigsaw::reject_maps(&document)?;
            let (first, last) = (&document.lines[0], &document.lines[document.lines.len() - 1]);
            return Ok(Contents::Collection(first.number..=last.number));
        }
        Format::Rows => |document, headers| rows::read(document, headers, Layout::Characters),
        Format::Integers => |document, headers| rows::read(document, headers, Layout::Integers),
        Format::Flagged => flagged::read,
        Format::Sudokount => sudokount::read,
        Format::Jigsaw => jigsaw::read,
    };
    Ok(Contents::One(Box::new(read(&document, Headers::of(&document)?)?)))
}

/// The first symbol of no format, if the text has more kinds of them than slips and tables explain: source code or prose.
fn stray_symbol(document: &Document<'_>) -> Option<Position> {
    const MAX_KINDS: usize = 3;
    let is_stray = |c: char| value_of(c).is_none() && !",;\"'".contains(c);
    let kinds: BTreeSet<char> = document.lines.iter().flat_map(TextLine::symbols).filter(|&c| is_stray(c)).collect();
    let mut tokens = document.lines.iter().flat_map(TextLine::characters);
    tokens.find(|token| kinds.len() > MAX_KINDS && token.text.chars().any(is_stray)).map(|token| token.position)
}

/// The error for a text without a puzzle.
pub(crate) fn no_puzzle(source: &str) -> InputError {
    InputError::new(source, Some(Position { line: 1, column: 1 }), "no puzzle found").in_source()
}

/// Rejects a collection that begins with these lines if one of them is a region map.
pub(crate) fn reject_maps(name: &Arc<str>, lines: &[u8]) -> Result<(), InputError> {
    jigsaw::reject_maps(&Document::new(name, 1, &String::from_utf8_lossy(lines), None))
}

/// Whether a text that begins with these lines is a collection, whatever follows.
pub(crate) fn begins_collection(lines: &[u8]) -> bool {
    std::str::from_utf8(lines).is_ok_and(|lines| detect::begins_collection(&Document::new(&"".into(), 1, lines, None)))
}

/// Writes a puzzle as text that [`read`] turns back into the same puzzle.
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

/// One line of symbols, for a format with one character per cell.
fn symbols(order: usize, values: &[u8]) -> Result<String, WriteError> {
    if order > MAX_SYMBOL_ORDER {
        return Err(WriteError::Symbols { order });
    }
    Ok(values.iter().map(|&value| symbol(value).unwrap_or('?')).collect())
}

/// Builds the puzzle of a format for one puzzle.
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
    Ok(ParsedPuzzle { puzzle, source: Arc::clone(document.source), positions: cells.positions })
}

/// Rejects a grid with missing or excess rows; the position is the end of the last row or the first excess row.
fn check_row_count(
    document: &Document<'_>,
    rows: &[TextLine<'_>],
    expected: usize,
    what: &str,
) -> Result<(), InputError> {
    if rows.len() == expected {
        return Ok(());
    }
    let position = match (rows.get(expected), rows.last()) {
        (Some(extra), _) => extra.start(),
        (None, Some(last)) => last.end(),
        (None, None) => document.lines[0].end(),
    };
    let message = format!("the {what} has {}, expected {expected}", quantity(rows.len(), "row"));
    Err(document.error(position, message))
}
