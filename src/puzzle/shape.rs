use std::fmt;

use serde::{Deserialize, Serialize};

pub(crate) const MIN_ORDER: usize = 2;
/// Solvers keep one bit of a `u64` for each value.
pub(crate) const MAX_ORDER: usize = 64;

/// The houses that partition the grid besides rows and columns.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Regions {
    /// Boxes of `rows` × `cols` cells; `rows * cols` is the order.
    #[expect(missing_docs, reason = "the line above says it")]
    Boxes { rows: usize, cols: usize },
    /// A region map: a region number, 0 to order − 1, for each cell, row by row.
    Jigsaw(Vec<u8>),
    /// No regions: a Latin square.
    None,
}

impl Regions {
    /// The regions of a puzzle of this order without a header about them: the boxes nearest to a square, wider than tall
    /// (2×3 for order 6, 3×4 for order 12), or none if the order is prime.
    pub fn usual(order: usize) -> Regions {
        let rows = (2..=order.isqrt()).rev().find(|rows| order.is_multiple_of(*rows));
        rows.map_or(Regions::None, |rows| Regions::Boxes { rows, cols: order / rows })
    }
}

/// The extra houses of a shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Extras {
    /// Both main diagonals (Sudoku X).
    pub diagonals: bool,
    /// Inner boxes, one cell apart from each other and from the edge (hyper Sudoku, Windoku).
    pub hyper: bool,
}

/// The kind of a house, and its number within the kind, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HouseKind {
    /// Numbered from the top.
    Row(usize),
    /// Numbered from the left.
    Column(usize),
    /// Numbered row by row.
    Box(usize),
    /// A region of a jigsaw, by its number in the map.
    Region(usize),
    /// From left to right, 0 falls and 1 rises.
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
    /// The kind, and the number within the kind.
    pub kind: HouseKind,
    /// Ascending; cells are numbered row by row from 0.
    pub cells: Vec<usize>,
}

/// The order and the houses of a puzzle: rows, columns, regions and extra houses. Solvers use only the list of houses, so a
/// new kind of shape is another function that builds this list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    order: usize,
    regions: Regions,
    extras: Extras,
    houses: Vec<House>,
}

/// The reason for which [`Shape::new`] rejects a shape.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum ShapeError {
    #[error("order {0} is out of range: expected {MIN_ORDER} to {MAX_ORDER}")]
    Order(usize),
    #[error("boxes of {rows}x{cols} have {} cells, but the order is {order}", rows.saturating_mul(*cols))]
    Boxes { rows: usize, cols: usize, order: usize },
    #[error("the region map has {found} cells, but the grid has {expected}")]
    MapLength { found: usize, expected: usize },
    /// `cell` is the one to report: the first one in excess, or the last one of the region. Regions are numbered from 0.
    #[error("region {} has {found} cells, but every region must have {order}", region + 1)]
    RegionSize { region: usize, found: usize, order: usize, cell: usize },
    #[error("hyper boxes need square boxes (2x2, 3x3, 4x4 …)")]
    Hyper,
}

impl Shape {
    /// Builds the houses of a shape.
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

    /// The number of cells: order².
    pub fn cells(&self) -> usize {
        self.order * self.order
    }

    /// Boxes, a region map, or none.
    pub fn regions(&self) -> &Regions {
        &self.regions
    }

    /// Diagonals and hyper boxes.
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

    /// The region of each cell, or `None` without regions.
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

    /// For each cell, the other cells that share a house with it: ascending, each once.
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

/// The regions and extra houses, as reports and `show` print them: `boxes 3x3`, `jigsaw + diagonals`, `none`.
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
    // A region with too many cells comes first: one with too few may have no cell to report.
    let wrong = regions.iter().enumerate().filter(|(_, cells)| cells.len() != order);
    match wrong.min_by_key(|(_, cells)| cells.len() < order) {
        Some((region, cells)) => {
            let cell = cells.get(order).or(cells.last()).copied().unwrap_or(0);
            Err(ShapeError::RegionSize { region, found: cells.len(), order, cell })
        }
        None => Ok(regions),
    }
}
