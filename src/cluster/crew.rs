//! The workers of one rank and the units that wait for them.
//!
//! Workers take one unit after the other from the rank's queue; the main thread, which does the talking, puts blocks in
//! at the back and takes out what is given to other ranks. Where work is shared (`steal`), a worker that finds the queue
//! empty has the control ask the others for parts of the units they are at, and those go into the queue, too: to its front,
//! so that a unit that was begun is finished before the next.
//!
//! Where a journal is kept, what a worker has finished is written down before it says so; and because only what is finished
//! can be written down, a unit that takes long is cut into parts now and then.

mod hands;

use std::collections::VecDeque;
use std::io::Read;
use std::mem;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder, Scope};
use std::time::{Duration, Instant};

use crate::count::{Control, Counted, Method, Tally};

use super::backoff::Backoff;
use super::give_up;
use super::journal::Scribe;
use super::label::Label;
use super::member::Hands;
use super::trace::UnitRecord;

/// Starts a worker thread. Where the system has no room for one more, the job ends with that reason.
pub(super) fn start<'scope>(scope: &'scope Scope<'scope, '_>, work: impl FnOnce() + Send + 'scope) {
    if let Err(error) = Builder::new().spawn_scoped(scope, work) {
        give_up(&format!("a worker thread could not be started: {error}"), 3);
    }
}

/// With a journal, a unit is cut into parts when this has gone by twice while it was counted: so much may be lost.
const BETWEEN_TICKS: Duration = Duration::from_secs(5);
/// With a journal, workers that are told to stop have so long to write down what is left of their units.
const TIME_TO_LEAVE: Duration = Duration::from_millis(500);

/// The workers of one rank, seen from all its threads.
pub(super) struct Crew<'a> {
    control: &'a Control,
    entry_bytes: usize,
    /// Whether workers give away parts of what they are at.
    shares: bool,
    rank: usize,
    journal: Option<&'a Scribe>,
    start: Instant,
    state: Mutex<State>,
    work: Condvar,
    news: Condvar,
}

struct State {
    /// Entries that wait, one behind the other.
    queue: VecDeque<u8>,
    /// Since when each worker has been at its unit; `None` for one that waits.
    since: Vec<Option<Instant>>,
    /// Parts that other ranks want.
    outward: usize,
    /// When fewer units wait than this, the main thread should see to it.
    low: usize,
    /// Whether there is something that the main thread should look at soon.
    stirred: bool,
    closed: bool,
    /// When the control last ticked.
    ticked: Instant,
    /// Since when the workers are leaving, if they are.
    leaving: Option<Instant>,
    done: Work,
}

/// What the workers of a rank have done together.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    /// Everything counted, units that were left before their end included.
    pub tally: Tally,
    /// Parts of units counted to their end.
    pub parts: u64,
    /// Parts of units that workers have split off.
    pub split: u64,
    /// Units and parts left undone, or not done to their end.
    pub unfinished: u64,
    /// What a trace keeps; `None` without one.
    pub records: Option<Vec<UnitRecord>>,
}

