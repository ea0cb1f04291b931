//! Communication between ranks: over MPI, or none where the process was started alone.
//!
//! A single process runs the same code as rank 0 of several; every exchange returns what it was given.

pub(crate) mod backoff;
#[cfg(feature = "mpi")]
pub(crate) mod mpi;
pub(crate) mod tags;
pub(crate) mod wire;

use std::mem;
use std::ops::Range;
use std::panic::resume_unwind;
use std::thread;
use std::time::{Duration, Instant};

use backoff::Backoff;
use wire::Reduction;

/// What a rank asks of MPI. The defaults are those of a single process.
pub(crate) trait Comm {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    /// `MPI_Wtime`: seconds. Only differences on one rank mean anything.
    fn wtime(&self) -> f64;

    /// `MPI_Wtick`: the resolution of `wtime` in seconds.
    fn wtick(&self) -> f64 {
        1e-9
    }

    /// The first line of the library's description: MPICH's has many.
    fn library(&self) -> Option<String> {
        None
    }

    fn thread_level(&self) -> Option<String> {
        None
    }

    /// The same on all ranks.
    fn needs_finalize_workaround(&self) -> bool {
        false
    }

    /// Every rank calls this last, with the exit code of the job. Does not return where the workaround is needed.
    fn finalize(&self, _code: u8) {}

    /// The bytes of rank 0, on every rank. Calls `poll` while it waits.
    fn broadcast(&self, bytes: Vec<u8>, _poll: &mut dyn FnMut()) -> Vec<u8> {
        bytes
    }

    /// Scatters blocks of rank 0's units: block i goes to rank i. On rank 0, `units` keeps what follows the last block.
    fn scatter(&self, units: &mut Vec<u8>, unit_bytes: usize, blocks: &[Range<usize>]) -> Vec<u8> {
        let rest = units.split_off(blocks[0].end * unit_bytes);
        mem::replace(units, rest)
    }

    /// On rank 0, the merged tallies of all ranks; elsewhere incomplete.
    fn reduce(&self, mine: Reduction) -> Reduction {
        mine
    }

    /// On rank 0, the bytes of every rank; elsewhere nothing.
    fn gather(&self, mine: &[u8]) -> Vec<Vec<u8>> {
        vec![mine.to_vec()]
    }

    /// Sends a message without waiting for its completion.
    fn send(&self, to: usize, (tag, bytes): (i32, Vec<u8>)) {
        unreachable!("message {tag} to rank {to} of a single process: {bytes:?}")
    }

    fn all_sent(&self) -> bool {
        true
    }

    /// A message that has arrived, other than a heartbeat: sender, tag, bytes.
    fn receive(&self) -> Option<(usize, i32, Vec<u8>)> {
        None
    }

    /// Starts the heartbeat between rank 0 and the ranks on these hosts. A rank that is silent for too long ends the job.
    fn start_heartbeat(&self, _timeout: Duration, _hosts: &[String]) {}

    fn has_heartbeat(&self) -> bool {
        false
    }

    /// Rank 0: the heartbeat is active until it is paused.
    fn resume_heartbeat(&self) {}

    /// Whether it was active.
    fn pause_heartbeat(&self) -> bool {
        false
    }

    /// Receives and sends heartbeats that are due, and aborts the job if a rank is lost. Called wherever a rank waits.
    fn poll_heartbeat(&self) {}
}

impl dyn Comm + '_ {
    pub(crate) fn wait_for_message(&self) -> (usize, i32, Vec<u8>) {
        let mut backoff = Backoff::new();
        loop {
            match self.receive() {
                Some(message) => return message,
                None => backoff.wait(),
            }
        }
    }

    /// Runs work that may take long on another thread, and keeps the heartbeat going meanwhile.
    pub(crate) fn run_with_heartbeat<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        if !self.has_heartbeat() {
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
}

/// Pauses the heartbeat of rank 0 when it is dropped.
pub(crate) struct ActiveHeartbeat<'a>(pub &'a dyn Comm);

impl Drop for ActiveHeartbeat<'_> {
    fn drop(&mut self) {
        self.0.pause_heartbeat();
    }
}

/// The only rank, and when it was started.
pub(crate) struct SingleProcess(pub Instant);

impl Comm for SingleProcess {
    fn wtime(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}
