//! Listing all solutions with all ranks, in the order of the method, in constant memory.
//!
//! Unit u belongs to rank u mod R. Each rank turns its units into lines, in pieces of bounded size, in order. Rank 0
//! writes the pieces of unit 0, then those of unit 1, and so on. So the bytes do not depend on the number of ranks.
//! Flow control is by credits: docs/protocol.md describes it, and the messages.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};

use memchr::memchr_iter;

use super::count::CountOptions;
use super::lines::{LineWorkers, Piece, with_line_workers};
use super::spec::{Command, JobSpec};
use crate::blocking;
use crate::cluster::comm::Comm;
use crate::cluster::comm::backoff::Backoff;
use crate::cluster::comm::tags::*;
use crate::cluster::lifecycle::stop::{Signals, StopConditions, StopReason};
use crate::cluster::schedule::{Distribution, Schedule};
use crate::cluster::{Cluster, JobError, stop_requested};
use crate::count::{Control, Method, MethodName, Purpose};
use crate::puzzle::Puzzle;

/// Where a listing goes. Another thread may write to it.
pub type Output<'a> = &'a mut (dyn Write + Send);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListResult {
    pub solutions: u64,
    pub end: ListEnd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListEnd {
    All,
    Limit,
    /// The reader has closed the pipe.
    BrokenPipe,
    Stopped(StopReason),
}

/// Lists the solutions of a puzzle, one a line, as rank 0. The others are in [`Cluster::run_commands`].
pub fn list(
    cluster: &Cluster,
    puzzle: &Puzzle,
    options: &CountOptions,
    output: Output,
) -> Result<ListResult, JobError> {
    let comm = &*cluster.comm;
    let name = options.method.fixed().unwrap_or(MethodName::Search); // the order must not depend on a probe
    let (_active, stop) = cluster.begin_job(options.deadline);
    let stopped = stop_requested(comm, stop);
    let method = name.of(puzzle, options.search, Purpose::List, None, &stopped)?;
    let pool = method.expand(&options.pool(comm.size(), true), &stopped)?;
    let distribution = Distribution::new(Schedule::Cyclic, None, pool.units(), comm.size(), options.threads);
    let job = JobSpec::new(puzzle, name, options.search, &*method, pool.units(), distribution);
    cluster.broadcast(&Command::List(job.clone()));
    let mut writer = LimitedWriter { output, left: options.limit.unwrap_or(u64::MAX), solutions: 0 };
    let result = with_share(comm, &*method, pool.bytes, &job, |own| {
        let result = write_all_units(comm, stop, own, &job, &mut writer);
        own.stop();
        stop_other_ranks(comm);
        result
    });
    let end = match result.and_then(|end| writer.output.flush().map(|()| end)) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ListEnd::BrokenPipe,
        end => end?,
    };
    Ok(ListResult { solutions: writer.solutions, end })
}

/// A worker rank's part.
pub(crate) fn join(cluster: &Cluster, job: &JobSpec) -> Result<(), JobError> {
    let comm = &*cluster.comm;
    let method = comm.run_with_heartbeat(|| job.method(Purpose::List))?;
    with_share(comm, &*method, Vec::new(), job, |own| send_pieces(comm, cluster.signals(), own));
    Ok(())
}

/// Receives this rank's share of the units, starts its workers on them, and runs `body` with their lines.
fn with_share<R>(
    comm: &dyn Comm,
    method: &dyn Method,
    mut units: Vec<u8>,
    job: &JobSpec,
    body: impl FnOnce(&mut LineWorkers) -> R,
) -> R {
    job.distribution.permute(&mut units, method.unit_bytes());
    let share = comm.scatter(&mut units, method.unit_bytes(), &job.distribution.first_blocks(job.units));
    let control = Control::new(None);
    with_line_workers(method, job.order, &share, job.distribution.threads, &control, body)
}

