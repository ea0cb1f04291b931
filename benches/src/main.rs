//! One core, one run, alternating: census and its peers on the same puzzles. Prints seconds, and ratios of pairs as the
//! median over rounds with its spread.
//!
//!   search [ROUNDS]    the search against the crate `sudoku`
//!   bands [SETS]       the join of bands on random clues, and against the crate `sudoku`
//!   hunt [MINUTES]     looks for clues with which the join takes longest

mod bands;
mod search;

use std::env;
use std::time::Instant;

use census::puzzle::grid::value_of;
use census::puzzle::{Grid, Puzzle, Shape};

fn main() {
    let number = |usual| match env::args().nth(2).map(|n| n.parse()) {
        None => usual,
        Some(Ok(number)) if number > 0 => number,
        Some(_) => refuse("the second argument is a number, from 1 on"),
    };
    match env::args().nth(1).as_deref() {
        None | Some("search") => search::run(number(7)),
        Some("bands") => bands::run(number(20)),
        Some("hunt") => bands::hunt(number(5)),
        Some(other) => refuse(&format!("`{other}` is not search, bands or hunt")),
    }
}

fn refuse(why: &str) -> ! {
    eprintln!("{why}");
    std::process::exit(2)
}

/// Seconds of one count, which must come to the known number.
fn timed(expected: u128, count: impl FnOnce() -> u128) -> f64 {
    let start = Instant::now();
    assert_eq!(count(), expected);
    start.elapsed().as_secs_f64()
}

fn from_line(line: &str) -> Puzzle {
    let givens = Grid::new(line.chars().map(|c| value_of(c).expect("a cell")).collect());
    Puzzle::new(Shape::usual(9).expect("9x9 is a shape").into(), givens)
}

fn count_theirs(line: &str) -> u128 {
    let puzzle = sudoku::Sudoku::from_str_line(line).expect("a puzzle");
    puzzle.solutions_count_up_to(usize::MAX) as u128
}

fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
