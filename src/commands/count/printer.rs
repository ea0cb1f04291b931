//! Answers, printed by a thread of its own: a launcher that was told to stop may read no more, and whoever waits for it would
//! never get to the report.

use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::commands::CommandError;

/// How often it is looked whether to wait any longer.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Prints lines.
pub(in crate::commands) struct Printer(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// What is being printed, or is to be.
    lines: Vec<u8>,
    busy: bool,
    /// Nothing more will come.
    closed: bool,
    /// What became of the last lines: whether somebody still reads them.
    end: Option<Result<bool, CommandError>>,
}

impl Printer {
    /// A printer that prints with `print`, which says whether there still is a reader.
    pub(in crate::commands) fn new(print: impl Fn(&[u8]) -> Result<bool, CommandError> + Send + 'static) -> Printer {
        let shared = Arc::<Shared>::default();
        let printer = Printer(Arc::clone(&shared));
        thread::spawn(move || {
            let mut state = shared.lock();
            loop {
                while !state.busy && !state.closed {
                    state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                if !state.busy {
                    return;
                }
                let lines = mem::take(&mut state.lines);
                drop(state);
                let end = print(&lines);
                state = shared.lock();
                (state.busy, state.end) = (false, Some(end));
                shared.changed.notify_all();
            }
        });
        printer
    }

    /// Prints lines, and waits until that is done, or until `stop`. Then what has not begun stays in `lines`. Says whether
    /// there still is a reader, as far as is known.
    pub(in crate::commands) fn print(
        &self,
        lines: &mut Vec<u8>,
        stop: &dyn Fn() -> bool,
    ) -> Result<bool, CommandError> {
        let before = self.until_idle(stop)?;
        {
            let mut state = self.0.lock();
            if state.busy || lines.is_empty() || !before {
                return Ok(before);
            }
            state.lines = mem::take(lines);
            state.busy = true;
            self.0.changed.notify_all();
        }
        self.until_idle(stop)
    }

    fn until_idle(&self, stop: &dyn Fn() -> bool) -> Result<bool, CommandError> {
        let mut state = self.0.lock();
        while state.busy && !stop() {
            let wait = self.0.changed.wait_timeout(state, BETWEEN_LOOKS);
            state = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
        if state.busy { Ok(true) } else { state.end.take().unwrap_or(Ok(true)) }
    }
}

impl Drop for Printer {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.changed.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::sync::mpsc::channel;

    fn patient() -> bool {
        false
    }

    #[test]
    fn lines_are_printed_in_order_when_it_returns() {
        let (sender, printed) = channel();
        let printer = Printer::new(move |lines| Ok(sender.send(lines.to_vec()).is_ok()));
        for line in [b"a".to_vec(), b"b".to_vec()] {
            let mut lines = line.clone();
            assert!(printer.print(&mut lines, &patient).expect("printed"));
            assert!(lines.is_empty());
            assert_eq!(printed.try_recv(), Ok(line));
        }
    }

    #[test]
    fn whoever_stops_need_not_wait_for_the_reader_and_can_still_print_the_rest() {
        let (let_go, gate) = channel::<()>();
        let (sender, printed) = channel();
        let printer = Printer::new(move |lines| {
            let _ = gate.recv();
            Ok(sender.send(lines.to_vec()).is_ok())
        });
        let asked = Cell::new(0);
        let stop = || asked.replace(asked.get() + 1) > 0;
        let (mut first, mut second) = (b"first".to_vec(), b"second".to_vec());
        assert!(printer.print(&mut first, &stop).expect("under way"));
        assert!(printer.print(&mut second, &stop).expect("not begun"));
        assert_eq!((first, second.clone()), (Vec::new(), b"second".to_vec()));
        drop(let_go);
        assert!(printer.print(&mut second, &patient).expect("printed"));
        assert_eq!(printed.iter().take(2).collect::<Vec<_>>(), [b"first".to_vec(), b"second".to_vec()]);
    }

    #[test]
    fn a_reader_that_has_left_and_a_fault_are_told() {
        let printer = Printer::new(|lines| match lines {
            b"left" => Ok(false),
            _ => Err(CommandError::Stopped("a fault".into())),
        });
        assert!(!printer.print(&mut b"left".to_vec(), &patient).expect("no fault"));
        assert_eq!(printer.print(&mut b"?".to_vec(), &patient).expect_err("a fault").to_string(), "a fault");
    }
}
