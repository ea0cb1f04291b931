//! Records of a trace: what each unit and subtask has cost, collected on rank 0.

use std::collections::HashMap;

use zerocopy::{FromBytes, IntoBytes};

use crate::cluster::comm::Comm;
use crate::cluster::comm::backoff::Backoff;
use crate::cluster::comm::tags::TRACE_RECORDS;

/// A unit or subtask as one worker counted it. The cost of a unit is that of all its records; the intervals of all records of a
/// worker are the times at which it was busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitRecord {
    /// The index of the unit in the pool.
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
    /// Subtasks split off, plus one if this was not finished, minus one if this is a subtask. Over all records of a unit, the sum
    /// is 0 if nothing of it is left.
    pub left: i64,
}

/// All records of one unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UnitSum {
    /// Saturates.
    pub solutions: u128,
    /// 0 if the unit was counted to the end.
    pub left: i64,
}

/// The sums of the units that were begun, by index.
pub(crate) fn sums(records: &[UnitRecord]) -> HashMap<usize, UnitSum> {
    let mut sums: HashMap<usize, UnitSum> = HashMap::new();
    for record in records {
        let sum = sums.entry(record.unit).or_default();
        sum.solutions = sum.solutions.saturating_add(record.solutions);
        sum.left += record.left;
    }
    sums
}

const RECORDS_PER_MESSAGE: usize = 16 << 10;

/// Sends a rank's records to rank 0.
pub(crate) fn send_records(comm: &Comm, records: &[UnitRecord]) {
    for records in records.chunks(RECORDS_PER_MESSAGE) {
        let words: Vec<u64> = records.iter().flat_map(|record| record.to_words()).collect();
        comm.send(0, TRACE_RECORDS, words.as_bytes().to_vec());
    }
}

/// Rank 0: its own records and those of all others, `expected` in total.
pub(crate) fn collect_records(comm: &Comm, mut records: Vec<UnitRecord>, expected: usize) -> Vec<UnitRecord> {
    let mut backoff = Backoff::new();
    while records.len() < expected {
        match comm.receive() {
            Some((rank, TRACE_RECORDS, bytes)) => {
                let words =
                    bytes.chunks_exact(size_of::<Words>()).filter_map(|words| Words::read_from_bytes(words).ok());
                records.extend(words.map(|words| UnitRecord::from_words(rank, words)));
                backoff = Backoff::new();
            }
            _ => backoff.wait(),
        }
    }
    records
}

/// A record without its rank.
type Words = [u64; 8];

impl UnitRecord {
    fn to_words(self) -> Words {
        let UnitRecord { unit, rank: _, worker, start, nanoseconds, nodes, solutions, left } = self;
        let (high, low) = ((solutions >> 64) as u64, solutions as u64);
        [unit as u64, worker as u64, start, nanoseconds, nodes, high, low, left as u64]
    }

    fn from_words(rank: usize, words: Words) -> UnitRecord {
        let [unit, worker, start, nanoseconds, nodes, high, low, left] = words;
        UnitRecord {
            unit: unit as usize,
            rank,
            worker: worker as usize,
            start,
            nanoseconds,
            nodes,
            solutions: u128::from(high) << 64 | u128::from(low),
            left: left as i64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_decode_to_the_encoded_record(unit in 0usize..1 << 40, worker in 0usize..4096, start: u64, nodes: u64, solutions: u128, left: i64) {
            let record = UnitRecord { unit, rank: 3, worker, start, nanoseconds: 5, nodes, solutions, left };
            prop_assert_eq!(UnitRecord::from_words(3, record.to_words()), record);
        }
    }
}
