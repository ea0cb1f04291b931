//! The 1680 ordered partitions of nine digits into three sets of three, and how they follow one another.
//!
//! A 3×3 box is known by two of them: its *column partition* P, the digits of its left, middle and right column, and its
//! *row partition* Q, those of its top, middle and bottom row. The pair belongs to a filling exactly when every column
//! meets every row in one digit, and then to exactly one filling.
//!
//! Three boxes one below the other share their columns: in each column of the stack, the digits of the three boxes are
//! the nine digits. So a digit that P has in column 0 stands in column 1 or 2 of the box below and in the other one of
//! the box below that. Let `a`, `b`, `c` be the digits of P₀, P₁, P₂ that move one column to the right (from the last
//! column to the first) in the second box; the others move one to the left. All columns have three digits again if and
//! only if `a`, `b` and `c` are equally many: there are 1 + 27 + 27 + 1 = 56 ways, and the third box follows.
//!
//! Boxes side by side share their rows in the same way, so the same 56 ways carry row partitions along a band.

use std::sync::LazyLock;

/// A set of digits; bit d is digit d + 1.
pub(super) type Digits = u16;
/// The digits of the three columns of a box, or of its three rows.
pub(super) type Parts = [Digits; 3];

/// All nine digits.
pub(super) const NINE: Digits = 0x1ff;
/// The number of ordered partitions.
pub(super) const PARTITIONS: usize = 1680;
/// The number of codes; see [`code_sums`].
pub(super) const CODES: usize = 19_683;

/// All ordered partitions, and the place of each.
pub(super) struct Partitions {
    parts: Vec<Parts>,
    places: Vec<u16>,
    identity: CodeSums,
}

/// The partitions, made when they are first needed.
pub(super) static ALL: LazyLock<Partitions> = LazyLock::new(Partitions::new);

impl Partitions {
    fn new() -> Partitions {
        let identity = code_sums(&[0, 1, 2, 3, 4, 5, 6, 7, 8]);
        let mut parts = Vec::with_capacity(PARTITIONS);
        let mut places = vec![u16::MAX; CODES];
        let threes = || (0..=NINE).filter(|set| set.count_ones() == 3);
        for first in threes() {
            for second in threes().filter(|second| second & first == 0) {
                let partition = [first, second, NINE & !first & !second];
                places[code(&identity, &partition)] = parts.len() as u16;
                parts.push(partition);
            }
        }
        Partitions { parts, places, identity }
    }

    /// The partition at a place.
    pub(super) fn parts(&self, place: u16) -> &Parts {
        &self.parts[usize::from(place)]
    }

    /// The place of a partition.
    pub(super) fn place(&self, parts: &Parts) -> u16 {
        self.places[code(&self.identity, parts)]
    }

    /// The place of the partition with each code; `u16::MAX` for codes of none.
    pub(super) fn places_by_code(&self) -> &[u16] {
        &self.places
    }

    /// All of them, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u16, &Parts)> {
        (0..).zip(&self.parts)
    }
}

/// For every set of digits, the sum of 3^δ(d) over its digits d.
pub(super) type CodeSums = [u16; 512];

/// The code of a partition with its digits renamed by δ is Σ column(d)·3^δ(d): these sums make it two look-ups.
pub(super) fn code_sums(renamed: &[u8; 9]) -> CodeSums {
    let mut sums = [0; 512];
    for (digit, &name) in renamed.iter().enumerate() {
        let power = 3u16.pow(name.into());
        let (known, next) = sums.split_at_mut(1 << digit);
        for (next, known) in next.iter_mut().zip(known) {
            *next = *known + power;
        }
    }
    sums
}

/// The code of a partition.
#[inline(always)]
pub(super) fn code(sums: &CodeSums, parts: &Parts) -> usize {
    usize::from(sums[usize::from(parts[1] & NINE)] + 2 * sums[usize::from(parts[2] & NINE)])
}

/// The 56 pairs of partitions with which a stack, or a band, can go on after `parts`.
pub(super) fn successors(parts: &Parts) -> impl Iterator<Item = (Parts, Parts)> {
    let [left, middle, right] = *parts;
    subsets(left).flat_map(move |a| {
        let as_many = move |set: Digits| subsets(set).filter(move |subset| subset.count_ones() == a.count_ones());
        as_many(middle).flat_map(move |b| {
            as_many(right).map(move |c| {
                let second = [(middle & !b) | c, a | (right & !c), (left & !a) | b];
                let third = [b | (right & !c), (left & !a) | c, a | (middle & !b)];
                (second, third)
            })
        })
    })
}

/// All subsets of a set, ascending.
fn subsets(set: Digits) -> impl Iterator<Item = Digits> {
    let mut next: Option<Digits> = Some(0);
    std::iter::from_fn(move || {
        let subset = next?;
        next = Some(subset.wrapping_sub(set) & set).filter(|&next| next != 0);
        Some(subset)
    })
}

/// Whether a column partition and a row partition belong to a filling of a box.
pub(super) fn cross(columns: &Parts, rows: &Parts) -> bool {
    // Nine meetings share nine digits: if none is empty, each has one.
    columns.iter().all(|column| rows.iter().all(|row| column & row != 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn there_are_1680_partitions_each_at_its_place() {
        assert_eq!(ALL.iter().count(), PARTITIONS);
        for (place, parts) in ALL.iter() {
            assert_eq!(parts[0] | parts[1] | parts[2], NINE);
            assert!(parts.iter().all(|part| part.count_ones() == 3));
            assert_eq!(ALL.place(parts), place);
        }
    }

    #[test]
    fn a_stack_goes_on_in_56_ways_in_which_every_column_holds_nine_digits() {
        for (_, parts) in ALL.iter() {
            let ways: HashSet<_> = successors(parts).collect();
            assert_eq!(ways.len(), 56);
            for (second, third) in ways {
                assert!((0..3).all(|j| parts[j] | second[j] | third[j] == NINE));
                assert!([second, third].iter().all(|parts| parts.iter().all(|part| part.count_ones() == 3)));
            }
        }
    }

    #[test]
    fn a_partition_crosses_216_others() {
        for (_, columns) in ALL.iter().step_by(97) {
            assert_eq!(ALL.iter().filter(|(_, rows)| cross(columns, rows)).count(), 216);
        }
    }

    #[test]
    fn codes_follow_a_renaming_of_the_digits() {
        let renamed = [3, 0, 8, 1, 2, 7, 6, 4, 5];
        let sums = code_sums(&renamed);
        let rename = |set: Digits| (0..9).filter(|d| set >> d & 1 == 1).fold(0, |s, d| s | 1 << renamed[d]);
        for (_, parts) in ALL.iter() {
            assert_eq!(ALL.places[code(&sums, parts)], ALL.place(&parts.map(rename)));
        }
    }
}