fn write_all_units(
    comm: &dyn Comm,
    stop: StopConditions,
    own: &mut LineWorkers,
    job: &JobSpec,
    writer: &mut LimitedWriter,
) -> io::Result<ListEnd> {
    let ranks = comm.size();
    let mut arrived = vec![VecDeque::new(); ranks];
    for unit in 0..job.units {
        let rank = unit % ranks;
        loop {
            let piece = match next_piece(comm, stop, rank, own, &mut arrived) {
                Ok(piece) => piece,
                Err(reason) => return Ok(ListEnd::Stopped(reason)),
            };
            // A write may block.
            if !comm.run_with_heartbeat(|| writer.write(&piece.lines))? {
                return Ok(ListEnd::Limit);
            }
            if rank != 0 {
                comm.send(rank, (LIST_CREDIT, Vec::new()));
            }
            if piece.last {
                break;
            }
        }
    }
    Ok(ListEnd::All)
}

/// Rank 0: waits for the next piece of a rank, or a reason to stop. Receives the pieces of all ranks meanwhile, so that their sends
/// complete.
fn next_piece(
    comm: &dyn Comm,
    stop: StopConditions,
    rank: usize,
    own: &mut LineWorkers,
    arrived: &mut [VecDeque<Piece>],
) -> Result<Piece, StopReason> {
    let mut backoff = Backoff::new();
    loop {
        while let Some((from, tag, bytes)) = comm.receive() {
            if tag == SIGNAL {
                return Err(StopReason::Signal(bytes.try_into().map_or(0, i32::from_le_bytes)));
            }
            arrived[from].extend(Piece::from_bytes(bytes));
        }
        if let Some(reason) = stop.reason() {
            return Err(reason);
        }
        let piece = match rank {
            0 => own.wait_for_next(&mut backoff),
            _ => arrived[rank].pop_front(),
        };
        match piece {
            Some(piece) => return Ok(piece),
            None if rank != 0 => backoff.wait(),
            None => {}
        }
    }
}

/// Rank 0: stops the others, and receives until each has stopped, so that no message is left in transit.
fn stop_other_ranks(comm: &dyn Comm) {
    for rank in 1..comm.size() {
        comm.send(rank, (LIST_STOP, Vec::new()));
    }
    let mut running = comm.size() - 1;
    while running > 0 {
        let (_, tag, _) = comm.wait_for_message();
        running -= usize::from(tag == LIST_STOPPED);
    }
}

/// Other ranks: send pieces as long as there is credit, until rank 0 stops them.
fn send_pieces(comm: &dyn Comm, signals: &Signals, own: &mut LineWorkers) {
    let mut credit = (1024 / comm.size()).clamp(1, 16); // rank 0 can hold the pieces of all ranks
    let mut backoff = Backoff::new();
    let mut reported = false;
    loop {
        let mut active = false;
        if let Some(signal) = signals.caught_once(&mut reported) {
            comm.send(0, (SIGNAL, signal.to_le_bytes().to_vec()));
        }
        while let Some((_, tag, _)) = comm.receive() {
            active = true;
            if tag == LIST_STOP {
                own.stop();
                comm.send(0, (LIST_STOPPED, Vec::new()));
                return;
            }
            credit += 1;
        }
        if credit > 0
            && let Some(piece) = own.try_next()
        {
            comm.send(0, (LIST_PIECE, piece.into_bytes()));
            credit -= 1;
            active = true;
        }
        if active {
            backoff = Backoff::new();
            continue;
        }
        if !comm.all_sent() {
            backoff.expect_answer(); // MPI sends a large piece in parts, whenever it is polled
        }
        backoff.wait();
    }
}

struct LimitedWriter<'a> {
    output: Output<'a>,
    left: u64,
    solutions: u64,
}

impl LimitedWriter<'_> {
    /// Whether the limit is not yet reached.
    fn write(&mut self, lines: &[u8]) -> io::Result<bool> {
        let ends = || memchr_iter(b'\n', lines);
        let (all, left) = (ends().count() as u64, self.left);
        let end = if all <= left { lines.len() } else { ends().take(left as usize).last().map_or(0, |end| end + 1) };
        blocking::write(|| self.output.write_all(&lines[..end]))?;
        let written = all.min(left);
        self.solutions += written;
        self.left -= written;
        Ok(self.left > 0)
    }
}
