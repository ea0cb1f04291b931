//! Which format a text is in, by what it holds.

use super::body::{Document, most_common};
use super::{Format, flagged, integers, jigsaw, sudokount};
use crate::puzzle::grid::value_of;
use crate::puzzle::shape::MAX_ORDER;

/// The format of a text that holds at least one line of cells.
pub(super) fn recognise(document: &Document<'_>) -> Format {
    let lines = &document.lines;
    // As many rows as each has cells is a grid, whatever else it might be: nine lines of nine are not nine puzzles.
    // But 81 lines of 81 are: no grid is as large.
    let rows = lines.len();
    if (2..=MAX_ORDER).contains(&rows) && lines.iter().all(|line| line.cells == rows) {
        Format::Rows
    } else if flagged::recognise(document) {
        Format::Flagged
    } else if sudokount::recognise(document) {
        Format::Sudokount
    } else if lines.len() == 1 {
        Format::Line
    } else if jigsaw::recognise(document) {
        Format::Jigsaw
    } else if integers::recognise(document) {
        // A line too long to be a row is a puzzle of its own.
        let width = most_common(lines.iter().map(|line| line.tokens), lines.len());
        if width > MAX_ORDER { Format::Collection } else { Format::Integers }
    } else if is_collection(document) {
        Format::Collection
    } else {
        Format::Rows
    }
}

/// Whether lines of characters are puzzles rather than rows of a grid with some row missing or too many.
fn is_collection(document: &Document<'_>) -> bool {
    let lines = &document.lines;
    let width = most_common(lines.iter().map(|line| line.cells), lines.len());
    if width > MAX_ORDER {
        return true;
    }
    let order = width.isqrt();
    // Lines of four or nine are rows: puzzles of order 2 and 3 are too small to be collected.
    if order < 4 || order * order != width {
        return false;
    }
    // Sixteen cells are a row of 16×16 or all of 4×4. In a row, three values of four are above 4.
    if lines.len() >= 2 * width {
        return true;
    }
    let (mut filled, mut above) = (0, 0);
    for value in lines.iter().flat_map(|line| line.characters()).filter_map(|(_, c)| value_of(c)) {
        filled += usize::from(value > 0);
        above += usize::from(usize::from(value) > order);
    }
    filled > 0 && above * 4 <= filled
}
