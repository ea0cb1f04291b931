//! All cells on one line, one character each; the order comes from their number.

use super::body::{Document, Line, count_of};
use super::cells::{Cells, Layout};
use super::header::Headers;
use super::{WriteError, header, one, table};
use crate::error::InputError;
use crate::grid::{MAX_SYMBOL_ORDER, push_line};
use crate::shape::{MAX_ORDER, MIN_ORDER};
use crate::{ParsedPuzzle, Puzzle};

pub(super) fn read(document: &Document<'_>, headers: Headers) -> Result<ParsedPuzzle, InputError> {
    let line = &document.lines[0];
    let hint = |error: InputError| error.with_hint(&table::hint(line, true).unwrap_or_default());
    let (order, cells) = cells(document, line, Before::Nothing).map_err(hint)?;
    one(document, headers, order, cells, None)
}

/// The order of the lines before a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    /// There are none, or the order may change here.
    Nothing,
    /// A line that cannot be read should have had this one.
    Likely(usize),
    /// Every line has to have this one.
    Binding(usize),
}

/// The order and the cells of a line. Integers are understood too: that is how solutions of orders that have no
/// characters are listed.
pub(super) fn cells(document: &Document<'_>, line: &Line<'_>, before: Before) -> Result<(usize, Cells), InputError> {
    let is_square = |count: usize| count.isqrt().pow(2) == count;
    // Runs that all have two characters, such as `12 34 34 12`, are characters with spaces unless only their number
    // makes sense; runs of one and of two are integers unless only their characters do.
    let apart = line.integers && line.tokens > 1 && line.singles < line.tokens;
    let integers = match (is_square(line.tokens), is_square(line.cells)) {
        (true, true) | (false, false) => line.singles > 0,
        (by_tokens, _) => by_tokens,
    };
    let layout = if apart && integers { Layout::Integers } else { Layout::Characters };
    let found = layout.count(line);
    let order = nearest_order(found);
    let found_cells = of_order(document, line, layout, order);
    let expected = match before {
        Before::Binding(before) => before,
        Before::Likely(before) if found_cells.is_err() => before,
        Before::Likely(_) | Before::Nothing => order,
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
fn of_order(document: &Document<'_>, line: &Line<'_>, layout: Layout, order: usize) -> Result<Cells, InputError> {
    if !(MIN_ORDER..=MAX_ORDER).contains(&order) {
        let message = format!(
            "{} on one line: expected the square of an order from {MIN_ORDER} to {MAX_ORDER}",
            count_of(layout.count(line), "cell")
        );
        return Err(document.error(line.start(), message));
    }
    let mut cells = Cells::default();
    cells.push(document, line, layout, order, order * order).map(|()| cells)
}

/// The order whose grid has this number of cells, or nearest to it.
pub(crate) fn nearest_order(cells: usize) -> usize {
    let below = cells.isqrt();
    // Between n² and (n + 1)² the middle is n² + n + ½.
    if cells > below * below + below { below + 1 } else { below }
}

pub(super) fn write(puzzle: &Puzzle) -> Result<String, WriteError> {
    let order = puzzle.shape.order();
    if order > MAX_SYMBOL_ORDER {
        return Err(WriteError::Symbols { order });
    }
    let mut line = header::write(puzzle, false)?.into_bytes();
    push_line(&mut line, order, puzzle.givens.values().iter().copied());
    line.push(b'\n');
    Ok(String::from_utf8_lossy(&line).into_owned())
}

#[cfg(test)]
mod tests {
    use super::nearest_order;

    #[test]
    fn a_length_belongs_to_the_nearest_square() {
        for (cells, order) in [(0, 0), (1, 1), (2, 1), (3, 2), (80, 9), (81, 9), (90, 9), (91, 10), (256, 16)] {
            assert_eq!(nearest_order(cells), order, "{cells}");
        }
    }
}
