//! Cells, read from a line either as one character each or as integers.

use super::body::{Document, Line, count_of, is_empty_mark, quote};
use super::table::is_table;
use crate::Zero;
use crate::error::{InputError, Position};
use crate::grid::{MAX_SYMBOL_ORDER, symbol, value_of};

/// How the cells of a line are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    Characters,
    Integers,
}

impl Layout {
    /// How a grid of this order is written, as its rows as a whole tell: a single row can mislead, since a short row
    /// of integers may have as many characters as a whole one has cells.
    pub fn of(rows: &[Line<'_>], order: usize) -> Layout {
        if rows.iter().all(|row| row.cells == order) {
            return Layout::Characters;
        }
        let count = |is: &dyn Fn(&Line<'_>) -> bool| rows.iter().filter(|row| is(row)).count();
        let integers = count(&|row| row.integers) * 2 > rows.len()
            && count(&|row| row.tokens == order) > count(&|row| row.cells == order);
        if integers { Layout::Integers } else { Layout::Characters }
    }

    /// How many cells a line has in this layout.
    pub fn count(self, line: &Line<'_>) -> usize {
        match self {
            Layout::Characters => line.cells,
            Layout::Integers => line.tokens,
        }
    }
}

/// Values of cells and where they stand, row by row.
#[derive(Default)]
pub(super) struct Cells {
    pub values: Vec<u8>,
    pub places: Vec<Position>,
    /// The first 0, and how many there are.
    zero: Option<Position>,
    zeros: usize,
    /// Another mark of an empty cell.
    mark: Option<char>,
    /// Whether their number is that of the lines before.
    as_before: bool,
}

impl Cells {
    /// For a line that should have as many cells as the lines before it.
    pub fn as_before() -> Cells {
        Cells { as_before: true, ..Cells::default() }
    }

    /// Adds the cells of a line that should have `expected` of them.
    pub fn push(
        &mut self,
        document: &Document<'_>,
        line: &Line<'_>,
        layout: Layout,
        order: usize,
        expected: usize,
    ) -> Result<(), InputError> {
        // What is no cell in any grid comes first, for then the count means little; a wrong count comes before a
        // value that is too large, for the order may have been taken from the count.
        let mut above = None;
        let whole = self.values.len() + expected;
        let from_zero = document.zero == Some(Zero::Value);
        let mut add = |place: Position, number: Option<u32>, written: &str| {
            if number == Some(0) {
                self.zero = self.zero.or(Some(place));
                self.zeros += 1;
            }
            if number.is_none() {
                self.mark = self.mark.or(written.chars().next());
            }
            let value = number.map_or(0, |number| number.saturating_add(from_zero.into()));
            if value as usize > order && above.is_none() {
                above = Some(document.error(place, value_above(value, written, order, from_zero)));
            }
            // A line may be far too long: no more of it is kept than it should have.
            if self.values.len() < whole {
                self.values.push(u8::try_from(value).unwrap_or(u8::MAX));
                self.places.push(place);
            }
        };
        match layout {
            Layout::Characters => {
                for (place, c) in line.characters() {
                    let value = value_of(c).ok_or_else(|| document.error(place, not_a_cell(c, order)))?;
                    add(place, (!is_empty_mark(c)).then_some(value.into()), c.encode_utf8(&mut [0; 4]));
                }
            }
            Layout::Integers => {
                for token in line.tokens() {
                    let number = token.integer();
                    if number.is_none() && !token.text.chars().all(is_empty_mark) {
                        return Err(document.error(token.place, not_an_integer(token.text, order)));
                    }
                    add(token.place, number, token.text);
                }
            }
        }
        let why = if self.as_before { ", as in the lines before" } else { "" };
        check_count(document, line, layout, expected).map_err(|error| error.with_hint(why))?;
        above.map_or(Ok(()), Err)
    }

    /// Refuses a whole grid in which 0 may be a value or an empty cell: the values of some grids are 0 to n−1.
    pub fn check_zero(&self, document: &Document<'_>, order: usize) -> Result<(), InputError> {
        let Some(place) = self.zero.filter(|_| document.zero.is_none()) else { return Ok(()) };
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
        Err(document.error(place, message))
    }
}

/// Whether a grid in which empty cells are written as 0, and in no other way, would be refused by [`Cells::check_zero`].
pub(super) fn is_zero_unclear(values: &[u8], order: usize) -> bool {
    values.iter().filter(|&&value| value == 0).count() == order
        && values.iter().all(|&value| usize::from(value) != order)
}

/// Refuses a line that is too short or too long, and points at where it should go on or end.
pub(super) fn check_count(
    document: &Document<'_>,
    line: &Line<'_>,
    layout: Layout,
    expected: usize,
) -> Result<(), InputError> {
    let found = layout.count(line);
    if found == expected {
        return Ok(());
    }
    let extra = match layout {
        Layout::Characters => line.characters().nth(expected).map(|(place, _)| place),
        Layout::Integers => line.tokens().nth(expected).map(|token| token.place),
    };
    let place = extra.unwrap_or_else(|| line.end());
    let blank = found < expected && line.framed() && !is_table(line);
    let hint = if blank { "; an empty cell is written as . or 0" } else { "" };
    Err(document.error(place, format!("this line has {}, expected {expected}{hint}", count_of(found, "cell"))))
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
