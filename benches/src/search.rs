//! The search against the crate `sudoku`, on puzzles with many solutions.

use census::count::Control;
use census::count::search::{SearchOptions, search};
use census::puzzle::{Grid, Puzzle, Shape};

use crate::{from_line, median, timed};

/// Puzzles with many solutions, and those numbers.
const CASES: [(&str, &str, u128); 4] = [
    ("inkala19", "8..........3.......7..9.2...5...7.......457.....1...3...1....68..85...1.......4..", 22_704),
    ("goldennugget17", ".......39.....1.......5.8....8.9...6.7...2...1..4.......9.8.....2....6.....7.....", 534_494),
    (
        "platinumblonde17",
        ".......12........3..23..4..........5.6..7.........9.....85.........4.5..47...6...",
        5_361_084,
    ),
    ("goldennugget16", ".......39.....1.......5.8....8.9...6.7...2...1..4.......9.8.....2....6...........", 5_075_288),
];

/// Prints the table, from so many rounds.
pub fn run(rounds: usize) {
    println!("| puzzle | solutions | census | `sudoku` 0.8 | census / `sudoku` | lowest | highest |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for (name, line, solutions) in CASES {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            ours.push(timed(solutions, || count(&from_line(line))));
            theirs.push(timed(solutions, || crate::count_theirs(line)));
        }
        let mut ratios: Vec<f64> = ours.iter().zip(&theirs).map(|(ours, theirs)| ours / theirs).collect();
        let ratio = median(&mut ratios);
        let (lowest, highest) = (ratios[0], ratios[ratios.len() - 1]);
        let (ours, theirs) = (median(&mut ours), median(&mut theirs));
        println!("| {name} | {solutions} | {ours:.4} s | {theirs:.4} s | {ratio:.2} | {lowest:.2} | {highest:.2} |");
    }
    let empty = Puzzle::new(Shape::usual(6).expect("6x6 is a shape").into(), Grid::empty(36));
    let seconds = timed(28_200_960, || count(&empty));
    println!("\nThe empty 6×6, 28,200,960 solutions, census alone: {seconds:.2} s");
}

fn count(puzzle: &Puzzle) -> u128 {
    let method = search(puzzle, SearchOptions::default());
    let counted = method.counter().count(puzzle.givens.values(), &Control::new(None));
    counted.solutions.exact().expect("few enough")
}
