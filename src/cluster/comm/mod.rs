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
use std::time::{Duration, Instant};

#[cfg(feature = "mpi")]
use mpi::World;
use wire::Reduction;

pub(crate) enum Comm {
    #[cfg(feature = "mpi")]
    Mpi(Box<World>),
    /// The only rank, and when it was started.
    SingleProcess(Instant),
}

/// Calls the method of `World`, or evaluates the value for a single process.
macro_rules! or_single {
    ($comm:expr, $method:ident($($argument:expr),*), $single:expr) => {
        match $comm {
            #[cfg(feature = "mpi")]
            Comm::Mpi(world) => world.$method($($argument),*),
            Comm::SingleProcess(_) => $single,
        }
    };
}

impl Comm {
    pub(crate) fn rank(&self) -> usize {
        or_single!(self, rank(), 0)
    }

    pub(crate) fn size(&self) -> usize {
        or_single!(self, size(), 1)
    }

    /// `MPI_Wtime`: seconds. Only differences on one rank mean anything.
    pub(crate) fn wtime(&self) -> f64 {
        match self {
            #[cfg(feature = "mpi")]
            Comm::Mpi(world) => world.wtime(),
            Comm::SingleProcess(start) => start.elapsed().as_secs_f64(),
        }
    }

    /// `MPI_Wtick`: the resolution of `wtime` in seconds.
    pub(crate) fn wtick(&self) -> f64 {
        or_single!(self, wtick(), 1e-9)
    }

    pub(crate) fn library(&self) -> Option<String> {
        or_single!(self, library(), None)
    }

    pub(crate) fn thread_level(&self) -> Option<&'static str> {
        or_single!(self, thread_level(), None)
    }

    /// The same on all ranks.
    pub(crate) fn needs_finalize_workaround(&self) -> bool {
        or_single!(self, needs_finalize_workaround(), false)
    }

    /// Every rank calls this last, with the exit code of the job. Does not return where the workaround is needed.
    pub(crate) fn finalize(&self, code: u8) {
        let _ = code;
        or_single!(self, finalize(code), ());
    }

    /// Rank 0: sends these bytes to every rank.
    pub(crate) fn broadcast(&self, bytes: Vec<u8>) {
        or_single!(self, broadcast(bytes, &mut || {}), bytes);
    }

    /// Other ranks: the bytes that rank 0 broadcasts. Calls `poll` while it waits.
    pub(crate) fn receive_broadcast(&self, poll: &mut dyn FnMut()) -> Vec<u8> {
        let _ = &poll;
        or_single!(self, broadcast(Vec::new(), poll), Vec::new())
    }

    /// Scatters blocks of rank 0's units: block i goes to rank i. On rank 0, `units` keeps what follows the last block.
    pub(crate) fn scatter(&self, units: &mut Vec<u8>, unit_bytes: usize, blocks: &[Range<usize>]) -> Vec<u8> {
        let end = blocks.last().map_or(0, |block| block.end) * unit_bytes;
        match self {
            #[cfg(feature = "mpi")]
            Comm::Mpi(world) => {
                let block = world.scatter(units, unit_bytes, blocks);
                if world.rank() == 0 {
                    units.drain(..end);
                    units.shrink_to_fit();
                }
                block
            }
            Comm::SingleProcess(_) => {
                let rest = units.split_off(end);
                mem::replace(units, rest)
            }
        }
    }

    /// On rank 0, the merged tallies of all ranks.
    pub(crate) fn reduce(&self, mine: Reduction) -> Reduction {
        or_single!(self, reduce(mine), mine)
    }

    /// On rank 0, the bytes of every rank; elsewhere nothing.
    pub(crate) fn gather(&self, mine: &[u8]) -> Vec<Vec<u8>> {
        or_single!(self, gather(mine), vec![mine.to_vec()])
    }

    /// Starts the heartbeat between rank 0 and the ranks on these hosts. A rank that is silent for too long ends the job.
    pub(crate) fn start_heartbeat(&self, timeout: Duration, hosts: &[String]) {
        let _ = (timeout, hosts);
        or_single!(self, start_heartbeat(timeout, hosts), ())
    }

    /// Rank 0: the heartbeat is active until the guard is dropped.
    pub(crate) fn activate_heartbeat(&self) -> ActiveHeartbeat<'_> {
        self.resume_heartbeat();
        ActiveHeartbeat(self)
    }

    pub(crate) fn resume_heartbeat(&self) {
        or_single!(self, resume_heartbeat(), ())
    }

    /// Runs work that may take long on another thread, and keeps the heartbeat going meanwhile.
    pub(crate) fn run_with_heartbeat<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        or_single!(self, run_with_heartbeat(work), work())
    }

    /// Sends a message without waiting for its completion.
    pub(crate) fn send(&self, to: usize, tag: i32, bytes: Vec<u8>) {
        or_single!(
            self,
            send(to, tag, bytes),
            unreachable!("message {tag} to rank {to} of a single process: {bytes:?}")
        )
    }

    /// Whether all sends have completed.
    pub(crate) fn all_sent(&self) -> bool {
        or_single!(self, all_sent(), true)
    }

    /// A message that has arrived: sender, tag, bytes.
    pub(crate) fn receive(&self) -> Option<(usize, i32, Vec<u8>)> {
        or_single!(self, receive(), None)
    }
}

pub(crate) struct ActiveHeartbeat<'a>(&'a Comm);

impl Drop for ActiveHeartbeat<'_> {
    fn drop(&mut self) {
        or_single!(self.0, pause_heartbeat(), false);
    }
}
