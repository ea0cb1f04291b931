//! The crate `sudoku`: plain 9×9 only, for which it is the fastest crate. It counts without storing solutions.

use census::puzzle::Puzzle;
use sudoku::Sudoku;

/// Counts all solutions of a plain 9×9, including the conversion of its cells.
pub fn count(puzzle: &Puzzle) -> u128 {
    let puzzle = Sudoku::from_bytes_slice(puzzle.givens.values()).expect("81 cells of 0 to 9");
    puzzle.solutions_count_up_to(usize::MAX) as u128
}

/// Counts the solutions of a plain 9×9 up to a limit, including the parsing of its 81 characters.
pub fn count_line(line: &str, limit: usize) -> u128 {
    Sudoku::from_str_line(line).expect("81 cells").solutions_count_up_to(limit) as u128
}
