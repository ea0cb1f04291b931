//! Many independent simulations, on all cores of this machine.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Maps a list, several items at a time, to a list of the same order.
pub(super) fn on_all_cores<T: Sync, U: Send>(items: &[T], map: impl Fn(&T) -> U + Sync) -> Vec<U> {
    let next = AtomicUsize::new(0);
    let mapped = Mutex::new(Vec::with_capacity(items.len()));
    let cores = thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return };
            let result = map(item);
            mapped.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
        }
    };
    thread::scope(|scope| {
        for _ in 1..cores {
            // Where the system has no room for a thread, this one does the work.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    let mut mapped = mapped.into_inner().unwrap_or_else(PoisonError::into_inner);
    mapped.sort_by_key(|(index, _)| *index);
    mapped.into_iter().map(|(_, result)| result).collect()
}
