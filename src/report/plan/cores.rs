//! Independent simulations on all cores.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Maps items in parallel; the results are in the order of the items.
pub(super) fn on_all_cores<T: Sync, U: Send>(items: &[T], map: impl Fn(&T) -> U + Sync) -> Vec<U> {
    let next = AtomicUsize::new(0);
    let mapped = Mutex::new(Vec::with_capacity(items.len()));
    let cores = thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let work = || {
        while let index = next.fetch_add(1, Ordering::Relaxed)
            && let Some(item) = items.get(index)
        {
            let result = map(item);
            mapped.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
        }
    };
    thread::scope(|scope| {
        for _ in 1..cores {
            // If the system cannot start a thread, the others do its work.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    let mut mapped = mapped.into_inner().unwrap_or_else(PoisonError::into_inner);
    mapped.sort_by_key(|(index, _)| *index);
    mapped.into_iter().map(|(_, result)| result).collect()
}
