//! Reads the cells of a line, as single characters or as integers.

use super::body::{Document, TextLine, Token, is_empty_mark, quantity, quote};
use super::table::is_table;
use crate::grid::{MAX_SYMBOL_ORDER, symbol, value_of};
use crate::{InputError, Position, Zero};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    Characters,
    Integers,
}

impl Layout {
    /// The layout of a grid of this order. All rows decide: a single row of integers with a missing cell may have as many
    /// characters as a complete row has cells.
    pub fn of(rows: &[TextLine<'_>], order: usize) -> Layout {
        if rows.iter().all(|row| row.cells == order) {
            return Layout::Characters;
        }
        let count = |is: &dyn Fn(&TextLine<'_>) -> bool| rows.iter().filter(|row| is(row)).count();
        let integers = count(&|row| row.integers) * 2 > rows.len()
            && count(&|row| row.tokens == order) > count(&|row| row.cells == order);
        if integers { Layout::Integers } else { Layout::Characters }
    }

    pub fn count(self, line: &TextLine<'_>) -> usize {
        match self {
            Layout::Characters => line.cells,
            Layout::Integers => line.tokens,
        }
    }

    pub fn cells<'a>(self, line: &TextLine<'a>) -> Box<dyn Iterator<Item = Token<'a>> + 'a> {
        match self {
            Layout::Characters => Box::new(line.characters()),
            Layout::Integers => Box::new(line.tokens()),
        }
    }
}

/// Values of cells and their positions, row by row.
#[derive(Default)]
pub(super) struct Cells {
    pub values: Vec<u8>,
    pub positions: Vec<Position>,
    /// The first 0, and the number of them.
    zero: Option<Position>,
    zeros: usize,
    /// The first other mark of an empty cell.
    mark: Option<char>,
    /// Whether the expected number of cells comes from earlier lines.
    as_before: bool,
}

impl Cells {
    pub fn as_before() -> Cells {
        Cells { as_before: true, ..Cells::default() }
    }

    /// Adds the cells of a line that should have `expected` of them.
    pub fn push(
        &mut self,
        document: &Document<'_>,
        line: &TextLine<'_>,
        layout: Layout,
        order: usize,
        expected: usize,
    ) -> Result<(), InputError> {
        // Of several errors, a character that is not a cell comes first, since it makes the count unreliable; then a wrong
        // count, since the order may be derived from it; then a value above the order.
        let mut above = None;
        let complete = self.values.len() + expected;
        let from_zero = document.zero == Some(Zero::Value);
        for token @ Token { position, text } in layout.cells(line) {
            let is_mark = text.chars().all(is_empty_mark);
            let number = match layout {
                _ if is_mark => Some(0),
                Layout::Characters => text.chars().next().and_then(value_of).map(u32::from),
                Layout::Integers => token.integer(),
            };
            let number = number.ok_or_else(|| document.error(position, not_a_cell(text, layout, order)))?;
            if is_mark {
                self.mark = self.mark.or(text.chars().next());
            } else if number == 0 {
                self.zero = self.zero.or(Some(position));
                self.zeros += 1;
            }
            let value = if is_mark { 0 } else { number.saturating_add(from_zero.into()) };
            if value as usize > order && above.is_none() {
                above = Some(document.error(position, value_above(value, text, order, from_zero)));
            }
            // Limits the memory for a line that is far too long.
            if self.values.len() < complete {
                self.values.push(u8::try_from(value).unwrap_or(u8::MAX));
                self.positions.push(position);
            }
        }
        let why = if self.as_before { ", as in the lines before" } else { "" };
        check_count(document, line, layout, expected).map_err(|error| error.with_hint(why))?;
        above.map_or(Ok(()), Err)
    }

    /// Rejects a complete grid in which 0 may be a value or an empty cell: the values of some grids are 0 to n−1.
    pub fn check_zero(&self, document: &Document<'_>, order: usize) -> Result<(), InputError> {
        let Some(position) = self.zero.filter(|_| document.zero.is_none()) else { return Ok(()) };
        let why = match self.mark {
            _ if self.values.iter().any(|&value| usize::from(value) == order) => return Ok(()),
            Some(mark) => format!("'{mark}' marks empty cells, too, and no cell has the value {order}"),
            None if self.zeros == order => {
                format!("it occurs {order} times, as a value of a full grid does, and no cell has the value {order}")
            }
            None => return Ok(()),
        };
        let last = order - 1;
        let message = format!(
            "0 may be a value or an empty cell: {why}; `--zero value` reads the values as 0 to {last}, `--zero empty` as 1 to {order}"
        );
        Err(document.error(position, message))
    }
}

/// Whether [`Cells::check_zero`] would reject a grid whose empty cells are all written as 0.
pub(super) fn is_zero_ambiguous(values: &[u8], order: usize) -> bool {
    values.iter().filter(|&&value| value == 0).count() == order
        && values.iter().all(|&value| usize::from(value) != order)
}

/// Rejects a line with missing or excess cells; the position is the end of the line or the first excess cell.
pub(super) fn check_count(
    document: &Document<'_>,
    line: &TextLine<'_>,
    layout: Layout,
    expected: usize,
) -> Result<(), InputError> {
    let found = layout.count(line);
    if found == expected {
        return Ok(());
    }
    let position = layout.cells(line).nth(expected).map_or_else(|| line.end(), |token| token.position);
    let blank = found < expected && line.has_frame() && !is_table(line);
    let hint = if blank { "; an empty cell is written as . or 0" } else { "" };
    Err(document.error(position, format!("this line has {}, expected {expected}{hint}", quantity(found, "cell"))))
}

fn not_a_cell(text: &str, layout: Layout, order: usize) -> String {
    let last = symbol(order.min(MAX_SYMBOL_ORDER) as u8).unwrap_or('Z');
    let expected = match (layout, order) {
        (Layout::Integers, _) => format!("an integer from 1 to {order}, or 0"),
        (Layout::Characters, 0..10) => format!("1 to {last}, or . 0 _ *"),
        (Layout::Characters, 10) => "1 to 9, A, or . 0 _ *".to_owned(),
        (Layout::Characters, _) => format!("1 to 9, A to {last}, or . 0 _ *"),
    };
    format!("{} is not a cell: expected {expected} for an empty one", quote(text))
}

fn value_above(value: u32, written: &str, order: usize, from_zero: bool) -> String {
    let (number, limit) = match from_zero {
        true => (value - 1, format!("{}, the largest value of order {order} when values start at 0", order - 1)),
        false => (value, format!("{order}, the order of the grid")),
    };
    let written = written.trim_start_matches('0');
    if written.starts_with(|c: char| c.is_ascii_digit()) {
        format!("the value {} is above {limit}", quote(written).replace('\'', ""))
    } else {
        format!("the value {number} ('{written}') is above {limit}")
    }
}
