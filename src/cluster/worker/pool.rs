//! The worker pool of one rank: its threads and their queue.
//!
//! Workers take entries from the front of the queue. The main thread, which communicates, appends blocks and removes
//! donations at the back. Subtasks go to the front, so that a unit that was begun is finished before the next.
//!
//! With a journal, a worker records what it has counted before it takes the next entry. Because only what is finished
//! can be recorded, long units are split now and then.

use std::collections::VecDeque;
use std::io::Read;
use std::mem;
use std::thread::{self, Builder, Scope};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::trace::UnitRecord;
use super::unit_id::UnitId;
use crate::cluster::abort_job;
use crate::cluster::comm::backoff::Backoff;
use crate::cluster::jobs::spec::JobSpec;
use crate::cluster::journal::JournalWriter;
use crate::cluster::schedule::MAX_BLOCK_BYTES;
use crate::cluster::schedule::message::RankProgress;
use crate::cluster::schedule::rank_client::{WorkSource, WorkerStatus};
use crate::count::{Control, Counted, Method, Tally};

/// Starts a worker thread, or aborts the job.
pub(crate) fn start<'scope>(scope: &'scope Scope<'scope, '_>, work: impl FnOnce() + Send + 'scope) {
    if let Err(error) = Builder::new().spawn_scoped(scope, work) {
        abort_job(&format!("cannot start a worker thread: {error}"), 3);
    }
}

/// With a journal, a unit is split when it has been counted for two ticks: so much may be lost.
const BETWEEN_TICKS: Duration = Duration::from_secs(5);
/// With a journal, the time in which workers that are to stop can record what is left of their units.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(500);

pub(crate) struct WorkerPool<'a> {
    control: &'a Control,
    entry_bytes: usize,
    splits_units: bool,
    rank: usize,
    journal: Option<&'a JournalWriter>,
    start: Instant,
    state: Mutex<State>,
    /// For workers: there are entries, or the pool is closed.
    work: Condvar,
    /// For the main thread: it should act.
    wake_main: Condvar,
}

struct State {
    /// Entries, one after the other.
    queue: VecDeque<u8>,
    /// Since when each worker has been counting its unit; `None` for an idle worker.
    busy_since: Vec<Option<Instant>>,
    /// Entries that other ranks want.
    donation: usize,
    /// The main thread is woken when fewer units wait.
    low_mark: usize,
    wake_main: bool,
    closed: bool,
    last_tick: Instant,
    draining_since: Option<Instant>,
    totals: WorkTotals,
}

/// What the workers of a rank have done together.
#[derive(Clone, Debug, Default)]
pub(crate) struct WorkTotals {
    /// Everything counted, unfinished units included.
    pub tally: Tally,
    /// Subtasks counted to the end.
    pub subtasks: u64,
    pub split: u64,
    /// Units and subtasks not counted, or not to the end.
    pub unfinished: u64,
    pub records: Option<Vec<UnitRecord>>,
}

/// What became of the last entry of a worker.
struct Finished {
    id: UnitId,
    begin: Instant,
    end: Instant,
    counted: Counted,
    split: i64,
}

