//! Independent simulations on all cores.

use std::thread;

use parking_lot::Mutex;

/// Maps items in parallel; the results are in the order of the items.
pub(super) fn on_all_cores<T: Sync, U: Send>(items: &[T], map: impl Fn(&T) -> U + Sync) -> Vec<U> {
    let waiting = Mutex::new(items.iter().enumerate());
    let mapped = Mutex::new(Vec::with_capacity(items.len()));
    let work = || loop {
        let Some((index, item)) = waiting.lock().next() else { return };
        let result = map(item);
        mapped.lock().push((index, result));
    };
    thread::scope(|scope| {
        for _ in 1..thread::available_parallelism().map_or(1, usize::from).min(items.len()) {
            // If the system cannot start a thread, the others do its work.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    let mut mapped = mapped.into_inner();
    mapped.sort_by_key(|(index, _)| *index);
    mapped.into_iter().map(|(_, result)| result).collect()
}
