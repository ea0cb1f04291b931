//! A unit of a count: a range of classes, and a range of thirds.

use std::ops::Range;

/// Some classes, and below each of them the same thirds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    pub classes: Range<u32>,
    pub thirds: Range<u32>,
}

impl Unit {
    pub(super) const BYTES: usize = 16;

    /// Whether this unit contains these classes and thirds.
    pub(super) fn holds(&self, classes: &Range<u32>, thirds: &Range<u32>) -> bool {
        let within = |inner: &Range<u32>, outer: &Range<u32>| {
            outer.start <= inner.start && inner.start <= inner.end && inner.end <= outer.end
        };
        within(classes, &self.classes) && within(thirds, &self.thirds)
    }

    pub(super) fn to_bytes(&self) -> [u8; Unit::BYTES] {
        let mut bytes = [0; Unit::BYTES];
        let numbers = [self.classes.start, self.classes.end, self.thirds.start, self.thirds.end];
        for (four, number) in bytes.chunks_exact_mut(4).zip(numbers) {
            four.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Unit {
        let mut numbers = bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]));
        let mut next = || numbers.next().unwrap_or(0);
        Unit { classes: next()..next(), thirds: next()..next() }
    }
}
