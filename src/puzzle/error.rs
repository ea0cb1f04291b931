//! What is wrong with an input, and where.

use std::fmt;

/// A line and a column of a text, both counted from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// What an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorScope {
    /// A source that cannot be read at all, or not any further.
    Source,
    /// A header.
    Header,
    /// A puzzle, or what stands in its place.
    Puzzle,
}

/// One thing that is wrong with an input. Prints as `file:line:column: what is wrong`, on one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct InputError {
    source_name: String,
    place: Option<Position>,
    message: String,
    subject: ErrorScope,
    breaks_off: bool,
}

impl InputError {
    /// An error at a place of a source; no place where the source could not be read at all.
    pub fn new(source_name: &str, place: Option<Position>, message: impl Into<String>) -> InputError {
        let subject = if place.is_some() { ErrorScope::Puzzle } else { ErrorScope::Source };
        InputError { source_name: source_name.into(), place, message: message.into(), subject, breaks_off: false }
    }

    /// The same, about a header rather than a puzzle.
    pub(super) fn about_header(self) -> InputError {
        InputError { subject: ErrorScope::Header, ..self }
    }

    /// The same, about all of the source: there is nothing more to be had of it.
    pub(super) fn about_source(self) -> InputError {
        InputError { subject: ErrorScope::Source, ..self }
    }

    /// The same, where what follows in the source will not be read.
    pub(super) fn breaking_off(self) -> InputError {
        InputError { breaks_off: true, ..self }
    }

    /// The same with something behind it that may help.
    pub(super) fn with_hint(mut self, hint: &str) -> InputError {
        self.message += hint;
        self
    }

    /// Whether there may be more in the source, which nobody will see.
    pub fn breaks_off(&self) -> bool {
        self.breaks_off
    }

    /// What it is about.
    pub fn subject(&self) -> ErrorScope {
        self.subject
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.source_name)?;
        if let Some(Position { line, column }) = self.place {
            write!(f, ":{line}:{column}")?;
        }
        // A file's own text may be quoted in the message: keep it on one line and printable.
        write!(f, ": ")?;
        for c in self.message.chars() {
            if c.is_control() { write!(f, "{}", c.escape_default())? } else { write!(f, "{c}")? }
        }
        Ok(())
    }
}
