//! The shape of a puzzle: its order and its houses.
//!
//! A *house* is a set of `order` cells in which no value repeats. Every shape has its rows and columns; most have
//! regions (boxes, or a jigsaw map); some have extra houses on top. Whoever counts sees only the list of houses,
//! so a new kind of shape needs a new way to build that list and nothing else.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The smallest order a puzzle may have.
pub const MIN_ORDER: usize = 2;
/// The largest order a puzzle may have: one bit of a `u64` for each value.
pub const MAX_ORDER: usize = 64;

/// What divides the grid besides its rows and columns.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Regions {
    /// Boxes of `rows` × `cols` cells; `rows * cols` is the order.
    Boxes {
        /// Rows of one box.
        rows: usize,
        /// Columns of one box.
        cols: usize,
    },
    /// A region number, 0 to order − 1, for each cell, row by row.
    Jigsaw(Vec<u8>),
    /// Nothing: a Latin square.
    None,
}

impl Regions {
    /// The regions that a puzzle of this order has unless it says otherwise: the boxes nearest to a square, wider than
    /// tall (6 is 2×3, 12 is 3×4), or none where the order is prime.
    pub fn usual(order: usize) -> Regions {
        let rows = (2..=order.isqrt()).rev().find(|rows| order.is_multiple_of(*rows));
        rows.map_or(Regions::None, |rows| Regions::Boxes { rows, cols: order / rows })
    }
}

/// Which extra houses a puzzle has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Extras {
    /// Both main diagonals (Sudoku X).
    pub diagonals: bool,
    /// The inner boxes, one cell apart from each other and from the edge (hyper Sudoku, Windoku).
    pub hyper: bool,
}

/// What a house is, and which one of its kind (counted from 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HouseKind {
    /// A row, from the top.
    Row(usize),
    /// A column, from the left.
    Column(usize),
    /// A box, row by row.
    Box(usize),
    /// A region of a jigsaw map, by its number there.
    Region(usize),
    /// The diagonal that falls (0) or rises (1) from left to right.
    Diagonal(usize),
    /// An inner box, row by row.
    Hyper(usize),
}

impl fmt::Display for HouseKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HouseKind::Row(i) => write!(f, "row {}", i + 1),
            HouseKind::Column(i) => write!(f, "column {}", i + 1),
            HouseKind::Box(i) => write!(f, "box {}", i + 1),
            HouseKind::Region(i) => write!(f, "region {}", i + 1),
            HouseKind::Diagonal(0) => write!(f, "the falling diagonal"),
            HouseKind::Diagonal(_) => write!(f, "the rising diagonal"),
            HouseKind::Hyper(i) => write!(f, "hyper box {}", i + 1),
        }
    }
}

/// A set of `order` cells in which no value repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct House {
    /// What it is.
    pub kind: HouseKind,
    /// Its cells, numbered row by row from 0, ascending.
    pub cells: Vec<usize>,
}

/// The order and the houses of a puzzle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    order: usize,
    regions: Regions,
    extras: Extras,
    houses: Vec<House>,
}

/// Why there is no such shape.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// The order is out of range.
    #[error("order {0} is out of range: census takes orders {MIN_ORDER} to {MAX_ORDER}")]
    Order(usize),
    /// The boxes do not tile the grid.
    #[error("boxes of {rows}x{cols} have {} cells, but the order is {order}", rows.saturating_mul(*cols))]
    Boxes {
        /// Rows of the box asked for.
        rows: usize,
        /// Columns of the box asked for.
        cols: usize,
        /// The order of the grid.
        order: usize,
    },
    /// The region map does not have one number for each cell.
    #[error("the region map has {found} cells, but the grid has {expected}")]
    MapLength {
        /// Numbers in the map.
        found: usize,
        /// Cells in the grid.
        expected: usize,
    },
    /// A region of the map has the wrong number of cells.
    #[error("region {} has {found} cells, but every region must have {order}", region + 1)]
    RegionSize {
        /// The region, from 0.
        region: usize,
        /// Its cells.
        found: usize,
        /// The cells it should have.
        order: usize,
        /// The cell to point at: the first one too many, or the region's last one.
        cell: usize,
    },
    /// Hyper boxes exist only where boxes are square.
    #[error("hyper boxes need square boxes (2x2, 3x3, 4x4 …)")]
    Hyper,
}

