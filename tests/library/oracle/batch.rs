//! Many puzzles of one shape by one counter, each in its own tree.

use std::sync::Arc;

use census_count::batch::{Batch, BatchLimits, PuzzleCount};
use census_count::search::search_batch;
use census_count::{Control, Depth, Method, Pool, PoolOptions};
use census_puzzle::{Extras, Grid, Puzzle, Regions, Shape};
use proptest::prelude::*;
use proptest::sample::select;

use crate::bands::puzzles::from_line;
use crate::oracle::ALL_OPTIONS;
use crate::oracle::puzzles::{Solved, random_puzzle, regions};
use crate::splitting::count_with_splits;

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

/// A batch of these givens, and its pool.
fn batch(shape: &Shape, limits: BatchLimits, givens: &[&[u8]]) -> (Batch, Pool) {
    let batch = Batch::new(search_batch(shape, ALL_OPTIONS[0]), limits, givens.concat());
    let plan = PoolOptions { depth: Depth::Auto, units: 1, keep_solved: false, max_bytes: 1 << 30 };
    let pool = batch.expand(&plan, &|| false).expect("a pool");
    (batch, pool)
}

/// The results of a batch, in the order of its puzzles.
fn counts(batch: Batch) -> Vec<PuzzleCount> {
    let mut counts = batch.into_counts();
    counts.sort_by_key(|count| count.puzzle);
    counts
}

proptest! {
    #![proptest_config(crate::cases(60))]

    #[test]
    fn every_puzzle_of_a_batch_has_its_own_count_up_to_its_own_limit_however_units_are_split(
        few in mixed(),
        puzzles in 0usize..40,
        together in 1usize..9,
        limit in proptest::option::of(1u64..20),
        requests in proptest::collection::vec(0usize..3, 1..9),
    ) {
        let shape = Arc::clone(&few[0].puzzle.shape);
        let puzzles: Vec<&Solved> = few.iter().cycle().take(puzzles).collect();
        let limits = BatchLimits { cells: shape.cells(), together, limit, budget: u64::MAX };
        let givens: Vec<&[u8]> = puzzles.iter().map(|solved| solved.puzzle.givens.values()).collect();
        let (batch, pool) = batch(&shape, limits, &givens);
        prop_assert_eq!(pool.units(), puzzles.len().div_ceil(together));
        let request = |subtasks: usize, _| requests[subtasks % requests.len()];
        let (solutions, nodes, _) = count_with_splits(&batch, &pool.bytes, request);
        let counts = counts(batch);
        prop_assert!(counts.iter().map(|count| count.puzzle).eq(0..puzzles.len()));
        prop_assert_eq!(solutions, counts.iter().map(|count| u128::from(count.solutions)).sum::<u128>());
        prop_assert_eq!(nodes, counts.iter().map(|count| count.nodes).sum::<u64>());
        let method = search_batch(&shape, ALL_OPTIONS[0]);
        for (count, Solved { puzzle, solutions }) in counts.iter().zip(puzzles) {
            let total = solutions.len() as u64;
            prop_assert_eq!(count.solutions, total.min(limit.unwrap_or(u64::MAX)));
            prop_assert!(count.is_enough(limit) && (!count.complete || count.solutions == total), "{:?}", count);
            if limit.is_none_or(|limit| total < limit) {
                let alone = method.counter().count(puzzle.givens.values(), &Control::new(None));
                prop_assert_eq!((count.complete, count.nodes), (true, alone.nodes + 1));
            }
        }
    }

    #[test]
    fn a_puzzle_count_survives_encoding(puzzle in 0usize..1 << 40, solutions: u64, nodes: u64, complete: bool) {
        let count = PuzzleCount { puzzle, solutions, nodes, complete };
        let bytes = [count.to_bytes(), count.to_bytes()].concat();
        prop_assert_eq!(PuzzleCount::all_from(&bytes).collect::<Vec<_>>(), [count, count]);
    }

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

#[test]
fn a_budget_is_that_of_each_puzzle_and_not_of_the_unit() {
    let long = from_line(".......39.....1.......5.8....8.9...6.7...2...1..4.......9.8.....2....6.....7.....");
    let one_left = from_line(".23456789456789123789123456234567891567891234891234567345678912678912345912345678");
    let limits = BatchLimits { cells: 81, together: 4, limit: None, budget: 1000 };
    let givens = [&long, &one_left, &long].map(|puzzle| puzzle.givens.values());
    let (batch, pool) = batch(&long.shape, limits, &givens);
    assert!(batch.counter().count(&pool.bytes, &Control::new(None)).finished);
    let counts = counts(batch);
    assert_eq!((counts[1].complete, counts[1].solutions), (true, 1));
    for long in [counts[0], counts[2]] {
        assert!(!long.is_enough(None) && (1000..10_000).contains(&long.nodes), "{long:?}");
    }
}

#[test]
fn a_stopped_unit_is_unfinished_and_has_no_counts_of_puzzles_not_begun() {
    let limits = BatchLimits { cells: 16, together: 4, limit: None, budget: 9 };
    let (batch, pool) = batch(&Shape::usual(4).expect("a shape"), limits, &[&[0; 16][..]; 4]);
    let control = Control::new(None);
    control.stop();
    assert!(!batch.counter().count(&pool.bytes, &control).finished);
    assert!(batch.into_counts().is_empty());
}

#[test]
fn units_are_small_where_there_are_many_workers_or_large_boards() {
    let together = |cells, puzzles, workers, chunk| BatchLimits::new(cells, puzzles, workers, chunk, None).together;
    assert_eq!(together(81, 100_000, 2, None), 64);
    assert_eq!(together(81, 100_000, 2, Some(10)), 10);
    assert_eq!(together(81, 100, 16, None), 1);
    assert_eq!(together(4096, 100_000, 2, None), 4);
}
