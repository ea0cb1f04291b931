//! What the main thread asks of the worker pool.

use std::time::Instant;

use super::{WorkTotals, WorkerPool};
use crate::cluster::schedule::MAX_BLOCK_BYTES;
use crate::cluster::schedule::message::RankProgress;
use crate::cluster::schedule::rank_client::{WorkSource, WorkerStatus};

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
