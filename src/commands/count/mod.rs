//! `census count`: all solutions of one puzzle, or of each puzzle of a collection.

mod batch;
mod output;
mod printer;
pub(super) mod progress;
mod reader;
mod single;

pub(super) use single::*;
