//! Shapes, symbols and conflicts.

use census_puzzle::grid::{push_line, symbol, value_of};
use census_puzzle::{Extras, Grid, HouseKind, Puzzle, Regions, Shape, ShapeError};

fn usual(order: usize) -> Shape {
    Shape::usual(order).expect("a shape")
}

#[test]
fn usual_boxes_are_the_ones_nearest_to_a_square() {
    let shapes = [2, 4, 6, 7, 8, 9, 10, 12, 16, 25, 49, 64].map(|order| usual(order).to_string());
    let boxes =
        ["2x2", "2x3", "2x4", "3x3", "2x5", "3x4", "4x4", "5x5", "7x7", "8x8"].map(|side| format!("boxes {side}"));
    assert_eq!(shapes.iter().filter(|shape| *shape != "none").collect::<Vec<_>>(), boxes.iter().collect::<Vec<_>>());
    assert_eq!((&*shapes[0], &*shapes[3]), ("none", "none"));
}

#[test]
fn every_house_of_every_shape_has_order_distinct_cells_and_a_region_those_of_the_map() {
    let extras = [(false, false), (true, false), (false, true), (true, true)];
    for order in 2..=64 {
        for (diagonals, hyper) in extras {
            let Ok(shape) = Shape::new(order, Regions::usual(order), Extras { diagonals, hyper }) else {
                assert!(hyper, "only hyper boxes may be rejected");
                continue;
            };
            let map = shape.region_map().unwrap_or_default();
            for house in shape.houses() {
                assert_eq!(house.cells.len(), order, "{order}: {}", house.kind);
                assert!(house.cells.is_sorted_by(|a, b| a < b), "{order}: {}", house.kind);
                assert!(house.cells.iter().all(|&cell| cell < order * order), "{order}: {}", house.kind);
                if let HouseKind::Box(number) = house.kind {
                    assert!(
                        house.cells.iter().all(|&cell| usize::from(map[cell]) == number),
                        "{order}: {}",
                        house.kind
                    );
                }
            }
        }
    }
}

#[test]
fn boxes_are_rows_by_columns_and_every_house_has_a_name() {
    let shape = Shape::new(6, Regions::Boxes { rows: 2, cols: 3 }, Extras { diagonals: true, hyper: false });
    let shape = shape.expect("a shape");
    assert_eq!(shape.to_string(), "boxes 2x3 + diagonals");
    let names: Vec<_> = shape.houses().iter().map(|house| house.kind.to_string()).collect();
    assert_eq!((&*names[0], &*names[11], &*names[13]), ("row 1", "column 6", "box 2"));
    assert_eq!(shape.houses()[13].cells, [3, 4, 5, 9, 10, 11]);
    assert_eq!(names[18..], ["the falling diagonal", "the rising diagonal"]);
}

#[test]
fn a_cell_of_a_plain_nine_by_nine_has_twenty_peers() {
    assert!(usual(9).peers().iter().all(|peers| peers.len() == 20));
}

#[test]
fn hyper_boxes_are_those_of_windoku() {
    let extras = Extras { hyper: true, ..Extras::default() };
    let shape = Shape::new(9, Regions::usual(9), extras).expect("hyper 9x9 is a shape");
    let tops: Vec<usize> = shape.houses()[27..].iter().map(|house| house.cells[0]).collect();
    assert_eq!(tops, [10, 14, 46, 50]);
    assert_eq!(Shape::new(6, Regions::usual(6), extras), Err(ShapeError::Hyper));
}

#[test]
fn a_region_of_the_wrong_size_is_reported_with_a_cell() {
    let error = Shape::new(2, Regions::Jigsaw(vec![0, 0, 0, 1]), Extras::default());
    assert_eq!(error, Err(ShapeError::RegionSize { region: 0, found: 3, order: 2, cell: 2 }));
}

#[test]
fn every_symbol_reads_back_as_its_value() {
    for value in 0..=35 {
        let symbol = symbol(value).expect("has a character");
        assert_eq!((value_of(symbol), value_of(symbol.to_ascii_lowercase())), (Some(value), Some(value)));
    }
    assert_eq!(symbol(36), None);
}

#[test]
fn a_line_has_characters_up_to_order_35_and_numbers_above() {
    for (order, values, expected) in
        [(9, &[1, 9, 0, 5][..], "19.5"), (16, &[1, 9, 10, 16, 0], "19AG."), (64, &[1, 10, 64, 0], "1 10 64 0")]
    {
        let mut line = Vec::new();
        push_line(&mut line, order, values.iter().copied());
        assert_eq!(line, expected.as_bytes());
    }
}

#[test]
fn each_house_lists_its_own_conflict() {
    let conflicts = |values: Vec<u8>| -> Vec<String> {
        let puzzle = Puzzle::new(usual(4).into(), Grid::new(values));
        puzzle.conflicts().iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        conflicts(vec![1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 3, 0, 0, 0, 3]),
        [
            "3 occurs 2 times in column 4: r3c4, r4c4",
            "1 occurs 2 times in box 1: r1c1, r2c2",
            "3 occurs 2 times in box 4: r3c4, r4c4"
        ]
    );
    assert!(conflicts(vec![0; 16]).is_empty());
    assert!(conflicts(vec![1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1]).is_empty());
}
