//! Totals from the literature.

use std::sync::Arc;

use census_count::MethodName;
use census_count::search::{CellOrder, SearchOptions, ValueOrder};
use census_puzzle::{Extras, Grid, Puzzle, Regions, Shape};

use crate::files::{golden, puzzles_of};
use crate::workers;

fn total(puzzle: &Puzzle, search: SearchOptions) -> u128 {
    workers::count(puzzle, MethodName::Search, search).0
}

fn empty(order: usize, regions: Regions, extras: Extras) -> Puzzle {
    let shape = Shape::new(order, regions, extras).expect("a shape");
    let cells = shape.cells();
    Puzzle::new(Arc::new(shape), Grid::empty(cells))
}

fn total_of_empty(order: usize, regions: Regions) -> u128 {
    total(&empty(order, regions, Extras::default()), SearchOptions::default())
}

/// Every puzzle of a golden folder has the count that its header expects.
fn check_golden(folder: &str, search: SearchOptions, at_most: u128) {
    for path in golden(folder) {
        for puzzle in puzzles_of(&path) {
            let expected = puzzle.expected.unwrap_or_else(|| panic!("{} expects nothing", path.display()));
            if expected <= at_most {
                assert_eq!(total(&puzzle, search), expected, "{} by {search:?}", path.display());
            }
        }
    }
}

#[test]
fn there_are_288_grids_of_four_by_four() {
    assert_eq!(total_of_empty(4, Regions::usual(4)), 288);
}

#[test]
fn there_are_28200960_grids_of_six_by_six_with_boxes_of_2x3() {
    assert_eq!(total_of_empty(6, Regions::Boxes { rows: 2, cols: 3 }), 28_200_960);
}

#[test]
fn there_are_28200960_grids_of_six_by_six_with_boxes_of_3x2() {
    assert_eq!(total_of_empty(6, Regions::Boxes { rows: 3, cols: 2 }), 28_200_960);
}

#[test]
fn there_are_2_12_576_and_161280_latin_squares_of_orders_2_to_5() {
    let totals = [2, 3, 4, 5].map(|order| total_of_empty(order, Regions::None));
    assert_eq!(totals, [2, 12, 576, 161_280]);
}

#[test]
fn boxes_of_one_row_or_column_add_no_constraint() {
    assert_eq!(total_of_empty(5, Regions::Boxes { rows: 1, cols: 5 }), 161_280);
    assert_eq!(total_of_empty(5, Regions::Boxes { rows: 5, cols: 1 }), 161_280);
}

#[test]
fn a_jigsaw_of_boxes_is_a_sudoku() {
    let map = vec![0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3];
    assert_eq!(total_of_empty(4, Regions::Jigsaw(map)), 288);
}

#[test]
fn diagonal_latin_squares_have_their_known_totals() {
    // OEIS A274806, diagonal Latin squares of order n: 1, 0, 0, 48, 960, 92160.
    let diagonals = Extras { diagonals: true, hyper: false };
    let total = |order| total(&empty(order, Regions::None, diagonals), SearchOptions::default());
    assert_eq!([2, 3, 4, 5, 6].map(total), [0, 0, 48, 960, 92_160]);
}

#[test]
fn the_collected_cases_have_their_known_counts() {
    check_golden("cases", SearchOptions::default(), u128::MAX);
}

#[test]
fn smaller_cases_have_their_known_counts_by_the_first_cell_and_the_largest_value_too() {
    check_golden("cases", SearchOptions { cells: CellOrder::First, values: ValueOrder::Max, cache: 0 }, 25_000);
}

#[test]
fn one_puzzle_of_each_shape_has_its_known_count() {
    check_golden("shapes", SearchOptions::default(), u128::MAX);
}
