//! Hidden singles on a board of any shape.
//!
//! A row is a run of bits, which fits one word. Over the rows of the grid, or of a band, two accumulators show for all
//! columns at once which have at least one place for a value, and which at least two; the columns of a box show the
//! same for the box. Up to order 16, one pass over all values side by side finds the few that have a hidden single.

use census_puzzle::{HouseKind, Regions, Shape};

use super::{CellSet, bits, keep_only};

pub(crate) struct Houses {
    order: usize,
    boxes: Option<(usize, usize)>,
    /// Houses other than rows, columns and boxes: (index, mask) of the non-empty words of each.
    others: Vec<Vec<(usize, u64)>>,
}

/// For one value and some rows, the columns with at least one place, with at least two, and with a settled cell of the
/// value.
#[derive(Clone, Copy, Default)]
struct ColumnCounts {
    one: u64,
    more: u64,
    held: u64,
}

impl ColumnCounts {
    #[inline(always)]
    fn add(&mut self, row: u64, held: u64) {
        self.more |= self.one & row;
        self.one |= row;
        self.held |= held;
    }
}

/// The most values, and the most columns, that are processed side by side.
const LANES: usize = 16;

/// The same for all values side by side.
#[derive(Clone, Copy, Default)]
struct ColumnCountsByValue {
    one: [u16; LANES],
    more: [u16; LANES],
    held: [u16; LANES],
}

impl ColumnCountsByValue {
    #[inline(always)]
    fn add(&mut self, row: &[u16; LANES], held: u16) {
        for (lane, &row) in row.iter().enumerate() {
            self.more[lane] |= self.one[lane] & row;
            self.one[lane] |= row;
            self.held[lane] |= row & held;
        }
    }
}

impl Houses {
    pub(crate) fn of(shape: &Shape) -> Houses {
        let boxes = match *shape.regions() {
            Regions::Boxes { rows, cols } => Some((rows, cols)),
            _ => None,
        };
        let words = |cells: &[usize]| {
            let mut words: Vec<(usize, u64)> = Vec::new();
            for &cell in cells {
                match words.iter_mut().find(|(w, _)| *w == cell / 64) {
                    Some((_, mask)) => *mask |= 1 << (cell % 64),
                    None => words.push((cell / 64, 1 << (cell % 64))),
                }
            }
            words
        };
        let known = |kind| matches!(kind, HouseKind::Row(_) | HouseKind::Column(_) | HouseKind::Box(_));
        let others = shape.houses().iter().filter(|house| !known(house.kind)).map(|house| words(&house.cells));
        Houses { order: shape.order(), boxes, others: others.collect() }
    }

