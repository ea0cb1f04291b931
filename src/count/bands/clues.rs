//! The clues of a puzzle in one of its orientations, and the partitions of each box that they allow.

use census_puzzle::Puzzle;

use super::partition::{NINE, Parts};

/// A given digit, and its row and column in its box; all from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clue {
    pub digit: u8,
    pub row: usize,
    pub column: usize,
}

/// The order in which the bands and the stacks of a puzzle are taken, and whether its rows and columns are swapped first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Orientation {
    pub transposed: bool,
    pub bands: [usize; 3],
    pub stacks: [usize; 3],
}

impl Orientation {
    /// The puzzle as it is written.
    pub(super) const UPRIGHT: Orientation = Orientation { transposed: false, bands: [0, 1, 2], stacks: [0, 1, 2] };

    /// The cell of the puzzle at a row and column of a box in this orientation.
    pub(super) fn cell(&self, band: usize, stack: usize, row: usize, column: usize) -> usize {
        let (row, column) = (self.bands[band] * 3 + row, self.stacks[stack] * 3 + column);
        if self.transposed { column * 9 + row } else { row * 9 + column }
    }
}

/// The clues of each box, by band and stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OrientedClues {
    pub boxes: [[Vec<Clue>; 3]; 3],
}

impl OrientedClues {
    pub(super) fn new(puzzle: &Puzzle, orientation: &Orientation) -> OrientedClues {
        let clues = |band: usize, stack: usize| {
            let clue = |at: usize| {
                let (row, column) = (at / 3, at % 3);
                let value = puzzle.givens[orientation.cell(band, stack, row, column)];
                value.checked_sub(1).map(|digit| Clue { digit, row, column })
            };
            (0..9).filter_map(clue).collect()
        };
        let band = |band| std::array::from_fn(|stack| clues(band, stack));
        OrientedClues { boxes: std::array::from_fn(band) }
    }
}

/// The partitions that clues allow: the digits that may be in each part. A digit given in one part is excluded from the
/// others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Filter {
    pub allowed: Parts,
}

impl Filter {
    #[inline(always)]
    pub(super) fn accepts(&self, parts: &Parts) -> bool {
        (0..3).all(|i| parts[i] & !self.allowed[i] == 0)
    }

    /// The filters of three boxes in a line, each with clues (digit, part): what one box has in a part, the others may not
    /// have there.
    pub(super) fn line<Clues: IntoIterator<Item = (u8, usize)>>(clues: [Clues; 3]) -> [Filter; 3] {
        let mut filters = [Filter { allowed: [NINE; 3] }; 3];
        for (owner, clues) in clues.into_iter().enumerate() {
            for (digit, given) in clues {
                for (i, filter) in filters.iter_mut().enumerate() {
                    for (part, allowed) in filter.allowed.iter_mut().enumerate() {
                        if (i == owner) != (part == given) {
                            *allowed &= !(1 << digit);
                        }
                    }
                }
            }
        }
        filters
    }

    /// The filters of the row partitions of three boxes in a band.
    pub(super) fn rows(clues: &[Vec<Clue>; 3]) -> [Filter; 3] {
        Filter::line(clues.each_ref().map(|clues| clues.iter().map(|clue| (clue.digit, clue.row))))
    }
}
