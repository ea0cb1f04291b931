//! Who gets which units when: the arithmetic, apart from any exchange.
//!
//! Every schedule is two rules. The first blocks of all ranks are scattered before the count begins; whatever is left of
//! the pool then goes out in blocks that ranks ask for.
//!
//! ```text
//!   static    first blocks: contiguous, all of the pool          nothing is left
//!   cyclic    first blocks: dealt in turns, all of the pool      nothing is left
//!   dynamic   first blocks: one chunk for every rank             then a chunk at a time
//!   guided    first blocks: a share of what is left              then a share of what is left, never less than a chunk
//!   steal     as guided, and when the pool is dry, busy workers give away parts of the subtrees they are in
//! ```

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Who gets which units when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Schedule {
    /// Contiguous blocks, scattered once.
    #[default]
    Static,
    /// Chunks dealt to the ranks in turns, scattered once.
    Cyclic,
    /// Chunks of a fixed size, handed out when they are asked for.
    Dynamic,
    /// Blocks that shrink with what is left, handed out when they are asked for.
    Guided,
    /// As guided; when nothing is left, the busy give to the idle.
    Steal,
}

impl Schedule {
    /// All of them, the simplest first.
    pub const ALL: [Schedule; 5] =
        [Schedule::Static, Schedule::Cyclic, Schedule::Dynamic, Schedule::Guided, Schedule::Steal];

    /// Whether all units have their rank before the count begins.
    pub fn is_fixed(self) -> bool {
        matches!(self, Schedule::Static | Schedule::Cyclic)
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Schedule::Static => "static",
            Schedule::Cyclic => "cyclic",
            Schedule::Dynamic => "dynamic",
            Schedule::Guided => "guided",
            Schedule::Steal => "steal",
        })
    }
}

/// The schedule that a user asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleChoice {
    /// The one that suits the job.
    Auto,
    /// This one.
    Fixed(Schedule),
}

impl fmt::Display for ScheduleChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScheduleChoice::Auto => f.pad("auto"),
            ScheduleChoice::Fixed(schedule) => schedule.fmt(f),
        }
    }
}

/// Blocks that a worker gets from the pool with [`Schedule::Dynamic`], if the user names no chunk.
const CHUNKS_PER_WORKER: usize = 64;
/// [`Schedule::Guided`] hands out one part in so many of what would be a rank's fair share of the rest: blocks of whole
/// shares are too long where the costs of units differ.
const GUIDED_PART: usize = 2;

/// The most blocks that a rank asks for at once.
pub const MAX_ASKED: usize = 64;
/// How many seconds a block is taken to need before the first one has come.
const ASSUMED_ROUND: f64 = 0.008;
/// The most units that a rank wants to have waiting.
const MAX_AHEAD: f64 = 1e6;

/// A schedule with the numbers that it depends on: how a pool is dealt out to ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deal {
    /// The schedule.
    pub schedule: Schedule,
    /// Units of a chunk, at least 1: the size of a block, or the smallest one.
    pub chunk: usize,
    /// Ranks that take part.
    pub ranks: usize,
    /// Workers of each rank.
    pub threads: usize,
}

impl Deal {
    /// The deal of a pool of so many units. Without a `chunk` asked for, a usual one.
    pub fn new(schedule: Schedule, chunk: Option<usize>, units: usize, ranks: usize, threads: usize) -> Deal {
        let usual = match schedule {
            Schedule::Dynamic => units / ranks.saturating_mul(threads).saturating_mul(CHUNKS_PER_WORKER).max(1),
            _ => 1,
        };
        Deal { schedule, chunk: chunk.unwrap_or(usual).max(1), ranks: ranks.max(1), threads: threads.max(1) }
    }

    /// The units of the next block, when `left` are left.
    pub fn block(&self, left: usize) -> usize {
        let wanted = match self.schedule {
            Schedule::Static | Schedule::Cyclic => 0,
            Schedule::Dynamic => self.chunk,
            Schedule::Guided | Schedule::Steal => self.chunk.max(left.div_ceil(GUIDED_PART.saturating_mul(self.ranks))),
        };
        wanted.min(left)
    }

