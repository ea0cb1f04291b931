//! The tag of every message between ranks. docs/protocol.md describes the messages; the files named below send them.

// schedule/message.rs, from 15 on for new ones
pub(crate) const REQUEST: i32 = 1;
pub(crate) const PROGRESS: i32 = 2;
pub(crate) const DONATION: i32 = 3;
pub(crate) const IDLE: i32 = 4;
pub(crate) const SIGNAL: i32 = 5;
pub(crate) const BLOCK: i32 = 6;
pub(crate) const STEAL_REQUEST: i32 = 7;
pub(crate) const STOP: i32 = 8;
pub(crate) const END: i32 = 9;
pub(crate) const POOL_EMPTY: i32 = 10;

// jobs/list.rs
pub(crate) const LIST_PIECE: i32 = 11;
pub(crate) const LIST_STOPPED: i32 = 12;
pub(crate) const LIST_CREDIT: i32 = 13;
pub(crate) const LIST_STOP: i32 = 14;

// worker/trace.rs
pub(crate) const TRACE_RECORDS: i32 = 21;

// comm/mpi.rs
#[cfg(feature = "mpi")]
pub(crate) const HEARTBEAT: i32 = 31;
