//! How a rank reaches the others: over MPI, or not at all where it is alone.
//!
//! A job of one process has nobody to talk to. It takes the same way through the program, and every exchange hands
//! back what it was given.

use std::mem;
use std::ops::Range;
use std::time::{Duration, Instant};

#[cfg(feature = "mpi")]
use super::mpi::World;
use super::wire::Summary;

/// The connection of one rank to all the others.
pub(super) enum Link {
    /// One rank among those that a launcher started.
    #[cfg(feature = "mpi")]
    Mpi(World),
    /// The only rank. Time is counted from here.
    Alone(Instant),
}

/// Calls the same method on the world, or evaluates what it comes to for a rank that is alone.
macro_rules! or_alone {
    ($link:expr, $method:ident($($argument:expr),*), $alone:expr) => {
        match $link {
            #[cfg(feature = "mpi")]
            Link::Mpi(world) => world.$method($($argument),*),
            Link::Alone(_) => $alone,
        }
    };
}

impl Link {
    pub(super) fn rank(&self) -> usize {
        or_alone!(self, rank(), 0)
    }

    pub(super) fn size(&self) -> usize {
        or_alone!(self, size(), 1)
    }

    /// Seconds since some moment; only differences on one rank mean anything.
    pub(super) fn seconds(&self) -> f64 {
        match self {
            #[cfg(feature = "mpi")]
            Link::Mpi(world) => world.seconds(),
            Link::Alone(start) => start.elapsed().as_secs_f64(),
        }
    }

    /// The smallest difference of [`Link::seconds`] that means anything.
    pub(super) fn resolution(&self) -> f64 {
        or_alone!(self, resolution(), 1e-9)
    }

    pub(super) fn library(&self) -> Option<String> {
        match self {
            #[cfg(feature = "mpi")]
            Link::Mpi(world) => Some(world.library()),
            Link::Alone(_) => None,
        }
    }

    pub(super) fn thread_level(&self) -> Option<&'static str> {
        match self {
            #[cfg(feature = "mpi")]
            Link::Mpi(world) => Some(world.thread_level()),
            Link::Alone(_) => None,
        }
    }

    /// The last word of every rank, with the exit code of the job. Returns, unless MPI's own farewell would not.
    pub(super) fn leave(&self, code: u8) {
        let _ = code; // nobody waits for a rank that is alone
        or_alone!(self, leave(code), ());
    }

    /// Rank 0: these bytes, to every rank.
    pub(super) fn broadcast(&self, bytes: Vec<u8>) {
        or_alone!(self, broadcast(bytes, &mut || {}), bytes);
    }

    /// Other ranks: the bytes of rank 0, which may take a while. Does something again and again meanwhile.
    pub(super) fn broadcast_from_lead(&self, meanwhile: &mut dyn FnMut()) -> Vec<u8> {
        let _ = &meanwhile; // nobody leads a rank that is alone
        or_alone!(self, broadcast(Vec::new(), meanwhile), Vec::new())
    }

    /// Block i of rank 0's units, on rank i. On rank 0, `units` is then what comes after the last block.
    pub(super) fn scatter(&self, units: &mut Vec<u8>, unit_bytes: usize, blocks: &[Range<usize>]) -> Vec<u8> {
        let end = blocks.last().map_or(0, |block| block.end) * unit_bytes;
        match self {
            #[cfg(feature = "mpi")]
            Link::Mpi(world) => {
                let block = world.scatter(units, unit_bytes, blocks);
                if world.rank() == 0 {
                    units.drain(..end);
                    units.shrink_to_fit();
                }
                block
            }
            Link::Alone(_) => {
                let left = units.split_off(end);
                mem::replace(units, left)
            }
        }
    }

    /// The summaries of all ranks merged, on rank 0.
    pub(super) fn reduce(&self, mine: Summary) -> Summary {
        or_alone!(self, reduce(mine), mine)
    }

    /// The bytes of every rank, on rank 0; nothing elsewhere.
    pub(super) fn gather(&self, mine: &[u8]) -> Vec<Vec<u8>> {
        or_alone!(self, gather(mine), vec![mine.to_vec()])
    }

    /// From now on, looks after the ranks on these hosts (rank 0 after all, the others after rank 0), and ends the job when one
    /// of them is silent for too long.
    pub(super) fn watch(&self, patience: Duration, hosts: &[String]) {
        let _ = (patience, hosts); // nobody looks after a rank that is alone
        or_alone!(self, watch(patience, hosts), ())
    }

    /// Rank 0: leads something from now on, until what this returns is dropped. Others may rely on hearing from it meanwhile.
    pub(super) fn lead(&self) -> Leading<'_> {
        self.step_in();
        Leading(self)
    }

    /// Rank 0: may be relied on from now on.
    pub(super) fn step_in(&self) {
        or_alone!(self, step_in(), ())
    }

    /// Does something that may take a while, such as writing to a pipe, and stays in touch with the others meanwhile.
    pub(super) fn stay_in_touch<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        or_alone!(self, stay_in_touch(work), work())
    }

    /// Sends a message to another rank, without waiting.
    pub(super) fn send(&self, to: usize, tag: i32, bytes: Vec<u8>) {
        or_alone!(self, send(to, tag, bytes), unreachable!("a rank that is alone sends {bytes:?} as {tag} to {to}"))
    }

    /// Whether all that was sent is on its way.
    pub(super) fn all_sent(&self) -> bool {
        or_alone!(self, all_sent(), true)
    }

    /// A message that has come in, if there is one: sender, tag, bytes.
    pub(super) fn receive(&self) -> Option<(usize, i32, Vec<u8>)> {
        or_alone!(self, receive(), None)
    }
}

/// Rank 0 leads something as long as this lives.
pub(super) struct Leading<'a>(&'a Link);

impl Drop for Leading<'_> {
    fn drop(&mut self) {
        or_alone!(self.0, step_out(), false);
    }
}