    /// Removes all other candidates from the cells of hidden singles. Returns whether there are any, or `None` on a
    /// contradiction: a value has no place in a house. `N` is the order if it is known at compile time, else 0.
    #[inline(always)]
    pub(crate) fn singles<const W: usize, const N: usize>(
        &self,
        planes: &mut [CellSet<W>],
        settled: &CellSet<W>,
    ) -> Option<bool> {
        let order = if N == 0 { self.order } else { N };
        let full = u64::MAX >> (64 - order);
        let row = |set: &CellSet<W>, row: usize| row_of(set, row, order);
        let mut held_rows = [0; 64];
        for (r, held) in held_rows.iter_mut().enumerate().take(order) {
            *held = row(settled, r);
        }
        let values_with_singles =
            if order <= LANES { self.values_with_singles::<W, N>(planes, &held_rows) } else { full };
        let mut found = false;
        for value in bits(values_with_singles) {
            let (mut grid, mut band) = (ColumnCounts::default(), ColumnCounts::default());
            for (r, &held) in held_rows.iter().enumerate().take(order) {
                let here = row(&planes[value], r);
                let held = here & held;
                if here == 0 {
                    return None;
                }
                if held == 0 && here & (here - 1) == 0 {
                    keep_only(planes, r * order + here.trailing_zeros() as usize, value);
                    found = true;
                }
                grid.add(here, held);
                let Some((rows, cols)) = self.boxes else { continue };
                band.add(here, held);
                if (r + 1) % rows > 0 {
                    continue;
                }
                for start in (0..order).step_by(cols) {
                    let mask = (u64::MAX >> (64 - cols)) << start;
                    let one = band.one & mask;
                    if one == 0 {
                        return None;
                    }
                    if one & (one - 1) == 0 && (band.more | band.held) & mask == 0 {
                        let column = one.trailing_zeros() as usize;
                        let mut of_box = r + 1 - rows..=r;
                        let Some(r) = of_box.find(|&r| row(&planes[value], r) & one != 0) else { continue };
                        keep_only(planes, r * order + column, value);
                        found = true;
                    }
                }
                band = ColumnCounts::default();
            }
            if grid.one != full {
                return None;
            }
            for column in bits(full & !(grid.more | grid.held)) {
                let Some(r) = (0..order).find(|&r| row(&planes[value], r) >> column & 1 == 1) else { continue };
                keep_only(planes, r * order + column, value);
                found = true;
            }
        }
        for value in 0..order {
            for house in &self.others {
                let (mut places, mut place, mut held) = (0, 0, 0);
                for &(w, mask) in house {
                    let here = planes[value][w] & mask;
                    held |= here & settled[w];
                    places += here.count_ones();
                    if here != 0 {
                        place = w * 64 + here.trailing_zeros() as usize;
                    }
                }
                match places {
                    0 => return None,
                    1 if held == 0 => {
                        keep_only(planes, place, value);
                        found = true;
                    }
                    _ => {}
                }
            }
        }
        Some(found)
    }

    /// The values with a row, a column or a box that has one place which is not settled, or none.
    #[inline(always)]
    fn values_with_singles<const W: usize, const N: usize>(&self, planes: &[CellSet<W>], held_rows: &[u64; 64]) -> u64 {
        let order = if N == 0 { self.order } else { N };
        let full = u64::MAX >> (64 - order);
        let (mut grid, mut band) = (ColumnCountsByValue::default(), ColumnCountsByValue::default());
        let mut single = [0; LANES];
        for (r, &held) in held_rows.iter().enumerate().take(order) {
            let mut row = [0; LANES];
            for (value, plane) in planes.iter().enumerate().take(order) {
                row[value] = row_of(plane, r, order) as u16;
            }
            let held = held as u16;
            for lane in 0..LANES {
                single[lane] |= u16::from(without_smallest(row[lane]) | row[lane] & held == 0);
            }
            grid.add(&row, held);
            let Some((rows, cols)) = self.boxes else { continue };
            band.add(&row, held);
            if (r + 1) % rows > 0 {
                continue;
            }
            for start in (0..order).step_by(cols) {
                let mask = ((u64::MAX >> (64 - cols)) << start) as u16;
                for (lane, single) in single.iter_mut().enumerate() {
                    let several = without_smallest(band.one[lane] & mask) | (band.more[lane] | band.held[lane]) & mask;
                    *single |= u16::from(several == 0);
                }
            }
            band = ColumnCountsByValue::default();
        }
        let mut values_with_singles = 0;
        for lane in 0..LANES {
            let single = single[lane] | full as u16 & !(grid.more[lane] | grid.held[lane]);
            values_with_singles |= u64::from(single != 0) << lane;
        }
        values_with_singles & full
    }
}

#[inline(always)]
fn row_of<const W: usize>(set: &CellSet<W>, row: usize, order: usize) -> u64 {
    let (w, shift) = (row * order / 64, row * order % 64);
    let high = if shift + order > 64 { set[w + 1] << (64 - shift) } else { 0 };
    (set[w] >> shift | high) & (u64::MAX >> (64 - order))
}

/// 0 if the row has at most one place.
#[inline(always)]
fn without_smallest(row: u16) -> u16 {
    row & row.wrapping_sub(1)
}
