//! The permutations of digits and columns that preserve a count, and the classes of pairs of partitions under them: see
//! "Merging equivalent choices" in `docs/bands.md`.
//!
//! The merging group G ignores the clues of X, which makes it large. So nothing that depends on a clue of X may be
//! assumed of the representative of an orbit, unless G preserves the clue ([`Symmetry::fixes`]).
//!
//! A pair (P₁, P₂) puts each digit into one of nine *cells*: its column in P₁ and its column in P₂. The representative
//! of a class has the free digits in ascending order of cells. If columns may be swapped, it is the smallest key over
//! all swaps.

use std::ops::Range;

use super::clues::{Clue, OrientedClues};
use super::partition::{ALL, Digits, NINE, Parts};
use crate::search::bits;

/// A group: the digits that may be renamed, and the columns that may be swapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Symmetry {
    digits: Digits,
    /// The allowed orders of the columns of each stack, beginning with the identity.
    pub columns: [Vec<[usize; 3]>; 3],
}

impl Symmetry {
    /// The group that preserves the clues of these bands.
    pub(super) fn of(oriented: &OrientedClues, bands: &[usize]) -> Symmetry {
        let clues = |stack: usize| bands.iter().flat_map(move |&band| &oriented.boxes[band][stack]);
        let given = (0..3).flat_map(clues).fold(0, |given, clue| given | 1 << clue.digit);
        let columns = |stack| orders(clues(stack));
        Symmetry { digits: NINE & !given, columns: std::array::from_fn(columns) }
    }

    /// Whether all of the group preserves a clue.
    pub(super) fn fixes(&self, stack: usize, clue: &Clue) -> bool {
        let renames = self.digits.count_ones() > 1 && self.digits >> clue.digit & 1 == 1;
        !renames && self.columns[stack].iter().all(|order| order[clue.column] == clue.column)
    }

    /// The size of the group; with `stacks` = 2, of its action on the digits and the first two stacks.
    pub(super) fn size(&self, stacks: usize) -> f64 {
        let columns: f64 = self.columns[..stacks].iter().map(|orders| orders.len() as f64).product();
        columns * factorial(self.digits.count_ones()) as f64
    }
}

/// The orders of three columns that keep columns with a clue in place, beginning with the identity.
pub(super) fn orders<'a>(clues: impl Iterator<Item = &'a Clue>) -> Vec<[usize; 3]> {
    let fixed: Vec<usize> = clues.map(|clue| clue.column).collect();
    let all = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    all.into_iter().filter(|order| fixed.iter().all(|&column| order[column] == column)).collect()
}

pub(super) fn reorder(parts: &Parts, order: &[usize; 3]) -> Parts {
    order.map(|column| parts[column])
}

fn factorial(n: u32) -> u64 {
    (1..=u64::from(n)).product()
}

/// The cell of each digit, four bits each, digit 0 lowest.
type Key = u64;

/// Ascending.
fn members(set: Digits) -> impl Iterator<Item = usize> {
    bits(set.into())
}

fn cell(key: Key, digit: usize) -> usize {
    (key >> (4 * digit) & 15) as usize
}

/// The key with the free digits in ascending order of cells, and the number of free digits in each cell, four bits each.
fn canonical(key: Key, free: Digits) -> (Key, Key) {
    let (mut canonical_key, mut counts): (Key, Key) = (key, 0);
    for digit in members(free) {
        counts += 1 << (4 * cell(key, digit));
        canonical_key &= !(15 << (4 * digit));
    }
    let mut left = counts;
    for digit in members(free) {
        let cell = Key::from(left.trailing_zeros() / 4); // the first cell with digits left
        canonical_key |= cell << (4 * digit);
        left -= 1 << (4 * cell);
    }
    (canonical_key, counts)
}

/// An equivalence class of pairs of partitions under the merging group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Class {
    /// The first partition of the representative.
    pub first: u16,
    /// The second partition of the representative.
    pub second: u16,
    /// The members that agree with the clues of X, one for each class under H.
    pub images: Range<usize>,
}

/// A pair of partitions that agrees with the clues of X.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Image {
    pub first: u16,
    pub second: u16,
    /// The name here of each digit of the representative.
    pub renamed: [u8; 9],
    /// The number of pairs, equivalent under H, that this one stands for.
    pub times: u32,
}

/// The classes of all pairs of a first and a second partition, in the order of their representatives, and their images.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Classes {
    pub classes: Vec<Class>,
    pub images: Vec<Image>,
}

