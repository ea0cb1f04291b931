//! What the one `MPI_Reduce` of a count carries, and the merge that its custom operation applies.

use serde::{Deserialize, Serialize};

use crate::count::{CacheUse, Solutions, Tally};

/// The smallest, the largest and the sum of a number over ranks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// The sum.
    pub sum: f64,
}

impl Spread {
    /// The spread of one number.
    pub fn of(x: f64) -> Spread {
        Spread { min: x, max: x, sum: x }
    }

    fn merge(&self, other: &Spread) -> Spread {
        Spread { min: self.min.min(other.min), max: self.max.max(other.max), sum: self.sum + other.sum }
    }
}

/// The tally of one rank, or of several merged: the element of the one `MPI_Reduce` that ends a count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Solutions found.
    pub solutions: Solutions,
    /// Nodes visited.
    pub nodes: u64,
    /// Units counted to their end.
    pub units: u64,
    /// Units left undone, or not done to their end.
    pub unfinished: u64,
    /// What caches were used for.
    pub cache: CacheUse,
    /// Seconds to get the units.
    pub distribute: Spread,
    /// Seconds spent counting, as the mean over a rank's workers.
    pub busy: Spread,
    /// Seconds of the count phase not spent counting.
    pub wait: Spread,
    /// Seconds of the longest unit.
    pub longest: Spread,
}

impl Summary {
    /// What one rank has to say.
    pub fn new(tally: &Tally, unfinished: u64, distribute: f64, busy: f64, wait: f64) -> Summary {
        Summary {
            solutions: tally.solutions,
            nodes: tally.nodes,
            units: tally.units,
            unfinished,
            cache: tally.cache,
            distribute: Spread::of(distribute),
            busy: Spread::of(busy),
            wait: Spread::of(wait),
            longest: Spread::of(tally.longest),
        }
    }

    /// Both together: the custom reduce operation. It is commutative, associative up to the rounding of seconds, and
    /// cannot fail: a panic inside an MPI operation would take the whole job down.
    pub fn merge(&self, other: &Summary) -> Summary {
        Summary {
            solutions: self.solutions.plus(other.solutions),
            nodes: self.nodes.saturating_add(other.nodes),
            units: self.units.saturating_add(other.units),
            unfinished: self.unfinished.saturating_add(other.unfinished),
            cache: self.cache.plus(other.cache),
            distribute: self.distribute.merge(&other.distribute),
            busy: self.busy.merge(&other.busy),
            wait: self.wait.merge(&other.wait),
            longest: self.longest.merge(&other.longest),
        }
    }
}

/// The 64-bit words of a [`Summary`].
#[cfg(feature = "mpi")]
pub(super) const WORDS: usize = 21;
/// A [`Summary`] as MPI carries it.
#[cfg(feature = "mpi")]
pub(super) type Words = [u64; WORDS];

#[cfg(feature = "mpi")]
impl Summary {
    /// As MPI carries it. There is no 128-bit integer in MPI: solutions travel as two halves, and an overflow as a flag.
    pub(super) fn to_words(self) -> Words {
        let solutions = self.solutions.exact();
        let (high, low) = solutions.map_or((0, 0), |count| ((count >> 64) as u64, count as u64));
        let mut words = [0; WORDS];
        words[..9].copy_from_slice(&[
            high,
            low,
            u64::from(solutions.is_none()),
            self.nodes,
            self.units,
            self.unfinished,
            self.cache.looks,
            self.cache.hits,
            self.cache.bytes,
        ]);
        for (three, spread) in words[9..].chunks_exact_mut(3).zip(self.spreads()) {
            three.copy_from_slice(&[spread.min, spread.max, spread.sum].map(f64::to_bits));
        }
        words
    }

    /// From what MPI carried.
    pub(super) fn from_words(words: &Words) -> Summary {
        let spread = |at: usize| {
            let [min, max, sum] = [words[at], words[at + 1], words[at + 2]].map(f64::from_bits);
            Spread { min, max, sum }
        };
        Summary {
            solutions: match words[2] {
                0 => Solutions::new(u128::from(words[0]) << 64 | u128::from(words[1])),
                _ => Solutions::OVERFLOW,
            },
            nodes: words[3],
            units: words[4],
            unfinished: words[5],
            cache: CacheUse { looks: words[6], hits: words[7], bytes: words[8] },
            distribute: spread(9),
            busy: spread(12),
            wait: spread(15),
            longest: spread(18),
        }
    }

    fn spreads(&self) -> [Spread; 4] {
        [self.distribute, self.busy, self.wait, self.longest]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn summary(solutions: Solutions) -> Summary {
        Summary::new(&Tally { solutions, nodes: 3, units: 2, ..Tally::ZERO }, 1, 0.5, 2.0, 0.25)
    }

    proptest! {
        #[test]
        fn merging_adds_all_128_bits_with_carry_or_reports_an_overflow(a: u128, b: u128) {
            let merged = summary(Solutions::new(a)).merge(&summary(Solutions::new(b)));
            prop_assert_eq!(merged.solutions.exact(), a.checked_add(b));
            let swapped = summary(Solutions::new(b)).merge(&summary(Solutions::new(a)));
            prop_assert_eq!(merged, swapped);
        }

        #[test]
        fn an_overflow_survives_every_later_merge(a: u128) {
            let overflowed = summary(Solutions::OVERFLOW).merge(&summary(Solutions::new(a)));
            prop_assert_eq!(overflowed.solutions, Solutions::OVERFLOW);
        }
    }

    #[cfg(feature = "mpi")]
    proptest! {
        #[test]
        fn a_summary_survives_its_journey(count: u128, overflow: bool, nodes: u64, seconds in 0.0..1e9f64) {
            let solutions = if overflow { Solutions::OVERFLOW } else { Solutions::new(count) };
            let cache = CacheUse { looks: nodes, hits: 3, bytes: 4 };
            let tally = Tally { solutions, nodes, units: 5, seconds, longest: seconds / 3.0, cache };
            let summary = Summary::new(&tally, 7, seconds / 5.0, seconds, 0.0);
            prop_assert_eq!(Summary::from_words(&summary.to_words()), summary);
        }
    }

    #[test]
    fn spreads_keep_smallest_largest_and_sum() {
        let one = Summary::new(&Tally::ZERO, 0, 1.0, 2.0, 3.0);
        let two = Summary::new(&Tally::ZERO, 0, 4.0, 1.0, 3.0);
        let merged = one.merge(&two);
        assert_eq!(merged.distribute, Spread { min: 1.0, max: 4.0, sum: 5.0 });
        assert_eq!(merged.busy, Spread { min: 1.0, max: 2.0, sum: 3.0 });
        assert_eq!(merged.wait, Spread { min: 3.0, max: 3.0, sum: 6.0 });
    }
}
