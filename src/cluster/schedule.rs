//! Who gets which units: the arithmetic, apart from any exchange.

use std::fmt;
use std::ops::Range;

/// Who gets which units when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// Contiguous blocks, scattered once.
    #[default]
    Static,
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::Static => f.pad("static"),
        }
    }
}

/// The blocks of the schedule `static`: contiguous, in rank order, of sizes that differ by one at the most. Ranks that
/// come after the last unit get an empty block.
pub fn contiguous_blocks(units: usize, ranks: usize) -> Vec<Range<usize>> {
    let start = |rank: usize| {
        let (each, extra) = (units / ranks, units % ranks);
        rank * each + rank.min(extra)
    };
    (0..ranks).map(|rank| start(rank)..start(rank + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn contiguous_blocks_hold_every_unit_exactly_once_and_differ_by_one_at_most(
            units in 0usize..100_000,
            ranks in 1usize..5000,
        ) {
            let blocks = contiguous_blocks(units, ranks);
            prop_assert_eq!(blocks.len(), ranks);
            let mut next = 0;
            for block in &blocks {
                prop_assert_eq!(block.start, next);
                next = block.end;
            }
            prop_assert_eq!(next, units);
            let lengths = blocks.iter().map(ExactSizeIterator::len);
            prop_assert!(lengths.clone().max() <= lengths.min().map(|least| least + 1));
        }
    }
}
