//! Standard output and standard error. Answers go to standard output, everything else to standard error.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use super::CommandError;
use crate::puzzle::input::source::printable;
use crate::{blocking, report};

/// Whether this process was started without a standard output: writes to it would be lost without an error.
pub static STDOUT_CLOSED: AtomicBool = AtomicBool::new(false);

/// Errors are ignored: a closed standard error is no reason to fail.
pub(super) fn print_stderr(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// A broken pipe ends the output normally.
pub(super) fn print_stdout(text: &str) -> Result<(), CommandError> {
    write_stdout(|stdout| stdout.write_all(text.as_bytes())).map(drop)
}

/// Returns whether standard output still has a reader: false after a broken pipe.
pub(super) fn write_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<bool, CommandError> {
    check_stdout()?;
    let mut stdout = io::stdout().lock();
    match blocking::write(|| write(&mut stdout).and_then(|()| stdout.flush())) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(CommandError::Io { name: "standard output".into(), error })
        }
        written => Ok(written.is_ok()),
    }
}

pub(super) fn check_stdout() -> Result<(), CommandError> {
    match STDOUT_CLOSED.load(Ordering::Relaxed) {
        true => Err(CommandError::Io { name: "standard output".into(), error: io::Error::other("is closed") }),
        false => Ok(()),
    }
}

/// Prints answers for people: on standard output, or on standard error if standard output is for the report. Returns whether
/// they still have a reader.
pub(super) fn print_answers(lines: &[u8], to_stderr: bool) -> Result<bool, CommandError> {
    if to_stderr {
        print_stderr(&String::from_utf8_lossy(lines));
        return Ok(true);
    }
    write_stdout(|stdout| stdout.write_all(lines))
}

/// Answers as lines `name: value`.
#[derive(Default)]
pub(super) struct AnswerLines(pub String);

impl AnswerLines {
    pub(super) fn add(self, name: &str, value: impl Display) -> AnswerLines {
        AnswerLines(self.0 + &format!("{name}: {value}\n"))
    }

    pub(super) fn add_some(self, name: &str, value: Option<impl Display>) -> AnswerLines {
        if let Some(value) = value { self.add(name, value) } else { self }
    }
}

pub(super) fn is_stdout(report: Option<&Path>) -> bool {
    report == Some(Path::new("-"))
}

pub(super) fn write_report(report: &impl Serialize, target: Option<&Path>) -> Result<(), CommandError> {
    match target {
        Some(target) if is_stdout(Some(target)) => print_stdout(&report::to_json(report)),
        Some(target) => report::write(report, target).map_err(|error| CommandError::io(target, error)),
        None => Ok(()),
    }
}

/// A path on one line, without control characters.
pub(super) fn printable_path(path: &Path) -> String {
    printable(&path.to_string_lossy())
}
