//! The messages of a count; docs/protocol.md describes each. An *entry* is a unit id and a unit or subtask.
//!
//! MPI keeps the order of messages between two ranks, so none is in transit after END, except a SIGNAL that comes too
//! late. It is received in the next count, if there is one, which stops at once. Rank 0 is also a client of its own
//! coordinator, without sending.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::cluster::comm::tags::*;

/// What one rank has done so far: units and subtasks are those counted to the end. `found` and `nodes` may be late, but are
/// never too large.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, Immutable, IntoBytes)]
#[repr(C)]
pub(crate) struct RankProgress {
    pub found: u128,
    pub nodes: u64,
    pub units: u64,
    pub subtasks: u64,
    pub split: u64,
    /// Seconds that workers have counted, unfinished units included.
    pub busy: f64,
    /// Workers that count at this moment.
    pub active: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ToCoordinator {
    Request(usize),
    Progress(RankProgress),
    Donation(Vec<u8>),
    Idle { received: u64, progress: RankProgress },
    Signal(i32),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ToRank {
    Block(Vec<u8>),
    PoolEmpty,
    StealRequest(usize),
    Stop,
    End,
}

impl ToCoordinator {
    pub(crate) fn encode(self) -> (i32, Vec<u8>) {
        match self {
            ToCoordinator::Request(blocks) => (REQUEST, blocks.as_bytes().to_vec()),
            ToCoordinator::Progress(progress) => (PROGRESS, progress.as_bytes().to_vec()),
            ToCoordinator::Donation(entries) => (DONATION, entries),
            ToCoordinator::Idle { received, progress } => (IDLE, [received.as_bytes(), progress.as_bytes()].concat()),
            ToCoordinator::Signal(signal) => (SIGNAL, signal.as_bytes().to_vec()),
        }
    }

    /// `None` for an invalid message.
    pub(crate) fn decode(tag: i32, bytes: Vec<u8>) -> Option<ToCoordinator> {
        Some(match tag {
            REQUEST => ToCoordinator::Request(usize::read_from_bytes(&bytes).ok()?),
            PROGRESS => ToCoordinator::Progress(RankProgress::read_from_bytes(&bytes).ok()?),
            DONATION => ToCoordinator::Donation(bytes),
            IDLE => {
                let (received, progress) = u64::read_from_prefix(&bytes).ok()?;
                ToCoordinator::Idle { received, progress: RankProgress::read_from_bytes(progress).ok()? }
            }
            SIGNAL => ToCoordinator::Signal(i32::read_from_bytes(&bytes).ok()?),
            _ => return None,
        })
    }
}

impl ToRank {
    pub(crate) fn encode(self) -> (i32, Vec<u8>) {
        match self {
            ToRank::Block(entries) => (BLOCK, entries),
            ToRank::PoolEmpty => (POOL_EMPTY, Vec::new()),
            ToRank::StealRequest(entries) => (STEAL_REQUEST, entries.as_bytes().to_vec()),
            ToRank::Stop => (STOP, Vec::new()),
            ToRank::End => (END, Vec::new()),
        }
    }

    /// `None` for an invalid message.
    pub(crate) fn decode(tag: i32, bytes: Vec<u8>) -> Option<ToRank> {
        Some(match tag {
            BLOCK => ToRank::Block(bytes),
            POOL_EMPTY => ToRank::PoolEmpty,
            STEAL_REQUEST => ToRank::StealRequest(usize::read_from_bytes(&bytes).ok()?),
            STOP => ToRank::Stop,
            END => ToRank::End,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn messages_decode_to_what_was_encoded_and_others_do_not_panic(found: u128, received: u64, busy in 0.0..1e9f64, entries: Vec<u8>, signal in 0..64i32) {
            let progress = RankProgress { found, nodes: 1, units: 2, subtasks: 3, split: 4, busy, active: 5 };
            for message in [
                ToCoordinator::Request(received as usize),
                ToCoordinator::Progress(progress),
                ToCoordinator::Donation(entries.clone()),
                ToCoordinator::Idle { received, progress },
                ToCoordinator::Signal(signal),
            ] {
                let (tag, bytes) = message.clone().encode();
                prop_assert_eq!(ToCoordinator::decode(tag, bytes), Some(message));
            }
            let steal = ToRank::StealRequest(received as usize);
            for message in [ToRank::Block(entries.clone()), ToRank::PoolEmpty, steal, ToRank::Stop, ToRank::End] {
                let (tag, bytes) = message.clone().encode();
                prop_assert_eq!(ToRank::decode(tag, bytes), Some(message));
            }
            for tag in -1..40 {
                let _ = (ToCoordinator::decode(tag, entries.clone()), ToRank::decode(tag, entries.clone()));
            }
        }
    }
}
