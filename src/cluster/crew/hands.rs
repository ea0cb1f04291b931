//! What the thread that talks asks of the workers.

use std::time::Instant;

use super::super::member::{Hands, Standing};
use super::super::message::News;
use super::{Crew, Work};

impl Hands for Crew<'_> {
    fn standing(&self) -> Standing {
        let state = self.lock();
        let waiting = state.queue.len() / self.entry_bytes;
        let active = state.since.iter().flatten();
        let idle = active.clone().next().is_none() && (waiting == 0 || self.stopped() || state.since.is_empty());
        let Work { tally, parts, split, .. } = &state.done;
        let news = News {
            found: self.control.found(),
            nodes: self.control.nodes(),
            units: tally.units,
            parts: *parts,
            split: *split,
            busy: tally.seconds + active.clone().map(|since| since.elapsed().as_secs_f64()).sum::<f64>(),
            active: active.count() as u64,
        };
        let mean_unit = tally.seconds / (tally.units + parts).max(1) as f64;
        Standing { waiting, idle, mean_unit, news }
    }

    fn add(&self, entries: &[u8]) -> usize {
        let mut state = self.lock();
        state.queue.extend(entries);
        self.note_wishes(&state);
        drop(state);
        self.work.notify_all();
        entries.len() / self.entry_bytes
    }

    fn want(&self, parts: usize) {
        let mut state = self.lock();
        state.outward = parts;
        self.note_wishes(&state);
    }

    fn set_low(&self, units: usize) {
        self.lock().low = units;
    }

    fn take_wanted(&self) -> Vec<u8> {
        let mut state = self.lock();
        let waiting = state.queue.len() / self.entry_bytes;
        let idle = state.since.iter().filter(|since| since.is_none()).count();
        let taken = state.outward.min(waiting.saturating_sub(idle).div_ceil(2));
        let rest = (waiting - taken) * self.entry_bytes;
        state.queue.split_off(rest).into()
    }

    fn stop(&self) {
        match self.journal {
            // What is finished can be kept: each worker finishes what it is at, and leaves the rest of it as parts.
            Some(_) => {
                self.lock().leaving.get_or_insert_with(Instant::now);
                self.control.leave();
            }
            None => self.control.stop(),
        }
    }

    fn stopped(&self) -> bool {
        self.control.stopped() || self.control.leaving()
    }
}
