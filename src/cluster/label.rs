//! What units and parts of units are called on their way between ranks.

/// What a unit is called on its way: its place in the pool, and whether it is all of that unit or a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label {
    /// The place in the pool.
    pub unit: usize,
    /// Whether this is a part of that unit, which was split off.
    pub part: bool,
}

impl Label {
    /// Bytes of a label in an entry.
    pub(super) const BYTES: usize = 8;

    /// The label of a whole unit.
    pub(super) fn whole(unit: usize) -> Label {
        Label { unit, part: false }
    }

    /// The label of a part of the same unit.
    pub(super) fn of_part(self) -> Label {
        Label { part: true, ..self }
    }

    pub(super) fn to_bytes(self) -> [u8; Label::BYTES] {
        ((self.unit as u64) << 1 | u64::from(self.part)).to_le_bytes()
    }

    pub(super) fn from_bytes(bytes: [u8; Label::BYTES]) -> Label {
        let both = u64::from_le_bytes(bytes);
        Label { unit: (both >> 1) as usize, part: both & 1 == 1 }
    }

    /// The labels that stand one behind the other.
    #[cfg(test)]
    pub(super) fn all_from(bytes: &[u8]) -> impl Iterator<Item = Label> {
        bytes.as_chunks().0.iter().map(|&label| Label::from_bytes(label))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn labels_survive_their_journey(unit in 0usize..1 << 40, part: bool) {
            let label = Label { unit, part };
            prop_assert_eq!(Label::from_bytes(label.to_bytes()), label);
        }
    }
}
