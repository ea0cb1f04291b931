//! Prints answers on a thread, so that the main thread can stop waiting: a launcher that was signalled may read no more, and the
//! report would never be written.

use std::mem;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::commands::CommandError;

const POLL_INTERVAL: Duration = Duration::from_millis(20);

pub(super) struct Printer {
    lines: Sender<Vec<u8>>,
    results: Receiver<Result<bool, CommandError>>,
    /// Whether a result is outstanding.
    busy: bool,
}

impl Printer {
    /// `print` returns whether the output still has a reader.
    pub(super) fn new(print: impl Fn(&[u8]) -> Result<bool, CommandError> + Send + 'static) -> Printer {
        let (lines, to_print) = channel::<Vec<u8>>();
        let (printed, results) = channel();
        thread::spawn(move || {
            for lines in to_print {
                let _ = printed.send(print(&lines)); // a printer that was dropped needs no result
            }
        });
        Printer { lines, results, busy: false }
    }

    /// Prints lines and waits for the result or until `stop`. Lines that were not started stay in `lines`. Returns whether the
    /// output still has a reader, as far as is known.
    pub(super) fn print(&mut self, lines: &mut Vec<u8>, stop: &dyn Fn() -> bool) -> Result<bool, CommandError> {
        let has_reader = self.wait(stop)?;
        if self.busy || lines.is_empty() || !has_reader {
            return Ok(has_reader);
        }
        self.busy = self.lines.send(mem::take(lines)).is_ok();
        self.wait(stop)
    }

    /// Waits for the outstanding result.
    fn wait(&mut self, stop: &dyn Fn() -> bool) -> Result<bool, CommandError> {
        while self.busy {
            let stopped = stop();
            if let Ok(result) = self.results.recv_timeout(if stopped { Duration::ZERO } else { POLL_INTERVAL }) {
                self.busy = false;
                return result;
            }
            if stopped {
                break;
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_stop_ends_the_wait_for_the_reader_and_the_rest_can_still_be_printed() {
        let (release, gate) = channel::<()>();
        let (sender, printed) = channel();
        let mut printer = Printer::new(move |lines| {
            let _ = gate.recv();
            Ok(sender.send(lines.to_vec()).is_ok())
        });
        let asked = Cell::new(0);
        let stop = || asked.replace(asked.get() + 1) > 0;
        let (mut first, mut second) = (b"first".to_vec(), b"second".to_vec());
        assert!(printer.print(&mut first, &stop).expect("under way"));
        assert!(printer.print(&mut second, &stop).expect("not begun"));
        assert_eq!((first, second.clone()), (Vec::new(), b"second".to_vec()));
        drop(release);
        assert!(printer.print(&mut second, &|| false).expect("printed"));
        assert_eq!(printed.iter().take(2).collect::<Vec<_>>(), [b"first".to_vec(), b"second".to_vec()]);
    }
}
