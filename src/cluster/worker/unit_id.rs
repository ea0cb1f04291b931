//! Ids of units and subtasks in messages between ranks.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnitId {
    /// The index in the pool.
    pub unit: usize,
    /// A subtask that was split off the unit, not the unit itself.
    pub is_subtask: bool,
}

impl UnitId {
    pub(crate) const BYTES: usize = 8;

    pub(crate) fn of_unit(unit: usize) -> UnitId {
        UnitId { unit, is_subtask: false }
    }

    /// The id of a subtask of the same unit.
    pub(crate) fn subtask(self) -> UnitId {
        UnitId { is_subtask: true, ..self }
    }

    pub(crate) fn to_bytes(self) -> [u8; UnitId::BYTES] {
        ((self.unit as u64) << 1 | u64::from(self.is_subtask)).to_le_bytes()
    }

    pub(crate) fn from_bytes(bytes: [u8; UnitId::BYTES]) -> UnitId {
        let word = u64::from_le_bytes(bytes);
        UnitId { unit: (word >> 1) as usize, is_subtask: word & 1 == 1 }
    }

    #[cfg(test)]
    pub(crate) fn all_from(bytes: &[u8]) -> impl Iterator<Item = UnitId> {
        bytes.as_chunks().0.iter().map(|&id| UnitId::from_bytes(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ids_decode_to_what_was_encoded(unit in 0usize..1 << 40, is_subtask: bool) {
            let id = UnitId { unit, is_subtask };
            prop_assert_eq!(UnitId::from_bytes(id.to_bytes()), id);
        }
    }
}
