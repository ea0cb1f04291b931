//! Drawings compared character by character.

use super::*;
use crate::Extras;
use crate::grid::value_of;

const JIGSAW6: [u8; 36] =
    [0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 2, 0, 3, 3, 3, 2, 2, 4, 4, 3, 3, 3, 2, 4, 5, 5, 5, 2, 2, 4, 4, 4, 5, 5, 5];

fn shape(order: usize, regions: Regions) -> Shape {
    Shape::new(order, regions, Extras::default()).expect("is a shape")
}

fn usual(order: usize) -> Shape {
    Shape::usual(order).expect("is a shape")
}

fn read(cells: &str) -> Grid {
    Grid::new(cells.chars().filter_map(value_of).collect())
}

/// `expected` may be indented.
fn assert_drawn(drawing: &str, expected: &str) {
    let expected: String = expected.trim().lines().map(|line| format!("{}\n", line.trim())).collect();
    assert!(drawing == expected, "drawn:\n{drawing}expected:\n{expected}");
}

#[test]
fn four_by_four_is_drawn_with_its_boxes() {
    let drawing = grid(&usual(4), &read("1.3. ..12 .1.. 4..1"));
    assert_drawn(
        &drawing,
        "┏━━━┯━━━┳━━━┯━━━┓
         ┃ 1 │ . ┃ 3 │ . ┃
         ┠───┼───╂───┼───┨
         ┃ . │ . ┃ 1 │ 2 ┃
         ┣━━━┿━━━╋━━━┿━━━┫
         ┃ . │ 1 ┃ . │ . ┃
         ┠───┼───╂───┼───┨
         ┃ 4 │ . ┃ . │ 1 ┃
         ┗━━━┷━━━┻━━━┷━━━┛",
    );
}

#[test]
fn six_by_six_has_boxes_wider_than_tall() {
    let drawing = grid(&usual(6), &read("12.... ...1.. ...... 6....5 ..4... .....3"));
    assert_drawn(
        &drawing,
        "┏━━━┯━━━┯━━━┳━━━┯━━━┯━━━┓
         ┃ 1 │ 2 │ . ┃ . │ . │ . ┃
         ┠───┼───┼───╂───┼───┼───┨
         ┃ . │ . │ . ┃ 1 │ . │ . ┃
         ┣━━━┿━━━┿━━━╋━━━┿━━━┿━━━┫
         ┃ . │ . │ . ┃ . │ . │ . ┃
         ┠───┼───┼───╂───┼───┼───┨
         ┃ 6 │ . │ . ┃ . │ . │ 5 ┃
         ┣━━━┿━━━┿━━━╋━━━┿━━━┿━━━┫
         ┃ . │ . │ 4 ┃ . │ . │ . ┃
         ┠───┼───┼───╂───┼───┼───┨
         ┃ . │ . │ . ┃ . │ . │ 3 ┃
         ┗━━━┷━━━┷━━━┻━━━┷━━━┷━━━┛",
    );
}

#[test]
fn nine_by_nine_is_drawn_as_in_the_newspaper() {
    let inkala = read("8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..");
    assert_drawn(
        &grid(&usual(9), &inkala),
        "┏━━━┯━━━┯━━━┳━━━┯━━━┯━━━┳━━━┯━━━┯━━━┓
         ┃ 8 │ . │ . ┃ . │ . │ . ┃ . │ . │ . ┃
         ┠───┼───┼───╂───┼───┼───╂───┼───┼───┨
         ┃ . │ . │ 3 ┃ 6 │ . │ . ┃ . │ . │ . ┃
         ┠───┼───┼───╂───┼───┼───╂───┼───┼───┨
         ┃ . │ 7 │ . ┃ . │ 9 │ . ┃ 2 │ . │ . ┃
         ┣━━━┿━━━┿━━━╋━━━┿━━━┿━━━╋━━━┿━━━┿━━━┫
         ┃ . │ 5 │ . ┃ . │ . │ 7 ┃ . │ . │ . ┃
         ┠───┼───┼───╂───┼───┼───╂───┼───┼───┨
         ┃ . │ . │ . ┃ . │ 4 │ 5 ┃ 7 │ . │ . ┃
         ┠───┼───┼───╂───┼───┼───╂───┼───┼───┨
         ┃ . │ . │ . ┃ 1 │ . │ . ┃ . │ 3 │ . ┃
         ┣━━━┿━━━┿━━━╋━━━┿━━━┿━━━╋━━━┿━━━┿━━━┫
         ┃ . │ . │ 1 ┃ . │ . │ . ┃ . │ 6 │ 8 ┃
         ┠───┼───┼───╂───┼───┼───╂───┼───┼───┨
         ┃ . │ . │ 8 ┃ 5 │ . │ . ┃ . │ 1 │ . ┃
         ┠───┼───┼───╂───┼───┼───╂───┼───┼───┨
         ┃ . │ 9 │ . ┃ . │ . │ . ┃ 4 │ . │ . ┃
         ┗━━━┷━━━┷━━━┻━━━┷━━━┷━━━┻━━━┷━━━┷━━━┛",
    );
}

