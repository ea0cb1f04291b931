//! The element of the one `MPI_Reduce` that ends a count, and the operation that merges two of them.

use serde::{Deserialize, Serialize};
use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::count::{CacheStats, Solutions, Tally};

/// Statistics of a number over ranks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, FromBytes, Immutable, IntoBytes)]
#[repr(C)]
pub struct MinMaxSum {
    pub min: f64,
    pub max: f64,
    pub sum: f64,
}

impl MinMaxSum {
    pub fn of(x: f64) -> MinMaxSum {
        MinMaxSum { min: x, max: x, sum: x }
    }

    #[cfg(any(feature = "mpi", test))]
    fn merge(self, other: MinMaxSum) -> MinMaxSum {
        MinMaxSum { min: self.min.min(other.min), max: self.max.max(other.max), sum: self.sum + other.sum }
    }
}

/// The tally and timings of one rank, or of several ranks merged. Times are in seconds. MPI carries it as [`WORDS`] words.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, Immutable, IntoBytes)]
#[repr(C)]
pub struct Reduction {
    /// MPI has no 128-bit integers: the two halves of the count.
    solutions: [u64; 2],
    /// Not 0 after an overflow.
    overflow: u64,
    pub nodes: u64,
    /// Units counted to the end.
    pub units: u64,
    /// Units and subtasks not counted, or not counted to the end.
    pub unfinished: u64,
    /// [`CacheStats`]: lookups, hits, bytes.
    cache: [u64; 3],
    /// Time to receive the first block.
    pub distribute: MinMaxSum,
    /// Time spent counting, the mean over the workers of a rank.
    pub busy: MinMaxSum,
    /// Time of the count phase not spent counting.
    pub wait: MinMaxSum,
    pub longest: MinMaxSum,
}

#[cfg(feature = "mpi")]
pub(crate) const WORDS: usize = size_of::<Reduction>() / size_of::<u64>();

impl Reduction {
    pub(crate) fn new(tally: &Tally, unfinished: u64, distribute: f64, busy: f64, wait: f64) -> Reduction {
        let (count, CacheStats { lookups, hits, bytes }) = (tally.solutions.exact(), tally.cache);
        Reduction {
            solutions: [(count.unwrap_or(0) >> 64) as u64, count.unwrap_or(0) as u64],
            overflow: count.is_none().into(),
            nodes: tally.nodes,
            units: tally.units,
            unfinished,
            cache: [lookups, hits, bytes],
            distribute: MinMaxSum::of(distribute),
            busy: MinMaxSum::of(busy),
            wait: MinMaxSum::of(wait),
            longest: MinMaxSum::of(tally.longest),
        }
    }

    pub fn solutions(&self) -> Solutions {
        match self.overflow {
            0 => Solutions::new(u128::from(self.solutions[0]) << 64 | u128::from(self.solutions[1])),
            _ => Solutions::OVERFLOW,
        }
    }

    /// Use of the memo tables.
    pub fn cache(&self) -> CacheStats {
        let [lookups, hits, bytes] = self.cache;
        CacheStats { lookups, hits, bytes }
    }

    /// The custom reduce operation: commutative, and associative up to the rounding of seconds. It is total, because a panic
    /// inside an MPI operation aborts the job.
    #[cfg(any(feature = "mpi", test))]
    pub(crate) fn merge(&self, other: &Reduction) -> Reduction {
        let tally = |rank: &Reduction| Tally {
            solutions: rank.solutions(),
            nodes: rank.nodes,
            units: rank.units,
            cache: rank.cache(),
            ..Tally::default()
        };
        let unfinished = self.unfinished.saturating_add(other.unfinished);
        Reduction {
            distribute: self.distribute.merge(other.distribute),
            busy: self.busy.merge(other.busy),
            wait: self.wait.merge(other.wait),
            longest: self.longest.merge(other.longest),
            ..Reduction::new(&tally(self).merge(tally(other)), unfinished, 0.0, 0.0, 0.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reduction(solutions: Solutions, longest: f64) -> Reduction {
        let cache = CacheStats { lookups: u64::MAX, hits: 3, bytes: 4 };
        let tally = Tally { solutions, nodes: 3, units: 2, seconds: 0.0, longest, cache };
        Reduction::new(&tally, 1, longest + 1.0, longest + 2.0, longest + 3.0)
    }

    proptest! {
        #[test]
        fn a_merge_adds_all_128_bits_or_reports_an_overflow_which_survives_later_merges(a: u128, b: u128) {
            let (one, two) = (reduction(Solutions::new(a), 1.0), reduction(Solutions::new(b), 4.0));
            prop_assert_eq!((one.solutions(), one.cache().bytes), (Solutions::new(a), 4));
            let merged = one.merge(&two);
            prop_assert_eq!(merged.solutions().exact(), a.checked_add(b));
            prop_assert_eq!((merged.nodes, merged.units, merged.unfinished), (6, 4, 2));
            prop_assert_eq!(merged.cache(), CacheStats { lookups: u64::MAX, hits: 6, bytes: 8 });
            let MinMaxSum { min, max, sum } = merged.longest;
            prop_assert_eq!((min, max, sum), (1.0, 4.0, 5.0));
            let sums = [merged.distribute, merged.busy, merged.wait].map(|statistics| statistics.sum);
            prop_assert_eq!(sums, [7.0, 9.0, 11.0]);
            prop_assert_eq!(merged, two.merge(&one));
            let overflowed = reduction(Solutions::OVERFLOW, 0.0).merge(&one);
            prop_assert_eq!(overflowed.solutions(), Solutions::OVERFLOW);
        }
    }
}
