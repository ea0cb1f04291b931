//! Properties of every drawing.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::Extras;
use crate::grid::value_of;

fn shape(order: usize, regions: Regions) -> Shape {
    Shape::new(order, regions, Extras::default()).expect("is a shape")
}

/// All joints with the weights of their arms (up, down, left, right), in Unicode order. `blocks` lists, for each set of arms
/// (u, d, l, r), its subsets that are heavy; `-` is the empty set.
fn unicode_joints() -> Vec<(char, [Weight; 4])> {
    let blocks = [
        ('\u{2500}', "lr:-,lr ud:-,ud"),
        ('\u{250c}', "dr:-,r,d,dr dl:-,l,d,dl ur:-,r,u,ur ul:-,l,u,ul"),
        ('\u{251c}', "udr:-,r,u,d,ud,ur,dr,udr udl:-,l,u,d,ud,ul,dl,udl"),
        ('\u{252c}', "dlr:-,l,r,lr,d,dl,dr,dlr ulr:-,l,r,lr,u,ul,ur,ulr"),
        ('\u{253c}', "udlr:-,l,r,lr,u,d,ud,ul,ur,dl,dr,ulr,dlr,udl,udr,udlr"),
        ('\u{2574}', "l:- u:- r:- d:- l:l u:u r:r d:d lr:r ud:d lr:l ud:u"),
    ];
    let mut joints = Vec::new();
    for (first, sets) in blocks {
        let arms = sets.split(' ').filter_map(|set| set.split_once(':'));
        let weights = arms.flat_map(|(arms, heavy)| {
            heavy.split(',').map(move |heavy| {
                ['u', 'd', 'l', 'r'].map(|arm| match (arms.contains(arm), heavy.contains(arm)) {
                    (false, _) => Weight::None,
                    (true, false) => Weight::Light,
                    (true, true) => Weight::Heavy,
                })
            })
        });
        joints.extend((first..).zip(weights));
    }
    joints
}

#[test]
fn every_joint_is_the_unicode_character_with_its_arms() {
    let joints = unicode_joints();
    assert_eq!(joints.len(), 80);
    for (c, [up, down, left, right]) in joints {
        assert_eq!(joint(up, down, left, right), c, "{up:?} {down:?} {left:?} {right:?}");
    }
}

/// Boxes, Latin squares, and jigsaw maps with scattered regions, so that all joints occur.
fn any_shape() -> impl Strategy<Value = Shape> {
    let boxes = (1..=6usize, 2..=6usize).prop_map(|(rows, cols)| shape(rows * cols, Regions::Boxes { rows, cols }));
    let latin = (2..=64usize).prop_map(|order| shape(order, Regions::None));
    let jigsaw = (2..=12u8).prop_flat_map(|order| {
        let map: Vec<u8> = (0..order).flat_map(|region| vec![region; usize::from(order)]).collect();
        Just(map).prop_shuffle().prop_map(move |map| shape(order.into(), Regions::Jigsaw(map)))
    });
    prop_oneof![boxes, latin, jigsaw]
}

fn any_filling() -> impl Strategy<Value = (Shape, Grid)> {
    any_shape().prop_flat_map(|shape| {
        let values = proptest::collection::vec(0..=shape.order() as u8, shape.cells());
        (Just(shape), values.prop_map(Grid::new))
    })
}

fn any_candidates() -> impl Strategy<Value = (Shape, Vec<u64>)> {
    any_shape().prop_flat_map(|shape| {
        // With few bits, many drawings are narrow enough to be drawn.
        let bits = (any::<u64>(), any::<u64>()).prop_map(|(a, b)| a & b);
        let cells = proptest::collection::vec(bits, shape.cells());
        (Just(shape), cells)
    })
}

fn is_frame(c: char) -> bool {
    ('\u{2500}'..='\u{257f}').contains(&c)
}

proptest! {
    #[test]
    fn all_lines_of_a_drawing_have_the_same_width((shape, filling) in any_filling()) {
        let drawing = grid(&shape, &filling);
        let widths: Vec<usize> = drawing.lines().map(|line| line.chars().count()).collect();
        prop_assert_eq!(widths.len(), 2 * shape.order() + 1);
        prop_assert!(widths.iter().all(|&width| width == widths[0]), "{}", drawing);
        prop_assert!(drawing.ends_with('\n'));
    }

    #[test]
    fn a_drawing_without_its_frame_is_the_grid((shape, filling) in any_filling()) {
        let cells = grid(&shape, &filling).replace(is_frame, " ");
        let values: Vec<u8> = cells.split_whitespace().map(|token| token.parse().unwrap_or(0)).collect();
        prop_assert_eq!(values, filling.values());
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
        let cells: HashMap<String, usize> = (0..shape.cells()).map(|cell| (cell_name(order, cell), cell)).collect();
        for (cell, token) in tokens.enumerate() {
            found[cell] = if listed {
                token.split(',').filter_map(|number| number.parse().ok()).map(bit).sum()
            } else {
                token.chars().filter_map(value_of).map(bit).sum()
            };
        }
        for line in text.lines().skip(2 * order + 1) {
            let (name, numbers) = line.split_once(": ").expect("names a cell");
            let cell = cells[name];
            found[cell] = numbers.split(' ').filter_map(|number| number.parse().ok()).map(bit).sum();
        }
        let mask = u64::MAX >> (64 - order);
        prop_assert_eq!(found, bits.iter().map(|bits| bits & mask).collect::<Vec<_>>());
    }

    #[test]
    fn lines_are_heavy_exactly_where_regions_meet((shape, filling) in any_filling()) {
        let order = shape.order();
        let drawing: Vec<Vec<char>> = grid(&shape, &filling).lines().map(|line| line.chars().collect()).collect();
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
    }

    #[test]
    fn every_joint_continues_the_lines_that_reach_it((shape, filling) in any_filling()) {
        let drawing: Vec<Vec<char>> = grid(&shape, &filling).lines().map(|line| line.chars().collect()).collect();
        let joints: HashMap<char, [Weight; 4]> = unicode_joints().into_iter().collect();
        let pitch = (drawing[0].len() - 1) / shape.order();
        // Arms 0 to 3 are up, down, left and right; outside the drawing, there are none.
        let arm = |line: Option<usize>, at: Option<usize>, arm: usize| {
            let c = line.zip(at).and_then(|(line, at)| drawing.get(line)?.get(at));
            c.and_then(|c| joints.get(c)).map_or(Weight::None, |arms| arms[arm])
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
