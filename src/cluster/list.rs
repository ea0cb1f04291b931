//! Listing all solutions with all ranks, in the order of the method, in constant memory.
//!
//! The units of the pool are dealt out one by one: unit u goes to rank u mod R. Every rank turns its units into lines,
//! in pieces of bounded size, in the order of its units; rank 0 takes the pieces of unit 0, then those of unit 1, and
//! so on, each from the rank that has it. So the bytes do not depend on the number of ranks.
//!
//! Nobody runs ahead without bound: a rank may have so many pieces on their way to rank 0 and no more until rank 0 has
//! written one and grants a new one; its workers may have so many pieces waiting and then block.
//!
//! ```text
//!   rank r → rank 0   PIECE   one byte: whether this is the unit's last; then its lines
//!                     BYE     I have stopped and will send nothing more
//!                     HALT    somebody wants this job to stop; four bytes: the signal
//!   rank 0 → rank r   GRANT   you may have one more piece on its way
//!                     STOP    no more pieces, thank you
//! ```

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};

use crate::blocking;
use crate::count::{Aim, Control, Method, MethodChoice, MethodName};
use crate::puzzle::Puzzle;

use super::backoff::Backoff;
use super::count::CountPlan;
use super::lines::{Lines, Piece, with_lines};
use super::link::Link;
use super::order::{Job, Order};
use super::schedule::{Deal, Schedule};
use super::stop::{Signals, Stop, StopReason};
use super::{Cluster, Fault, stops};

const PIECE: i32 = 11;
const BYE: i32 = 12;
const GRANT: i32 = 13;
const STOP: i32 = 14;
const HALT: i32 = 15;

/// Where a listing goes. It may be written by another thread.
pub type Output<'a> = &'a mut (dyn Write + Send);

/// What a listing came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Solutions written.
    pub solutions: u64,
    /// Why it ended.
    pub end: End,
}

/// Why a listing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// There are no more solutions.
    All,
    /// The limit was reached.
    Limit,
    /// Nobody reads the output any more.
    ReaderLeft,
    /// It was stopped.
    Stopped(StopReason),
}

/// Lists the solutions of a puzzle into `output`, one a line, the first `plan.limit` of them if there is a limit.
/// Called on rank 0; the others take part in [`Cluster::follow`].
pub fn list(cluster: &Cluster, puzzle: &Puzzle, plan: &CountPlan, output: Output) -> Result<Listed, Fault> {
    let link = &cluster.link;
    let _leading = link.lead();
    let name = match plan.method {
        MethodChoice::Fixed(name) => name,
        MethodChoice::Auto => MethodName::Search, // the order of a listing is not a matter of chance
    };
    let stop = Stop { signals: cluster.signals(), deadline: plan.deadline };
    let stops = stops(link, &stop);
    let method = name.of(puzzle, plan.search, Aim::List, &stops)?;
    let pool = method.expand(&plan.pool(link.size(), true), &stops)?;
    // Units are dealt one by one, so that all ranks work on what is written next.
    let deal = Deal::new(Schedule::Cyclic, None, pool.units(), link.size(), plan.threads);
    let job = Job::new(puzzle, name, plan.search, method.setup(), pool.units(), deal, plan.limit);
    cluster.order(&Order::List(job.clone()));
    let mut writer = Writer { output, left: plan.limit.unwrap_or(u64::MAX), solutions: 0 };
    let result = with_share(link, &*method, pool.bytes, &job, |own| {
        let result = write_all_units(link, &stop, own, &job, &mut writer);
        own.stop();
        send_home(link);
        result
    });
    match result.and_then(|ended| writer.output.flush().map(|()| ended)) {
        Ok(end) => Ok(Listed { solutions: writer.solutions, end }),
        // The reader has seen enough: a normal end.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            Ok(Listed { solutions: writer.solutions, end: End::ReaderLeft })
        }
        Err(error) => Err(Fault::Output(error)),
    }
}

/// A rank's part in a listing that rank 0 has ordered.
pub(super) fn follow(cluster: &Cluster, job: &Job) -> Result<(), Fault> {
    let link = &cluster.link;
    let method = link.stay_in_touch(|| job.method(Aim::List))?;
    with_share(link, &*method, Vec::new(), job, |own| send_pieces(link, cluster.signals(), own));
    Ok(())
}

/// Gets this rank's share of the units, starts its workers on them, and runs `body` with what they produce.
fn with_share<R>(
    link: &Link,
    method: &dyn Method,
    mut units: Vec<u8>,
    job: &Job,
    body: impl FnOnce(&mut Lines) -> R,
) -> R {
    job.deal.put_in_order(&mut units, method.unit_bytes());
    let share = link.scatter(&mut units, method.unit_bytes(), &job.deal.first_blocks(job.units));
    let control = Control::new(None);
    with_lines(method, job.order, &share, job.deal.threads, &control, body)
}

/// Pieces that a rank may have on their way: few enough that rank 0 can hold those of all ranks.
fn pieces_on_their_way(ranks: usize) -> usize {
    (1024 / ranks).clamp(1, 16)
}

