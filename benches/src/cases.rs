//! The puzzles that are measured: files of `puzzles/`, read by census itself, with the counts that they expect.

use std::error::Error;
use std::fs;
use std::path::Path;

use census::puzzle::input::source;
use census::puzzle::{Puzzle, Shape, formats};

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

/// The puzzles of `puzzles/`, small orders first, with any shape but the plain 9×9 and few enough solutions.
pub fn other_shapes(most: u128) -> Result<Vec<Case>, Box<dyn Error>> {
    let mut cases = Vec::new();
    for entry in fs::read_dir(project("puzzles"))? {
        let file = entry?.file_name().to_string_lossy().into_owned();
        if file.ends_with(".txt") {
            cases.push(named(&file)?);
        }
    }
    cases.retain(|case| case.expected <= most && !is_plain(&case.puzzle));
    cases.sort_by_cached_key(|case| (case.puzzle.shape.order(), case.name.clone()));
    Ok(cases)
}

/// All puzzles of a file.
pub fn read(file: &str) -> Result<Vec<Puzzle>, Box<dyn Error>> {
    let readings = formats::read(&source::load(file, Default::default())?)?;
    Ok(readings.into_iter().map(|reading| reading.checked()).collect::<Result<_, _>>()?)
}

/// Whether a puzzle is a 9×9 with boxes and nothing else.
pub fn is_plain(puzzle: &Puzzle) -> bool {
    Shape::usual(9).is_ok_and(|plain| *puzzle.shape == plain)
}

/// The path of a file in `puzzles/`.
pub fn path_of(file: &str) -> String {
    project("puzzles").join(file).to_string_lossy().into_owned()
}

/// What a file is called in tables.
pub fn stem(file: &str) -> String {
    Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
