//! How a job starts and ends: launcher, handshake, heartbeat, signals, errors.

pub(crate) mod error;
#[cfg(feature = "mpi")]
pub(crate) mod finalize;
pub(crate) mod handshake;
#[cfg(feature = "mpi")]
pub(crate) mod heartbeat;
pub(crate) mod host;
pub(crate) mod launcher;
pub(crate) mod start_timeout;
pub(crate) mod stop;
pub(crate) mod watchdog;
