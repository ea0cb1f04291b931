//! Band tables: f(P₁, P₂, P₃), the number of fillings of a band with these column partitions. It is counted in two
//! steps, h and f of "Band tables" in `docs/bands.md`, for one P₁ at a time.
//!
//! There are at most 280 rows, so a table has at most 280³ numbers: 44 MB. A slice is made on first use: every rank
//! makes what it needs, and its workers share it.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::aligned::Aligned;
use super::chain::Chains;
use super::clues::{Clue, Filter};
use super::kernel::{Kernel, LANES, MAX_ENTRY};
use super::partition::{ALL, PARTITIONS, crossing};
use super::symmetry::{orders, reorder};

/// The row of a partition that has none.
pub(super) const NONE: u16 = u16::MAX;

/// The rows of a table: column partitions of a box up to the order of its columns without clues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rows {
    of: Vec<u16>,
    /// One partition of each row.
    pub members: Vec<u16>,
}

impl Rows {
    pub(super) fn new(partitions: &[u16], clues: &[Clue]) -> Rows {
        let orders = orders(clues.iter());
        let mut of = vec![NONE; PARTITIONS];
        let mut members = Vec::new();
        for &index in partitions {
            if of[usize::from(index)] == NONE {
                for order in &orders {
                    of[usize::from(ALL.index(&reorder(ALL.parts(index), order)))] = members.len() as u16;
                }
                members.push(index);
            }
        }
        Rows { of, members }
    }

    pub(super) fn one_each(partitions: Vec<u16>) -> Rows {
        let mut of = vec![NONE; PARTITIONS];
        (0..).zip(&partitions).for_each(|(row, &index)| of[usize::from(index)] = row);
        Rows { of, members: partitions }
    }

    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    pub(super) fn of(&self, index: u16) -> u16 {
        self.of[usize::from(index)]
    }
}

thread_local! {
    /// Memory for h, at most a megabyte: allocating it for every slice would cost more than the sums.
    static UPPER: Cell<Aligned> = Cell::default();
}

pub(super) struct Table {
    pub rows: [Rows; 3],
    /// The row partitions, as chains.
    chains: Chains,
    /// The row partitions of the first box that cross each row's partition.
    first: Vec<Vec<u16>>,
    /// The same for the second box, by their numbers.
    second: Vec<Vec<u32>>,
    /// The number of each row partition of the second and of the third box.
    numbers: [Rows; 2],
    /// 1 where a row partition of the third box (by its number) crosses a row's partition.
    third: Aligned,
    /// The length of a line of the table: a number for each row of the third box, then at least one zero.
    pub stride: usize,
    /// As long as a line.
    pub zeros: Vec<u16>,
    kernel: Kernel,
    slices: Vec<Slice>,
}

/// The part of a table for one row of the first box.
#[derive(Default)]
struct Slice {
    numbers: OnceLock<Aligned>,
    /// Whether a worker has begun to make it.
    claimed: AtomicBool,
}

impl Table {
    /// Nothing is counted yet.
    pub(super) fn new(clues: &[Vec<Clue>; 3], rows: [Rows; 3], kernel: Kernel) -> Table {
        let chains = Chains::accepted(&Filter::rows(clues));
        let [first, second, third] = [0, 1, 2].map(|position| chains.at(position));
        // After the last row comes a number that is always 0, for partitions without a row.
        let stride = (rows[2].len() + 1).next_multiple_of(LANES);
        let mut crosses_third = Aligned::zeros(third.len() * stride);
        for (row, &member) in rows[2].members.iter().enumerate() {
            for i in crossing(member, &third) {
                crosses_third[usize::from(i) * stride + row] = 1;
            }
        }
        let crosses_first = |&member: &u16| crossing(member, &first).map(|i| first[usize::from(i)]).collect();
        let crosses_second = |&member: &u16| crossing(member, &second).map(u32::from).collect();
        Table {
            first: rows[0].members.iter().map(crosses_first).collect(),
            second: rows[1].members.iter().map(crosses_second).collect(),
            numbers: [second, third].map(Rows::one_each),
            third: crosses_third,
            slices: rows[0].members.iter().map(|_| Slice::default()).collect(),
            rows,
            chains,
            stride,
            zeros: vec![0; stride],
            kernel,
        }
    }

