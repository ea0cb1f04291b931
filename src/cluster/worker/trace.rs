//! Records of a trace: what each unit and subtask has cost, collected on rank 0.

use std::collections::HashMap;

use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::cluster::comm::Comm;
use crate::cluster::comm::tags::TRACE_RECORDS;

/// A unit or subtask as one worker counted it. The cost of a unit is that of all its records; the intervals of all records of a
/// worker are the times at which it was busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, Immutable, IntoBytes)]
#[repr(C)]
pub struct UnitRecord {
    pub solutions: u128,
    /// The index of the unit in the pool.
    pub unit: usize,
    /// The rank that counted it, and the worker of that rank.
    pub rank: u32,
    pub worker: u32,
    /// Nanoseconds from the start of the rank's count phase.
    pub start: u64,
    pub nanoseconds: u64,
    pub nodes: u64,
    /// Subtasks split off, plus one if this was not finished, minus one if this is a subtask. Over all records of a unit, the sum
    /// is 0 if nothing of it is left.
    pub left: i64,
}

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

pub(crate) fn send_records(comm: &dyn Comm, records: &[UnitRecord]) {
    for records in records.chunks(RECORDS_PER_MESSAGE) {
        comm.send(0, (TRACE_RECORDS, records.as_bytes().to_vec()));
    }
}

/// Rank 0: its own records and those of all others, `expected` in total.
pub(crate) fn collect_records(comm: &dyn Comm, mut records: Vec<UnitRecord>, expected: usize) -> Vec<UnitRecord> {
    while records.len() < expected {
        if let (_, TRACE_RECORDS, bytes) = comm.wait_for_message() {
            let received = bytes.chunks_exact(size_of::<UnitRecord>());
            records.extend(received.filter_map(|record| UnitRecord::read_from_bytes(record).ok()));
        }
    }
    records
}
