//! Reads the cells of a line, as single characters or as integers.

use super::body::{Document, TextLine, is_empty_mark, quantity, quote};
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

    /// The number of cells on a line.
    pub fn count(self, line: &TextLine<'_>) -> usize {
        match self {
            Layout::Characters => line.cells,
            Layout::Integers => line.tokens,
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
        let mut add = |position: Position, number: Option<u32>, written: &str| {
            if number == Some(0) {
                self.zero = self.zero.or(Some(position));
                self.zeros += 1;
            }
            if number.is_none() {
                self.mark = self.mark.or(written.chars().next());
            }
            let value = number.map_or(0, |number| number.saturating_add(from_zero.into()));
            if value as usize > order && above.is_none() {
                above = Some(document.error(position, value_above(value, written, order, from_zero)));
            }
            // Limits the memory for a line that is far too long.
            if self.values.len() < complete {
                self.values.push(u8::try_from(value).unwrap_or(u8::MAX));
                self.positions.push(position);
            }
        };
        match layout {
            Layout::Characters => {
                for (position, c) in line.characters() {
                    let value = value_of(c).ok_or_else(|| document.error(position, not_a_cell(c, order)))?;
                    add(position, (!is_empty_mark(c)).then_some(value.into()), c.encode_utf8(&mut [0; 4]));
                }
            }
            Layout::Integers => {
                for token in line.tokens() {
                    let number = token.integer();
                    if number.is_none() && !token.text.chars().all(is_empty_mark) {
                        return Err(document.error(token.position, not_an_integer(token.text, order)));
                    }
                    add(token.position, number, token.text);
                }
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
    let extra = match layout {
        Layout::Characters => line.characters().nth(expected).map(|(position, _)| position),
        Layout::Integers => line.tokens().nth(expected).map(|token| token.position),
    };
    let position = extra.unwrap_or_else(|| line.end());
    let blank = found < expected && line.has_frame() && !is_table(line);
    let hint = if blank { "; an empty cell is written as . or 0" } else { "" };
    Err(document.error(position, format!("this line has {}, expected {expected}{hint}", quantity(found, "cell"))))
}

fn not_a_cell(c: char, order: usize) -> String {
    let last = symbol(order.min(MAX_SYMBOL_ORDER) as u8).unwrap_or('Z');
    let range = match order {
        0..10 => format!("1 to {last}"),
        10 => "1 to 9, A".to_owned(),
        _ => format!("1 to 9, A to {last}"),
    };
    format!("'{c}' is not a cell: expected {range}, or . 0 _ * for an empty one")
}

fn not_an_integer(text: &str, order: usize) -> String {
    format!("{} is not a cell: expected an integer from 1 to {order}, or 0 for an empty one", quote(text))
}

fn value_above(value: u32, written: &str, order: usize, from_zero: bool) -> String {
    let (number, limit) = match from_zero {
        true => (value - 1, format!("{}, the largest of an order of {order} that begins at 0", order - 1)),
        false => (value, format!("{order}, the order of the grid")),
    };
    let written = written.trim_start_matches('0');
    if written.starts_with(|c: char| c.is_ascii_digit()) {
        format!("the value {} is above {limit}", quote(written).replace('\'', ""))
    } else {
        format!("the value {number} ('{written}') is above {limit}")
    }
}
