//! The search, alone, against brute force.

use std::ops::ControlFlow;

use census::count::Control;
use census::count::search::{CellOrder, SearchOptions, ValueOrder, search};
use census::puzzle::Puzzle;
use proptest::prelude::*;

use crate::puzzles::{Solved, solved};
use crate::{ALL_OPTIONS, brute};

/// The solutions of a puzzle in the order in which a search from the root meets them.
fn visited(puzzle: &Puzzle, options: SearchOptions) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let method = search(puzzle, options);
    let counted = method.counter().visit(puzzle.givens.values(), &Control::new(None), &mut |solution| {
        all.push(solution.to_vec());
        ControlFlow::Continue(())
    });
    assert!(counted.finished);
    assert_eq!(counted.solutions.exact(), Some(all.len() as u128));
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn the_count_is_that_of_brute_force_however_the_tree_is_searched(Solved { puzzle, solutions } in solved()) {
        for options in ALL_OPTIONS {
            let counted = search(&puzzle, options).counter().count(puzzle.givens.values(), &Control::new(None));
            prop_assert_eq!(counted.solutions.exact(), Some(solutions.len() as u128), "{:?}", options);
            prop_assert!(counted.finished);
        }
    }

    #[test]
    fn the_solutions_visited_are_those_of_brute_force_each_once(Solved { puzzle, solutions } in solved()) {
        prop_assert!(solutions.iter().all(|solution| brute::is_solution(&puzzle.shape, solution)));
        for options in ALL_OPTIONS {
            let mut visited = visited(&puzzle, options);
            visited.sort();
            prop_assert_eq!(&visited, &solutions, "{:?}", options);
        }
    }

    #[test]
    fn values_in_descending_order_turn_the_order_of_the_solutions_around(Solved { puzzle, .. } in solved()) {
        for cells in [CellOrder::Fewest, CellOrder::First] {
            let ascending = visited(&puzzle, SearchOptions { cells, values: ValueOrder::Min });
            let mut descending = visited(&puzzle, SearchOptions { cells, values: ValueOrder::Max });
            descending.reverse();
            prop_assert_eq!(ascending, descending, "{:?}", cells);
        }
    }

    #[test]
    fn the_first_cell_first_meets_the_solutions_in_the_order_of_their_cells(Solved { puzzle, solutions } in solved()) {
        let options = SearchOptions { cells: CellOrder::First, values: ValueOrder::Min };
        prop_assert_eq!(visited(&puzzle, options), solutions);
    }

    #[test]
    fn a_limit_stops_the_count_once_it_is_reached_and_not_before(
        Solved { puzzle, solutions } in solved(),
        limit in 1u64..50,
    ) {
        let total = solutions.len() as u64;
        for options in ALL_OPTIONS {
            let control = Control::new(Some(limit));
            let counted = search(&puzzle, options).counter().count(puzzle.givens.values(), &control);
            let found = counted.solutions.exact().and_then(|found| u64::try_from(found).ok()).expect("a small count");
            prop_assert!((limit.min(total)..=total).contains(&found), "{} of {}, limit {}", found, total, limit);
            prop_assert_eq!(control.found(), found.into());
            prop_assert_eq!(control.stopped(), found >= limit);
            prop_assert!(counted.finished || control.stopped());
            prop_assert!(!counted.finished || found == total);
        }
    }

    #[test]
    fn a_visitor_that_breaks_sees_no_more(Solved { puzzle, solutions } in solved(), wanted in 1usize..20) {
        let mut seen = 0;
        let method = search(&puzzle, SearchOptions::default());
        method.counter().visit(puzzle.givens.values(), &Control::new(None), &mut |_| {
            seen += 1;
            if seen == wanted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        prop_assert_eq!(seen, wanted.min(solutions.len()));
    }
}
