//! The search against brute force.

use std::ops::ControlFlow;

use census_count::search::{CellOrder, SearchOptions, ValueOrder, search_with};
use census_count::{Control, Method};
use census_puzzle::Puzzle;
use proptest::prelude::*;

use crate::oracle::puzzles::{Solved, solved};
use crate::oracle::{ALL_OPTIONS, CONFIGS, brute, methods};

/// The solutions in the order of a search from the root.
fn visited(puzzle: &Puzzle, method: &dyn Method) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let counted = method.counter().visit(puzzle.givens.values(), &Control::new(None), &mut |solution| {
        all.push(solution.to_vec());
        ControlFlow::Continue(())
    });
    assert!(counted.finished);
    assert_eq!(counted.solutions.exact(), Some(all.len() as u128));
    all
}

proptest! {
    #![proptest_config(crate::cases(100))]

    #[test]
    fn the_count_is_that_of_brute_force_however_the_tree_is_searched(Solved { puzzle, solutions } in solved()) {
        for options in ALL_OPTIONS {
            for method in methods(&puzzle, options) {
                let counted = method.counter().count(puzzle.givens.values(), &Control::new(None));
                prop_assert_eq!(counted.solutions.exact(), Some(solutions.len() as u128), "{:?}", options);
                prop_assert!(counted.finished);
            }
        }
    }

    #[test]
    fn the_solutions_visited_are_those_of_brute_force_each_once(Solved { puzzle, solutions } in solved()) {
        prop_assert!(solutions.iter().all(|solution| brute::is_solution(&puzzle.shape, solution)));
        for options in ALL_OPTIONS {
            for method in methods(&puzzle, options) {
                let mut visited = visited(&puzzle, &*method);
                visited.sort();
                prop_assert_eq!(&visited, &solutions, "{:?}", options);
            }
        }
    }

    #[test]
    fn descending_values_reverse_the_order_of_the_solutions(Solved { puzzle, .. } in solved()) {
        for cells in [CellOrder::Fewest, CellOrder::First] {
            for config in CONFIGS {
                let visited = |values| {
                    visited(&puzzle, &*search_with(&puzzle, SearchOptions { cells, values, cache: 0 }, Some(config), &|| false))
                };
                let mut descending = visited(ValueOrder::Max);
                descending.reverse();
                prop_assert_eq!(visited(ValueOrder::Min), descending, "{:?}", cells);
            }
        }
    }

    #[test]
    fn branching_on_the_first_cell_visits_the_solutions_in_the_order_of_their_cells(Solved { puzzle, solutions } in solved()) {
        let options = SearchOptions { cells: CellOrder::First, values: ValueOrder::Min, cache: 0 };
        for method in methods(&puzzle, options) {
            prop_assert_eq!(&visited(&puzzle, &*method), &solutions);
        }
    }

    #[test]
    fn a_limit_stops_the_count_once_it_is_reached_and_not_before(
        Solved { puzzle, solutions } in solved(),
        limit in 1u64..50,
    ) {
        let total = solutions.len() as u64;
        for method in ALL_OPTIONS.into_iter().flat_map(|options| methods(&puzzle, options)) {
            let control = Control::new(Some(limit));
            let counted = method.counter().count(puzzle.givens.values(), &control);
            let found = counted.solutions.exact().and_then(|found| u64::try_from(found).ok()).expect("a small count");
            prop_assert!((limit.min(total)..=total).contains(&found), "{} of {}, limit {}", found, total, limit);
            prop_assert_eq!(control.found(), found.into());
            prop_assert_eq!(control.stopped(), found >= limit);
            prop_assert!(counted.finished || control.stopped());
            prop_assert!(!counted.finished || found == total);
        }
    }

    #[test]
    fn a_break_ends_the_visit(Solved { puzzle, solutions } in solved(), wanted in 1usize..20) {
        for method in ALL_OPTIONS.into_iter().flat_map(|options| methods(&puzzle, options)) {
            let mut seen = 0;
            let counted = method.counter().visit(puzzle.givens.values(), &Control::new(None), &mut |_| {
                seen += 1;
                if seen == wanted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            prop_assert_eq!(seen, wanted.min(solutions.len()));
            prop_assert_eq!(counted.solutions.exact(), Some(seen as u128));
        }
    }
}
