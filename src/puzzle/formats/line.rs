//! All cells on one line, one character each; their number determines the order.

use super::body::{Document, TextLine, quantity};
use super::cells::{Cells, Layout};
use super::header::Headers;
use super::{WriteError, header, one, symbols, table};
use crate::shape::{MAX_ORDER, MIN_ORDER};
use crate::{InputError, ParsedPuzzle, Puzzle};

pub(super) fn read(document: &Document<'_>, headers: Headers) -> Result<ParsedPuzzle, InputError> {
    let line = &document.lines[0];
    let hint = |error: InputError| error.with_hint(&table::hint(line, true).unwrap_or_default());
    let (order, cells) = cells(document, line, ExpectedOrder::Any).map_err(hint)?;
    one(document, headers, order, cells, None)
}

/// What earlier lines require of the order of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExpectedOrder {
    /// There are none, or the order may change.
    Any,
    /// Used in the error for a line that cannot be read.
    Likely(usize),
    Required(usize),
}

/// The order and the cells of a line. Integers are accepted, too: `list` writes them for orders above 35.
pub(super) fn cells(
    document: &Document<'_>,
    line: &TextLine<'_>,
    expected: ExpectedOrder,
) -> Result<(usize, Cells), InputError> {
    let is_square = |count: usize| count.isqrt().pow(2) == count;
    // If one of the counts is a square, it decides. If both or neither are, runs that all have two characters, such as
    // `12 34 34 12`, are characters with spaces, and runs of one and of two are integers.
    let apart = line.integers && line.tokens > 1 && line.singles < line.tokens;
    let integers = match (is_square(line.tokens), is_square(line.cells)) {
        (true, true) | (false, false) => line.singles > 0,
        (by_tokens, _) => by_tokens,
    };
    let layout = if apart && integers { Layout::Integers } else { Layout::Characters };
    let found = layout.count(line);
    let order = nearest_order(found);
    let found_cells = of_order(document, line, layout, order);
    let expected = match expected {
        ExpectedOrder::Required(required) => required,
        ExpectedOrder::Likely(likely) if found_cells.is_err() => likely,
        ExpectedOrder::Likely(_) | ExpectedOrder::Any => order,
    };
    if expected != order {
        let hint = match found_cells {
            Ok(_) => format!("; for an order of {order}, write `# boxes: usual` above it or add --mixed"),
            Err(_) => String::new(),
        };
        let mut cells = Cells::as_before();
        let pushed = cells.push(document, line, layout, expected, expected * expected);
        return pushed.map(|()| (expected, cells)).map_err(|error| error.with_hint(&hint));
    }
    let cells = found_cells?;
    cells.check_zero(document, order)?;
    Ok((order, cells))
}

/// The cells of a line that is a grid of this order.
fn of_order(document: &Document<'_>, line: &TextLine<'_>, layout: Layout, order: usize) -> Result<Cells, InputError> {
    if !(MIN_ORDER..=MAX_ORDER).contains(&order) {
        let message = format!(
            "{} on one line: expected the square of an order from {MIN_ORDER} to {MAX_ORDER}",
            quantity(layout.count(line), "cell")
        );
        return Err(document.error(line.start(), message));
    }
    let mut cells = Cells::default();
    cells.push(document, line, layout, order, order * order).map(|()| cells)
}

/// The order whose number of cells is nearest.
pub(crate) fn nearest_order(cells: usize) -> usize {
    let below = cells.isqrt();
    // The mean of n² and (n + 1)² is n² + n + ½.
    if cells > below * below + below { below + 1 } else { below }
}

pub(super) fn write(puzzle: &Puzzle) -> Result<String, WriteError> {
    let line = symbols(puzzle.shape.order(), puzzle.givens.values())?;
    Ok(header::write(puzzle, false)? + &line + "\n")
}