    /// When fewer units wait on a rank than the first number, it is time to ask for as many as the second. That is one
    /// for each worker, and those that workers will count while two blocks are on their way, because some units are
    /// shorter than others. `unit` are the seconds that a unit has taken so far, 0 before the first, and `round` those from
    /// asking for a block to having it, if one has come.
    pub fn ahead(&self, unit: f64, round: Option<f64>) -> (usize, usize) {
        let in_a_round = if unit > 0.0 { round.unwrap_or(ASSUMED_ROUND) / unit } else { 0.0 };
        let needed = (2.0 * self.threads as f64 * in_a_round).min(MAX_AHEAD) as usize;
        (self.threads + needed, self.threads + 2 * needed)
    }

    /// The first blocks of all ranks, as ranges of the pool in the order of [`Deal::arrange`]; what comes after the last
    /// of them is left to be asked for.
    pub fn first_blocks(&self, units: usize) -> Vec<Range<usize>> {
        match self.schedule {
            Schedule::Static => contiguous_blocks(units, self.ranks),
            Schedule::Cyclic => ranges((0..self.ranks).map(|rank| self.hand(units, rank).count())),
            Schedule::Dynamic | Schedule::Guided | Schedule::Steal => {
                let mut left = units;
                ranges((0..self.ranks).map(|_| {
                    // Something for every worker of the rank, in whole chunks.
                    let block = self.block(left).max(self.threads.next_multiple_of(self.chunk)).min(left);
                    left -= block;
                    block
                }))
            }
        }
    }

    /// The pool's unit at each place of the order in which it is scattered.
    pub fn arrange(&self, units: usize) -> Box<dyn Iterator<Item = usize> + '_> {
        match self.schedule {
            Schedule::Cyclic => Box::new((0..self.ranks).flat_map(move |rank| self.hand(units, rank))),
            _ => Box::new(0..units),
        }
    }

    /// Puts the units of a pool, one behind the other, into the order of [`Deal::arrange`].
    pub fn put_in_order(&self, units: &mut Vec<u8>, unit_bytes: usize) {
        if self.schedule == Schedule::Cyclic {
            let mut ordered = Vec::with_capacity(units.len());
            for place in self.arrange(units.len() / unit_bytes) {
                ordered.extend_from_slice(&units[place * unit_bytes..][..unit_bytes]);
            }
            *units = ordered;
        }
    }

    /// The units that a rank gets when chunks are dealt in turns.
    fn hand(&self, units: usize, rank: usize) -> impl Iterator<Item = usize> + use<> {
        let chunk = self.chunk;
        let starts = (rank.saturating_mul(chunk)..units).step_by(self.ranks.saturating_mul(chunk));
        starts.flat_map(move |start| start..units.min(start.saturating_add(chunk)))
    }
}

/// The blocks of the schedule `static`: contiguous, in rank order, of sizes that differ by one at the most. Ranks that
/// come after the last unit get an empty block.
pub fn contiguous_blocks(units: usize, ranks: usize) -> Vec<Range<usize>> {
    let (each, extra) = (units / ranks, units % ranks);
    ranges((0..ranks).map(|rank| each + usize::from(rank < extra)))
}

