//! What is wrong with an input, and where.

use std::fmt;

/// A line and a column of a text, both counted from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// One thing that is wrong with an input. Prints as `file:line:column: what is wrong`, on one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct InputError {
    source_name: String,
    place: Option<Place>,
    message: String,
}

impl InputError {
    /// An error at a place of a source; no place where the source could not be read at all.
    pub fn new(source_name: &str, place: Option<Place>, message: impl Into<String>) -> InputError {
        InputError { source_name: source_name.into(), place, message: message.into() }
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.source_name)?;
        if let Some(Place { line, column }) = self.place {
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
