//! Schedules: which rank counts which units, as arithmetic (this file), and the protocol that carries it out
//! (`coordinator.rs` on rank 0, `rank_client.rs` on every rank; their messages are in `message.rs`).
//!
//! A schedule is two rules: the first blocks of all ranks, which are scattered before the count, and the sizes of the
//! blocks in which the rest of the pool is sent on request. docs/schedules.md describes each schedule; CONTRIBUTING.md
//! says how to add one.

pub(crate) mod coordinator;
pub(crate) mod message;
pub(crate) mod message_loop;
pub(crate) mod progress;
pub(crate) mod rank_client;

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::count::Choice;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Schedule {
    #[default]
    Static,
    Cyclic,
    Dynamic,
    Guided,
    Steal,
}

impl Schedule {
    /// All schedules with their names and descriptions: for options, their help, and JSON. The simplest first.
    const TABLE: [(Schedule, &str, &str); 5] = [
        (Schedule::Static, "static", "contiguous blocks, scattered once"),
        (Schedule::Cyclic, "cyclic", "chunks dealt to the ranks in turn, scattered once"),
        (Schedule::Dynamic, "dynamic", "blocks of --chunk units, on request"),
        (Schedule::Guided, "guided", "blocks of decreasing size, on request"),
        (Schedule::Steal, "steal", "as guided; then idle ranks steal subtasks of units that others count"),
    ];

    pub fn all() -> impl Iterator<Item = Schedule> + Clone {
        Schedule::TABLE.into_iter().map(|(schedule, ..)| schedule)
    }

    pub fn from_name(name: &str) -> Option<Schedule> {
        Schedule::all().find(|schedule| schedule.name() == name)
    }

    pub fn name(self) -> &'static str {
        Schedule::TABLE[self as usize].1
    }

    pub fn help(self) -> &'static str {
        Schedule::TABLE[self as usize].2
    }

    /// Whether all units are assigned before the count begins.
    pub fn is_fixed(self) -> bool {
        matches!(self, Schedule::Static | Schedule::Cyclic)
    }

    pub(crate) fn splits_units(self) -> bool {
        self == Schedule::Steal
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// `Auto` leaves the choice to rank 0.
pub type ScheduleChoice = Choice<Schedule>;

/// The number of blocks that a worker requests with [`Schedule::Dynamic`], if the user gives no chunk.
const CHUNKS_PER_WORKER: usize = 64;
/// [`Schedule::Guided`] sends this part of a rank's fair share of the rest: whole shares are too long where units differ in cost.
const GUIDED_DIVISOR: usize = 2;
/// The largest block or donation in bytes, so that no rank waits long while the message of another is sent.
pub(crate) const MAX_BLOCK_BYTES: usize = 256 << 10;
/// The most blocks in one request.
pub(crate) const MAX_REQUESTED: usize = 64;
/// The assumed round trip of a request, in seconds, before one was measured.
const ASSUMED_ROUND_TRIP: f64 = 0.008;
/// The most units that a rank keeps waiting.
const MAX_WAITING: f64 = 1e6;

/// How a pool is distributed: a schedule and the numbers that it depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Distribution {
    pub schedule: Schedule,
    /// Units of a chunk, at least 1: the size of a block, or the smallest size.
    pub chunk: usize,
    pub ranks: usize,
    /// Workers of each rank.
    pub threads: usize,
}

impl Distribution {
    /// The distribution of a pool of `units` units. `chunk` is the user's, if given.
    pub fn new(schedule: Schedule, chunk: Option<usize>, units: usize, ranks: usize, threads: usize) -> Distribution {
        let default = match schedule {
            Schedule::Dynamic => units / ranks.saturating_mul(threads).saturating_mul(CHUNKS_PER_WORKER).max(1),
            _ => 1,
        };
        Distribution { schedule, chunk: chunk.unwrap_or(default).max(1), ranks: ranks.max(1), threads: threads.max(1) }
    }

    /// The size of the next requested block when `left` units are left.
    pub fn block(&self, left: usize) -> usize {
        let wanted = match self.schedule {
            Schedule::Static | Schedule::Cyclic => 0,
            Schedule::Dynamic => self.chunk,
            Schedule::Guided | Schedule::Steal => {
                self.chunk.max(left.div_ceil(GUIDED_DIVISOR.saturating_mul(self.ranks)))
            }
        };
        wanted.min(left)
    }