impl Classes {
    /// `merging` is G, `full` is H. `firsts` and `seconds` agree with all clues, and are closed under H.
    pub(super) fn new(firsts: &[u16], seconds: &[u16], merging: &Symmetry, full: &Symmetry) -> Classes {
        let mut found = Vec::new();
        let keys = |stack: usize, index: u16| (index, full.keys(stack, index), merging.keys(stack, index));
        let seconds: Vec<_> = seconds.iter().map(|&second| keys(1, second)).collect();
        for (first, of_full, of_merging) in firsts.iter().map(|&first| keys(0, first)) {
            if canonical(of_full[0], full.digits).0 != of_full[0] {
                continue; // then no pair with it is a representative
            }
            for (second, second_of_full, second_of_merging) in &seconds {
                let Some(times) = full.stands_for(&of_full, second_of_full) else { continue };
                let (key, renamed) = merging.representative(&of_merging, second_of_merging);
                found.push((key, Image { first, second: *second, renamed, times }));
            }
        }
        found.sort_by_key(|(key, _)| *key);
        let mut classes = Vec::new();
        let mut end = 0;
        for same in found.chunk_by(|(key, _), (next, _)| key == next) {
            let columns = |of: fn(usize) -> usize| {
                let part = |i| (0..9).filter(|&d| of(cell(same[0].0, d)) == i).fold(0, |set, d| set | 1 << d);
                ALL.index(&std::array::from_fn(part))
            };
            let (first, second) = (columns(|cell| cell / 3), columns(|cell| cell % 3));
            classes.push(Class { first, second, images: end..end + same.len() });
            end += same.len();
        }
        // Neighbours share their first partition, and so most table slices.
        classes.sort_unstable_by_key(|class| (class.first, class.second));
        Classes { classes, images: found.into_iter().map(|(_, image)| image).collect() }
    }
}

impl Symmetry {
    /// The column of each digit of a partition of a stack, in every order that the group allows.
    fn keys(&self, stack: usize, index: u16) -> Vec<Key> {
        // A cell is 3 · (column in the first partition) + (column in the second).
        let scale = if stack == 0 { 3 } else { 1 };
        let reordered = |order| scale * ALL.columns[usize::from(ALL.index(&reorder(ALL.parts(index), order)))];
        self.columns[stack].iter().map(reordered).collect()
    }

    /// If a pair is the representative of its class under this group, the size of the class.
    fn stands_for(&self, first: &[Key], second: &[Key]) -> Option<u32> {
        let own = first[0] + second[0];
        let (canonical_key, counts) = canonical(own, self.digits);
        if canonical_key != own {
            return None;
        }
        let mut stays = 0;
        for first in first {
            for second in second {
                let (key, _) = canonical(first + second, self.digits);
                if key < own {
                    return None;
                }
                stays += u64::from(key == own);
            }
        }
        let in_cells: u64 = (0..9).map(|cell| factorial((counts >> (4 * cell) & 15) as u32)).product();
        let group = factorial(self.digits.count_ones()) * (first.len() * second.len()) as u64;
        Some((group / (in_cells * stays)) as u32)
    }

    /// The key of the representative of a pair's class, and the names of its digits in the pair.
    fn representative(&self, first: &[Key], second: &[Key]) -> (Key, [u8; 9]) {
        let mut best = (Key::MAX, 0);
        for first in first {
            for second in second {
                let key = first + second;
                best = best.min((canonical(key, self.digits).0, key));
            }
        }
        let (canonical_key, key) = best;
        // The free digits of the pair, in ascending order of cells, are renamed to the free digits in ascending order: each
        // takes the first unused name in its cell.
        let mut renamed = std::array::from_fn(|digit| digit as u8);
        let mut taken = 0;
        for own in members(self.digits) {
            let same_cell = |name: &usize| cell(canonical_key, *name) == cell(key, own) && taken >> name & 1 == 0;
            if let Some(name) = members(self.digits).find(same_cell) {
                renamed[name] = own as u8;
                taken |= 1 << name;
            }
        }
        (canonical_key, renamed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oriented(clues: &[(usize, usize, Clue)]) -> OrientedClues {
        let mut oriented = OrientedClues { boxes: Default::default() };
        for &(band, stack, clue) in clues {
            oriented.boxes[band][stack].push(clue);
        }
        oriented
    }

    fn clue(digit: u8, row: usize, column: usize) -> Clue {
        Clue { digit, row, column }
    }

    #[test]
    fn without_clues_there_are_few_classes_which_cover_all_pairs() {
        let free = Symmetry::of(&oriented(&[]), &[0, 1, 2]);
        let all: Vec<u16> = ALL.iter().map(|(index, _)| index).collect();
        let Classes { classes, images } = Classes::new(&all, &all, &free, &free);
        assert_eq!(classes.len(), images.len(), "G is H: every class has one image");
        assert_eq!(images.iter().map(|image| u64::from(image.times)).sum::<u64>(), 1680 * 1680);
        // 3×3 matrices with line sums 3, up to the order of rows and of columns: five.
        assert_eq!(classes.len(), 5);
    }

    #[test]
    fn a_clue_is_fixed_if_neither_its_digit_nor_its_column_can_move() {
        let oriented = oriented(&[(0, 0, clue(4, 0, 1)), (1, 0, clue(4, 0, 0)), (1, 0, clue(5, 0, 1))]);
        let below = Symmetry::of(&oriented, &[1, 2]);
        assert!(below.fixes(0, &clue(4, 2, 1)), "4 has a clue below, and so does the column");
        assert!(!below.fixes(0, &clue(6, 2, 1)), "6 may be renamed");
        assert!(!below.fixes(1, &clue(4, 2, 1)), "the column may be swapped");
    }
}