/// One range after the other, of these lengths.
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
    use proptest::prelude::*;

    fn any_deal() -> impl Strategy<Value = (Deal, usize)> {
        let schedule = proptest::sample::select(Schedule::ALL.to_vec());
        let chunk = proptest::option::of(1usize..300);
        (schedule, chunk, 0usize..20_000, 1usize..600, 1usize..9).prop_map(
            |(schedule, chunk, units, ranks, threads)| (Deal::new(schedule, chunk, units, ranks, threads), units),
        )
    }

    proptest! {
        #[test]
        fn every_unit_is_dealt_exactly_once((deal, units) in any_deal()) {
            let arranged: Vec<usize> = deal.arrange(units).collect();
            let first = deal.first_blocks(units);
            prop_assert_eq!(first.len(), deal.ranks);
            let mut next = 0;
            for block in &first {
                prop_assert_eq!(block.start, next, "one block begins where the other ends");
                next = block.end;
            }
            let mut dealt = arranged[..next].to_vec();
            let mut asked = 0;
            while next < units {
                let block = deal.block(units - next);
                prop_assert!(block > 0 && next + block <= units);
                dealt.extend(&arranged[next..next + block]);
                next += block;
                asked += 1;
            }
            prop_assert!(!deal.schedule.is_fixed() || asked == 0, "a fixed schedule leaves nothing to ask for");
            prop_assert_eq!(deal.block(0), 0);
            dealt.sort_unstable();
            prop_assert!(dealt.into_iter().eq(0..units));
        }

        #[test]
        fn contiguous_blocks_differ_by_one_at_most(units in 0usize..100_000, ranks in 1usize..5000) {
            let blocks = contiguous_blocks(units, ranks);
            let lengths = blocks.iter().map(ExactSizeIterator::len);
            prop_assert!(lengths.clone().max() <= lengths.min().map(|least| least + 1));
        }

        #[test]
        fn dealt_hands_differ_by_a_chunk_at_most(units in 0usize..20_000, ranks in 1usize..600, chunk in 1usize..99) {
            let blocks = Deal::new(Schedule::Cyclic, Some(chunk), units, ranks, 1).first_blocks(units);
            let lengths = blocks.iter().map(ExactSizeIterator::len);
            prop_assert!(lengths.clone().max() <= lengths.min().map(|least| least + chunk));
        }

        #[test]
        fn guided_blocks_never_grow_and_never_fall_below_the_chunk((deal, units) in any_deal()) {
            let deal = Deal { schedule: Schedule::Guided, ..deal };
            let (mut left, mut before) = (units, usize::MAX);
            while left > 0 {
                let block = deal.block(left);
                prop_assert!(block <= before && (block >= deal.chunk || block == left));
                (left, before) = (left - block, block);
            }
        }
    }

    #[test]
    fn long_units_are_asked_for_one_at_a_time_and_short_ones_a_round_trip_ahead() {
        let deal = Deal::new(Schedule::Dynamic, None, 1000, 4, 2);
        assert_eq!(deal.ahead(0.0, None), (2, 2), "nothing is known");
        assert_eq!(deal.ahead(1.0, Some(0.01)), (2, 2), "one for each worker");
        assert_eq!(deal.ahead(0.001, Some(0.01)), (42, 82), "21 for each worker, and 20 more");
        assert_eq!(deal.ahead(1e-300, Some(1.0)), (1_000_002, 2_000_002), "there is an end to it");
    }

    #[test]
    fn worked_examples() {
        let deal = |schedule, chunk| Deal::new(schedule, chunk, 10, 3, 1);
        assert_eq!(deal(Schedule::Static, None).first_blocks(10), [0..4, 4..7, 7..10]);
        let cyclic = deal(Schedule::Cyclic, Some(2));
        assert_eq!(cyclic.arrange(10).collect::<Vec<_>>(), [0, 1, 6, 7, 2, 3, 8, 9, 4, 5]);
        assert_eq!(cyclic.first_blocks(10), [0..4, 4..8, 8..10]);
        let mut units = b"AaBbCcDdEe".to_vec();
        Deal::new(Schedule::Cyclic, None, 5, 3, 1).put_in_order(&mut units, 2);
        assert_eq!(units, b"AaDdBbEeCc");
        assert_eq!(deal(Schedule::Dynamic, Some(2)).first_blocks(10), [0..2, 2..4, 4..6]);
        assert_eq!(deal(Schedule::Guided, None).first_blocks(10), [0..2, 2..4, 4..5]);
    }
}