    /// Makes the slices of these rows of the first box, except those that others have begun: so workers that start at the
    /// same place divide the work instead of waiting for each other.
    pub(super) fn prepare(&self, firsts: impl Iterator<Item = u16>) {
        for first in firsts {
            let claimed = &self.slices[usize::from(first)].claimed;
            if !claimed.load(Ordering::Relaxed) && !claimed.swap(true, Ordering::Relaxed) {
                self.slice(first);
            }
        }
    }

    /// f for a row of the first and a row of the second box, over all rows of the third.
    pub(super) fn line(&self, first: u16, second: u16) -> &[u16] {
        &self.slice(first)[usize::from(second) * self.stride..][..self.stride]
    }

    fn slice(&self, first: u16) -> &[u16] {
        self.slices[usize::from(first)].numbers.get_or_init(|| self.count(first.into()))
    }

    fn count(&self, first: usize) -> Aligned {
        let stride = self.stride;
        let [second, third] = &self.numbers;
        let number = |index: u16| usize::from(second.of(index));
        let continuations = || self.first[first].iter().flat_map(|&rows| self.chains.of(rows));
        // The numbers of Q₃ of all chains, grouped by Q₂; the group of Q₂ number q ends at ends[q].
        let mut ends = vec![0; second.len() + 1];
        continuations().for_each(|chain| ends[number(chain[1]) + 1] += 1);
        (1..ends.len()).for_each(|q| ends[q] += ends[q - 1]);
        let mut thirds = vec![0; ends[second.len()]];
        for chain in continuations() {
            let end = &mut ends[number(chain[1])];
            thirds[*end] = third.of(chain[2]).into();
            *end += 1;
        }
        let mut upper = UPPER.take();
        if upper.len() < second.len() * stride {
            upper = Aligned::zeros(second.len() * stride);
        }
        let mut start = 0;
        for (sum, &end) in upper.chunks_exact_mut(stride).zip(&ends) {
            self.kernel.sum_rows(sum, &self.third, &thirds[start..end]);
            start = end;
        }
        let mut slice = Aligned::zeros(self.second.len() * stride);
        for (line, crossing) in slice.chunks_exact_mut(stride).zip(&self.second) {
            self.kernel.sum_rows(line, &upper, crossing);
        }
        UPPER.set(upper);
        let largest = slice.iter().copied().max().unwrap_or(0);
        assert!(largest <= MAX_ENTRY, "a band with given columns has {largest} fillings, more than is possible");
        slice
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A band has 9! · 56 · 6⁶ fillings, and no table entry is larger than the kernel allows: clues only reduce entries.
    #[test]
    fn the_table_of_a_band_without_clues_is_complete_and_its_largest_entry_is_1728() {
        let all: Vec<u16> = ALL.iter().map(|(index, _)| index).collect();
        let rows = || Rows::new(&all, &[]);
        assert_eq!(rows().len(), 280);
        let table = Table::new(&Default::default(), [rows(), rows(), rows()], Kernel::best());
        let (mut sum, mut largest) = (0, 0);
        for first in 0..280 {
            for second in 0..280 {
                let line = table.line(first, second);
                assert!(line[280..].iter().all(|&padding| padding == 0));
                sum += line.iter().map(|&fillings| u64::from(fillings)).sum::<u64>();
                largest = largest.max(line.iter().copied().max().unwrap_or(0));
            }
        }
        // A row stands for six partitions in each of the three boxes.
        assert_eq!(sum * 216, 362_880 * 56 * 46_656);
        assert_eq!(largest, MAX_ENTRY);
    }
}
