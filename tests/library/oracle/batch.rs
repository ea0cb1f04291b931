//! Many puzzles of one shape by one counter, each in its own tree.

use std::sync::Arc;

use census_count::Control;
use census_count::search::search_batch;
use census_puzzle::{Extras, Grid, Puzzle, Regions, Shape};
use proptest::prelude::*;
use proptest::sample::select;

use crate::oracle::ALL_OPTIONS;
use crate::oracle::puzzles::{Solved, random_puzzle, regions};

/// Puzzles of one shape, sparse ones and full ones, some with a wrong clue.
fn mixed() -> impl Strategy<Value = Vec<Solved>> {
    let order = prop_oneof![3 => 4usize..=7, 2 => Just(9)];
    let shape = order.prop_flat_map(|order| {
        (Just(order), prop_oneof![Just(Regions::usual(order)), regions(order)], prop::bool::weighted(0.2))
    });
    let puzzles = proptest::collection::vec((any::<u64>(), 0.0..=1.0f64, prop::bool::weighted(0.15)), 1..6);
    (shape, puzzles).prop_map(|((order, regions, diagonals), puzzles)| {
        let shape = Arc::new(Shape::new(order, regions, Extras { diagonals, hyper: false }).expect("a shape"));
        puzzles
            .into_iter()
            .map(|(seed, empty, spoilt)| random_puzzle(Arc::clone(&shape), seed, empty, spoilt))
            .collect()
    })
}

proptest! {
    #![proptest_config(crate::cases(60))]

    #[test]
    fn one_counter_counts_each_of_many_puzzles_as_brute_force_does(
        puzzles in mixed(),
        options in select(ALL_OPTIONS.to_vec()),
    ) {
        let method = search_batch(&puzzles[0].puzzle.shape, options);
        let mut counter = method.counter();
        for Solved { puzzle, solutions } in &puzzles {
            let control = Control::new(None);
            let counted = counter.count(puzzle.givens.values(), &control);
            prop_assert_eq!(counted.solutions.exact(), Some(solutions.len() as u128));
            prop_assert_eq!((control.found(), control.nodes()), (solutions.len() as u128, counted.nodes));
            prop_assert!(counted.finished);
        }
    }

    #[test]
    fn a_limit_holds_for_each_of_them(puzzles in mixed(), limit in prop_oneof![1u64..5, 1u64..3000]) {
        let method = search_batch(&puzzles[0].puzzle.shape, ALL_OPTIONS[0]);
        let mut counter = method.counter();
        for Solved { puzzle, solutions } in &puzzles {
            let total = solutions.len() as u128;
            let control = Control::new(Some(limit));
            let counted = counter.count(puzzle.givens.values(), &control);
            let found = counted.solutions.exact().expect("a small count");
            prop_assert!((total.min(limit.into())..=total).contains(&found), "{} of {}, limit {}", found, total, limit);
            prop_assert_eq!(control.found(), found);
            prop_assert!(counted.finished || found >= limit.into());
            prop_assert!(!counted.finished || found == total);
        }
    }
}

#[test]
fn a_budget_of_nodes_holds_for_sparse_puzzles_whatever_tree_they_get() {
    // Reports come every 512 nodes, and every 4096 in the endgame.
    const LATE: u64 = 512 + 4096 + 32;
    for (order, regions) in
        [(6, Regions::usual(6)), (7, Regions::None), (9, Regions::usual(9)), (16, Regions::usual(16))]
    {
        let shape = Arc::new(Shape::new(order, regions, Extras::default()).expect("a shape"));
        let puzzle = Puzzle::new(Arc::clone(&shape), Grid::empty(order * order));
        let method = search_batch(&shape, ALL_OPTIONS[0]);
        let mut counter = method.counter();
        for budget in [1, 100, 513, 5_000, 50_000] {
            let control = Control::new(None).with_budget(budget);
            let counted = counter.count(puzzle.givens.values(), &control);
            assert!(!counted.finished, "order {order}, budget {budget}");
            assert!((budget..budget + LATE).contains(&counted.nodes), "order {order}, budget {budget}: {counted:?}");
            assert_eq!((control.nodes(), Some(control.found())), (counted.nodes, counted.solutions.exact()));
        }
    }
}
