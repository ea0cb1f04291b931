//! A time limit for the start of MPI. `MPI_Init` has none: where a host is cut off before all ranks have connected, the
//! others wait in it until TCP gives up, a quarter of an hour later. The heartbeat only begins after the handshake.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use super::handshake::HeartbeatTimeout;
use super::launcher::Launcher;
use crate::cluster::exit_with_message;

/// The limit in heartbeat timeouts: launchers start ranks one after the other.
const HEARTBEATS: u32 = 12;
const PER_RANK: Duration = Duration::from_millis(50);
/// The limit is counted in ticks, so that time in which the process itself was stopped counts as one.
const TICK: Duration = Duration::from_secs(1);
/// Only rank 0 writes a message. The other ranks give it time to do so.
const GRACE: Duration = Duration::from_secs(1);

/// Exits the process unless the sender is dropped in time. `None` without a limit.
pub(crate) fn start(launcher: &Launcher, heartbeat_timeout: Option<HeartbeatTimeout>) -> Option<Sender<()>> {
    let limit = limit(launcher.size.unwrap_or(1), heartbeat_timeout)?;
    let is_rank_0 = launcher.rank.is_none_or(|rank| rank == 0);
    let (started, wait) = mpsc::channel::<()>();
    let _ = thread::Builder::new().spawn(move || {
        for _ in 0..limit.as_secs() {
            if wait.recv_timeout(TICK) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
        }
        if is_rank_0 {
            let seconds = limit.as_secs();
            exit_with_message(&format!("MPI has not started after {seconds} s: a host may be unreachable"), 3);
        }
        if wait.recv_timeout(GRACE) != Err(RecvTimeoutError::Disconnected) {
            signal_hook::low_level::exit(3);
        }
    });
    Some(started)
}

fn limit(ranks: usize, heartbeat_timeout: Option<HeartbeatTimeout>) -> Option<Duration> {
    let timeout = HeartbeatTimeout::or_default(heartbeat_timeout, true)?;
    Some(HEARTBEATS * timeout + PER_RANK * ranks as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_grows_with_the_heartbeat_timeout_and_the_number_of_ranks() {
        let second = HeartbeatTimeout::After(Duration::from_secs(1));
        let limits = [limit(4, None), limit(4096, Some(second)), limit(4, Some(HeartbeatTimeout::Off))];
        assert_eq!(limits, [Some(120_200), Some(216_800), None].map(|limit| limit.map(Duration::from_millis)));
    }
}
