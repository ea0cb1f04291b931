//! The memo table (`--cache`): counts do not depend on its size, from hardly an entry to more than enough.

use std::sync::Arc;

use census_count::Control;
use census_count::search::{SearchOptions, search_with};
use census_puzzle::{Extras, Grid, Puzzle, Regions, Shape};
use fastrand::Rng;
use proptest::prelude::*;
use proptest::sample::select;

use crate::oracle::puzzles::{Solved, random_solution, regions, solved};
use crate::oracle::{ALL_OPTIONS, CHEAP};
use crate::splitting::count_in_turn;

/// Bytes of the memo table: hardly an entry or none, a few, and more than enough.
const CACHES: [usize; 4] = [200, 2_000, 20_000, 1 << 22];

fn with_cache(cache: usize) -> SearchOptions {
    SearchOptions { cache, ..SearchOptions::default() }
}

fn empty(order: usize, regions: Regions, diagonals: bool) -> Puzzle {
    let shape = Shape::new(order, regions, Extras { diagonals, hyper: false }).expect("a shape");
    let cells = shape.cells();
    Puzzle::new(Arc::new(shape), Grid::empty(cells))
}

/// Puzzles with few or no clues: many solutions, many equivalent nodes.
fn sparse() -> impl Strategy<Value = Puzzle> {
    let shape = (4usize..=6).prop_flat_map(|order| (Just(order), regions(order), prop::bool::weighted(0.3)));
    (shape, 0usize..9, any::<u64>()).prop_map(|((order, regions, diagonals), clues, seed)| {
        let mut puzzle = empty(order, regions, diagonals);
        let mut random = Rng::with_seed(seed);
        if let Some(solution) = random_solution(&puzzle.shape, &mut random) {
            for _ in 0..clues + if order == 6 { 5 } else { 0 } {
                let cell = random.usize(0..order * order);
                puzzle.givens[cell] = solution[cell];
            }
        }
        puzzle
    })
}

proptest! {
    #![proptest_config(crate::cases(60))]

    #[test]
    fn with_any_cache_the_count_is_that_of_brute_force(Solved { puzzle, solutions } in solved()) {
        for options in ALL_OPTIONS {
            for cache in CACHES {
                let method = search_with(&puzzle, SearchOptions { cache, ..options }, Some(CHEAP), &|| false);
                let mut counter = method.counter();
                for _ in 0..2 {
                    let counted = counter.count(puzzle.givens.values(), &Control::new(None));
                    prop_assert_eq!(counted.solutions.exact(), Some(solutions.len() as u128), "{} {:?}", cache, options);
                    prop_assert!(counted.finished && counted.cache.hits <= counted.cache.lookups);
                }
            }
        }
    }

    #[test]
    fn sparse_puzzles_have_as_many_solutions_with_a_cache_as_without(
        puzzle in sparse(),
        options in select(ALL_OPTIONS.to_vec()),
        requests in proptest::collection::vec(0usize..3, 1..20),
    ) {
        let alone = search_with(&puzzle, options, Some(CHEAP), &|| false);
        let counted = alone.counter().count(puzzle.givens.values(), &Control::new(None).with_budget(1_000_000));
        prop_assume!(counted.finished);
        let expected = counted.solutions.exact().expect("a small count");
        for cache in CACHES {
            let method = search_with(&puzzle, SearchOptions { cache, ..options }, Some(CHEAP), &|| false);
            let counted = method.counter().count(puzzle.givens.values(), &Control::new(None));
            prop_assert_eq!(counted.solutions.exact(), Some(expected), "cache {}", cache);
            prop_assert!(counted.cache.bytes <= cache as u64);
            let mut counters = [method.counter(), method.counter()];
            let givens = puzzle.givens.values();
            let (solutions, _, subtasks) =
                count_in_turn(&mut counters, givens, givens.len(), |subtasks, _| requests[subtasks % requests.len()]);
            prop_assert_eq!(solutions, expected, "cache {}, {} subtasks", cache, subtasks);
        }
    }

    #[test]
    fn a_puzzle_whose_values_have_other_names_is_a_hit(puzzle in sparse(), seed: u64) {
        let mut names: Vec<u8> = (1..=puzzle.shape.order() as u8).collect();
        Rng::with_seed(seed).shuffle(&mut names);
        let name = |&value: &u8| if value == 0 { 0 } else { names[usize::from(value) - 1] };
        let renamed: Vec<u8> = puzzle.givens.values().iter().map(name).collect();
        let method = search_with(&puzzle, with_cache(1 << 22), Some(CHEAP), &|| false);
        let mut counter = method.counter();
        let first = counter.count(puzzle.givens.values(), &Control::new(None).with_budget(1_000_000));
        prop_assume!(first.finished && first.cache.lookups > 0);
        let second = counter.count(&renamed, &Control::new(None));
        prop_assert_eq!(second.solutions, first.solutions);
        // The table may pause.
        prop_assert!(second.cache.lookups == 0 || (second.cache.lookups, second.cache.hits) == (1, 1));
    }

    #[test]
    fn with_a_cache_a_limit_is_reached_and_the_total_not_exceeded(
        Solved { puzzle, solutions } in solved(),
        limit in 1u64..200,
    ) {
        let total = solutions.len() as u128;
        for cache in CACHES {
            let control = Control::new(Some(limit));
            let method = search_with(&puzzle, with_cache(cache), Some(CHEAP), &|| false);
            let mut counter = method.counter();
            let counted = counter.count(puzzle.givens.values(), &control);
            let found = counted.solutions.exact().expect("a small count");
            prop_assert!((total.min(limit.into())..=total).contains(&found), "{} of {}", found, total);
            prop_assert_eq!(control.found(), found);
            prop_assert!(counted.finished || control.stopped());
            // The count of a node that was interrupted must not be in the table.
            let counted = counter.count(puzzle.givens.values(), &Control::new(None));
            prop_assert_eq!(counted.solutions.exact(), Some(total), "after a limit of {}", limit);
        }
    }
}

#[test]
fn empty_boards_have_their_known_counts_with_a_cache() {
    // Latin squares, OEIS A002860; those with two diagonals that are full, too, A274806; and grids with boxes.
    let known: [(usize, Regions, bool, u128); 5] = [
        (5, Regions::None, false, 161_280),
        (5, Regions::None, true, 960),
        (6, Regions::None, false, 812_851_200),
        (6, Regions::None, true, 92_160),
        (6, Regions::usual(6), false, 28_200_960),
    ];
    for (order, regions, diagonals, expected) in known {
        let puzzle = empty(order, regions, diagonals);
        for cache in [20_000, 1 << 22] {
            let method = search_with(&puzzle, with_cache(cache), Some(CHEAP), &|| false);
            let counted = method.counter().count(puzzle.givens.values(), &Control::new(None));
            assert_eq!(counted.solutions.exact(), Some(expected), "{}, cache {cache}", puzzle.shape);
            assert!(order < 6 || counted.cache.hits > 0, "{}, cache {cache}", puzzle.shape);
        }
    }
}
