//! Grids and the symbols of their values.

use std::ops::{Index, IndexMut};

/// The largest order whose values have one character each: 1 to 9, then A to Z.
pub(crate) const MAX_SYMBOL_ORDER: usize = 35;

/// The character of a value: `.` for an empty cell (0), none above 35.
pub fn symbol(value: u8) -> Option<char> {
    match value {
        0 => Some('.'),
        1..=9 => Some((b'0' + value) as char),
        10..=35 => Some((b'A' + value - 10) as char),
        _ => None,
    }
}

/// The value of a character: 0 for an empty cell (`.`, `0`, `_` or `*`); `None` if it is not a cell.
pub const fn value_of(symbol: char) -> Option<u8> {
    match symbol {
        '.' | '0' | '_' | '*' => Some(0),
        '1'..='9' => Some(symbol as u8 - b'0'),
        'A'..='Z' => Some(symbol as u8 - b'A' + 10),
        'a'..='z' => Some(symbol as u8 - b'a' + 10),
        _ => None,
    }
}

/// A grid, complete or partial: the values of all cells, row by row; 0 is an empty cell.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Grid(Vec<u8>);

impl Grid {
    /// Takes the values row by row.
    pub fn new(values: Vec<u8>) -> Grid {
        Grid(values)
    }

    /// A grid of empty cells.
    pub fn empty(cells: usize) -> Grid {
        Grid(vec![0; cells])
    }

    /// The values, row by row.
    pub fn values(&self) -> &[u8] {
        &self.0
    }

    /// The number of filled cells.
    pub fn filled(&self) -> usize {
        self.0.iter().filter(|&&value| value != 0).count()
    }

    /// Whether every cell is filled.
    pub fn is_full(&self) -> bool {
        !self.0.contains(&0)
    }
}

impl Index<usize> for Grid {
    type Output = u8;
    fn index(&self, cell: usize) -> &u8 {
        &self.0[cell]
    }
}

impl IndexMut<usize> for Grid {
    fn index_mut(&mut self, cell: usize) -> &mut u8 {
        &mut self.0[cell]
    }
}

/// Appends values without a line break: one character per cell up to order 35, numbers separated by spaces above.
pub fn push_line(line: &mut Vec<u8>, order: usize, values: impl IntoIterator<Item = u8>) {
    if order <= 9 {
        // The hot path of `list`: no table, no branch.
        line.extend(values.into_iter().map(|value| if value == 0 { b'.' } else { b'0'.wrapping_add(value) }));
        return;
    }
    if order <= MAX_SYMBOL_ORDER {
        line.extend(values.into_iter().map(|value| symbol(value).map_or(b'?', |c| c as u8)));
        return;
    }
    for (i, value) in values.into_iter().enumerate() {
        if i > 0 {
            line.push(b' ');
        }
        if value >= 10 {
            line.push(b'0' + value / 10);
        }
        line.push(b'0' + value % 10);
    }
}
