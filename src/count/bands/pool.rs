//! Splits a count into units of about the same weight.

use std::ops::Range;

use zerocopy::{FromBytes, transmute};

use crate::{Depth, Pool, PoolOptions, Tally};

/// Some classes, and below each of them the same thirds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    pub classes: Range<usize>,
    pub thirds: Range<usize>,
}

impl Unit {
    pub(super) const BYTES: usize = 16;

    pub(super) fn to_bytes(&self) -> [u8; Unit::BYTES] {
        let numbers = [self.classes.start, self.classes.end, self.thirds.start, self.thirds.end];
        transmute!(numbers.map(|number| (number as u32).to_le()))
    }

    /// Decodes a unit of a puzzle with so many classes and thirds. Counting another one would give a wrong result.
    pub(super) fn from_bytes(bytes: &[u8], classes: usize, thirds: usize) -> Unit {
        let numbers = <[u32; 4]>::read_from_bytes(bytes).unwrap_or([u32::MAX; 4]);
        let [start, end, first, last] = numbers.map(|number| u32::from_le(number) as usize);
        let holds = start <= end && end <= classes && first <= last && last <= thirds;
        assert!(holds, "internal error: a unit of another puzzle");
        Unit { classes: start..end, thirds: first..last }
    }
}

/// The greatest depth: the columns of two boxes.
pub const MAX_DEPTH: usize = 2;

/// The most units of one class: each gathers the rows of the class anew.
const MAX_PARTS: u64 = 8;

/// A unit is a run of items: classes of pairs for a count, pairs for a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub first: u16,
    /// The expected cost, in any unit.
    pub weight: u64,
}

/// The pool of these items, each with so many thirds. At depth 0 it has one unit, at depth 1 one for each partition of the
/// first stack, at depth 2 one for each item. With `auto` it has about as many units as the plan asks for; where possible,
/// none weighs more than its share.
pub(super) fn pool(items: &[Item], thirds: usize, plan: &PoolOptions) -> Pool {
    let mut bytes = Vec::new();
    let mut push = |classes: Range<usize>, thirds: Range<usize>| {
        if !classes.is_empty() && !thirds.is_empty() {
            bytes.extend(Unit { classes, thirds }.to_bytes());
        }
    };
    match plan.depth {
        Depth::Fixed(depth) => {
            let in_one_unit = |one: &Item, other: &Item| depth == 0 || depth == 1 && one.first == other.first;
            let mut end = 0;
            for same in items.chunk_by(in_one_unit) {
                push(end..end + same.len(), 0..thirds);
                end += same.len();
            }
        }
        Depth::Auto => {
            let total: u64 = items.iter().map(|item| item.weight).sum();
            let share = (total / plan.units.max(1) as u64).max(1);
            let (mut start, mut weight) = (0, 0);
            for (at, item) in items.iter().enumerate() {
                if weight + item.weight > share {
                    push(start..at, 0..thirds);
                    (start, weight) = (at, 0);
                }
                weight += item.weight;
                if item.weight > share {
                    let parts = item.weight.div_ceil(share).min(MAX_PARTS) as usize;
                    let cut = |part: usize| thirds * part / parts;
                    (0..parts).for_each(|part| push(at..at + 1, cut(part)..cut(part + 1)));
                    (start, weight) = (at + 1, 0);
                }
            }
            push(start..items.len(), 0..thirds);
        }
    }
    let depth_reached = match plan.depth {
        Depth::Fixed(asked) => asked.min(MAX_DEPTH),
        Depth::Auto => MAX_DEPTH,
    };
    Pool { unit_bytes: Unit::BYTES, bytes, depth_reached, above: Tally::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The units of items with nine thirds each.
    fn units(items: &[Item], depth: Depth, units: usize) -> Vec<Unit> {
        let pool = pool(items, 9, &PoolOptions { depth, units, keep_solved: false, max_bytes: 1 << 30 });
        pool.bytes.chunks_exact(Unit::BYTES).map(|unit| Unit::from_bytes(unit, usize::MAX, usize::MAX)).collect()
    }

    #[test]
    fn a_heavy_item_is_split_and_light_ones_are_combined_up_to_a_share() {
        let unit = |classes, thirds| Unit { classes, thirds };
        let items = [(0, 10), (1, 30), (1, 5)].map(|(first, weight)| Item { first, weight });
        let cut = [unit(0..1, 0..9), unit(1..2, 0..3), unit(1..2, 3..6), unit(1..2, 6..9), unit(2..3, 0..9)];
        assert_eq!(units(&items, Depth::Auto, 4), cut);
        assert_eq!(units(&items, Depth::Fixed(1), 4), [unit(0..1, 0..9), unit(1..3, 0..9)]);
        let light = [4, 4, 4, 8, 3].map(|weight| Item { first: 0, weight });
        assert_eq!(units(&light, Depth::Auto, 2), [unit(0..2, 0..9), unit(2..3, 0..9), unit(3..5, 0..9)]);
    }
}
