//! Rows of integers separated by spaces, 0 for an empty cell; any order.

use super::body::{Document, TextLine, most_common};
use super::{WriteError, header};
use crate::Puzzle;

/// Whether these lines are rows of integers rather than of characters with some spaces.
pub(super) fn detect(document: &Document<'_>) -> bool {
    let lines = &document.lines;
    let sum = |of: fn(&TextLine<'_>) -> usize| lines.iter().map(of).sum::<usize>();
    let (tokens, singles) = (sum(|line| line.tokens), sum(|line| line.singles));
    if singles == tokens || sum(|line| line.integers.into()) * 2 <= lines.len() {
        return false;
    }
    if lines.iter().all(|line| line.tokens == lines.len()) {
        return true;
    }
    let tokens_off = most_common(lines.iter().map(|line| line.tokens), lines.len()).abs_diff(lines.len());
    let cells_off = most_common(lines.iter().map(|line| line.cells), lines.len()).abs_diff(lines.len());
    // Groups of characters are the width of a box, so few have one character; most integers of a puzzle are zeros.
    singles * 4 >= tokens || tokens_off < cells_off
}

pub(super) fn write(puzzle: &Puzzle) -> Result<String, WriteError> {
    Ok(header::write_for_rows(puzzle)?
        + header::write_zero(puzzle)
        + &body(puzzle.givens.values(), puzzle.shape.order()))
}

/// Rows of numbers, aligned to the right.
pub(super) fn body(numbers: &[u8], order: usize) -> String {
    let width = if order < 10 { 1 } else { 2 };
    let mut text = String::new();
    for row in numbers.chunks(order) {
        let row: Vec<String> = row.iter().map(|number| format!("{number:>width$}")).collect();
        text += &(row.join(" ") + "\n");
    }
    text
}
