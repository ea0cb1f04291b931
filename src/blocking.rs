//! Writes that block for as long as nobody reads: to a pipe, a terminal, a named pipe.
//!
//! A process that was told to end must not wait for a reader. Whoever writes to something that may block does it in [`write`];
//! whoever ends the process asks with [`blocked_since`] whether that is all that it waits for, and a [`Hold`] says that it is not.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

static STATE: Mutex<State> = Mutex::new(State { writes: Vec::new(), holds: 0, released: None });

struct State {
    /// When each write that has not returned began.
    writes: Vec<Instant>,
    /// Work that has to be done, whether output is read or not.
    holds: usize,
    /// When the last of it was done.
    released: Option<Instant>,
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does something that may block until somebody reads.
pub fn write<R>(work: impl FnOnce() -> R) -> R {
    let begun = Instant::now();
    state().writes.push(begun);
    let result = work();
    let mut state = state();
    if let Some(at) = state.writes.iter().position(|&write| write == begun) {
        state.writes.swap_remove(at);
    }
    result
}

/// Since when nothing but a write holds up this process, if that is so.
pub fn blocked_since() -> Option<Instant> {
    let state = state();
    let oldest = state.writes.iter().min().copied().filter(|_| state.holds == 0)?;
    Some(state.released.map_or(oldest, |released| oldest.max(released)))
}

/// As long as this lives, there is work to be done beside the writes: a report to be left.
pub struct Hold(());

impl Hold {
    /// Begins such work.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Hold {
        state().holds += 1;
        Hold(())
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut state = state();
        state.holds -= 1;
        state.released = Some(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::thread;

    #[test]
    fn a_write_blocks_until_it_returns() {
        let (go, gate) = channel::<()>();
        let (begun, started) = channel();
        let writer = thread::spawn(move || {
            write(|| {
                let _ = begun.send(());
                let _ = gate.recv();
            })
        });
        started.recv().expect("begun");
        let hold = Hold::new();
        assert_eq!(blocked_since(), None, "there is more to do");
        drop(hold);
        let before = Instant::now();
        assert!(blocked_since().is_some_and(|since| since <= before));
        drop(go);
        writer.join().expect("ended");
        assert!(blocked_since().is_none_or(|since| since > before), "another test may write");
    }
}
