//! Drawings: examples compared character by character, and properties of every drawing.

use std::collections::HashMap;

use census_puzzle::draw::{candidates, grid, houses};
use census_puzzle::grid::value_of;
use census_puzzle::{Extras, Grid, Regions, Shape};
use proptest::prelude::*;

use crate::formats::random::puzzles;

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
    assert_drawn(
        &grid(&usual(4), &read("1.3. ..12 .1.. 4..1")),
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
fn a_jigsaw_is_drawn_along_its_regions() {
    assert_drawn(
        &grid(&shape(6, Regions::Jigsaw(JIGSAW6.into())), &read("1..... .2.... ..3... ...4.. ....5. .....6")),
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
fn twelve_by_twelve_is_drawn_with_numbers_in_two_columns() {
    let cells = format!("1.9ABC......{}", ".".repeat(132));
    let drawing = grid(&usual(12), &read(&cells));
    assert_drawn(
        &drawing[..drawing.match_indices('\n').nth(2).expect("three lines").0 + 1],
        "┏━━━━┯━━━━┯━━━━┯━━━━┳━━━━┯━━━━┯━━━━┯━━━━┳━━━━┯━━━━┯━━━━┯━━━━┓
         ┃  1 │  . │  9 │ 10 ┃ 11 │ 12 │  . │  . ┃  . │  . │  . │  . ┃
         ┠────┼────┼────┼────╂────┼────┼────┼────╂────┼────┼────┼────┨",
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
    for (order, line) in [(35, "┃ 9Z │ 1 │"), (36, "┃ 9,35 │ 1 │")] {
        let mut bits = vec![1; order * order];
        bits[0] = 1 << 8 | 1 << 34;
        assert!(candidates(&usual(order), &bits).lines().nth(1).is_some_and(|drawn| drawn.starts_with(line)));
    }
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
    assert!(lines.iter().all(|line| line.len() <= 200 && line.ends_with(" 63 64")));
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

/// All joints with the weights of their arms (up, down, left, right; 0 is no arm, 1 light, 2 heavy), in Unicode order. `blocks`
/// lists, for each set of arms (u, d, l, r), its subsets that are heavy; `-` is the empty set.
fn unicode_joints() -> HashMap<char, [u8; 4]> {
    let blocks = [
        ('\u{2500}', "lr:-,lr ud:-,ud"),
        ('\u{250c}', "dr:-,r,d,dr dl:-,l,d,dl ur:-,r,u,ur ul:-,l,u,ul"),
        ('\u{251c}', "udr:-,r,u,d,ud,ur,dr,udr udl:-,l,u,d,ud,ul,dl,udl"),
        ('\u{252c}', "dlr:-,l,r,lr,d,dl,dr,dlr ulr:-,l,r,lr,u,ul,ur,ulr"),
        ('\u{253c}', "udlr:-,l,r,lr,u,d,ud,ul,ur,dl,dr,ulr,dlr,udl,udr,udlr"),
    ];
    let mut joints = HashMap::new();
    for (first, sets) in blocks {
        let arms = sets.split(' ').filter_map(|set| set.split_once(':'));
        let weights = arms.flat_map(|(arms, heavy)| {
            let weight = |heavy: &str, arm| u8::from(arms.contains(arm)) + u8::from(heavy.contains(arm));
            heavy.split(',').map(move |heavy| ['u', 'd', 'l', 'r'].map(|arm| weight(heavy, arm)))
        });
        joints.extend((first..).zip(weights));
    }
    joints
}

fn any_candidates() -> impl Strategy<Value = (Shape, Vec<u64>)> {
    puzzles().prop_flat_map(|puzzle| {
        // With few bits, many drawings are narrow enough to be drawn.
        let bits = (any::<u64>(), any::<u64>()).prop_map(|(a, b)| a & b);
        let cells = proptest::collection::vec(bits, puzzle.shape.cells());
        (Just((*puzzle.shape).clone()), cells)
    })
}

fn is_frame(c: char) -> bool {
    ('\u{2500}'..='\u{257f}').contains(&c)
}

proptest! {
    #![proptest_config(crate::cases(300))]

    #[test]
    fn a_drawing_without_its_frame_is_the_grid_and_all_its_lines_have_the_same_width(puzzle in puzzles()) {
        let drawing = grid(&puzzle.shape, &puzzle.givens);
        let widths: Vec<usize> = drawing.lines().map(|line| line.chars().count()).collect();
        prop_assert_eq!(widths.len(), 2 * puzzle.shape.order() + 1);
        prop_assert!(widths.iter().all(|&width| width == widths[0]), "{}", drawing);
        prop_assert!(drawing.ends_with('\n'));
        let cells = drawing.replace(is_frame, " ");
        let values: Vec<u8> = cells.split_whitespace().map(|token| token.parse().unwrap_or(0)).collect();
        prop_assert_eq!(values, puzzle.givens.values());
    }

    #[test]
    fn candidates_are_complete_whether_drawn_or_listed((shape, bits) in any_candidates()) {
        let order = shape.order();
        let text = candidates(&shape, &bits);
        let mut found = vec![0u64; shape.cells()];
        let tokens = text.lines().take(2 * order + 1).flat_map(|line| {
            line.split(is_frame).map(str::trim).filter(|token| !token.is_empty())
        });
        let listed = text.lines().count() > 2 * order + 1 || order > 35;
        let bit = |value: u8| 1u64 << (value - 1);
        for (cell, token) in tokens.enumerate() {
            found[cell] = if listed {
                token.split(',').filter_map(|number| number.parse().ok()).map(bit).sum()
            } else {
                token.chars().filter_map(value_of).map(bit).sum()
            };
        }
        for line in text.lines().skip(2 * order + 1) {
            let (name, numbers) = line.split_once(": ").expect("names a cell");
            let place = name[1..].split_once('c').and_then(|(row, col)| Some((row.parse().ok()?, col.parse().ok()?)));
            let (row, col): (usize, usize) = place.expect("a row and a column");
            found[(row - 1) * order + col - 1] = numbers.split(' ').filter_map(|number| number.parse().ok()).map(bit).sum();
        }
        let mask = u64::MAX >> (64 - order);
        prop_assert_eq!(found, bits.iter().map(|bits| bits & mask).collect::<Vec<_>>());
    }

    #[test]
    fn lines_are_heavy_exactly_where_regions_meet_and_joints_continue_them(puzzle in puzzles()) {
        let (shape, order) = (&puzzle.shape, puzzle.shape.order());
        let drawing: Vec<Vec<char>> = grid(shape, &puzzle.givens).lines().map(|line| line.chars().collect()).collect();
        let region = shape.region_map().unwrap_or(vec![0; shape.cells()]);
        let pitch = (drawing[0].len() - 1) / order;
        for cell in 0..shape.cells() {
            let (row, col) = (cell / order, cell % order);
            let (line, left) = (2 * row + 1, pitch * col);
            let right = col + 1 == order || region[cell] != region[cell + 1];
            prop_assert_eq!(drawing[line][left + pitch], if right { '┃' } else { '│' });
            let below = row + 1 == order || region[cell] != region[cell + order];
            let edge = &drawing[line + 1][left + 1..left + pitch];
            prop_assert!(edge.iter().all(|&c| c == if below { '━' } else { '─' }), "{:?}", edge);
            prop_assert!(row > 0 || drawing[0][left + 1..left + pitch].iter().all(|&c| c == '━'));
            prop_assert!(col > 0 || drawing[line][0] == '┃');
        }
        let joints = unicode_joints();
        // Arms 0 to 3 are up, down, left and right; outside the drawing, there are none.
        let arm = |line: Option<usize>, at: Option<usize>, arm: usize| {
            let c = line.zip(at).and_then(|(line, at)| drawing.get(line)?.get(at));
            c.and_then(|c| joints.get(c)).map_or(0, |arms| arms[arm])
        };
        for line in (0..drawing.len()).step_by(2) {
            for at in (0..drawing[0].len()).step_by(pitch) {
                let reached = [
                    arm(line.checked_sub(1), Some(at), 1),
                    arm(Some(line + 1), Some(at), 0),
                    arm(Some(line), at.checked_sub(1), 3),
                    arm(Some(line), Some(at + 1), 2),
                ];
                prop_assert_eq!(joints.get(&drawing[line][at]), Some(&reached));
            }
        }
    }
}
