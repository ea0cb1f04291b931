//! Random clues, as the 81 characters of a plain 9×9.

use std::ops::ControlFlow;

use census::count::Control;
use fastrand::Rng;

use crate::ours::{self, from_line};

/// Values of a random solution.
pub fn random_clues(clues: usize, random: &mut Rng) -> String {
    let solution = random_solution(random);
    let mut cells: Vec<usize> = (0..81).collect();
    random.shuffle(&mut cells);
    let mut line = [b'.'; 81];
    cells[..clues].iter().for_each(|&cell| line[cell] = solution[cell]);
    String::from_utf8_lossy(&line).into()
}

/// Different digits in different boxes.
pub fn one_per_box(digits: usize, random: &mut Rng) -> String {
    let (mut names, mut boxes) = (b"123456789".to_vec(), (0..9).collect::<Vec<usize>>());
    random.shuffle(&mut names);
    random.shuffle(&mut boxes);
    let mut line = [b'.'; 81];
    for (name, b) in names.into_iter().zip(boxes).take(digits) {
        line[(b / 3 * 3 + random.usize(0..3)) * 9 + b % 3 * 3 + random.usize(0..3)] = name;
    }
    String::from_utf8_lossy(&line).into()
}

/// A random solution as characters: the first completion of random boxes on the diagonal, with permuted rows and columns.
fn random_solution(random: &mut Rng) -> Vec<u8> {
    let mut line = [b'.'; 81];
    for b in 0..3 {
        let mut digits = b"123456789".to_vec();
        random.shuffle(&mut digits);
        (0..9).for_each(|at| line[(b * 3 + at / 3) * 9 + b * 3 + at % 3] = digits[at]);
    }
    let puzzle = from_line(&String::from_utf8_lossy(&line));
    let mut solution = Vec::new();
    let keep_first = &mut |grid: &[u8]| {
        solution = grid.to_vec();
        ControlFlow::Break(())
    };
    ours::method(&puzzle).counter().visit(puzzle.givens.values(), &Control::new(None), keep_first);
    let mut lines = || {
        let mut bands = [0, 3, 6];
        random.shuffle(&mut bands);
        bands.map(|band| {
            let mut lines = [band, band + 1, band + 2];
            random.shuffle(&mut lines);
            lines
        })
    };
    let (rows, columns) = (lines().concat(), lines().concat());
    (0..81).map(|cell| b'0' + solution[rows[cell / 9] * 9 + columns[cell % 9]]).collect()
}
