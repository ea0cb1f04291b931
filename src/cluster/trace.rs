//! What a trace records: one line for each unit, or part of a unit, that a worker has counted.

use std::collections::HashMap;

use super::backoff::Backoff;
use super::link::Link;

/// A unit, or a part of one that was given away, as one worker counted it. The cost of a unit is that of all its records
/// together; the intervals of all records of a worker are the times at which it was busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitRecord {
    /// The unit's place in the pool.
    pub unit: usize,
    /// The rank that counted it.
    pub rank: usize,
    /// The worker of that rank.
    pub worker: usize,
    /// Nanoseconds from the start of the rank's count phase.
    pub start: u64,
    /// Nanoseconds it took.
    pub nanoseconds: u64,
    /// Nodes visited.
    pub nodes: u64,
    /// Solutions found.
    pub solutions: u128,
    /// Parts that were split off, and one more if this was not finished, less one if this is a part. Over all records of a
    /// unit, the sum is 0 if nothing of it is left.
    pub left: i64,
}

/// What is known of a unit, all its records together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct UnitSum {
    /// Solutions found; the most that 128 bits can say, if they were more.
    pub solutions: u128,
    /// 0 if it was counted to its end.
    pub left: i64,
}

/// The units that were begun, by their places.
pub(super) fn sums(records: &[UnitRecord]) -> HashMap<usize, UnitSum> {
    let mut sums: HashMap<usize, UnitSum> = HashMap::new();
    for record in records {
        let sum = sums.entry(record.unit).or_default();
        sum.solutions = sum.solutions.saturating_add(record.solutions);
        sum.left += record.left;
    }
    sums
}

/// The tag of records on their way to rank 0, and the most of them that go in one message.
const RECORDS: i32 = 21;
const RECORDS_TOGETHER: usize = 16 << 10;

/// Sends a rank's records to rank 0.
pub(super) fn send_records(link: &Link, records: &[UnitRecord]) {
    for records in records.chunks(RECORDS_TOGETHER) {
        link.send(0, RECORDS, records.iter().flat_map(|record| record.to_bytes()).collect());
    }
}

/// Rank 0: its own records and those of all others, which have said how many there are.
pub(super) fn collect_records(link: &Link, mut records: Vec<UnitRecord>, announced: usize) -> Vec<UnitRecord> {
    let mut backoff = Backoff::new();
    while records.len() < announced {
        match link.receive() {
            Some((rank, RECORDS, bytes)) => {
                records.extend(bytes.chunks_exact(RECORD_BYTES).map(|bytes| UnitRecord::from_bytes(rank, bytes)));
                backoff = Backoff::new();
            }
            _ => backoff.wait(),
        }
    }
    records
}

/// Bytes of a record on its way to rank 0, which knows whose it is.
pub(super) const RECORD_BYTES: usize = 8 * 8;

impl UnitRecord {
    pub(super) fn to_bytes(self) -> [u8; RECORD_BYTES] {
        let words = [
            self.unit as u64,
            self.worker as u64,
            self.start,
            self.nanoseconds,
            self.nodes,
            (self.solutions >> 64) as u64,
            self.solutions as u64,
            self.left as u64,
        ];
        let mut bytes = [0; RECORD_BYTES];
        for (eight, word) in bytes.chunks_exact_mut(8).zip(words) {
            eight.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    pub(super) fn from_bytes(rank: usize, bytes: &[u8]) -> UnitRecord {
        let word = |at: usize| u64::from_le_bytes(bytes[at * 8..][..8].try_into().unwrap_or_default());
        UnitRecord {
            unit: word(0) as usize,
            rank,
            worker: word(1) as usize,
            start: word(2),
            nanoseconds: word(3),
            nodes: word(4),
            solutions: u128::from(word(5)) << 64 | u128::from(word(6)),
            left: word(7) as i64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_record_survives_its_journey(unit in 0usize..1 << 40, worker in 0usize..4096, start: u64, nodes: u64, solutions: u128, left: i64) {
            let record = UnitRecord { unit, rank: 3, worker, start, nanoseconds: 5, nodes, solutions, left };
            prop_assert_eq!(UnitRecord::from_bytes(3, &record.to_bytes()), record);
        }
    }
}
