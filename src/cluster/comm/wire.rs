//! The element of the one `MPI_Reduce` that ends a count, and the operation that merges two of them.

use serde::{Deserialize, Serialize};

use crate::count::{CacheStats, Solutions, Tally};

/// Statistics of a number over ranks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MinMaxSum {
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
    /// The sum over all ranks.
    pub sum: f64,
}

impl MinMaxSum {
    /// The statistics of a single rank.
    pub fn of(x: f64) -> MinMaxSum {
        MinMaxSum { min: x, max: x, sum: x }
    }

    #[cfg(any(feature = "mpi", test))]
    fn merge(self, other: MinMaxSum) -> MinMaxSum {
        MinMaxSum { min: self.min.min(other.min), max: self.max.max(other.max), sum: self.sum + other.sum }
    }
}

/// The tally and timings of one rank, or of several ranks merged. Times are in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reduction {
    /// Solutions found.
    pub solutions: Solutions,
    /// Nodes visited.
    pub nodes: u64,
    /// Units counted to the end.
    pub units: u64,
    /// Units and subtasks not counted, or not counted to the end.
    pub unfinished: u64,
    /// Use of the memo tables.
    pub cache: CacheStats,
    /// Time to receive the first block.
    pub distribute: MinMaxSum,
    /// Time spent counting, the mean over the workers of a rank.
    pub busy: MinMaxSum,
    /// Time of the count phase not spent counting.
    pub wait: MinMaxSum,
    /// Time of the longest unit.
    pub longest: MinMaxSum,
}

impl Reduction {
    pub(crate) fn new(tally: &Tally, unfinished: u64, distribute: f64, busy: f64, wait: f64) -> Reduction {
        Reduction {
            solutions: tally.solutions,
            nodes: tally.nodes,
            units: tally.units,
            unfinished,
            cache: tally.cache,
            distribute: MinMaxSum::of(distribute),
            busy: MinMaxSum::of(busy),
            wait: MinMaxSum::of(wait),
            longest: MinMaxSum::of(tally.longest),
        }
    }
}

/// A [`Reduction`] as MPI carries it. MPI has no 128-bit integers: the count travels as two halves, an overflow as a flag.
#[cfg(any(feature = "mpi", test))]
pub(crate) type Words = [u64; WORDS];
#[cfg(any(feature = "mpi", test))]
pub(crate) const WORDS: usize = 21;

#[cfg(any(feature = "mpi", test))]
impl Reduction {
    /// The custom reduce operation: commutative, and associative up to the rounding of seconds. It is total, because a panic
    /// inside an MPI operation aborts the job.
    pub(crate) fn merge(&self, other: &Reduction) -> Reduction {
        Reduction {
            solutions: self.solutions.plus(other.solutions),
            nodes: self.nodes.saturating_add(other.nodes),
            units: self.units.saturating_add(other.units),
            unfinished: self.unfinished.saturating_add(other.unfinished),
            cache: self.cache.plus(other.cache),
            distribute: self.distribute.merge(other.distribute),
            busy: self.busy.merge(other.busy),
            wait: self.wait.merge(other.wait),
            longest: self.longest.merge(other.longest),
        }
    }

    pub(crate) fn to_words(self) -> Words {
        let exact = self.solutions.exact();
        let count = exact.unwrap_or(0);
        let CacheStats { lookups, hits, bytes } = self.cache;
        let integers = [
            (count >> 64) as u64,
            count as u64,
            u64::from(exact.is_none()),
            self.nodes,
            self.units,
            self.unfinished,
            lookups,
            hits,
            bytes,
        ];
        let times = [self.distribute, self.busy, self.wait, self.longest];
        let times = times.into_iter().flat_map(|time| [time.min, time.max, time.sum]).map(f64::to_bits);
        let mut words = [0; WORDS];
        words.iter_mut().zip(integers.into_iter().chain(times)).for_each(|(word, value)| *word = value);
        words
    }

    pub(crate) fn from_words(words: &Words) -> Reduction {
        let &[high, low, overflow, nodes, units, unfinished, lookups, hits, bytes, ref times @ ..] = words;
        let time = |at: usize| {
            let [min, max, sum] = [times[at], times[at + 1], times[at + 2]].map(f64::from_bits);
            MinMaxSum { min, max, sum }
        };
        Reduction {
            solutions: match overflow {
                0 => Solutions::new(u128::from(high) << 64 | u128::from(low)),
                _ => Solutions::OVERFLOW,
            },
            nodes,
            units,
            unfinished,
            cache: CacheStats { lookups, hits, bytes },
            distribute: time(0),
            busy: time(3),
            wait: time(6),
            longest: time(9),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reduction(solutions: Solutions) -> Reduction {
        Reduction::new(&Tally { solutions, nodes: 3, units: 2, ..Tally::default() }, 1, 0.5, 2.0, 0.25)
    }

    proptest! {
        #[test]
        fn a_merge_adds_all_128_bits_or_reports_an_overflow(a: u128, b: u128) {
            let merged = reduction(Solutions::new(a)).merge(&reduction(Solutions::new(b)));
            prop_assert_eq!(merged.solutions.exact(), a.checked_add(b));
            let swapped = reduction(Solutions::new(b)).merge(&reduction(Solutions::new(a)));
            prop_assert_eq!(merged, swapped);
        }

        #[test]
        fn an_overflow_survives_later_merges(a: u128) {
            let overflowed = reduction(Solutions::OVERFLOW).merge(&reduction(Solutions::new(a)));
            prop_assert_eq!(overflowed.solutions, Solutions::OVERFLOW);
        }
    }

    proptest! {
        #[test]
        fn words_decode_to_the_encoded_reduction(count: u128, overflow: bool, nodes: u64, seconds in 0.0..1e9f64) {
            let solutions = if overflow { Solutions::OVERFLOW } else { Solutions::new(count) };
            let cache = CacheStats { lookups: nodes, hits: 3, bytes: 4 };
            let tally = Tally { solutions, nodes, units: 5, seconds, longest: seconds / 3.0, cache };
            let reduction = Reduction::new(&tally, 7, seconds / 5.0, seconds, 0.0);
            prop_assert_eq!(Reduction::from_words(&reduction.to_words()), reduction);
        }
    }

    #[test]
    fn statistics_keep_minimum_maximum_and_sum() {
        let one = Reduction::new(&Tally::default(), 0, 1.0, 2.0, 3.0);
        let two = Reduction::new(&Tally::default(), 0, 4.0, 1.0, 3.0);
        let merged = one.merge(&two);
        assert_eq!(merged.distribute, MinMaxSum { min: 1.0, max: 4.0, sum: 5.0 });
        assert_eq!(merged.busy, MinMaxSum { min: 1.0, max: 2.0, sum: 3.0 });
        assert_eq!(merged.wait, MinMaxSum { min: 3.0, max: 3.0, sum: 6.0 });
    }
}
