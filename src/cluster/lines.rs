//! The workers of one rank when it lists: units become pieces of text, made in parallel, taken in order.
//!
//! A worker that takes up a unit puts the receiving end of a short queue at the end of the line-up, and fills that queue
//! with pieces. Whoever takes the pieces goes through the line-up from its front. Line-up and queues are bounded: a
//! worker that is ahead of the reader blocks.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::{mem, thread};

use crate::count::{Control, Method};
use crate::puzzle::grid::push_line;

use super::backoff::Backoff;
use super::crew::start;

/// A piece is sent off when it has grown to this size.
const PIECE_BYTES: usize = 64 << 10;
/// Pieces of one unit that may wait.
const PIECES_WAITING: usize = 16;

/// Some lines of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Whole lines, each with its end.
    pub lines: Vec<u8>,
    /// Whether this is the unit's last piece. It may be empty.
    pub last: bool,
}

impl Piece {
    pub(super) fn into_bytes(self) -> Vec<u8> {
        let mut bytes = self.lines;
        bytes.push(u8::from(self.last));
        bytes
    }

    pub(super) fn from_bytes(mut bytes: Vec<u8>) -> Option<Piece> {
        let last = bytes.pop()? != 0;
        Some(Piece { lines: bytes, last })
    }
}

/// The pieces of a rank's units, in order.
pub(super) struct Lines<'a> {
    line_up: Option<Receiver<Receiver<Piece>>>,
    unit: Option<Receiver<Piece>>,
    control: &'a Control,
}

impl Lines<'_> {
    /// The next piece, as soon as there is one, but no later than `backoff` says.
    pub(super) fn next_soon(&mut self, backoff: &mut Backoff) -> Option<Piece> {
        let piece = self.try_next();
        if piece.is_some() {
            return piece;
        }
        let pause = backoff.pause(true);
        match (&self.unit, &self.line_up) {
            (Some(unit), _) => return unit.recv_timeout(pause).ok(),
            (None, Some(line_up)) => self.unit = line_up.recv_timeout(pause).ok(),
            (None, None) => thread::sleep(pause),
        }
        None
    }

    /// The next piece, if there is one by now.
    pub(super) fn try_next(&mut self) -> Option<Piece> {
        let line_up = self.line_up.as_ref()?;
        loop {
            if self.unit.is_none() {
                self.unit = Some(line_up.try_recv().ok()?);
            }
            match self.unit.as_ref()?.try_recv() {
                Ok(piece) => return Some(piece),
                Err(TryRecvError::Empty) => return None,
                Err(TryRecvError::Disconnected) => self.unit = None,
            }
        }
    }

    /// Ends the workers soon: those that count see the control, those that wait find nobody at the other end.
    pub(super) fn stop(&mut self) {
        self.control.stop();
        self.unit = None;
        self.line_up = None;
    }
}

/// Starts `threads` workers on `units` of a puzzle of this order and runs `body` with their lines. Returns when `body` and
/// all workers have ended.
pub(super) fn with_lines<R>(
    method: &dyn Method,
    order: usize,
    units: &[u8],
    threads: usize,
    control: &Control,
    body: impl FnOnce(&mut Lines) -> R,
) -> R {
    let room = PIECE_BYTES + order * order * 3; // the longest line has two digits and a blank a cell
    let (into_line_up, line_up) = sync_channel(threads);
    // One lock for both, so that the line-up is in the order of the units.
    let todo = Mutex::new((units.chunks_exact(method.unit_bytes()), into_line_up));
    thread::scope(|scope| {
        for _ in 0..threads {
            start(scope, || {
                let mut counter = method.counter();
                while !control.stopped()
                    && let Some((unit, pieces)) = take_up(&todo)
                {
                    let mut lines = Vec::with_capacity(room);
                    let counted = counter.visit(unit, control, &mut |solution| {
                        push_line(&mut lines, order, solution.iter().copied());
                        lines.push(b'\n');
                        if lines.len() < PIECE_BYTES {
                            return ControlFlow::Continue(());
                        }
                        let full = mem::replace(&mut lines, Vec::with_capacity(room));
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
        let mut lines = Lines { line_up: Some(line_up), unit: None, control };
        let result = body(&mut lines);
        lines.stop();
        result
    })
}

type Todo<'a> = Mutex<(std::slice::ChunksExact<'a, u8>, SyncSender<Receiver<Piece>>)>;

/// The next unit and the queue for its pieces, whose other end is now in the line-up.
fn take_up<'a>(todo: &Todo<'a>) -> Option<(&'a [u8], SyncSender<Piece>)> {
    let mut todo = todo.lock().ok()?;
    let unit = todo.0.next()?;
    let (pieces, queue) = sync_channel(PIECES_WAITING);
    todo.1.send(queue).ok()?;
    Some((unit, pieces))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::{CacheUse, Counted, Counter, Pool, PoolPlan, PoolTooLarge, Solutions};

    /// Its units are a byte each, and the solution of each is all cells of a 40×40 filled with that byte.
    struct Monochrome;

    impl Method for Monochrome {
        fn unit_bytes(&self) -> usize {
            1
        }

        fn expand(&self, _: &PoolPlan, _: &dyn Fn() -> bool) -> Result<Pool, PoolTooLarge> {
            unreachable!("the units are given")
        }

        fn counter(&self) -> Box<dyn Counter + '_> {
            Box::new(Monochrome)
        }
    }

    impl Counter for Monochrome {
        fn count(&mut self, _: &[u8], _: &Control) -> Counted {
            Counted { solutions: Solutions::new(1), nodes: 1, finished: true, cache: CacheUse::default() }
        }

        fn visit(
            &mut self,
            unit: &[u8],
            control: &Control,
            visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
        ) -> Counted {
            let _ = visit(&[unit[0]; 1600]);
            self.count(unit, control)
        }
    }

    #[test]
    fn lines_are_those_of_the_puzzle_whatever_a_unit_is() {
        let (control, units) = (Control::new(None), [7, 40, 1]);
        let mut text = Vec::new();
        with_lines(&Monochrome, 40, &units, 2, &control, |lines| {
            for _ in units {
                while lines.try_next().map(|piece| text.extend(piece.lines)).is_none() {
                    thread::yield_now();
                }
            }
        });
        let line = |value: &str| vec![value; 1600].join(" ") + "\n";
        assert_eq!(String::from_utf8(text).expect("text"), ["7", "40", "1"].map(line).concat());
    }
}
