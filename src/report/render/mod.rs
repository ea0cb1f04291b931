//! How numbers and tables become text: one home for formatting.

pub mod progress;
pub mod terminal;
