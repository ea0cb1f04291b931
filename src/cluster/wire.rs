//! What travels between ranks: flat structs that MPI can carry, and the merge that its custom reduce operation applies.

use serde::{Deserialize, Serialize};

use crate::count::{Solutions, Tally};

#[cfg(feature = "mpi")]
use mpi::traits::Equivalence;

/// The smallest, the largest and the sum of a number over ranks.
#[cfg_attr(feature = "mpi", derive(Equivalence))]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[repr(C)]
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
///
/// There is no 128-bit integer in MPI: solutions travel as two halves, and an overflow as a flag that stays up.
#[cfg_attr(feature = "mpi", derive(Equivalence))]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Summary {
    solutions_high: u64,
    solutions_low: u64,
    overflow: u64,
    /// Nodes visited.
    pub nodes: u64,
    /// Units counted to their end.
    pub units: u64,
    /// Units left undone, or not done to their end.
    pub unfinished: u64,
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
        let solutions = tally.solutions.exact();
        let count = solutions.unwrap_or(0);
        Summary {
            solutions_high: (count >> 64) as u64,
            solutions_low: count as u64,
            overflow: u64::from(solutions.is_none()),
            nodes: tally.nodes,
            units: tally.units,
            unfinished,
            distribute: Spread::of(distribute),
            busy: Spread::of(busy),
            wait: Spread::of(wait),
            longest: Spread::of(tally.longest),
        }
    }

    /// The solutions, exact or overflowed.
    pub fn solutions(&self) -> Solutions {
        match self.overflow {
            0 => Solutions::new(u128::from(self.solutions_high) << 64 | u128::from(self.solutions_low)),
            _ => Solutions::OVERFLOW,
        }
    }

    /// Both together: the custom reduce operation. It is commutative, associative, and cannot fail: a panic inside an
    /// MPI operation would take the whole job down.
    pub fn merge(&self, other: &Summary) -> Summary {
        let solutions = self.solutions().plus(other.solutions()).exact();
        let count = solutions.unwrap_or(0);
        Summary {
            solutions_high: (count >> 64) as u64,
            solutions_low: count as u64,
            overflow: u64::from(solutions.is_none()),
            nodes: self.nodes.saturating_add(other.nodes),
            units: self.units.saturating_add(other.units),
            unfinished: self.unfinished.saturating_add(other.unfinished),
            distribute: self.distribute.merge(&other.distribute),
            busy: self.busy.merge(&other.busy),
            wait: self.wait.merge(&other.wait),
            longest: self.longest.merge(&other.longest),
        }
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
            prop_assert_eq!(merged.solutions().exact(), a.checked_add(b));
            let swapped = summary(Solutions::new(b)).merge(&summary(Solutions::new(a)));
            prop_assert_eq!(merged, swapped);
        }

        #[test]
        fn an_overflow_survives_every_later_merge(a: u128) {
            let overflowed = summary(Solutions::OVERFLOW).merge(&summary(Solutions::new(a)));
            prop_assert_eq!(overflowed.solutions(), Solutions::OVERFLOW);
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
