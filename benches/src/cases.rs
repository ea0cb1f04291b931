//! The puzzles of the benchmarks: files of `puzzles/`, read by census, with their expected counts.

use std::error::Error;
use std::fs;
use std::path::Path;

use census::puzzle::input::source;
use census::puzzle::{Puzzle, Shape, formats};

use crate::options::project;

/// A puzzle with a known number of solutions
pub struct Case {
    /// The file without its extension
    pub name: String,
    pub puzzle: Puzzle,
    pub expected: u128,
}

/// The puzzle of a file in `puzzles/`.
pub fn named(file: &str) -> Result<Case, Box<dyn Error>> {
    let puzzle = read(&path_of(file))?.remove(0);
    let expected = puzzle.expected.ok_or_else(|| format!("{file}: the header `# expected:` is missing"))?;
    Ok(Case { name: stem(file), puzzle, expected })
}

/// The puzzles of `puzzles/` that are not plain 9×9, with at most this number of solutions, sorted by order.
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

pub fn read(file: &str) -> Result<Vec<Puzzle>, Box<dyn Error>> {
    let readings = formats::read(&source::load(file, Default::default())?)?;
    Ok(readings.into_iter().map(|reading| reading.checked()).collect::<Result<_, _>>()?)
}

/// Whether a puzzle is a 9×9 with boxes and no extra houses.
pub fn is_plain(puzzle: &Puzzle) -> bool {
    Shape::usual(9).is_ok_and(|plain| *puzzle.shape == plain)
}

/// The path of a file in `puzzles/`.
pub fn path_of(file: &str) -> String {
    project("puzzles").join(file).to_string_lossy().into_owned()
}

/// The name of a file in tables.
pub fn stem(file: &str) -> String {
    Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
