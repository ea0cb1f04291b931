//! The workers of one rank in a listing: they turn units into pieces of text in parallel, which are taken in order.
//!
//! A worker that begins a unit creates a bounded queue for its pieces, and puts the receiving end into a queue of queues. The
//! reader goes through that from the front. Both are bounded: a worker that is ahead of the reader blocks.

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::{mem, slice, thread};

use parking_lot::Mutex;

use crate::cluster::comm::backoff::Backoff;
use crate::cluster::worker::pool::start;
use crate::count::{Control, Method};
use crate::puzzle::grid::push_line;

/// A piece of this size is sent.
const PIECE_BYTES: usize = 64 << 10;
/// The most pieces of a unit that wait.
const PIECES_WAITING: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Whole lines, with their line ends.
    pub lines: Vec<u8>,
    /// The last piece of the unit. It may be empty.
    pub last: bool,
}

impl Piece {
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        let mut bytes = self.lines;
        bytes.push(u8::from(self.last));
        bytes
    }

    pub(crate) fn from_bytes(mut bytes: Vec<u8>) -> Option<Piece> {
        let last = bytes.pop()? != 0;
        Some(Piece { lines: bytes, last })
    }
}

pub(crate) struct LineWorkers<'a> {
    /// The queues of units, in order.
    units: Option<Receiver<Receiver<Piece>>>,
    /// The queue of the unit that is read.
    pieces: Option<Receiver<Piece>>,
    control: &'a Control,
}

impl LineWorkers<'_> {
    /// The next piece, or `None` after the backoff's pause.
    pub(crate) fn wait_for_next(&mut self, backoff: &mut Backoff) -> Option<Piece> {
        let piece = self.try_next();
        if piece.is_some() {
            return piece;
        }
        let pause = backoff.pause(true);
        match (&self.pieces, &self.units) {
            (Some(pieces), _) => return pieces.recv_timeout(pause).ok(),
            (None, Some(units)) => self.pieces = units.recv_timeout(pause).ok(),
            (None, None) => thread::sleep(pause),
        }
        None
    }

    /// The next piece, if it is ready.
    pub(crate) fn try_next(&mut self) -> Option<Piece> {
        let units = self.units.as_ref()?;
        loop {
            if self.pieces.is_none() {
                self.pieces = Some(units.try_recv().ok()?);
            }
            match self.pieces.as_ref()?.try_recv() {
                Ok(piece) => return Some(piece),
                Err(TryRecvError::Empty) => return None,
                Err(TryRecvError::Disconnected) => self.pieces = None,
            }
        }
    }

    /// Stops the workers: those that count by the control, those that wait by closed queues.
    pub(crate) fn stop(&mut self) {
        self.control.stop();
        self.pieces = None;
        self.units = None;
    }
}

/// Runs `body` with the lines that `threads` workers make of `units`. Returns when `body` and all workers have ended.
pub(crate) fn with_line_workers<R>(
    method: &dyn Method,
    order: usize,
    units: &[u8],
    threads: usize,
    control: &Control,
    body: impl FnOnce(&mut LineWorkers) -> R,
) -> R {
    let capacity = PIECE_BYTES + order * order * 3; // the longest line has two digits and a blank a cell
    let (new_unit, queues) = sync_channel(threads);
    let todo = Mutex::new((units.chunks_exact(method.unit_bytes()), new_unit));
    thread::scope(|scope| {
        for _ in 0..threads {
            start(scope, || {
                let mut counter = method.counter();
                while !control.stopped()
                    && let Some((unit, pieces)) = begin_unit(&todo)
                {
                    let mut lines = Vec::with_capacity(capacity);
                    let counted = counter.visit(unit, control, &mut |solution| {
                        push_line(&mut lines, order, solution.iter().copied());
                        lines.push(b'\n');
                        if lines.len() < PIECE_BYTES {
                            return ControlFlow::Continue(());
                        }
                        let full = mem::replace(&mut lines, Vec::with_capacity(capacity));
                        match pieces.send(Piece { lines: full, last: false }) {
                            Ok(()) => ControlFlow::Continue(()),
                            Err(_) => ControlFlow::Break(()),
                        }
                    });
                    if counted.finished {
                        let _ = pieces.send(Piece { lines, last: true });
                    }
                }
            });
        }
        let mut workers = LineWorkers { units: Some(queues), pieces: None, control };
        let result = body(&mut workers);
        workers.stop();
        result
    })
}

/// The units that are left, and where to put the queue of one. One lock for both, so that queues are in the order of the units.
type Todo<'a> = Mutex<(slice::ChunksExact<'a, u8>, SyncSender<Receiver<Piece>>)>;

fn begin_unit<'a>(todo: &Todo<'a>) -> Option<(&'a [u8], SyncSender<Piece>)> {
    let mut todo = todo.lock();
    let unit = todo.0.next()?;
    let (pieces, queue) = sync_channel(PIECES_WAITING);
    todo.1.send(queue).ok()?;
    Some((unit, pieces))
}
