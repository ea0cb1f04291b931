//! Hidden singles on a board of any shape: a value with one place in a house goes there.
//!
//! Rows are runs of bits, so each is one word here. Over the rows of a grid, or of a band of boxes, two accumulators tell
//! for all columns at once which have a place for a value and which have several; the columns of a box tell the same of the
//! box. Houses of any other form are looked at one by one.
//!
//! Most values have no hidden single at most nodes. Up to order 16, one pass over all values side by side tells which have.

use census_puzzle::{HouseKind, Regions, Shape};

use super::{Cells, bits, keep_only};

/// What a look for hidden singles came to.
pub(crate) enum Hidden {
    /// A value has no place in a house.
    Contradiction,
    /// There were some, and all other values are gone from their cells.
    Found,
    /// There were none.
    None,
}

/// The houses of a shape.
pub(crate) struct Houses {
    order: usize,
    /// Rows and columns of a box, where there are boxes.
    boxes: Option<(usize, usize)>,
    /// All other houses but rows and columns: the words that are not empty.
    others: Vec<Vec<(usize, u64)>>,
}

/// The columns in which a value has a place, several, and one that is settled.
#[derive(Clone, Copy, Default)]
struct Columns {
    one: u64,
    more: u64,
    held: u64,
}

impl Columns {
    #[inline(always)]
    fn add(&mut self, row: u64, held: u64) {
        self.more |= self.one & row;
        self.one |= row;
        self.held |= held;
    }
}

/// The most values that are looked at side by side, and the most columns.
const LANES: usize = 16;

/// The same, of all values side by side.
#[derive(Clone, Copy, Default)]
struct Wide {
    one: [u16; LANES],
    more: [u16; LANES],
    held: [u16; LANES],
}

impl Wide {
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

    /// Gives every cell that is the only place for a value in a house that value. `N` is the order, where it is known when
    /// the program is compiled, else 0.
    #[inline(always)]
    pub(crate) fn singles<const W: usize, const N: usize>(
        &self,
        planes: &mut [Cells<W>],
        settled: &Cells<W>,
    ) -> Hidden {
        let order = if N == 0 { self.order } else { N };
        let full = u64::MAX >> (64 - order);
        let row = |set: &Cells<W>, row: usize| row_of(set, row, order);
        let mut held_rows = [0; 64];
        for (r, held) in held_rows.iter_mut().enumerate().take(order) {
            *held = row(settled, r);
        }
        let suspects = if order <= LANES { self.suspects::<W, N>(planes, &held_rows) } else { full };
        let mut found = Hidden::None;
        for value in bits(suspects) {
            let (mut grid, mut band) = (Columns::default(), Columns::default());
            for (r, &held) in held_rows.iter().enumerate().take(order) {
                let here = row(&planes[value], r);
                let held = here & held;
                if here == 0 {
                    return Hidden::Contradiction;
                }
                if held == 0 && here & (here - 1) == 0 {
                    keep_only(planes, r * order + here.trailing_zeros() as usize, value);
                    found = Hidden::Found;
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
                        return Hidden::Contradiction;
                    }
                    if one & (one - 1) == 0 && (band.more | band.held) & mask == 0 {
                        let column = one.trailing_zeros() as usize;
                        let mut of_box = r + 1 - rows..=r;
                        let Some(r) = of_box.find(|&r| row(&planes[value], r) & one != 0) else { continue };
                        keep_only(planes, r * order + column, value);
                        found = Hidden::Found;
                    }
                }
                band = Columns::default();
            }
            if grid.one != full {
                return Hidden::Contradiction;
            }
            for column in bits(full & !(grid.more | grid.held)) {
                let Some(r) = (0..order).find(|&r| row(&planes[value], r) >> column & 1 == 1) else { continue };
                keep_only(planes, r * order + column, value);
                found = Hidden::Found;
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
                    0 => return Hidden::Contradiction,
                    1 if held == 0 => {
                        keep_only(planes, place, value);
                        found = Hidden::Found;
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// The values that have a row, a column or a box with one place that is not settled, or with none.
    #[inline(always)]
    fn suspects<const W: usize, const N: usize>(&self, planes: &[Cells<W>], held_rows: &[u64; 64]) -> u64 {
        let order = if N == 0 { self.order } else { N };
        let full = u64::MAX >> (64 - order);
        let (mut grid, mut band) = (Wide::default(), Wide::default());
        let mut lonely = [0; LANES];
        for (r, &held) in held_rows.iter().enumerate().take(order) {
            let mut row = [0; LANES];
            for (value, plane) in planes.iter().enumerate().take(order) {
                row[value] = row_of(plane, r, order) as u16;
            }
            let held = held as u16;
            for lane in 0..LANES {
                lonely[lane] |= u16::from(without_smallest(row[lane]) | row[lane] & held == 0);
            }
            grid.add(&row, held);
            let Some((rows, cols)) = self.boxes else { continue };
            band.add(&row, held);
            if (r + 1) % rows > 0 {
                continue;
            }
            for start in (0..order).step_by(cols) {
                let mask = ((u64::MAX >> (64 - cols)) << start) as u16;
                for (lane, lonely) in lonely.iter_mut().enumerate() {
                    let several = without_smallest(band.one[lane] & mask) | (band.more[lane] | band.held[lane]) & mask;
                    *lonely |= u16::from(several == 0);
                }
            }
            band = Wide::default();
        }
        let mut suspects = 0;
        for lane in 0..LANES {
            let lonely = lonely[lane] | full as u16 & !(grid.more[lane] | grid.held[lane]);
            suspects |= u64::from(lonely != 0) << lane;
        }
        suspects & full
    }
}

/// One row of a set of cells.
#[inline(always)]
fn row_of<const W: usize>(set: &Cells<W>, row: usize, order: usize) -> u64 {
    let (w, shift) = (row * order / 64, row * order % 64);
    let high = if shift + order > 64 { set[w + 1] << (64 - shift) } else { 0 };
    (set[w] >> shift | high) & (u64::MAX >> (64 - order))
}

/// A row without its first place: empty, if it had but one.
#[inline(always)]
fn without_smallest(row: u16) -> u16 {
    row & row.wrapping_sub(1)
}
