//! Counts are right.

use census_count::bands::bands;
use census_count::search::{SearchOptions, search};
use census_count::{Control, MethodName, Purpose, RecountVariant};
use census_puzzle::{Grid, Puzzle};
use fastrand::Rng;

use crate::bands::puzzles::{Turn, from_line, puzzle, random_puzzle, turned};
use crate::bands::{joined, sum};
use crate::{stride, thorough};

/// The solutions of a puzzle, counted by visiting them; `None` if there are too many.
fn searched(puzzle: &Puzzle) -> Option<u128> {
    let control = Control::new(None).with_budget(300_000);
    let counted = search(puzzle, SearchOptions::default()).counter().count(puzzle.givens.values(), &control);
    counted.finished.then(|| counted.solutions.exact().expect("a small count"))
}

/// A grid with only its first cells given.
fn beginning(cells: &str) -> Puzzle {
    from_line(&format!("{cells:.<81}"))
}

#[test]
fn the_totals_of_the_literature() {
    const EMPTY: u128 = 6_670_903_752_021_072_936_960;
    const FACTORIAL: u128 = 362_880;
    assert_eq!(joined(&beginning("")), EMPTY);
    assert_eq!(joined(&beginning("123456789")), EMPTY / FACTORIAL);
    assert_eq!(joined(&beginning("123......456......789......")), EMPTY / FACTORIAL);
    assert_eq!(joined(&beginning("123456789456789123789123456")), 7_802_998_272);
    assert_eq!(joined(&beginning("123456789456789123789123456214365897")), 633_312);
}

#[test]
fn every_orientation_and_every_kernel_give_the_same_count() {
    let puzzles = [
        ("..9.......6...8...4.....2..........9..3...7..1....6.....6.....8....1..3.2", 48_794_239),
        (".......39.....1.......5.8....8.9...6.7...2...1..4.......9.8.....2....6.....7", 534_494),
        (".......12........3..23..4..........5.6..7.........9.....85.........4.5..47...6", 5_361_084),
        ("8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4", 1),
        ("1234567894567891237891234562", 7_802_998_272 / 6),
    ];
    for (cells, expected) in puzzles {
        let puzzle = beginning(cells);
        // The orientations of the last puzzle from 9 on, with rows and columns swapped, take long.
        for orientation in 0..if expected > 100_000_000 { 9 } else { 18 } {
            assert_eq!(sum(&*bands(&puzzle, Some(&[orientation]))), expected, "{cells}, {orientation}");
        }
        let scalar = Purpose::Recount(RecountVariant::Mirror);
        let scalar =
            MethodName::Bands.of(&puzzle, SearchOptions::default(), scalar, None, &|| false).expect("a plain 9×9");
        assert_eq!(sum(&*scalar), expected, "{cells}");
    }
}

#[test]
fn the_count_is_that_of_the_search_wherever_the_search_finishes() {
    let mut random = Rng::with_seed(1);
    let (mut compared, mut many) = (0, 0);
    for round in 0..300 {
        let puzzle = random_puzzle(19 + round % 14, &mut random);
        if let Some(expected) = searched(&puzzle) {
            assert_eq!(joined(&puzzle), expected, "{:?}", puzzle.givens);
            compared += 1;
            many += usize::from(expected > 1000);
        }
    }
    assert!(compared > 200 && many > 80, "{compared} puzzles were compared, {many} of them with many solutions");
}

#[test]
fn solved_grids_have_one_solution_and_contradictions_have_none() {
    let mut random = Rng::with_seed(2);
    let mut impossible = 0;
    assert_eq!(joined(&random_puzzle(81, &mut random)), 1);
    for clues in (20..=81).step_by(3) {
        let mut puzzle = random_puzzle(clues, &mut random);
        let cell = (0..81).find(|&cell| puzzle.givens[cell] != 0).expect("a clue");
        puzzle.givens[cell] = puzzle.givens[cell] % 9 + 1;
        if let Some(expected) = searched(&puzzle) {
            assert_eq!(joined(&puzzle), expected, "{:?}", puzzle.givens);
            impossible += usize::from(expected == 0);
        }
    }
    assert!(impossible > 10);
}

#[test]
fn the_same_digit_twice_in_a_house_has_no_solution() {
    for (one, other) in [(0, 8), (0, 72), (0, 20), (0, 10), (0, 1), (0, 9), (40, 43), (40, 58)] {
        let mut givens = Grid::empty(81);
        givens[one] = 5;
        givens[other] = 5;
        assert_eq!(joined(&puzzle(givens)), 0, "cells {one} and {other}");
    }
}

#[test]
fn a_count_is_the_sum_over_the_values_of_one_more_clue() {
    let mut random = Rng::with_seed(3);
    let fewest = if thorough() { 3 } else { 11 };
    for clues in (fewest..=20).step_by(stride()) {
        let puzzle = random_puzzle(clues, &mut random);
        let empty: Vec<usize> = (0..81).filter(|&cell| puzzle.givens[cell] == 0).collect();
        let cell = empty[random.usize(..empty.len())];
        let with = |value| {
            let mut puzzle = puzzle.clone();
            puzzle.givens[cell] = value;
            joined(&puzzle)
        };
        assert_eq!(joined(&puzzle), (1..=9).map(with).sum(), "cell {cell} of {:?}", puzzle.givens);
    }
}

#[test]
fn symmetries_do_not_change_the_count() {
    let mut random = Rng::with_seed(4);
    for round in (0..30).step_by(stride()) {
        let puzzle_as_it_is = random_puzzle(2 + round, &mut random);
        let other = puzzle(turned(&puzzle_as_it_is.givens, &Turn::random(&mut random)));
        assert_eq!(joined(&puzzle_as_it_is), joined(&other), "{:?}", puzzle_as_it_is.givens);
    }
}

/// Clues of one band only, of two, of one digit only, of one column only: where the merging group is large.
#[test]
fn counts_are_right_where_many_pairs_are_merged() {
    let mut random = Rng::with_seed(5);
    let kept: [fn(usize, u8) -> bool; 6] = [
        |cell, _| cell % 9 == 4,
        |cell, value| cell / 27 == 1 && value > 3,
        |cell, _| cell < 27,
        |cell, _| cell >= 27,
        |cell, _| cell % 9 / 3 == 1,
        |_, value| value <= 2,
    ];
    for keep in kept.into_iter().skip(if thorough() { 0 } else { 2 }) {
        let mut puzzle = random_puzzle(81, &mut random);
        let mut clues: Vec<usize> = (0..81).filter(|&cell| keep(cell, puzzle.givens[cell])).collect();
        random.shuffle(&mut clues);
        clues.truncate(if thorough() { 6 } else { 14 });
        for cell in (0..81).filter(|cell| !clues.contains(cell)) {
            puzzle.givens[cell] = 0;
        }
        let cell = (0..81).find(|&cell| puzzle.givens[cell] == 0).expect("an empty cell");
        let with = |value| {
            let mut puzzle = puzzle.clone();
            puzzle.givens[cell] = value;
            joined(&puzzle)
        };
        assert_eq!(joined(&puzzle), (1..=9).map(with).sum(), "{:?}", puzzle.givens);
    }
}