impl<'a> Crew<'a> {
    /// A rank's crew of so many workers, with nothing to do yet. What they finish goes into the journal.
    pub(super) fn new(
        method: &dyn Method,
        control: &'a Control,
        workers: usize,
        shares: bool,
        rank: usize,
        journal: Option<&'a Scribe>,
    ) -> Crew<'a> {
        let state = State {
            queue: VecDeque::new(),
            since: vec![None; workers],
            outward: 0,
            low: 0,
            stirred: false,
            closed: false,
            ticked: Instant::now(),
            leaving: None,
            done: Work::default(),
        };
        Crew {
            control,
            entry_bytes: Label::BYTES + method.unit_bytes(),
            shares,
            rank,
            journal,
            start: Instant::now(),
            state: Mutex::new(state),
            work: Condvar::new(),
            news: Condvar::new(),
        }
    }

    /// Keeps a record of every unit from now on.
    pub(super) fn trace(&mut self) {
        self.start = Instant::now();
        self.lock().done.records = Some(Vec::new());
    }

    /// Makes a queue of units, one behind the other, and of their labels. Each unit moves to its place behind its label, the
    /// last one first, because a pool may be so large that there is no room for it twice.
    pub(super) fn fill(&self, mut units: Vec<u8>, labels: &[u8]) {
        let (entry, unit) = (self.entry_bytes, self.entry_bytes - Label::BYTES);
        units.reserve_exact(labels.len());
        units.resize(units.len() + labels.len(), 0);
        for (at, label) in labels.chunks_exact(Label::BYTES).enumerate().rev() {
            units.copy_within(at * unit..(at + 1) * unit, at * entry + Label::BYTES);
            units[at * entry..][..Label::BYTES].copy_from_slice(label);
        }
        self.lock().queue = units.into();
    }

    /// Waits until the workers have something to say, but no longer than `backoff` says.
    pub(super) fn wait(&self, backoff: &mut Backoff) {
        let mut state = self.lock();
        if self.journal.is_some() && state.ticked.elapsed() >= BETWEEN_TICKS {
            state.ticked = Instant::now();
            self.control.tick();
        }
        if state.leaving.is_some_and(|since| since.elapsed() >= TIME_TO_LEAVE) {
            self.control.stop();
        }
        let most = backoff.pause(state.since.iter().any(Option::is_some));
        if most.is_zero() {
            drop(state);
            return thread::yield_now();
        }
        if !state.stirred {
            state = self.news.wait_timeout(state, most).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.stirred = false;
    }

    /// Sends the workers home, and takes what they have done.
    pub(super) fn close(&self) -> Work {
        let mut state = self.lock();
        state.closed = true;
        self.work.notify_all();
        state.done.unfinished += (state.queue.len() / self.entry_bytes) as u64;
        mem::take(&mut state.done)
    }

    /// The life of one worker: counts units until the crew is closed.
    pub(super) fn work(&self, worker: usize, method: &dyn Method) {
        let mut counter = method.counter();
        let mut unit = vec![0; method.unit_bytes()];
        let mut before = None;
        while let Some((label, since)) = self.next(worker, before, &mut unit) {
            let (mut parts, mut split) = (Vec::new(), 0);
            let counted = counter.share(&unit, self.control, &mut |part| {
                split += 1;
                parts.extend(self.put_aside(label, part));
            });
            let now = Instant::now();
            if let Some(journal) = self.journal
                && counted.finished
            {
                journal.record(label, &unit, &counted, now - since, parts);
            }
            before = Some((label, since, now, counted, split));
        }
    }

    /// Takes down what became of a worker's last unit, and waits for the next.
    fn next(
        &self,
        worker: usize,
        before: Option<(Label, Instant, Instant, Counted, i64)>,
        unit: &mut [u8],
    ) -> Option<(Label, Instant)> {
        let mut state = self.lock();
        if let Some(before) = before {
            self.take_down(&mut state.done, worker, before);
        }
        let mut unwritten = self.journal;
        let mut label = [0; Label::BYTES];
        while state.queue.is_empty() || self.stopped() {
            if state.closed {
                return None;
            }
            if let Some(journal) = unwritten.take() {
                drop(state);
                journal.flush();
                state = self.lock();
                continue;
            }
            if state.since[worker].take().is_some() {
                self.note_wishes(&state);
            }
            if state.since.iter().all(Option::is_none) {
                self.stir(&mut state);
            }
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let now = Instant::now();
        // What waits is whole entries: there are enough bytes for both.
        let read = state.queue.read_exact(&mut label).and_then(|()| state.queue.read_exact(unit));
        debug_assert!(read.is_ok());
        state.since[worker] = Some(now);
        self.note_wishes(&state);
        if state.queue.len() < state.low * self.entry_bytes {
            self.stir(&mut state);
        }
        Some((Label::from_bytes(label), now))
    }

    /// A part that a worker has split off goes to the front of the queue, and comes back for the journal.
    fn put_aside(&self, whole: Label, part: &[u8]) -> Option<Vec<u8>> {
        let mut state = self.lock();
        state.done.split += 1;
        for &byte in whole.of_part().to_bytes().iter().chain(part).rev() {
            state.queue.push_front(byte);
        }
        self.note_wishes(&state);
        if state.outward > 0 {
            self.stir(&mut state);
        }
        drop(state);
        self.work.notify_one();
        self.journal.map(|_| part.to_vec())
    }

    fn take_down(
        &self,
        done: &mut Work,
        worker: usize,
        (label, since, now, counted, split): (Label, Instant, Instant, Counted, i64),
    ) {
        let took = now - since;
        let Counted { solutions, nodes, finished, cache } = counted;
        let seconds = took.as_secs_f64();
        let units = u64::from(finished && !label.part);
        done.tally = done.tally.merge(Tally { solutions, nodes, units, seconds, longest: seconds, cache });
        done.parts += u64::from(finished && label.part);
        done.unfinished += u64::from(!finished);
        if let Some(records) = &mut done.records {
            records.push(UnitRecord {
                unit: label.unit,
                rank: self.rank,
                worker,
                start: (since - self.start).as_nanos() as u64,
                nanoseconds: took.as_nanos() as u64,
                nodes,
                solutions: solutions.exact().unwrap_or(u128::MAX),
                left: split + i64::from(!finished) - i64::from(label.part),
            });
        }
    }

    /// Tells the workers how many parts are wanted of them: one for each idle worker and for each wish of other ranks
    /// that what waits does not fill.
    fn note_wishes(&self, state: &State) {
        if self.shares {
            let idle = state.since.iter().filter(|since| since.is_none()).count();
            self.control.want((idle + state.outward).saturating_sub(state.queue.len() / self.entry_bytes));
        }
    }

    fn stir(&self, state: &mut State) {
        state.stirred = true;
        self.news.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A worker that panics ends the whole job; there is no state worth protecting from that.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