impl Shape {
    /// Builds a shape, or says why there is none such.
    pub fn new(order: usize, regions: Regions, extras: Extras) -> Result<Shape, ShapeError> {
        if !(MIN_ORDER..=MAX_ORDER).contains(&order) {
            return Err(ShapeError::Order(order));
        }
        let mut houses = Vec::new();
        let mut add = |kind, cells: Vec<usize>| houses.push(House { kind, cells });
        for i in 0..order {
            add(HouseKind::Row(i), (0..order).map(|j| i * order + j).collect());
        }
        for i in 0..order {
            add(HouseKind::Column(i), (0..order).map(|j| j * order + i).collect());
        }
        match &regions {
            Regions::Boxes { rows, cols } => {
                let (rows, cols) = (*rows, *cols);
                if rows.checked_mul(cols) != Some(order) {
                    return Err(ShapeError::Boxes { rows, cols, order });
                }
                for b in 0..order {
                    let (top, left) = (b / rows * rows, b % rows * cols);
                    add(HouseKind::Box(b), rectangle(order, top, left, rows, cols));
                }
            }
            Regions::Jigsaw(map) => {
                for (region, cells) in jigsaw_regions(order, map)?.into_iter().enumerate() {
                    add(HouseKind::Region(region), cells);
                }
            }
            Regions::None => {}
        }
        if extras.diagonals {
            add(HouseKind::Diagonal(0), (0..order).map(|i| i * order + i).collect());
            add(HouseKind::Diagonal(1), (0..order).map(|i| i * order + order - 1 - i).collect());
        }
        if extras.hyper {
            let side = match regions {
                Regions::Boxes { rows, cols } if rows == cols => rows,
                _ => return Err(ShapeError::Hyper),
            };
            let starts: Vec<usize> = (0..side - 1).map(|i| 1 + i * (side + 1)).collect();
            for (i, &top) in starts.iter().enumerate() {
                for (j, &left) in starts.iter().enumerate() {
                    let kind = HouseKind::Hyper(i * starts.len() + j);
                    add(kind, rectangle(order, top, left, side, side));
                }
            }
        }
        Ok(Shape { order, regions, extras, houses })
    }

    /// The shape with the usual boxes for its order and no extra houses.
    pub fn usual(order: usize) -> Result<Shape, ShapeError> {
        Shape::new(order, Regions::usual(order), Extras::default())
    }

    /// The number of rows, columns and values.
    pub fn order(&self) -> usize {
        self.order
    }

    /// The number of cells, order².
    pub fn cells(&self) -> usize {
        self.order * self.order
    }

    /// What divides the grid besides rows and columns.
    pub fn regions(&self) -> &Regions {
        &self.regions
    }

    /// The extra houses it has.
    pub fn extras(&self) -> Extras {
        self.extras
    }

    /// Whether it is a 9×9 with 3×3 boxes and no other houses.
    pub fn is_plain_nine(&self) -> bool {
        self.regions == Regions::Boxes { rows: 3, cols: 3 } && self.extras == Extras::default()
    }

    /// All houses: rows, columns, regions, extras, in this order.
    pub fn houses(&self) -> &[House] {
        &self.houses
    }

    /// The region of each cell, or `None` where there are no regions.
    pub fn region_map(&self) -> Option<Vec<u8>> {
        match &self.regions {
            Regions::Boxes { rows, cols } => {
                let (rows, cols, n) = (*rows, *cols, self.order);
                Some((0..n * n).map(|cell| (cell / n / rows * rows + cell % n / cols) as u8).collect())
            }
            Regions::Jigsaw(map) => Some(map.clone()),
            Regions::None => None,
        }
    }

    /// For each cell, the other cells that share a house with it, ascending and without repeats.
    pub fn peers(&self) -> Vec<Vec<usize>> {
        let mut peers = vec![Vec::new(); self.cells()];
        for house in &self.houses {
            for &cell in &house.cells {
                peers[cell].extend(house.cells.iter().copied().filter(|&other| other != cell));
            }
        }
        for list in &mut peers {
            list.sort_unstable();
            list.dedup();
        }
        peers
    }
}

