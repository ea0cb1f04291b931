//! Rows of one character per cell, with or without frames; also `.sdk` files with sections.

use super::body::{Document, TextLine, most_common, quantity};
use super::cells::{Cells, Layout};
use super::header::Headers;
use super::{WriteError, check_row_count, header, one, symbols};
use crate::shape::{MAX_ORDER, MIN_ORDER};
use crate::{InputError, ParsedPuzzle, Position, Puzzle};

/// Keeps the lines of the section `[Puzzle]`; without it, the lines before the first section.
pub(super) fn keep_puzzle_section(document: &mut Document<'_>) -> Result<(), InputError> {
    let title = |line: &TextLine<'_>| section_of(line).is_some();
    let is_puzzle = |line: &TextLine<'_>| section_of(line).is_some_and(is_puzzle_section);
    let Some(first) = document.lines.iter().position(title) else { return Ok(()) };
    let start = document.lines.iter().position(is_puzzle).map_or(0, |at| at + 1);
    let length = document.lines[start..].iter().take_while(|line| !title(line)).count();
    if length == 0 {
        let at = &document.lines[if start > 0 { start - 1 } else { first }];
        let position =
            Position { line: at.number, column: 1 + at.text.chars().take_while(|c| c.is_whitespace()).count() };
        return Err(document.error(position, "expected a [Puzzle] section with the rows of a grid"));
    }
    document.lines = document.lines[start..start + length].to_vec();
    Ok(())
}

/// The name of the section that begins on a line.
pub(super) fn section_of<'a>(line: &TextLine<'a>) -> Option<&'a str> {
    let inner = line.text.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner.filter(|word| word.chars().all(char::is_alphanumeric))
}

pub(super) fn is_puzzle_section(name: &str) -> bool {
    name.eq_ignore_ascii_case("puzzle")
}

/// A grid whose order is the most common length of a row.
pub(super) fn read(document: &Document<'_>, headers: Headers, layout: Layout) -> Result<ParsedPuzzle, InputError> {
    let rows = &document.lines;
    let order = most_common(rows.iter().map(|row| layout.count(row)), rows.len());
    if !(MIN_ORDER..=MAX_ORDER).contains(&order) {
        let message = format!("rows of {}: expected an order from {MIN_ORDER} to {MAX_ORDER}", quantity(order, "cell"));
        return Err(document.error(rows[0].start(), message));
    }
    let mut cells = Cells::default();
    for row in rows.iter().take(order) {
        cells.push(document, row, layout, order, order)?;
    }
    let several = rows.len() * 2 > order * 3;
    let hint = if several { ": one grid per file, or one puzzle per line" } else { "" };
    check_row_count(document, rows, order, "grid").map_err(|error| error.with_hint(hint))?;
    one(document, headers, order, cells, None)
}

pub(super) fn write(puzzle: &Puzzle) -> Result<String, WriteError> {
    let body = body(puzzle)?;
    Ok(header::write_for_rows(puzzle)? + &body)
}

pub(super) fn body(puzzle: &Puzzle) -> Result<String, WriteError> {
    let order = puzzle.shape.order();
    puzzle.givens.values().chunks(order).map(|row| Ok(symbols(order, row)? + "\n")).collect()
}
