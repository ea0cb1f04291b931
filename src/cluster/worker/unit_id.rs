//! Entries: an id, and the bytes of the unit or subtask. Blocks, queues and donations consist of entries.

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
}

/// Makes the units of a pool entries. They are moved in place, the last one first: there may not be memory for the pool twice.
pub(crate) fn into_entries(mut units: Vec<u8>, unit_bytes: usize) -> Vec<u8> {
    let (count, entry) = (units.len() / unit_bytes, UnitId::BYTES + unit_bytes);
    units.reserve_exact(count * UnitId::BYTES);
    units.resize(count * entry, 0);
    for unit in (0..count).rev() {
        units.copy_within(unit * unit_bytes..(unit + 1) * unit_bytes, unit * entry + UnitId::BYTES);
        units[unit * entry..][..UnitId::BYTES].copy_from_slice(&UnitId::of_unit(unit).to_bytes());
    }
    units
}