impl<'a> WorkerPool<'a> {
    pub(crate) fn new(
        entries: Vec<u8>,
        job: &JobSpec,
        method: &dyn Method,
        control: &'a Control,
        threads: usize,
        rank: usize,
        journal: Option<&'a JournalWriter>,
    ) -> WorkerPool<'a> {
        let state = State {
            queue: entries.into(),
            busy_since: vec![None; threads],
            donation: 0,
            low_mark: 0,
            wake_main: false,
            closed: false,
            last_tick: Instant::now(),
            draining_since: None,
            totals: WorkTotals { records: job.trace.then(Vec::new), ..WorkTotals::default() },
        };
        WorkerPool {
            control,
            entry_bytes: UnitId::BYTES + method.unit_bytes(),
            splits_units: job.distribution.schedule.splits_units(),
            rank,
            journal,
            start: Instant::now(),
            state: Mutex::new(state),
            work: Condvar::new(),
            wake_main: Condvar::new(),
        }
    }

    /// The main thread waits until it is woken, or for the backoff's pause.
    pub(crate) fn wait(&self, backoff: &mut Backoff) {
        let mut state = self.state.lock();
        if self.journal.is_some() && state.last_tick.elapsed() >= BETWEEN_TICKS {
            state.last_tick = Instant::now();
            self.control.tick();
        }
        if state.draining_since.is_some_and(|since| since.elapsed() >= DRAIN_TIMEOUT) {
            self.control.stop();
        }
        let pause = backoff.pause(state.busy_since.iter().any(Option::is_some));
        if pause.is_zero() {
            drop(state);
            return thread::yield_now();
        }
        if !state.wake_main {
            self.wake_main.wait_for(&mut state, pause);
        }
        state.wake_main = false;
    }

    /// Ends the workers, and takes what they have done.
    pub(crate) fn close(&self) -> WorkTotals {
        let mut state = self.state.lock();
        state.closed = true;
        self.work.notify_all();
        state.totals.unfinished += (state.queue.len() / self.entry_bytes) as u64;
        mem::take(&mut state.totals)
    }

    /// One worker: counts entries until the pool is closed.
    pub(crate) fn run_worker(&self, worker: usize, method: &dyn Method) {
        let mut counter = method.counter();
        let mut unit = vec![0; method.unit_bytes()];
        let mut last = None;
        while let Some((id, begin)) = self.next(worker, last, &mut unit) {
            let (mut subtasks, mut split) = (Vec::new(), 0);
            let counted = counter.count_splitting(&unit, self.control, &mut |subtask| {
                split += 1;
                self.push_subtask(id, subtask);
                if self.journal.is_some() {
                    subtasks.push(subtask.to_vec());
                }
            });
            let end = Instant::now();
            if let Some(journal) = self.journal
                && counted.finished
            {
                journal.record(id, &unit, &counted, end - begin, subtasks);
            }
            last = Some(Finished { id, begin, end, counted, split });
        }
    }

    /// Adds up a worker's last entry, and waits for the next.
    fn next(&self, worker: usize, last: Option<Finished>, unit: &mut [u8]) -> Option<(UnitId, Instant)> {
        let mut state = self.state.lock();
        if let Some(last) = last {
            state.totals.add(self.rank, worker, self.start, &last);
        }
        let mut unflushed = self.journal;
        let mut id = [0; UnitId::BYTES];
        while state.queue.is_empty() || self.stopped() {
            if state.closed {
                return None;
            }
            if let Some(journal) = unflushed.take() {
                drop(state);
                journal.flush();
                state = self.state.lock();
                continue;
            }
            if state.busy_since[worker].take().is_some() {
                self.update_wanted_subtasks(&state);
            }
            if state.busy_since.iter().all(Option::is_none) {
                self.wake_main(&mut state);
            }
            self.work.wait(&mut state);
        }
        let now = Instant::now();
        // The queue holds whole entries.
        let read = state.queue.read_exact(&mut id).and_then(|()| state.queue.read_exact(unit));
        debug_assert!(read.is_ok());
        state.busy_since[worker] = Some(now);
        self.update_wanted_subtasks(&state);
        if state.queue.len() < state.low_mark * self.entry_bytes {
            self.wake_main(&mut state);
        }
        Some((UnitId::from_bytes(id), now))
    }

    fn push_subtask(&self, id: UnitId, subtask: &[u8]) {
        let mut state = self.state.lock();
        state.totals.split += 1;
        for &byte in id.subtask().to_bytes().iter().chain(subtask).rev() {
            state.queue.push_front(byte);
        }
        self.update_wanted_subtasks(&state);
        if state.donation > 0 {
            self.wake_main(&mut state);
        }
        drop(state);
        self.work.notify_one();
    }

    /// Workers should split off a subtask for each idle worker and each entry that other ranks want, less those that wait.
    fn update_wanted_subtasks(&self, state: &State) {
        if self.splits_units {
            let wanted = state.idle_workers() + state.donation;
            self.control.request_subtasks(wanted.saturating_sub(state.queue.len() / self.entry_bytes));
        }
    }

    fn wake_main(&self, state: &mut State) {
        state.wake_main = true;
        self.wake_main.notify_one();
    }
}

