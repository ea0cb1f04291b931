//! A grid drawn row by row, one character a cell, with or without frames; also `.sdk` files with their sections.

use super::body::{Document, Line, count_of, most_common};
use super::cells::{Cells, Layout};
use super::header::Headers;
use super::{WriteError, check_row_count, header, one};
use crate::error::{InputError, Position};
use crate::grid::{MAX_SYMBOL_ORDER, push_line};
use crate::shape::{MAX_ORDER, MIN_ORDER};
use crate::{ParsedPuzzle, Puzzle};

/// Keeps the lines of the `[Puzzle]` section of a file that has sections; without one, the lines before the first.
pub(super) fn keep_puzzle_section(document: &mut Document<'_>) -> Result<(), InputError> {
    let title = |line: &Line<'_>| section_of(line).is_some();
    let is_puzzle = |line: &Line<'_>| section_of(line).is_some_and(is_puzzle_section);
    let Some(first) = document.lines.iter().position(title) else { return Ok(()) };
    let start = document.lines.iter().position(is_puzzle).map_or(0, |at| at + 1);
    let length = document.lines[start..].iter().take_while(|line| !title(line)).count();
    if length == 0 {
        let at = &document.lines[if start > 0 { start - 1 } else { first }];
        let place = Position { line: at.number, column: 1 + at.text.chars().take_while(|c| c.is_whitespace()).count() };
        return Err(document.error(place, "expected a [Puzzle] section with the rows of a grid"));
    }
    document.lines = document.lines[start..start + length].to_vec();
    Ok(())
}

/// The section that begins on a line, if one does.
pub(super) fn section_of<'a>(line: &Line<'a>) -> Option<&'a str> {
    let inner = line.text.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner.filter(|word| word.chars().all(char::is_alphanumeric))
}

/// Whether this is the name of the section with the puzzle.
pub(super) fn is_puzzle_section(name: &str) -> bool {
    name.eq_ignore_ascii_case("puzzle")
}

pub(super) fn read(document: &Document<'_>, headers: Headers) -> Result<ParsedPuzzle, InputError> {
    grid(document, headers, Layout::Characters)
}

/// A grid whose order is the length that most rows have.
pub(super) fn grid(document: &Document<'_>, headers: Headers, layout: Layout) -> Result<ParsedPuzzle, InputError> {
    let rows = &document.lines;
    let order = most_common(rows.iter().map(|row| layout.count(row)), rows.len());
    if !(MIN_ORDER..=MAX_ORDER).contains(&order) {
        let message = format!("rows of {}: expected an order from {MIN_ORDER} to {MAX_ORDER}", count_of(order, "cell"));
        return Err(document.error(rows[0].start(), message));
    }
    let mut cells = Cells::default();
    for row in rows.iter().take(order) {
        cells.push(document, row, layout, order, order)?;
    }
    let several = rows.len() * 2 > order * 3;
    let hint = if several { ": one grid a file, or one puzzle a line" } else { "" };
    check_row_count(document, rows, order, "grid").map_err(|error| error.with_hint(hint))?;
    one(document, headers, order, cells, None)
}

pub(super) fn write(puzzle: &Puzzle) -> Result<String, WriteError> {
    let order = puzzle.shape.order();
    if order > MAX_SYMBOL_ORDER {
        return Err(WriteError::Symbols { order });
    }
    Ok(header::write_for_rows(puzzle)? + &body(puzzle))
}

/// The rows of a puzzle whose values have a character each.
pub(super) fn body(puzzle: &Puzzle) -> String {
    let order = puzzle.shape.order();
    let mut text = Vec::new();
    for row in puzzle.givens.values().chunks(order) {
        push_line(&mut text, order, row.iter().copied());
        text.push(b'\n');
    }
    String::from_utf8_lossy(&text).into_owned()
}
