//! Recognises the format of a text.

use super::body::{Document, TextLine, most_common};
use super::{Format, flagged, header, integers, jigsaw, sudokount};
use crate::grid::value_of;
use crate::shape::MAX_ORDER;

/// The smallest order in a collection: lines of four or nine cells are rows, not puzzles of order 2 or 3.
const MIN_ORDER_IN_COLLECTION: usize = 4;
/// With at least so many givens and no value above 4, sixteen lines of 16 cells are puzzles of 4×4 rather than one of 16×16.
const MIN_GIVENS: usize = 4;

/// The format of a text that holds at least one line of cells.
pub(super) fn detect(document: &Document<'_>) -> Format {
    let lines = &document.lines;
    // As many lines as cells on each are usually the rows of a grid. 81 lines of 81 are puzzles: no grid is as large.
    let rows = lines.len();
    if (2..=MAX_ORDER).contains(&rows) && lines.iter().all(|line| line.cells == rows) {
        if are_puzzles(document, rows, true) { Format::Collection } else { Format::Rows }
    } else if flagged::detect(document) {
        Format::Flagged
    } else if sudokount::detect(document) {
        Format::Sudokount
    } else if rows == 1 {
        Format::Line
    } else if jigsaw::detect(document) {
        Format::Jigsaw
    } else if integers::detect(document) {
        // A line that is too long for a row is a puzzle.
        let width = most_common(lines.iter().map(|line| line.tokens), rows);
        if width > MAX_ORDER { Format::Collection } else { Format::Integers }
    } else if is_collection(document) {
        Format::Collection
    } else {
        Format::Rows
    }
}

/// Whether any text with this beginning is a collection. Two long lines may be the clues and the regions of a jigsaw; three are
/// puzzles.
pub(super) fn begins_collection(document: &Document<'_>) -> bool {
    let Some(first) = document.lines.get(..3) else { return false };
    let puzzle = |line: &TextLine<'_>| line.cells > MAX_ORDER && (!line.integers || line.tokens > MAX_ORDER);
    first.iter().all(puzzle) && !header::requests_map(document)
}

/// Whether lines of characters are puzzles rather than rows of a grid with missing or excess rows.
fn is_collection(document: &Document<'_>) -> bool {
    let lines = &document.lines;
    // No row is as long.
    if lines.iter().any(|line| line.cells > MAX_ORDER) {
        return true;
    }
    // Rows have one length; puzzles may have several orders.
    let mut orders: Vec<usize> = lines.iter().filter_map(|line| order_of_line(line.cells)).collect();
    let most = orders.len() * 2 > lines.len();
    orders.sort_unstable();
    orders.dedup();
    let width = most_common(lines.iter().map(|line| line.cells), lines.len());
    (most && orders.len() > 1) || are_puzzles(document, width, false)
}

/// Whether lines of this width are puzzles rather than rows: sixteen puzzles of 4×4 rather than one of 16×16. `square`: whether
/// there are as many lines as cells on each.
fn are_puzzles(document: &Document<'_>, width: usize, square: bool) -> bool {
    let Some(order) = order_of_line(width) else { return false };
    let orders = header::box_orders(document);
    if orders.contains(&Some(order)) || header::has_several_puzzles(document) || document.lines.len() >= 2 * width {
        return true;
    }
    // Boxes of the larger grid decide for it; so does `none` in a square, though it fits both.
    if orders.contains(&Some(width)) || (square && orders.contains(&None)) {
        return false;
    }
    let (filled, above) = count_givens(document, order);
    (!square || filled >= MIN_GIVENS) && above * 4 <= filled
}

/// The order of the puzzle that a line of so many cells can be.
fn order_of_line(cells: usize) -> Option<usize> {
    let order = cells.isqrt();
    (order >= MIN_ORDER_IN_COLLECTION && order * order == cells).then_some(order)
}

/// The number of givens, and of those above an order. Sixteen cells are a row of 16×16 or all of 4×4: in a row, three of four
/// values are above 4.
fn count_givens(document: &Document<'_>, order: usize) -> (usize, usize) {
    let (mut filled, mut above) = (0, 0);
    for value in document.lines.iter().flat_map(TextLine::symbols).filter_map(value_of) {
        filled += usize::from(value > 0);
        above += usize::from(usize::from(value) > order);
    }
    (filled, above)
}