    /// When to request: if fewer units wait than the first number, as many as to have the second. That is one for each
    /// worker, and those that workers count during two round trips, because some units are shorter than others. `unit` is the mean
    /// time of a unit so far (0 before the first), `round_trip` that of a request, both in seconds.
    pub(crate) fn request_ahead(&self, unit: f64, round_trip: Option<f64>) -> (usize, usize) {
        let per_round_trip = if unit > 0.0 { round_trip.unwrap_or(ASSUMED_ROUND_TRIP) / unit } else { 0.0 };
        let needed = (2.0 * self.threads as f64 * per_round_trip).min(MAX_WAITING) as usize;
        (self.threads + needed, self.threads + 2 * needed)
    }

    /// The first block of each rank, as ranges of the permuted pool. What follows the last one is sent on request.
    pub fn first_blocks(&self, units: usize) -> Vec<Range<usize>> {
        match self.schedule {
            Schedule::Static => contiguous_blocks(units, self.ranks),
            Schedule::Cyclic => ranges((0..self.ranks).map(|rank| self.cyclic_share(units, rank).count())),
            Schedule::Dynamic | Schedule::Guided | Schedule::Steal => {
                let mut left = units;
                ranges((0..self.ranks).map(|_| {
                    // A unit for every worker of the rank, in whole chunks.
                    let block = self.block(left).max(self.threads.next_multiple_of(self.chunk)).min(left);
                    left -= block;
                    block
                }))
            }
        }
    }

    /// The order in which units are distributed: the pool's index of each place.
    pub fn permutation(&self, units: usize) -> Box<dyn Iterator<Item = usize> + '_> {
        match self.schedule {
            Schedule::Cyclic => Box::new((0..self.ranks).flat_map(move |rank| self.cyclic_share(units, rank))),
            _ => Box::new(0..units),
        }
    }

    /// Brings the units of a pool, `unit_bytes` each, into the order of [`permutation`](Self::permutation).
    pub fn permute(&self, units: &mut Vec<u8>, unit_bytes: usize) {
        if self.schedule == Schedule::Cyclic {
            let mut permuted = Vec::with_capacity(units.len());
            for index in self.permutation(units.len() / unit_bytes) {
                permuted.extend_from_slice(&units[index * unit_bytes..][..unit_bytes]);
            }
            *units = permuted;
        }
    }

    /// The units of a rank when chunks are dealt round-robin.
    fn cyclic_share(&self, units: usize, rank: usize) -> impl Iterator<Item = usize> + use<> {
        let chunk = self.chunk;
        let starts = (rank.saturating_mul(chunk)..units).step_by(self.ranks.saturating_mul(chunk));
        starts.flat_map(move |start| start..units.min(start.saturating_add(chunk)))
    }
}

/// The blocks of the schedule `static`: contiguous, in rank order, of sizes that differ by at most one. Ranks after the last unit
/// get an empty block.
pub fn contiguous_blocks(units: usize, ranks: usize) -> Vec<Range<usize>> {
    let (each, extra) = (units / ranks, units % ranks);
    ranges((0..ranks).map(|rank| each + usize::from(rank < extra)))
}

/// Consecutive ranges of these lengths.
fn ranges(lengths: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let range = |end: &mut usize, length: usize| {
        let start = *end;
        *end += length;
        Some(start..*end)
    };
    lengths.scan(0, range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_units_are_requested_one_per_worker_and_short_ones_a_round_trip_ahead() {
        let distribution = Distribution::new(Schedule::Dynamic, None, 1000, 4, 2);
        assert_eq!(distribution.request_ahead(0.0, None), (2, 2), "before the first unit");
        assert_eq!(distribution.request_ahead(1.0, Some(0.01)), (2, 2), "one for each worker");
        assert_eq!(distribution.request_ahead(0.001, Some(0.01)), (42, 82), "21 for each worker, and 20 more");
        assert_eq!(distribution.request_ahead(1e-300, Some(1.0)), (1_000_002, 2_000_002), "at most a million");
    }
}
