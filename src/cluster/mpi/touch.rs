//! Ranks over MPI stay in touch: they say that they are there, and miss whoever is not (see [`pulse`](super::super::pulse)).

use std::panic::resume_unwind;
use std::thread;
use std::time::{Duration, Instant};

use mpi::traits::*;

use super::super::backoff::Backoff;
use super::super::give_up;
use super::super::pulse::{AWAY, HERE, Pulse};
use super::World;

/// The tag of what ranks say about being there.
pub(super) const PULSE: i32 = 31;

impl World {
    /// Looks after the ranks on these hosts from now on: on rank 0 all of them, elsewhere rank 0.
    pub(in super::super) fn watch(&self, patience: Duration, hosts: &[String]) {
        self.pulse.replace(Some(Pulse::new(patience, self.rank(), hosts, Instant::now())));
    }

    /// Rank 0: begins to lead something.
    pub(in super::super) fn step_in(&self) {
        if let Some(pulse) = &mut *self.pulse.borrow_mut() {
            pulse.step_in(Instant::now());
        }
    }

    /// Rank 0: turns to something else. Says whether it led something.
    pub(in super::super) fn step_out(&self) -> bool {
        let mut pulse = self.pulse.borrow_mut();
        let Some(pulse) = pulse.as_mut().filter(|pulse| pulse.is_leading()) else { return false };
        if pulse.step_out() {
            pulse.peers().for_each(|rank| self.send(rank, PULSE, vec![AWAY]));
        }
        true
    }

    /// Does something on a thread of its own, and listens meanwhile.
    pub(in super::super) fn stay_in_touch<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        if self.pulse.borrow().is_none() {
            return work();
        }
        thread::scope(|scope| {
            let worker = scope.spawn(work);
            let mut backoff = Backoff::new();
            while !worker.is_finished() {
                self.beat();
                backoff.wait();
            }
            worker.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    }

    /// Now and then: hears who is there, says that this rank is, and ends the job if somebody is lost. Called wherever ranks
    /// wait for each other.
    pub(super) fn beat(&self) {
        let mut pulse = self.pulse.borrow_mut();
        let now = Instant::now();
        let Some(pulse) = pulse.as_mut().filter(|pulse| pulse.is_due(now)) else { return };
        while let Some(message) = self.world.any_process().immediate_matched_probe_with_tag(PULSE) {
            let (bytes, status) = message.matched_receive_vec();
            pulse.hear(status.source_rank() as usize, bytes.first().copied());
        }
        match pulse.look(now) {
            Ok(true) => pulse.peers().for_each(|rank| self.send(rank, PULSE, vec![HERE])),
            Ok(false) => {}
            Err(lost) => give_up(&lost, 3),
        }
    }
}
