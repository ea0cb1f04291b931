//! A grid of integers with spaces between, 0 where a cell is empty; any order.

use std::fmt::Write;

use super::body::{Document, most_common};
use super::cells::Layout;
use super::header::Headers;
use super::{WriteError, header, rows};
use crate::error::InputError;
use crate::{ParsedPuzzle, Puzzle};

/// Whether these lines are rows of integers rather than of characters with spaces here and there.
pub(super) fn detect(document: &Document<'_>) -> bool {
    let lines = &document.lines;
    let sum = |of: fn(&super::body::Line<'_>) -> usize| lines.iter().map(of).sum::<usize>();
    let (tokens, singles) = (sum(|line| line.tokens), sum(|line| line.singles));
    if singles == tokens || sum(|line| line.integers.into()) * 2 <= lines.len() {
        return false;
    }
    if lines.iter().all(|line| line.tokens == lines.len()) {
        return true;
    }
    let tokens_off = most_common(lines.iter().map(|line| line.tokens), lines.len()).abs_diff(lines.len());
    let cells_off = most_common(lines.iter().map(|line| line.cells), lines.len()).abs_diff(lines.len());
    // Characters are grouped by boxes, so that few groups are of one; most integers of a puzzle are zeros.
    singles * 4 >= tokens || tokens_off < cells_off
}

pub(super) fn read(document: &Document<'_>, headers: Headers) -> Result<ParsedPuzzle, InputError> {
    rows::grid(document, headers, Layout::Integers)
}

pub(super) fn write(puzzle: &Puzzle) -> Result<String, WriteError> {
    Ok(header::write_for_rows(puzzle)?
        + header::write_zero(puzzle)
        + &body(puzzle.givens.values(), puzzle.shape.order()))
}

/// Rows of numbers, in columns.
pub(super) fn body(numbers: &[u8], order: usize) -> String {
    let width = if order < 10 { 1 } else { 2 };
    let mut text = String::new();
    for row in numbers.chunks(order) {
        for (i, number) in row.iter().enumerate() {
            let space = if i == 0 { "" } else { " " };
            // Writing to a string does not fail.
            let _ = write!(text, "{space}{number:>width$}");
        }
        text.push('\n');
    }
    text
}