impl WorkSource for WorkerPool<'_> {
    fn status(&self) -> WorkerStatus {
        let state = self.state.lock();
        let waiting = state.queue.len() / self.entry_bytes;
        let active = state.busy_since.iter().flatten();
        let idle = active.clone().next().is_none() && (waiting == 0 || self.stopped() || state.busy_since.is_empty());
        let WorkTotals { tally, subtasks, split, .. } = &state.totals;
        let progress = RankProgress {
            found: self.control.found(),
            nodes: self.control.nodes(),
            units: tally.units,
            subtasks: *subtasks,
            split: *split,
            busy: tally.seconds + active.clone().map(|since| since.elapsed().as_secs_f64()).sum::<f64>(),
            active: active.count() as u64,
        };
        let mean_unit = tally.seconds / (tally.units + subtasks).max(1) as f64;
        WorkerStatus { waiting, idle, mean_unit, progress }
    }

    fn add(&self, entries: &[u8]) -> usize {
        let mut state = self.state.lock();
        state.queue.extend(entries);
        self.update_wanted_subtasks(&state);
        drop(state);
        self.work.notify_all();
        entries.len() / self.entry_bytes
    }

    fn request_donation(&self, entries: usize) {
        let mut state = self.state.lock();
        state.donation = entries;
        self.update_wanted_subtasks(&state);
    }

    fn set_low_mark(&self, units: usize) {
        self.state.lock().low_mark = units;
    }

    /// Half of what the workers of this rank do not need at once, even if less is wanted: where units are short, idle ranks would
    /// soon be idle again.
    fn take_donation(&self) -> Vec<u8> {
        let mut state = self.state.lock();
        let waiting = state.queue.len() / self.entry_bytes;
        let most = (MAX_BLOCK_BYTES / self.entry_bytes).max(1);
        let taken = waiting.saturating_sub(state.idle_workers()).div_ceil(2).min(most);
        let rest = (waiting - taken) * self.entry_bytes;
        state.queue.split_off(rest).into()
    }

    /// With a journal, workers drain: each finishes what it is counting, and leaves the rest of its unit as subtasks.
    fn stop(&self) {
        match self.journal {
            Some(_) => {
                self.state.lock().draining_since.get_or_insert_with(Instant::now);
                self.control.drain();
            }
            None => self.control.stop(),
        }
    }

    fn stopped(&self) -> bool {
        self.control.stopped() || self.control.draining()
    }
}

impl State {
    fn idle_workers(&self) -> usize {
        self.busy_since.iter().filter(|since| since.is_none()).count()
    }
}

impl WorkTotals {
    fn add(&mut self, rank: usize, worker: usize, start: Instant, finished: &Finished) {
        let Finished { id, begin, end, counted, split } = *finished;
        let Counted { solutions, nodes, finished, cache } = counted;
        let seconds = (end - begin).as_secs_f64();
        let units = u64::from(finished && !id.is_subtask);
        self.tally = self.tally.merge(Tally { solutions, nodes, units, seconds, longest: seconds, cache });
        self.subtasks += u64::from(finished && id.is_subtask);
        self.unfinished += u64::from(!finished);
        if let Some(records) = &mut self.records {
            records.push(UnitRecord {
                unit: id.unit,
                rank: rank as u32,
                worker: worker as u32,
                start: (begin - start).as_nanos() as u64,
                nanoseconds: (end - begin).as_nanos() as u64,
                nodes,
                solutions: solutions.exact().unwrap_or(u128::MAX),
                left: split + i64::from(!finished) - i64::from(id.is_subtask),
            });
        }
    }
}
