use std::fmt;

use crate::input::source::printable;

/// A line and a column of a text, both counted from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
}

/// The part of an input that an error makes unusable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorScope {
    /// All of the source, or the rest of it.
    Source,
    /// One header.
    Header,
    /// One puzzle, or a line that should have been one.
    Puzzle,
}

/// An error in an input. Prints as `file:line:column: message`, on one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct InputError {
    source_name: String,
    position: Option<Position>,
    message: String,
    scope: ErrorScope,
    rest_unread: bool,
}

impl InputError {
    /// An error about a puzzle; without a position, about the source.
    pub fn new(source_name: &str, position: Option<Position>, message: impl Into<String>) -> InputError {
        let scope = if position.is_some() { ErrorScope::Puzzle } else { ErrorScope::Source };
        InputError { source_name: source_name.into(), position, message: message.into(), scope, rest_unread: false }
    }

    pub(crate) fn in_header(self) -> InputError {
        InputError { scope: ErrorScope::Header, ..self }
    }

    pub(crate) fn in_source(self) -> InputError {
        InputError { scope: ErrorScope::Source, ..self }
    }

    pub(crate) fn with_rest_unread(self) -> InputError {
        InputError { rest_unread: true, ..self }
    }

    pub(crate) fn with_hint(mut self, hint: &str) -> InputError {
        self.message += hint;
        self
    }

    /// Whether the source may go on after the error, but is not read any further.
    pub fn rest_unread(&self) -> bool {
        self.rest_unread
    }

    /// The part of the input that is unusable.
    pub fn scope(&self) -> ErrorScope {
        self.scope
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source_name)?;
        if let Some(Position { line, column }) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        // The message may quote the file: escape line ends and other control characters.
        write!(f, ": {}", printable(&self.message))
    }
}