/// Rank 0: writes unit after unit.
fn write_all_units(link: &Link, stop: &Stop, own: &mut Lines, job: &Job, writer: &mut Writer) -> io::Result<End> {
    let ranks = link.size();
    let mut arrived = vec![VecDeque::new(); ranks];
    for unit in 0..job.units {
        let rank = unit % ranks;
        loop {
            let piece = match next_piece(link, stop, rank, own, &mut arrived) {
                Ok(piece) => piece,
                Err(reason) => return Ok(End::Stopped(reason)),
            };
            // Whoever reads may take a break.
            if !link.stay_in_touch(|| writer.write(&piece.lines))? {
                return Ok(End::Limit);
            }
            if rank != 0 {
                link.send(rank, GRANT, Vec::new());
            }
            if piece.last {
                break;
            }
        }
    }
    Ok(End::All)
}

/// Rank 0: the next piece of a rank, when it is there, or why to stop. Takes in what other ranks send meanwhile, so that
/// none of them is held up in sending.
fn next_piece(
    link: &Link,
    stop: &Stop,
    rank: usize,
    own: &mut Lines,
    arrived: &mut [VecDeque<Piece>],
) -> Result<Piece, StopReason> {
    let mut backoff = Backoff::new();
    loop {
        while let Some((from, tag, bytes)) = link.receive() {
            if tag == HALT {
                return Err(StopReason::Signal(bytes.try_into().map_or(0, i32::from_le_bytes)));
            }
            arrived[from].extend(Piece::from_bytes(bytes));
        }
        if let Some(reason) = stop.reason() {
            return Err(reason);
        }
        let piece = match rank {
            0 => own.next_soon(&mut backoff),
            _ => arrived[rank].pop_front(),
        };
        match piece {
            Some(piece) => return Ok(piece),
            None if rank != 0 => backoff.wait(),
            None => {}
        }
    }
}

/// Rank 0: stops the others and hears them out, so that no message is left on its way.
fn send_home(link: &Link) {
    for rank in 1..link.size() {
        link.send(rank, STOP, Vec::new());
    }
    let mut left = link.size() - 1;
    let mut backoff = Backoff::new();
    while left > 0 {
        match link.receive() {
            Some((_, tag, _)) => left -= usize::from(tag == BYE),
            None => backoff.wait(),
        }
    }
}

/// Other ranks: send pieces as they come, as long as rank 0 grants them, until it says stop.
fn send_pieces(link: &Link, signals: &Signals, own: &mut Lines) {
    let mut granted = pieces_on_their_way(link.size());
    let mut backoff = Backoff::new();
    let mut halted = false;
    loop {
        let mut idle = true;
        if let Some(signal) = signals.to_tell(&mut halted) {
            link.send(0, HALT, signal.to_le_bytes().to_vec());
        }
        while let Some((_, tag, _)) = link.receive() {
            idle = false;
            if tag == STOP {
                own.stop();
                link.send(0, BYE, Vec::new());
                return;
            }
            granted += 1;
        }
        if granted > 0
            && let Some(piece) = own.try_next()
        {
            link.send(0, PIECE, piece.into_bytes());
            granted -= 1;
            idle = false;
        }
        if !idle {
            backoff = Backoff::new();
            continue;
        }
        if !link.all_sent() {
            backoff.hurry(); // a large piece goes on its way bit by bit, whenever somebody looks
        }
        backoff.wait();
    }
}

/// Writes lines up to a limit and counts them.
struct Writer<'a> {
    output: Output<'a>,
    left: u64,
    solutions: u64,
}

impl Writer<'_> {
    /// Writes as many of these lines as the limit leaves. Says whether to go on.
    fn write(&mut self, lines: &[u8]) -> io::Result<bool> {
        let ends = line_ends(lines);
        let lines = if ends <= self.left { lines } else { first_lines(lines, self.left) };
        blocking::write(|| self.output.write_all(lines))?;
        let written = ends.min(self.left);
        self.solutions += written;
        self.left -= written;
        Ok(self.left > 0)
    }
}

/// How many lines end here. Bytes are added up in bytes, as many at a time as fit, so that it takes wide registers.
fn line_ends(lines: &[u8]) -> u64 {
    let ends = |some: &[u8]| u64::from(some.iter().map(|&byte| u8::from(byte == b'\n')).sum::<u8>());
    lines.chunks(u8::MAX.into()).map(ends).sum()
}

fn first_lines(lines: &[u8], count: u64) -> &[u8] {
    let ends = lines.iter().enumerate().filter(|&(_, &byte)| byte == b'\n').map(|(at, _)| at + 1);
    let end = usize::try_from(count).ok().and_then(|count| ends.take(count).last()).unwrap_or(0);
    &lines[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_are_counted_however_many_there_are() {
        for count in [0, 1, 254, 255, 256, 1000] {
            assert_eq!(line_ends(&vec![b'\n'; count]), count as u64);
            assert_eq!(line_ends("123\n".repeat(count).as_bytes()), count as u64);
        }
    }

    #[test]
    fn a_limit_cuts_between_lines() {
        let mut output = Vec::new();
        let mut writer = Writer { output: &mut output, left: 3, solutions: 0 };
        assert!(writer.write(b"a\nb\n").expect("memory"));
        assert!(!writer.write(b"c\nd\n").expect("memory"));
        assert_eq!(writer.solutions, 3);
        assert_eq!(output, b"a\nb\nc\n");
    }
}
