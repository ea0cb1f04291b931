//! Puzzles from files, pipes and arguments: one at a time, or a stream of any length.

mod options;
pub mod source;
pub mod stream;

pub use options::{ReadOptions, Zero};
pub use source::{Source, Text, printable};
pub use stream::Stream;
