use std::fmt;

use crate::{HouseKind, Puzzle, Shape};

/// One value that occurs more than once in one house.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The house in which it repeats.
    pub house: HouseKind,
    /// The value that repeats.
    pub value: u8,
    /// The cells that hold it: two or more, ascending, numbered row by row from 0.
    pub cells: Vec<usize>,
    order: usize,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} occurs {} times in {}: ", self.value, self.cells.len(), self.house)?;
        let names: Vec<String> = self.cells.iter().map(|&cell| cell_name(self.order, cell)).collect();
        f.write_str(&names.join(", "))
    }
}

/// `r3c7` is row 3, column 7, counted from 1.
pub(crate) fn cell_name(order: usize, cell: usize) -> String {
    format!("r{}c{}", cell / order + 1, cell % order + 1)
}

impl Puzzle {
    /// Every value that occurs more than once in a house, house by house.
    pub fn conflicts(&self) -> Vec<Conflict> {
        let order = self.shape.order();
        let mut found = Vec::new();
        for house in self.shape.houses() {
            let mut holders: Vec<Vec<usize>> = vec![Vec::new(); order + 1];
            for &cell in &house.cells {
                holders[usize::from(self.givens[cell])].push(cell);
            }
            let repeated = holders.into_iter().zip(0..).skip(1).filter(|(cells, _)| cells.len() > 1);
            found.extend(repeated.map(|(cells, value)| Conflict { house: house.kind, value, cells, order }));
        }
        found
    }
}

/// Checks many grids of one shape for any conflict, much faster than [`Puzzle::conflicts`] lists them.
pub(crate) struct ConflictCheck {
    order: usize,
    /// The cells of all houses, concatenated.
    houses: Vec<u16>,
    /// The bit of each cell's value; none for an empty cell.
    bits: Vec<u64>,
}

impl ConflictCheck {
    pub fn new(shape: &Shape) -> ConflictCheck {
        let houses = shape.houses().iter().flat_map(|house| &house.cells).map(|&cell| cell as u16);
        ConflictCheck { order: shape.order(), houses: houses.collect(), bits: vec![0; shape.cells()] }
    }

    /// All values must be in range.
    pub fn has_conflict(&mut self, values: &[u8]) -> bool {
        for (bit, &value) in self.bits.iter_mut().zip(values) {
            *bit = if value == 0 { 0 } else { 1 << ((value - 1) & 63) };
        }
        let mut repeated = 0;
        for house in self.houses.chunks_exact(self.order) {
            let mut seen = 0;
            for &cell in house {
                let bit = self.bits[usize::from(cell)];
                repeated |= seen & bit;
                seen |= bit;
            }
        }
        repeated != 0
    }
}