/// The regions in a word or two, as reports and `show` print them: `boxes 3x3`, `jigsaw + diagonals`, `none`.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.regions {
            Regions::Boxes { rows, cols } => write!(f, "boxes {rows}x{cols}")?,
            Regions::Jigsaw(_) => write!(f, "jigsaw")?,
            Regions::None => write!(f, "none")?,
        }
        if self.extras.diagonals {
            write!(f, " + diagonals")?;
        }
        if self.extras.hyper {
            write!(f, " + hyper")?;
        }
        Ok(())
    }
}

fn rectangle(order: usize, top: usize, left: usize, rows: usize, cols: usize) -> Vec<usize> {
    (0..rows * cols).map(|k| (top + k / cols) * order + left + k % cols).collect()
}

fn jigsaw_regions(order: usize, map: &[u8]) -> Result<Vec<Vec<usize>>, ShapeError> {
    let expected = order * order;
    if map.len() != expected {
        return Err(ShapeError::MapLength { found: map.len(), expected });
    }
    let mut regions = vec![Vec::new(); order.max(map.iter().copied().max().map_or(0, usize::from) + 1)];
    for (cell, &region) in map.iter().enumerate() {
        regions[usize::from(region)].push(cell);
    }
    let wrong = |(region, cells): (usize, &Vec<usize>)| {
        let cell = cells.get(order).or(cells.last()).copied().unwrap_or(0);
        ShapeError::RegionSize { region, found: cells.len(), order, cell }
    };
    // A region with too many cells is the better thing to point at: the one with too few may not be there at all.
    let too_many = regions.iter().enumerate().find(|(_, cells)| cells.len() > order);
    let too_few = || regions.iter().enumerate().find(|(_, cells)| cells.len() < order);
    match too_many.or_else(too_few) {
        Some(region) => Err(wrong(region)),
        None => Ok(regions),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_boxes_are_the_ones_nearest_to_a_square() {
        let usual: Vec<_> = [2, 4, 6, 7, 8, 9, 10, 12, 16, 25, 49, 64].map(Regions::usual).into();
        let boxes = |rows, cols| Regions::Boxes { rows, cols };
        let expected = [
            Regions::None,
            boxes(2, 2),
            boxes(2, 3),
            Regions::None,
            boxes(2, 4),
            boxes(3, 3),
            boxes(2, 5),
            boxes(3, 4),
            boxes(4, 4),
            boxes(5, 5),
            boxes(7, 7),
            boxes(8, 8),
        ];
        assert_eq!(usual, expected);
    }

    #[test]
    fn every_house_of_every_shape_has_order_distinct_cells() {
        let extras = [(false, false), (true, false), (false, true), (true, true)];
        for order in MIN_ORDER..=MAX_ORDER {
            for (diagonals, hyper) in extras {
                let Ok(shape) = Shape::new(order, Regions::usual(order), Extras { diagonals, hyper }) else {
                    assert!(hyper, "only hyper boxes may be refused");
                    continue;
                };
                for house in shape.houses() {
                    assert_eq!(house.cells.len(), order, "{order}: {}", house.kind);
                    assert!(house.cells.windows(2).all(|w| w[0] < w[1]), "{order}: {}", house.kind);
                    assert!(house.cells.iter().all(|&c| c < order * order), "{order}: {}", house.kind);
                }
            }
        }
    }

    #[test]
    fn a_cell_of_a_plain_nine_by_nine_has_twenty_peers() {
        let shape = Shape::usual(9).expect("9x9 is a shape");
        assert!(shape.peers().iter().all(|peers| peers.len() == 20));
    }

    #[test]
    fn hyper_boxes_lie_where_windoku_puts_them() {
        let extras = Extras { hyper: true, ..Extras::default() };
        let shape = Shape::new(9, Regions::usual(9), extras).expect("hyper 9x9 is a shape");
        let tops: Vec<usize> = shape.houses()[27..].iter().map(|h| h.cells[0]).collect();
        assert_eq!(tops, [10, 14, 46, 50]);
        assert_eq!(Shape::new(6, Regions::usual(6), extras), Err(ShapeError::Hyper));
    }

    #[test]
    fn a_region_of_the_wrong_size_is_named_with_a_cell_to_point_at() {
        let map = [0, 0, 0, 1];
        let error = Shape::new(2, Regions::Jigsaw(map.into()), Extras::default());
        assert_eq!(error, Err(ShapeError::RegionSize { region: 0, found: 3, order: 2, cell: 2 }));
    }
}
