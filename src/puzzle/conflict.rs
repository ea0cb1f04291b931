use std::fmt;

use crate::{Grid, HouseKind, Shape};

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

/// All conflicts of a grid, house by house.
pub(crate) fn conflicts(shape: &Shape, grid: &Grid) -> Vec<Conflict> {
    let order = shape.order();
    let mut found = Vec::new();
    for house in shape.houses() {
        let mut holders: Vec<Vec<usize>> = vec![Vec::new(); order + 1];
        for &cell in &house.cells {
            holders[usize::from(grid[cell])].push(cell);
        }
        for (value, cells) in holders.into_iter().enumerate().skip(1) {
            if cells.len() > 1 {
                found.push(Conflict { house: house.kind, value: value as u8, cells, order });
            }
        }
    }
    found
}

/// Checks many grids of one shape for any conflict, much faster than [`conflicts`] lists them.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Extras, Regions};
    use proptest::prelude::*;

    #[test]
    fn each_house_lists_its_own_conflict() {
        let shape = Shape::usual(4).expect("4x4 is a shape");
        let grid = Grid::new(vec![1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 3, 0, 0, 0, 3]);
        let lines: Vec<String> = conflicts(&shape, &grid).iter().map(Conflict::to_string).collect();
        assert_eq!(
            lines,
            [
                "3 occurs 2 times in column 4: r3c4, r4c4",
                "1 occurs 2 times in box 1: r1c1, r2c2",
                "3 occurs 2 times in box 4: r3c4, r4c4"
            ]
        );
    }

    proptest! {
        #[test]
        fn the_check_finds_a_conflict_exactly_where_conflicts_are_listed(
            order in 2usize..=64,
            (diagonals, hyper) in any::<(bool, bool)>(),
            givens in proptest::collection::vec(any::<(proptest::sample::Index, u8)>(), 0..12),
        ) {
            let shape = Shape::new(order, Regions::usual(order), Extras { diagonals, hyper });
            let shape = shape.or_else(|_| Shape::usual(order)).expect("a shape");
            let mut check = ConflictCheck::new(&shape);
            let mut grid = Grid::empty(order * order);
            for (cell, value) in givens {
                grid[cell.index(order * order)] = value % (order as u8 + 1);
                prop_assert_eq!(check.has_conflict(grid.values()), !conflicts(&shape, &grid).is_empty());
            }
        }
    }

    #[test]
    fn an_empty_grid_and_a_solved_one_have_none() {
        let shape = Shape::usual(4).expect("4x4 is a shape");
        assert!(conflicts(&shape, &Grid::empty(16)).is_empty());
        let solved = Grid::new(vec![1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1]);
        assert!(conflicts(&shape, &solved).is_empty());
    }
}
