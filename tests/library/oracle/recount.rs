//! Recounts: every variant finds the same number of solutions in each unit.

use census_count::search::{CdclUse, SearchOptions, search, search_large};
use census_count::{Depth, Method, MethodName, PoolOptions, Purpose, RecountVariant};
use census_puzzle::Grid;
use proptest::prelude::*;

use crate::files::{puzzles_of, root};
use crate::oracle::puzzles::{Solved, solved};
use crate::oracle::{ALL_OPTIONS, brute, methods};
use crate::splitting::count_with_splits;

const VARIANTS: [RecountVariant; 2] = [RecountVariant::Visit, RecountVariant::Mirror];
const CACHED: SearchOptions = SearchOptions { cache: 1 << 20, ..ALL_OPTIONS[0] };

/// The solutions of a unit, and of the subtasks that are split off.
fn count(method: &dyn Method, unit: &[u8], wanted: usize) -> u128 {
    count_with_splits(method, unit, |_, of_unit| wanted.saturating_sub(of_unit)).0
}

proptest! {
    #![proptest_config(crate::cases(150))]

    #[test]
    fn every_variant_counts_in_each_unit_what_the_search_counted(Solved { puzzle, .. } in solved(), depth in 0usize..4) {
        let plan = PoolOptions { depth: Depth::Fixed(depth), units: 0, keep_solved: false, max_bytes: 1 << 30 };
        for method in ALL_OPTIONS.into_iter().flat_map(|options| methods(&puzzle, options)) {
            let pool = method.expand(&plan, &|| false).expect("a small pool");
            for variant in VARIANTS {
                let purpose = Purpose::Recount(variant);
                let recount = MethodName::Search.of(&puzzle, CACHED, purpose, None, &|| false).expect("a search");
                let config = recount.config_bytes();
                let rebuilt = MethodName::Search.of(&puzzle, CACHED, purpose, Some(&config), &|| false);
                let rebuilt = rebuilt.expect("a search");
                for unit in pool.bytes.chunks_exact(pool.unit_bytes) {
                    let expected = count(&*method, unit, 0);
                    prop_assert_eq!(count(&*recount, unit, 0), expected, "{:?}", variant);
                    prop_assert_eq!(count(&*rebuilt, unit, 2), expected, "{:?}, split, on another rank", variant);
                }
            }
        }
    }

    #[test]
    fn a_recount_of_the_root_finds_what_brute_force_finds(Solved { puzzle, solutions } in solved()) {
        for variant in VARIANTS {
            let recount = MethodName::Search.of(&puzzle, CACHED, Purpose::Recount(variant), None, &|| false);
            let recount = recount.expect("a search");
            prop_assert_eq!(count(&*recount, puzzle.givens.values(), 0), solutions.len() as u128);
        }
    }

    #[test]
    fn a_board_with_settled_cells_counts_grids_that_contradict_it(
        Solved { puzzle, .. } in solved(),
        guesses in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..4),
    ) {
        // Another engine may guess a value that the singles of this one have excluded.
        let mut grid = puzzle.givens.values().to_vec();
        for (cell, value) in guesses {
            let cell = cell.index(grid.len());
            if grid[cell] == 0 {
                grid[cell] = value.index(puzzle.shape.order()) as u8 + 1;
            }
        }
        let mut guessed = puzzle.clone();
        guessed.givens = Grid::new(grid.clone());
        let expected = if guessed.conflicts().is_empty() { brute::count(&guessed) } else { 0 };
        let large = search_large(&puzzle, SearchOptions::default(), CdclUse::Always, &|| false);
        prop_assert_eq!(count(&*large, &grid, 0), expected);
    }
}

#[test]
fn large_puzzles_are_recounted_unit_by_unit_too() {
    for name in ["25x25", "49x49"] {
        let puzzle = puzzles_of(&root().join(format!("puzzles/{name}.txt"))).remove(0);
        let method = search(&puzzle, SearchOptions::default());
        let plan = PoolOptions { depth: Depth::Fixed(2), units: 0, keep_solved: false, max_bytes: 1 << 30 };
        let pool = method.expand(&plan, &|| false).expect("a small pool");
        let recount = MethodName::Search.of(&puzzle, CACHED, Purpose::Recount(RecountVariant::Visit), None, &|| false);
        let recount = recount.expect("a search");
        assert!(pool.units() > 1, "{name}");
        for unit in pool.bytes.chunks_exact(pool.unit_bytes) {
            assert_eq!(count(&*recount, unit, 0), count(&*method, unit, 0), "{name}");
        }
    }
}

#[test]
fn a_count_that_was_visited_is_visited_again_and_few_solutions_always_are() {
    assert_eq!(RecountVariant::for_solutions(10_000_000, 0), RecountVariant::Visit);
    assert_eq!(RecountVariant::for_solutions(10_000_001, 10_000_000), RecountVariant::Mirror);
    assert_eq!(RecountVariant::for_solutions(1 << 40, 1 << 41), RecountVariant::Visit);
    assert_eq!(RecountVariant::for_solutions(u128::MAX, u64::MAX), RecountVariant::Mirror);
}
