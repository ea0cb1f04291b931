//! The bit board against a slow board, with all instruction sets of this machine.

use fastrand::Rng;

use crate::Control;
use crate::search::boards::generic::GenericBoard;
use crate::search::dfs::Dfs;
use crate::search::tests::{Slow, TREES, clues, counted, listed, random_nine, same_descent};
use crate::search::{SearchOptions, ValueOrder};

use super::*;

fn boards() -> (Shape, Vec<(Vectors, NineBoard)>, Slow) {
    let shape = Shape::usual(9).expect("a shape");
    let nines = Vectors::all().into_iter().map(|vectors| (vectors, NineBoard::with(&shape, vectors))).collect();
    let slow = Slow::new(&shape, true, endgame::MAX_CELLS + 1);
    (shape, nines, slow)
}

#[test]
fn a_bit_board_has_the_same_tree_as_a_slow_board_node_by_node() {
    let (_, nines, slow) = boards();
    let mut random = Rng::with_seed(1);
    let mut nodes = 0;
    for i in 0..150 {
        let solution = random_nine(&mut random);
        let spoilt = if i % 3 == 0 { random.usize(1..4) } else { 0 };
        let many = if i % 10 == 0 { random.usize(3..81) } else { random.usize(17..=45) };
        let givens = clues(&solution, many, spoilt, &mut random);
        for tree in TREES {
            let seed = random.u64(..);
            for (vectors, nine) in &nines {
                let what = format!("{vectors:?}");
                nodes += same_descent((nine, &slow), tree, &givens, &mut Rng::with_seed(seed), &what);
            }
        }
    }
    assert!(nodes > 2000, "only {nodes} nodes were compared");
}

#[test]
fn a_bit_board_visits_the_solutions_of_a_slow_board_in_its_order_and_the_generic_board_the_same_set() {
    let (shape, nines, slow) = boards();
    let generic = GenericBoard::<2, 9>::new(&shape);
    let mut random = Rng::with_seed(2);
    let mut several = 0;
    for i in 0..40 {
        let solution = random_nine(&mut random);
        let many = random.usize(22..=45);
        let givens = clues(&solution, many, usize::from(i % 8 == 0), &mut random);
        for tree in TREES {
            for values in [ValueOrder::Min, ValueOrder::Max] {
                let options = SearchOptions { cells: tree.cells, values, cache: 0 };
                // Skip trees that take too long.
                let mut quick = Dfs::new(&nines[0].1, tree, options);
                let size = counted(&mut quick, &givens, &Control::new(None).with_budget(1));
                if size.is_none_or(|(_, nodes)| nodes > 150) {
                    continue;
                }
                let expected = listed(&mut Dfs::new(&slow, tree, options), &givens);
                several += usize::from(expected.0.len() > 1);
                for (vectors, nine) in &nines {
                    let mut dfs = Dfs::new(nine, tree, options);
                    let what = format!("{vectors:?}, {tree:?}, {values}, {givens:?}");
                    assert_eq!(listed(&mut dfs, &givens), expected, "{what}");
                    let count = counted(&mut dfs, &givens, &Control::new(None));
                    assert_eq!(count, Some((expected.0.len() as u128, expected.1)), "{what}");
                }
                let (mut list, _) = listed(&mut Dfs::new(&generic, tree, options), &givens);
                let mut expected = expected.0;
                list.sort();
                expected.sort();
                assert_eq!(list, expected, "the generic board, {tree:?}, {values}, {givens:?}");
            }
        }
    }
    assert!(several > 40, "only {several} trees have several solutions");
}

#[test]
fn thousands_of_random_puzzles_have_as_many_solutions_on_the_bit_board_as_on_the_generic_board() {
    let (shape, nines, _) = boards();
    let generic = GenericBoard::<2, 9>::new(&shape);
    let mut random = Rng::with_seed(3);
    let (mut compared, mut solutions) = (0, 0);
    let mut solution = random_nine(&mut random);
    for i in 0..1500 {
        if i % 20 == 0 {
            solution = random_nine(&mut random);
        }
        let (many, spoilt) = (random.usize(17..=45), random.usize(0..8).saturating_sub(5));
        let givens = clues(&solution, many, spoilt, &mut random);
        let tree = TREES[random.usize(..4)];
        let options = SearchOptions { cells: tree.cells, ..SearchOptions::default() };
        let vectors = random.usize(..nines.len());
        let control = Control::new(None).with_budget(512);
        let Some((found, _)) = counted(&mut Dfs::new(&nines[vectors].1, tree, options), &givens, &control) else {
            continue;
        };
        let expected = counted(&mut Dfs::new(&generic, TREES[0], options), &givens, &Control::new(None));
        assert_eq!(Some(found), expected.map(|expected| expected.0), "{tree:?}, {givens:?}");
        compared += 1;
        solutions += found;
    }
    assert!(compared > 700 && solutions > 5000, "{compared} compared, with {solutions} solutions");
}
