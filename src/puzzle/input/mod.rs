//! Input from files, pipes and arguments.

use std::fmt;

pub mod source;
pub(crate) mod stream;

/// The meaning of 0 in a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zero {
    /// The lowest value: the values are 0 to n−1, and are read as 1 to n.
    Value,
    /// An empty cell.
    Empty,
}

/// The name in options and headers.
impl fmt::Display for Zero {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Zero::Value => "value",
            Zero::Empty => "empty",
        })
    }
}

/// How to read a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The meaning of 0; overrides a header. Without either, a grid in which 0 may be a value or an empty cell is rejected.
    pub zero: Option<Zero>,
    /// Whether the order may change between lines of a collection without a header that announces it.
    pub mixed: bool,
}