#[test]
fn a_jigsaw_is_drawn_along_its_regions() {
    let jigsaw = shape(6, Regions::Jigsaw(JIGSAW6.into()));
    assert_drawn(
        &grid(&jigsaw, &read("1..... .2.... ..3... ...4.. ....5. .....6")),
        "┏━━━┯━━━┳━━━┯━━━┯━━━┯━━━┓
         ┃ 1 │ . ┃ . │ . │ . │ . ┃
         ┠───┼───╄━━━╅───┼───╆━━━┫
         ┃ . │ 2 │ . ┃ . │ . ┃ . ┃
         ┠───╆━━━┿━━━╇━━━╈━━━╃───┨
         ┃ . ┃ . │ 3 │ . ┃ . │ . ┃
         ┣━━━╇━━━╅───┼───╄━━━╅───┨
         ┃ . │ . ┃ . │ 4 │ . ┃ . ┃
         ┠───╆━━━╇━━━┿━━━╈━━━╃───┨
         ┃ . ┃ . │ . │ . ┃ 5 │ . ┃
         ┠───╄━━━┿━━━╅───╄━━━┿━━━┫
         ┃ . │ . │ . ┃ . │ . │ 6 ┃
         ┗━━━┷━━━┷━━━┻━━━┷━━━┷━━━┛",
    );
}

#[test]
fn a_latin_square_has_only_its_border_heavy() {
    assert_drawn(
        &grid(&usual(3), &read("12. 2.. ..3")),
        "┏━━━┯━━━┯━━━┓
         ┃ 1 │ 2 │ . ┃
         ┠───┼───┼───┨
         ┃ 2 │ . │ . ┃
         ┠───┼───┼───┨
         ┃ . │ . │ 3 ┃
         ┗━━━┷━━━┷━━━┛",
    );
}

#[test]
fn twelve_by_twelve_is_drawn_with_numbers_in_two_columns() {
    let cells = format!("1.9ABC......{}", ".".repeat(132));
    let drawing = grid(&usual(12), &read(&cells));
    let first: Vec<&str> = drawing.lines().take(3).collect();
    assert_eq!(
        first,
        [
            "┏━━━━┯━━━━┯━━━━┯━━━━┳━━━━┯━━━━┯━━━━┯━━━━┳━━━━┯━━━━┯━━━━┯━━━━┓",
            "┃  1 │  . │  9 │ 10 ┃ 11 │ 12 │  . │  . ┃  . │  . │  . │  . ┃",
            "┠────┼────┼────┼────╂────┼────┼────┼────╂────┼────┼────┼────┨",
        ]
    );
}

#[test]
fn candidates_pad_each_column_to_its_widest_cell() {
    let mut bits = [0b1000; 16];
    (bits[0], bits[5], bits[11], bits[14]) = (0b1011, 0b0110, 0, 0b1111);
    assert_drawn(
        &candidates(&usual(4), &bits),
        "┏━━━━━┯━━━━┳━━━━━━┯━━━┓
         ┃ 124 │ 4  ┃ 4    │ 4 ┃
         ┠─────┼────╂──────┼───┨
         ┃ 4   │ 23 ┃ 4    │ 4 ┃
         ┣━━━━━┿━━━━╋━━━━━━┿━━━┫
         ┃ 4   │ 4  ┃ 4    │ ! ┃
         ┠─────┼────╂──────┼───┨
         ┃ 4   │ 4  ┃ 1234 │ 4 ┃
         ┗━━━━━┷━━━━┻━━━━━━┷━━━┛",
    );
}

#[test]
fn candidates_are_letters_up_to_order_35_and_numbers_with_commas_above() {
    let drawn = |order: usize| {
        let mut bits = vec![1; order * order];
        bits[0] = 1 << 8 | 1 << 34;
        candidates(&usual(order), &bits)
    };
    assert!(drawn(35).lines().nth(1).is_some_and(|line| line.starts_with("┃ 9Z │ 1 │")));
    assert!(drawn(36).lines().nth(1).is_some_and(|line| line.starts_with("┃ 9,35 │ 1 │")));
}

#[test]
fn candidates_too_wide_to_draw_are_listed_below_the_decided_cells() {
    let sixteen = usual(16);
    let mut bits = vec![0xffff; 256];
    (bits[0], bits[1], bits[2]) = (1 << 15, 0, 1 << 8 | 1 << 9);
    let text = candidates(&sixteen, &bits);
    let mut decided = Grid::empty(256);
    decided[0] = 16;
    let list = text.strip_prefix(&grid(&sixteen, &decided)).expect("starts with the decided cells");
    assert!(list.starts_with("r1c2: !\nr1c3: 9 10\nr1c4: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"), "{list}");
    assert_eq!(list.lines().count(), 255);
}

#[test]
fn no_listed_cell_is_wider_than_a_drawing_may_be() {
    let text = candidates(&usual(64), &vec![u64::MAX; 64 * 64]);
    let lines: Vec<&str> = text.lines().skip(2 * 64 + 1).collect();
    assert_eq!(lines.len(), 64 * 64);
    assert!(lines.iter().all(|line| line.len() <= MAX_WIDTH && line.ends_with(" 63 64")));
}

#[test]
fn houses_are_counted_by_kind() {
    let all = Extras { diagonals: true, hyper: true };
    let with_all = |order| houses(&Shape::new(order, Regions::usual(order), all).expect("is a shape"));
    assert_eq!(with_all(9), "9 rows, 9 columns, 9 boxes of 3x3, 2 diagonals, 4 hyper boxes");
    assert_eq!(with_all(4), "4 rows, 4 columns, 4 boxes of 2x2, 2 diagonals, 1 hyper box");
    assert_eq!(houses(&shape(6, Regions::Jigsaw(JIGSAW6.into()))), "6 rows, 6 columns, 6 jigsaw regions");
    assert_eq!(houses(&usual(3)), "3 rows, 3 columns");
}
