//! Pools: at any depth, nothing is lost, nothing is counted twice, and the order is the same.

use std::ops::ControlFlow;

use census_count::search::{SearchOptions, search};
use census_count::{Control, Depth, Method, Pool, PoolOptions};
use census_puzzle::Puzzle;
use proptest::prelude::*;

use crate::oracle::puzzles::{Solved, solved};
use crate::oracle::{ALL_OPTIONS, methods};

/// No guess, some, as many as needed for so many units, and more than any tree has.
const DEPTHS: [(Depth, usize); 8] = [
    (Depth::Fixed(0), 0),
    (Depth::Fixed(1), 0),
    (Depth::Fixed(2), 0),
    (Depth::Fixed(3), 0),
    (Depth::Auto, 1),
    (Depth::Auto, 64),
    (Depth::Auto, usize::MAX),
    (Depth::Fixed(1000), 0),
];

fn plan((depth, units): (Depth, usize), keep_solved: bool) -> PoolOptions {
    PoolOptions { depth, units, keep_solved, max_bytes: 1 << 30 }
}

fn every_tree(puzzle: &Puzzle) -> impl Iterator<Item = Box<dyn Method>> {
    ALL_OPTIONS.into_iter().flat_map(|options| methods(puzzle, options))
}

/// Solutions and nodes of a pool: above its depth and in its units.
fn counted(method: &dyn Method, pool: &Pool) -> (u128, u64) {
    let mut counter = method.counter();
    let mut solutions = pool.above.solutions.exact().expect("a small count");
    let mut nodes = pool.above.nodes;
    for unit in pool.bytes.chunks_exact(pool.unit_bytes) {
        let counted = counter.count(unit, &Control::new(None));
        assert!(counted.finished);
        solutions += counted.solutions.exact().expect("a small count");
        nodes += counted.nodes;
    }
    (solutions, nodes)
}

/// The solutions of all units, in the order of the pool.
fn listed(method: &dyn Method, pool: &Pool) -> Vec<Vec<u8>> {
    let mut counter = method.counter();
    let mut all = Vec::new();
    for unit in pool.bytes.chunks_exact(pool.unit_bytes) {
        counter.visit(unit, &Control::new(None), &mut |solution| {
            all.push(solution.to_vec());
            ControlFlow::Continue(())
        });
    }
    all
}

proptest! {
    #![proptest_config(crate::cases(80))]

    #[test]
    fn units_and_solutions_above_them_add_up_to_the_count_at_any_depth(
        Solved { puzzle, solutions } in solved(),
    ) {
        for method in every_tree(&puzzle) {
            for depth in DEPTHS {
                let pool = method.expand(&plan(depth, false), &|| false).expect("a small pool");
                let (found, _) = counted(&*method, &pool);
                prop_assert_eq!(found, solutions.len() as u128, "{:?}", depth);
            }
        }
    }

    #[test]
    fn the_nodes_of_a_tree_do_not_depend_on_the_depth(Solved { puzzle, .. } in solved()) {
        for method in every_tree(&puzzle) {
            let nodes = 1 + method.counter().count(puzzle.givens.values(), &Control::new(None)).nodes;
            for depth in DEPTHS {
                for keep_solved in [false, true] {
                    let pool = method.expand(&plan(depth, keep_solved), &|| false).expect("a small pool");
                    prop_assert_eq!(counted(&*method, &pool).1, nodes, "{:?}", depth);
                }
            }
        }
    }

    #[test]
    fn the_units_of_any_depth_list_the_solutions_in_the_same_order(Solved { puzzle, solutions } in solved()) {
        for method in every_tree(&puzzle) {
            let list = |depth| {
                let pool = method.expand(&plan(depth, true), &|| false).expect("a small pool");
                assert_eq!(pool.above.solutions.exact(), Some(0), "solutions are kept as units");
                listed(&*method, &pool)
            };
            let from_the_root = list(DEPTHS[0]);
            prop_assert_eq!(from_the_root.len(), solutions.len());
            for depth in &DEPTHS[1..] {
                prop_assert_eq!(&list(*depth), &from_the_root, "{:?}", depth);
            }
        }
    }

    #[test]
    fn beyond_the_tree_all_solutions_are_above_the_units(Solved { puzzle, solutions } in solved()) {
        let pool = search(&puzzle, SearchOptions::default()).expand(&plan((Depth::Fixed(1000), 0), false), &|| false);
        let pool = pool.expect("a small pool");
        prop_assert_eq!((pool.units(), pool.above.solutions.exact()), (0, Some(solutions.len() as u128)));
        prop_assert!(pool.depth_reached <= puzzle.shape.cells());
    }

    #[test]
    fn auto_takes_the_smallest_depth_with_enough_units_or_else_the_widest_level(
        Solved { puzzle, .. } in solved(),
        wanted in 1usize..200,
    ) {
        let method = search(&puzzle, SearchOptions::default());
        let expand = |depth, units| method.expand(&plan((depth, units), false), &|| false).expect("a small pool");
        let auto = expand(Depth::Auto, wanted);
        for depth in 0..auto.depth_reached {
            prop_assert!(expand(Depth::Fixed(depth), 0).units() < wanted);
        }
        prop_assert_eq!(&expand(Depth::Fixed(auto.depth_reached), 0), &auto);
        let deeper = expand(Depth::Fixed(auto.depth_reached + 1), 0);
        let is_the_end = deeper.depth_reached == auto.depth_reached;
        let enough = auto.units() >= wanted || deeper.units() < auto.units();
        prop_assert!(enough || is_the_end, "it stopped too early");
    }

    #[test]
    fn a_pool_that_does_not_fit_names_a_depth_that_does(Solved { puzzle, .. } in solved(), units in 1usize..100) {
        let method = search(&puzzle, SearchOptions::default());
        let max_bytes = units * puzzle.shape.cells();
        let expand = |depth| method.expand(&PoolOptions { max_bytes, ..plan((Depth::Fixed(depth), 0), false) }, &|| false);
        if let Err(too_large) = expand(1000) {
            let fits = expand(too_large.fits).expect("the depth that it named");
            prop_assert_eq!((fits.units(), fits.depth_reached), (too_large.units, too_large.fits));
            prop_assert!(fits.bytes.len() <= max_bytes && expand(too_large.fits + 1).is_err());
        }
    }
}
