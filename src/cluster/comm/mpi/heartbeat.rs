//! Sends and receives the heartbeat messages of [`Heartbeat`].

use std::panic::resume_unwind;
use std::thread;
use std::time::{Duration, Instant};

use mpi::traits::*;

use super::World;
use crate::cluster::abort_job;
use crate::cluster::comm::backoff::Backoff;
use crate::cluster::comm::tags::HEARTBEAT;
use crate::cluster::lifecycle::heartbeat::{ACTIVE, Heartbeat, PAUSED};

impl World {
    pub(crate) fn start_heartbeat(&self, timeout: Duration, hosts: &[String]) {
        self.heartbeat.replace(Some(Heartbeat::new(timeout, self.rank(), hosts, Instant::now())));
    }

    pub(crate) fn resume_heartbeat(&self) {
        if let Some(heartbeat) = &mut *self.heartbeat.borrow_mut() {
            heartbeat.resume(Instant::now());
        }
    }

    /// Whether it was active.
    pub(crate) fn pause_heartbeat(&self) -> bool {
        let mut heartbeat = self.heartbeat.borrow_mut();
        let Some(heartbeat) = heartbeat.as_mut().filter(|heartbeat| heartbeat.is_active_coordinator()) else {
            return false;
        };
        if heartbeat.pause() {
            heartbeat.peers().for_each(|rank| self.send(rank, HEARTBEAT, vec![PAUSED]));
        }
        true
    }

    pub(crate) fn run_with_heartbeat<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        if self.heartbeat.borrow().is_none() {
            return work();
        }
        thread::scope(|scope| {
            let worker = scope.spawn(work);
            let mut backoff = Backoff::new();
            while !worker.is_finished() {
                self.poll_heartbeat();
                backoff.wait();
            }
            worker.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    }

    /// Receives and sends heartbeats that are due, and aborts the job if a rank is lost. Called wherever a rank waits.
    pub(super) fn poll_heartbeat(&self) {
        let mut heartbeat = self.heartbeat.borrow_mut();
        let now = Instant::now();
        let Some(heartbeat) = heartbeat.as_mut().filter(|heartbeat| heartbeat.is_due(now)) else { return };
        while let Some(message) = self.world.any_process().immediate_matched_probe_with_tag(HEARTBEAT) {
            let (bytes, status) = message.matched_receive_vec();
            heartbeat.receive(status.source_rank() as usize, bytes.first().copied());
        }
        match heartbeat.check(now) {
            Ok(true) => heartbeat.peers().for_each(|rank| self.send(rank, HEARTBEAT, vec![ACTIVE])),
            Ok(false) => {}
            Err(lost) => abort_job(&lost, 3),
        }
    }
}
