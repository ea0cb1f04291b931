//! Totals that others have found: they hold for this program too, to the last digit.

mod common;

use std::sync::Arc;

use census::cluster::{self, Cluster, CountPlan, ScheduleChoice};
use census::count::search::{CellOrder, SearchOptions, ValueOrder};
use census::count::{Depth, MethodChoice, MethodName};
use census::puzzle::{Extras, Grid, Puzzle, Reading, Regions, Shape, formats, source};
use common::golden;

/// Counts a puzzle with two threads of this process.
fn total(puzzle: &Puzzle, search: SearchOptions) -> u128 {
    let cluster = Cluster::join(None, None).expect("a process on its own");
    let plan = CountPlan {
        method: MethodChoice::Fixed(MethodName::Search),
        schedule: ScheduleChoice::Auto,
        chunk: None,
        search,
        depth: Depth::Auto,
        threads: 2,
        limit: None,
        deadline: None,
        trace: false,
        journal: None,
    };
    let count = cluster::count(&cluster, puzzle, &plan, &mut |_, _| {}, &mut |_| {}).expect("no fault");
    assert!(count.complete);
    count.solutions.exact().expect("no overflow")
}

fn empty(order: usize, regions: Regions, extras: Extras) -> Puzzle {
    let shape = Shape::new(order, regions, extras).expect("a shape");
    let cells = shape.cells();
    Puzzle::new(Arc::new(shape), Grid::empty(cells))
}

fn total_of_empty(order: usize, regions: Regions) -> u128 {
    total(&empty(order, regions, Extras::default()), SearchOptions::default())
}

/// Every puzzle of a golden folder has the number of solutions that its header expects.
fn check_golden(folder: &str, search: SearchOptions, at_most: u128) {
    for path in golden(folder) {
        let text = source::load(&path).unwrap_or_else(|error| panic!("{error}"));
        let readings = formats::read(&text).unwrap_or_else(|error| panic!("{error}"));
        for puzzle in readings.into_iter().map(Reading::checked) {
            let puzzle = puzzle.unwrap_or_else(|error| panic!("{error}"));
            let expected = puzzle.expected.unwrap_or_else(|| panic!("{path} expects nothing"));
            if expected <= at_most {
                assert_eq!(total(&puzzle, search), expected, "{path} by {search:?}");
            }
        }
    }
}

#[test]
fn there_are_288_grids_of_four_by_four() {
    assert_eq!(total_of_empty(4, Regions::usual(4)), 288);
}

#[test]
fn there_are_28200960_grids_of_six_by_six_with_boxes_lying() {
    assert_eq!(total_of_empty(6, Regions::Boxes { rows: 2, cols: 3 }), 28_200_960);
}

#[test]
fn there_are_28200960_grids_of_six_by_six_with_boxes_standing() {
    assert_eq!(total_of_empty(6, Regions::Boxes { rows: 3, cols: 2 }), 28_200_960);
}

#[test]
fn there_are_2_12_576_and_161280_latin_squares_of_orders_2_to_5() {
    let totals = [2, 3, 4, 5].map(|order| total_of_empty(order, Regions::None));
    assert_eq!(totals, [2, 12, 576, 161_280]);
}

#[test]
fn boxes_of_one_row_are_no_boxes_at_all() {
    assert_eq!(total_of_empty(5, Regions::Boxes { rows: 1, cols: 5 }), 161_280);
    assert_eq!(total_of_empty(5, Regions::Boxes { rows: 5, cols: 1 }), 161_280);
}

#[test]
fn a_jigsaw_of_boxes_is_a_sudoku() {
    let map = vec![0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3];
    assert_eq!(total_of_empty(4, Regions::Jigsaw(map)), 288);
}

#[test]
fn latin_squares_with_two_diagonals_are_as_many_as_known() {
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
