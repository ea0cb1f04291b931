//! Chains: compatible column partitions of the three boxes of a stack, or row partitions of the boxes of a band, that
//! agree with the clues. "Chains" in `docs/bands.md` derives the 56 continuations of a partition.

use super::clues::Filter;
use super::partition::{ALL, Digits, PARTITIONS, Parts};
use crate::groups::Groups;

/// The indices of three compatible partitions.
pub(super) type Chain = [u16; 3];

/// All chains that three filters accept, grouped by their first partitions.
pub(super) type Chains = Groups<Chain>;

impl Chains {
    pub(super) fn accepted(filters: &[Filter; 3]) -> Chains {
        let mut chains = Vec::new();
        let mut starts = Vec::with_capacity(PARTITIONS + 1);
        for (first, parts) in ALL.iter() {
            starts.push(chains.len() as u32);
            if let Some(moves) = Moves::new(parts, filters) {
                moves.each(|second, third| chains.push([first, ALL.index(second), ALL.index(third)]));
            }
        }
        starts.push(chains.len() as u32);
        Groups::new(chains, starts)
    }

    /// The distinct partitions at a position (0 to 2) of the chains, ascending.
    pub(super) fn at(&self, position: usize) -> Vec<u16> {
        let mut seen = vec![false; PARTITIONS];
        for chain in self.all() {
            seen[usize::from(chain[position])] = true;
        }
        (0..).zip(seen).filter_map(|(index, seen)| seen.then_some(index)).collect()
    }
}

/// The possible moves of the digits of a first partition.
pub(super) struct Moves {
    parts: Parts,
    /// The digits of each part that must move right.
    must: Parts,
    /// The digits that can move both ways.
    free: Parts,
}

impl Moves {
    /// `None` if the filters do not accept the partition, or a digit cannot move.
    pub(super) fn new(parts: &Parts, [first, second, third]: &[Filter; 3]) -> Option<Moves> {
        let right = |i: usize| parts[i] & second.allowed[(i + 1) % 3] & third.allowed[(i + 2) % 3];
        let left = |i: usize| parts[i] & second.allowed[(i + 2) % 3] & third.allowed[(i + 1) % 3];
        let possible = first.accepts(parts) && (0..3).all(|i| right(i) | left(i) == parts[i]);
        possible.then(|| Moves {
            parts: *parts,
            must: std::array::from_fn(|i| right(i) & !left(i)),
            free: std::array::from_fn(|i| right(i) & left(i)),
        })
    }

    /// The number of continuations: the same number of digits of each part, 0 to 3, move right.
    pub(super) fn count(&self) -> u64 {
        const CHOOSE: [[u64; 4]; 4] = [[1, 0, 0, 0], [1, 1, 0, 0], [1, 2, 1, 0], [1, 3, 3, 1]];
        let choices = |i: usize, moving: usize| {
            let (must, free) = (self.must[i].count_ones() as usize, self.free[i].count_ones() as usize);
            moving.checked_sub(must).map_or(0, |chosen| CHOOSE[free][chosen])
        };
        (0..=3).map(|moving| (0..3).map(|i| choices(i, moving)).product::<u64>()).sum()
    }

    /// Calls `found` with the second and the third partition of each continuation.
    fn each(&self, mut found: impl FnMut(&Parts, &Parts)) {
        let [left, middle, right] = self.parts;
        let movers = |i: usize, moving: u32| {
            subsets(self.free[i]).map(move |free| self.must[i] | free).filter(move |set| set.count_ones() == moving)
        };
        for a in subsets(self.free[0]).map(|free| self.must[0] | free) {
            for b in movers(1, a.count_ones()) {
                for c in movers(2, a.count_ones()) {
                    let second = [(middle & !b) | c, a | (right & !c), (left & !a) | b];
                    let third = [b | (right & !c), (left & !a) | c, a | (middle & !b)];
                    found(&second, &third);
                }
            }
        }
    }
}

/// Ascending.
fn subsets(set: Digits) -> impl Iterator<Item = Digits> {
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let subset: Digits = next?;
        next = Some(subset.wrapping_sub(set) & set).filter(|&next| next != 0);
        Some(subset)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

        #[test]
        fn filtered_chains_are_all_chains_that_have_every_clue_in_its_place(
            clues in proptest::collection::vec((0usize..3, 0u8..9, 0usize..3), 0..7),
        ) {
            let of = |owner| clues.iter().filter(|clue| clue.0 == owner).map(|clue| (clue.1, clue.2)).collect::<Vec<_>>();
            let filters = Filter::line([of(0), of(1), of(2)]);
            let all = Chains::accepted(&Filter::line([[]; 3]));
            prop_assert_eq!(all.all().len(), PARTITIONS * 56);
            let mut found = Chains::accepted(&filters).all().to_vec();
            let agrees = |chain: &&Chain| {
                clues.iter().all(|&(owner, digit, part)| ALL.parts(chain[owner])[part] >> digit & 1 == 1)
            };
            let mut expected: Vec<Chain> = all.all().iter().filter(agrees).copied().collect();
            found.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(&found, &expected);
            let counted: u64 = ALL.iter().filter_map(|(_, parts)| Moves::new(parts, &filters)).map(|m| m.count()).sum();
            prop_assert_eq!(counted, expected.len() as u64);
        }
    }
}
