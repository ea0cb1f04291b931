//! Random 9×9 puzzles, and their symmetries.

use std::ops::ControlFlow;
use std::sync::Arc;

use census_count::Control;
use census_count::search::{SearchOptions, search};
use census_puzzle::grid::value_of;
use census_puzzle::{Grid, Puzzle, Shape};
use fastrand::Rng;

pub fn puzzle(givens: Grid) -> Puzzle {
    Puzzle::new(Arc::new(Shape::usual(9).expect("9x9 is a shape")), givens)
}

/// From 81 characters.
pub fn from_line(line: &str) -> Puzzle {
    puzzle(Grid::new(line.chars().map(|c| value_of(c).expect("a cell")).collect()))
}

/// A random solution: boxes on the diagonal are independent, and can always be completed.
pub fn random_solution(random: &mut Rng) -> Grid {
    let mut givens = Grid::empty(81);
    for b in 0..3 {
        let mut digits: Vec<u8> = (1..=9).collect();
        random.shuffle(&mut digits);
        for (at, digit) in digits.into_iter().enumerate() {
            givens[(b * 3 + at / 3) * 9 + b * 3 + at % 3] = digit;
        }
    }
    let mut first = None;
    let puzzle = puzzle(givens);
    search(&puzzle, SearchOptions::default()).counter().visit(
        puzzle.givens.values(),
        &Control::new(None),
        &mut |grid| {
            first = Some(Grid::new(grid.to_vec()));
            ControlFlow::Break(())
        },
    );
    turned(&first.expect("a completion"), &Turn::random(random))
}

/// A puzzle with so many values of a random solution.
pub fn random_puzzle(clues: usize, random: &mut Rng) -> Puzzle {
    let solution = random_solution(random);
    let mut cells: Vec<usize> = (0..81).collect();
    random.shuffle(&mut cells);
    let mut givens = Grid::empty(81);
    for &cell in &cells[..clues] {
        givens[cell] = solution[cell];
    }
    puzzle(givens)
}

/// A symmetry of the plain 9×9: a renaming of digits, orders of rows and columns that keep bands and stacks together, and
/// whether rows and columns are swapped.
pub struct Turn {
    names: Vec<u8>,
    rows: Vec<usize>,
    columns: Vec<usize>,
    transposed: bool,
}

impl Turn {
    pub fn random(random: &mut Rng) -> Turn {
        let mut names: Vec<u8> = (1..=9).collect();
        random.shuffle(&mut names);
        let (rows, columns) = (lines(random), lines(random));
        Turn { names, rows, columns, transposed: random.bool() }
    }
}

fn lines(random: &mut Rng) -> Vec<usize> {
    let mut three = || {
        let mut three = [0, 1, 2];
        random.shuffle(&mut three);
        three
    };
    three().into_iter().flat_map(|band| three().map(|line| band * 3 + line)).collect()
}

pub fn turned(grid: &Grid, turn: &Turn) -> Grid {
    let value = |cell: usize| {
        let (row, column) = (turn.rows[cell / 9], turn.columns[cell % 9]);
        let from = if turn.transposed { column * 9 + row } else { row * 9 + column };
        grid[from].checked_sub(1).map_or(0, |digit| turn.names[usize::from(digit)])
    };
    Grid::new((0..81).map(value).collect())
}
