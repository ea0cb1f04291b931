//! Which format a text is in, by what it holds.

use super::body::{Document, Line, most_common};
use super::{Format, flagged, header, integers, jigsaw, sudokount};
use crate::grid::value_of;
use crate::shape::MAX_ORDER;

/// The smallest order of which lines are taken for puzzles: lines of four or nine cells are rows, since puzzles of order 2
/// and 3 are too small to be collected.
const LEAST_COLLECTED: usize = 4;
/// From so many givens on, a grid of 16×16 with no value above 4 is too odd to be one.
const SEVERAL: usize = 4;

/// The format of a text that holds at least one line of cells.
pub(super) fn detect(document: &Document<'_>) -> Format {
    let lines = &document.lines;
    // As many rows as each has cells is a grid, as a rule: nine lines of nine are not nine puzzles.
    // But 81 lines of 81 are: no grid is as large.
    let rows = lines.len();
    if (2..=MAX_ORDER).contains(&rows) && lines.iter().all(|line| line.cells == rows) {
        if is_collection_all_the_same(document, rows) { Format::Collection } else { Format::Rows }
    } else if flagged::detect(document) {
        Format::Flagged
    } else if sudokount::detect(document) {
        Format::Sudokount
    } else if rows == 1 {
        Format::Line
    } else if jigsaw::detect(document) {
        Format::Jigsaw
    } else if integers::detect(document) {
        // A line too long to be a row is a puzzle of its own.
        let width = most_common(lines.iter().map(|line| line.tokens), rows);
        if width > MAX_ORDER { Format::Collection } else { Format::Integers }
    } else if is_collection(document) {
        Format::Collection
    } else {
        Format::Rows
    }
}

/// Whether a text that begins like this is a collection, whatever follows. Two long lines may be the clues and the regions of a
/// jigsaw; three are puzzles.
pub(super) fn begins_collection(document: &Document<'_>) -> bool {
    let Some(first) = document.lines.get(..3) else { return false };
    let puzzle = |line: &Line<'_>| line.cells > MAX_ORDER && (!line.integers || line.tokens > MAX_ORDER);
    first.iter().all(puzzle) && !header::promises_map(document)
}

/// Whether as many lines as each has cells are puzzles all the same: sixteen of 4×4 rather than one of 16×16.
fn is_collection_all_the_same(document: &Document<'_>, width: usize) -> bool {
    let Some(order) = order_of_line(width) else { return false };
    let said = header::boxes(document);
    if said.contains(&Some(order)) || header::tells_puzzles_apart(document) {
        return true;
    }
    // Boxes for the whole grid say that it is one; so does `none`, which suits both.
    if said.contains(&Some(width)) || said.contains(&None) {
        return false;
    }
    let (filled, above) = values(document, order);
    filled >= SEVERAL && above * 4 <= filled
}

/// Whether lines of characters are puzzles rather than rows of a grid with some row missing or too many.
fn is_collection(document: &Document<'_>) -> bool {
    let lines = &document.lines;
    // No row has as many characters.
    if lines.iter().any(|line| line.cells > MAX_ORDER) {
        return true;
    }
    // Rows are all alike; puzzles need not be.
    let mut orders: Vec<usize> = lines.iter().filter_map(|line| order_of_line(line.cells)).collect();
    let most = orders.len() * 2 > lines.len();
    orders.sort_unstable();
    orders.dedup();
    if most && orders.len() > 1 {
        return true;
    }
    let width = most_common(lines.iter().map(|line| line.cells), lines.len());
    let Some(order) = order_of_line(width) else { return false };
    let said = header::boxes(document);
    if said.contains(&Some(order)) || header::tells_puzzles_apart(document) || lines.len() >= 2 * width {
        return true;
    }
    if said.contains(&Some(width)) {
        return false;
    }
    let (filled, above) = values(document, order);
    above * 4 <= filled
}

/// The order of the puzzle that a line of so many cells may be.
fn order_of_line(cells: usize) -> Option<usize> {
    let order = cells.isqrt();
    (order >= LEAST_COLLECTED && order * order == cells).then_some(order)
}

/// How many values there are, and how many of them are above an order. Sixteen cells are a row of 16×16 or all of 4×4: in
/// a row, three values of four are above 4.
fn values(document: &Document<'_>, order: usize) -> (usize, usize) {
    let (mut filled, mut above) = (0, 0);
    for value in document.lines.iter().flat_map(|line| line.characters()).filter_map(|(_, c)| value_of(c)) {
        filled += usize::from(value > 0);
        above += usize::from(usize::from(value) > order);
    }
    (filled, above)
}
