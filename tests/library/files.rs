//! Puzzle files for tests.

use std::path::{Path, PathBuf};

use census_puzzle::input::source;
use census_puzzle::{ParsedPuzzle, Puzzle, ReadOptions, formats};

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The puzzle files in a folder of `tests/golden`; the header of each has the expected number of solutions.
pub fn golden(folder: &str) -> Vec<PathBuf> {
    let entries = root().join("tests/golden").join(folder).read_dir().expect("a folder of golden files");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// The puzzles of a file.
pub fn puzzles_of(path: &Path) -> Vec<Puzzle> {
    let text = source::load(path.to_str().expect("a printable path"), ReadOptions::default())
        .unwrap_or_else(|error| panic!("{error}"));
    let parsed = formats::read(&text).and_then(|parsed| parsed.into_iter().map(ParsedPuzzle::checked).collect());
    parsed.unwrap_or_else(|error| panic!("{error}"))
}
