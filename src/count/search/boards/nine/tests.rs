//! The bit board against a slow board, with all instruction sets of this machine.

use fastrand::Rng;

use crate::search::dfs::tests::same_with_endgame;
use crate::search::tests::{Slow, TREES, clues, filled, same_descent, with_holes};

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
        let solution = plain_nine(&mut random);
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
fn the_endgame_finds_what_a_bit_board_finds() {
    let (nines, _) = boards();
    let mut random = Rng::with_seed(2);
    let mut found = (0, 0, 0);
    for _ in 0..60 {
        let puzzle = with_holes(&Shape::usual(9).expect("a shape").into(), &plain_nine(&mut random), &mut random);
        for (_, nine) in &nines {
            let more = same_with_endgame(nine, puzzle.givens.values());
            found = (found.0 + more.0, found.1 + more.1, found.2 + more.2);
        }
    }
    assert!(found.0 > 100 && found.1 > 5000 && found.2 > 3000, "{found:?}");
}

/// A solution of a plain 9×9.
fn plain_nine(random: &mut Rng) -> Vec<u8> {
    std::iter::repeat_with(|| filled(9, random)).find(|(shape, _)| shape.is_plain_nine()).expect("soon").1
}
