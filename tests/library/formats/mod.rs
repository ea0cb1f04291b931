//! Reading and writing puzzles: what is written reads back the same, errors have a position, and no input makes the reader
//! panic.

mod errors;
mod examples;
pub(crate) mod random;
mod sources;
mod stream;

use census_puzzle::{InputError, ParsedPuzzle, ReadOptions, Text, Zero, formats};

/// Reads bytes as a file `f`.
fn read_bytes(bytes: &[u8]) -> Result<Vec<ParsedPuzzle>, InputError> {
    formats::read(&Text::decode("f", bytes.to_vec())?)
}

fn read(text: &str) -> Result<Vec<ParsedPuzzle>, InputError> {
    read_bytes(text.as_bytes())
}

fn read_with(text: &str, options: ReadOptions) -> Result<Vec<ParsedPuzzle>, InputError> {
    formats::read(&Text { options, ..Text::decode("f", text.into())? })
}

/// Lines may have any order.
const MIXED: ReadOptions = ReadOptions { zero: None, mixed: true };

fn zero(zero: Zero) -> ReadOptions {
    ReadOptions { zero: Some(zero), mixed: false }
}
