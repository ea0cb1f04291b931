use std::fmt;

/// The value of an option: left to the program, or given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice<T> {
    Auto,
    Fixed(T),
}

impl<T> Choice<T> {
    /// The value that was given, if any.
    pub fn fixed(self) -> Option<T> {
        match self {
            Choice::Auto => None,
            Choice::Fixed(value) => Some(value),
        }
    }

    /// The value that was given, or else this one.
    pub fn or(self, default: T) -> T {
        self.fixed().unwrap_or(default)
    }

    /// The reason for a value that was not given.
    pub fn reason(&self, reason: &'static str) -> Option<&'static str> {
        matches!(self, Choice::Auto).then_some(reason)
    }
}

impl<T: fmt::Display> fmt::Display for Choice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choice::Auto => f.pad("auto"),
            Choice::Fixed(value) => value.fmt(f),
        }
    }
}
