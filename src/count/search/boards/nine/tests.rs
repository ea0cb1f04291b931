//! The bit board against a slow board, with all instruction sets of this machine.

use fastrand::Rng;

use crate::Control;
use crate::search::dfs::Dfs;
use crate::search::tests::{Slow, TREES, clues, counted, listed, random_nine, same_descent};
use crate::search::{SearchOptions, ValueOrder};

use super::*;

fn boards() -> (Vec<(Vectors, NineBoard)>, Slow) {
    let shape = Shape::usual(9).expect("a shape");
    let nines = Vectors::all().into_iter().map(|vectors| (vectors, NineBoard::with(&shape, vectors))).collect();
    (nines, Slow::new(&shape, true, endgame::MAX_CELLS + 1))
}

#[test]
fn a_bit_board_has_the_same_tree_as_a_slow_board_node_by_node() {
    let (nines, slow) = boards();
    let mut random = Rng::with_seed(1);
    let mut nodes = 0;
    for i in 0..300 {
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
    assert!(nodes > 4000, "only {nodes} nodes were compared");
}

#[test]
fn a_bit_board_counts_and_visits_the_solutions_of_a_slow_board_in_its_order() {
    let (nines, slow) = boards();
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
            }
        }
    }
    assert!(several > 40, "only {several} trees have several solutions");
}
