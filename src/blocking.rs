//! Writes that block for as long as nobody reads: to a pipe, a terminal, a named pipe.
//!
//! A process that was told to end must not wait for a reader. Whoever writes to something that may block does it in [`write`];
//! whoever ends the process asks with [`blocked_since`] whether that is all that it waits for.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// When each write that has not returned began.
static WRITES: Mutex<Vec<Instant>> = Mutex::new(Vec::new());

/// Does something that may block until somebody reads.
pub fn write<R>(work: impl FnOnce() -> R) -> R {
    let begun = Instant::now();
    WRITES.lock().unwrap_or_else(PoisonError::into_inner).push(begun);
    let result = work();
    let mut writes = WRITES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(at) = writes.iter().position(|&write| write == begun) {
        writes.swap_remove(at);
    }
    result
}

/// When the oldest write began that has not returned.
pub fn blocked_since() -> Option<Instant> {
    WRITES.lock().unwrap_or_else(PoisonError::into_inner).iter().min().copied()
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
        let before = Instant::now();
        assert!(blocked_since().is_some_and(|since| since <= before));
        drop(go);
        writer.join().expect("ended");
        assert!(blocked_since().is_none_or(|since| since > before), "another test may write");
    }
}
