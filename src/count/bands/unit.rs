//! A unit of a count: a range of classes, and a range of thirds.

use std::ops::Range;

use zerocopy::{FromBytes, transmute};

/// Some classes, and below each of them the same thirds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    pub classes: Range<u32>,
    pub thirds: Range<u32>,
}

impl Unit {
    pub(super) const BYTES: usize = 16;

    pub(super) fn to_bytes(&self) -> [u8; Unit::BYTES] {
        let numbers = [self.classes.start, self.classes.end, self.thirds.start, self.thirds.end];
        transmute!(numbers.map(u32::to_le))
    }

    /// Decodes a unit of a puzzle with so many classes and thirds. Counting another one would give a wrong result.
    pub(super) fn from_bytes(bytes: &[u8], classes: usize, thirds: usize) -> Unit {
        let numbers = <[u32; 4]>::read_from_bytes(bytes).unwrap_or([u32::MAX; 4]);
        let [first, end, first_third, end_third] = numbers.map(u32::from_le);
        let holds = first <= end && end as usize <= classes && first_third <= end_third && end_third as usize <= thirds;
        assert!(holds, "internal error: a unit of another puzzle");
        Unit { classes: first..end, thirds: first_third..end_third }
    }
}
