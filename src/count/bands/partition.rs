//! The 1680 ordered partitions of nine digits into three sets of three.

use std::sync::LazyLock;

/// Bit d is digit d + 1.
pub(super) type Digits = u16;
/// The digits of the three columns of a box, or of its three rows.
pub(super) type Parts = [Digits; 3];

pub(super) const NINE: Digits = 0x1ff;
pub(super) const PARTITIONS: usize = 1680;
/// See [`code_sums`].
pub(super) const CODES: usize = 19_683;

/// All ordered partitions, and the index of each.
pub(super) struct Partitions {
    parts: Vec<Parts>,
    /// The index of the partition with each code; `u16::MAX` if there is none.
    pub indices: Vec<u16>,
    identity: CodeSums,
    /// The part (0 to 2) of each digit of each partition, four bits a digit.
    pub columns: Vec<u64>,
}

pub(super) static ALL: LazyLock<Partitions> = LazyLock::new(Partitions::new);

impl Partitions {
    fn new() -> Partitions {
        let identity = code_sums(&[0, 1, 2, 3, 4, 5, 6, 7, 8]);
        let mut parts = Vec::with_capacity(PARTITIONS);
        let mut indices = vec![u16::MAX; CODES];
        let threes = || (0..=NINE).filter(|set| set.count_ones() == 3);
        for first in threes() {
            for second in threes().filter(|second| second & first == 0) {
                let partition = [first, second, NINE & !first & !second];
                indices[code(&identity, &partition)] = parts.len() as u16;
                parts.push(partition);
            }
        }
        let column = |parts: &Parts, d: usize| (1..3).filter(|&i| parts[i] >> d & 1 == 1).sum::<usize>() as u64;
        let columns = |parts: &Parts| (0..9).map(|d| column(parts, d) << (4 * d)).sum();
        let columns = parts.iter().map(columns).collect();
        Partitions { parts, indices, identity, columns }
    }

    pub(super) fn parts(&self, index: u16) -> &Parts {
        &self.parts[usize::from(index)]
    }

    pub(super) fn index(&self, parts: &Parts) -> u16 {
        self.indices[code(&self.identity, parts)]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u16, &Parts)> {
        (0..).zip(&self.parts)
    }
}

/// For every set of digits, the sum of 3^δ(d) over its digits d.
pub(super) type CodeSums = [u16; 512];

/// The code of a partition with its digits renamed by δ is Σ column(d)·3^δ(d): with these sums it takes two lookups.
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

#[inline(always)]
pub(super) fn code(sums: &CodeSums, parts: &Parts) -> usize {
    usize::from(sums[usize::from(parts[1] & NINE)] + 2 * sums[usize::from(parts[2] & NINE)])
}

/// Whether a column partition and a row partition belong to a filling of a box.
pub(super) fn cross(columns: &Parts, rows: &Parts) -> bool {
    // Nine intersections share nine digits: if none is empty, each has one digit.
    columns.iter().all(|column| rows.iter().all(|row| column & row != 0))
}

/// The numbers of those of these partitions that cross one, ascending.
pub(super) fn crossing(one: u16, others: &[u16]) -> impl Iterator<Item = u16> {
    let crosses = move |&(_, other): &(u16, &u16)| cross(ALL.parts(one), ALL.parts(*other));
    (0..).zip(others).filter(crosses).map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_crosses_216_others() {
        for (_, columns) in ALL.iter().step_by(97) {
            assert_eq!(ALL.iter().filter(|(_, rows)| cross(columns, rows)).count(), 216);
        }
    }
}
