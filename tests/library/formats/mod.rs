//! ParsedPuzzle and writing puzzles: what is written reads back the same, slips are named with their place, and no input
//! makes the reader panic.

mod errors;
mod examples;
mod random;
mod stream;

use census_puzzle::{InputError, ParsedPuzzle, ReadOptions, Text, Zero, formats};

/// Reads bytes as if they were a file `f`.
fn read_bytes(bytes: &[u8]) -> Result<Vec<ParsedPuzzle>, InputError> {
    formats::read(&Text::decode("f", bytes.to_vec())?)
}

/// Reads a text as if it were a file `f`.
fn read(text: &str) -> Result<Vec<ParsedPuzzle>, InputError> {
    read_bytes(text.as_bytes())
}

/// The same with options.
fn read_with(text: &str, options: ReadOptions) -> Result<Vec<ParsedPuzzle>, InputError> {
    formats::read(&Text { options, ..Text::decode("f", text.into())? })
}

/// Lines of any order.
const MIXED: ReadOptions = ReadOptions { zero: None, mixed: true };

/// Grids in which 0 is this.
fn zero(zero: Zero) -> ReadOptions {
    ReadOptions { zero: Some(zero), mixed: false }
}
