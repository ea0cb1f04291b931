//! The puzzles that are measured: files of `puzzles/`, read by census itself, with the counts that they expect.

use std::error::Error;
use std::path::Path;

use census::puzzle::{Puzzle, formats, source};

use crate::options::project;

/// A puzzle with a known number of solutions.
pub struct Case {
    /// The name of its file.
    pub name: String,
    /// The puzzle.
    pub puzzle: Puzzle,
    /// Its solutions.
    pub expected: u128,
}

/// The puzzle of a file in `puzzles/`.
pub fn named(file: &str) -> Result<Case, Box<dyn Error>> {
    let puzzle = read(&path_of(file))?.remove(0);
    let expected = puzzle.expected.ok_or_else(|| format!("{file} does not say how many solutions it has"))?;
    Ok(Case { name: stem(file), puzzle, expected })
}

/// All puzzles of a file.
pub fn read(file: &str) -> Result<Vec<Puzzle>, Box<dyn Error>> {
    let readings = formats::read(&source::load(file)?)?;
    Ok(readings.into_iter().map(|reading| reading.checked()).collect::<Result<_, _>>()?)
}

/// The path of a file in `puzzles/`.
pub fn path_of(file: &str) -> String {
    project("puzzles").join(file).to_string_lossy().into_owned()
}

/// What a file is called in tables.
pub fn stem(file: &str) -> String {
    Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
