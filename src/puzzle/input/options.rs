//! What a reader is told where the content of a text does not decide.

use std::fmt;

/// What 0 stands for in a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zero {
    /// The lowest value: the values are 0 to n−1, and are read as 1 to n.
    Value,
    /// An empty cell.
    Empty,
}

impl Zero {
    /// Both meanings.
    pub const ALL: [Zero; 2] = [Zero::Value, Zero::Empty];

    /// Its name, as options and headers take it.
    pub fn name(self) -> &'static str {
        match self {
            Zero::Value => "value",
            Zero::Empty => "empty",
        }
    }
}

impl fmt::Display for Zero {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How to read a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// What 0 stands for, whatever a header says. Without either, a grid in which 0 may be both is refused.
    pub zero: Option<Zero>,
    /// Whether lines of a collection may have another order than the line before without a header that announces it.
    pub mixed: bool,
}
