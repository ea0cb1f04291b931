//! Estimates from random probes are near the truth. Fixed seeds make the tests deterministic.

use std::ops::ControlFlow;
use std::sync::Arc;

use census_count::Control;
use census_count::search::{Budget, Mean, estimate, search};
use census_puzzle::{Extras, Grid, Puzzle, Regions, Shape};

use crate::oracle::large::with_fewer_clues;
use crate::oracle::{ALL_OPTIONS, brute};

const PROBES: Budget = Budget { probes: 20_000, time: None };

#[track_caller]
fn assert_near(Mean { mean, error }: Mean, truth: f64, what: &str) {
    assert!((mean - truth).abs() <= 4.0 * error + 1e-9, "{what}: {mean} ± {error}, but it is {truth}");
    assert!(error <= truth, "{what}: {mean} ± {error} is too inexact");
}

#[test]
fn estimates_of_solutions_and_nodes_are_within_four_error_bars_of_the_truth() {
    let diagonals = Extras { diagonals: true, hyper: false };
    let shapes = [
        (4, Regions::usual(4), Extras::default()),
        (4, Regions::None, Extras::default()),
        (5, Regions::None, diagonals),
        (4, Regions::Jigsaw(vec![0, 0, 0, 1, 0, 1, 1, 1, 2, 2, 2, 3, 2, 3, 3, 3]), Extras::default()),
    ];
    for (order, regions, extras) in shapes {
        let shape = Arc::new(Shape::new(order, regions, extras).expect("a shape"));
        let puzzle = Puzzle::new(Arc::clone(&shape), Grid::empty(shape.cells()));
        let solutions = brute::count(&puzzle) as f64;
        for options in ALL_OPTIONS {
            let method = search(&puzzle, options);
            let counted = method.counter().count(puzzle.givens.values(), &Control::new(None));
            for seed in [1, 2, 3] {
                let estimate = estimate(&puzzle, options, &method.config_bytes(), PROBES, seed);
                let what = format!("order {order}, {shape}, {options:?}, seed {seed}");
                assert_eq!(estimate.probes, PROBES.probes);
                assert_near(estimate.solutions, solutions, &format!("solutions, {what}"));
                assert_near(estimate.nodes, counted.nodes as f64 + 1.0, &format!("nodes, {what}"));
            }
        }
    }
}

#[test]
fn the_same_seed_makes_the_same_estimate_and_another_seed_another() {
    let shape = Arc::new(Shape::usual(9).expect("a shape"));
    let puzzle = Puzzle::new(shape, Grid::empty(81));
    let budget = Budget { probes: 200, time: None };
    let of = |seed| estimate(&puzzle, ALL_OPTIONS[0], &[], budget, seed);
    assert_eq!(of(7), of(7));
    assert_ne!(of(7), of(8));
}

#[test]
fn a_puzzle_without_a_guess_is_estimated_without_an_error() {
    let shape = Arc::new(Shape::usual(4).expect("a shape"));
    let solved = Grid::new(vec![1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1]);
    let estimate = estimate(&Puzzle::new(shape, solved), ALL_OPTIONS[0], &[], PROBES, 1);
    assert_eq!(estimate.solutions, Mean { mean: 1.0, error: 0.0 });
    assert_eq!(estimate.nodes, Mean { mean: 1.0, error: 0.0 });
}

#[test]
fn a_large_puzzle_is_estimated_by_the_tree_that_is_searched() {
    for (name, fewer) in [("25x25", 0), ("49x49", 40)] {
        let puzzle = with_fewer_clues(name, fewer, 1);
        let method = search(&puzzle, ALL_OPTIONS[0]);
        // A count multiplies components, and so has fewer nodes than the tree.
        let visited =
            method.counter().visit(puzzle.givens.values(), &Control::new(None), &mut |_| ControlFlow::Continue(()));
        let estimate = estimate(&puzzle, ALL_OPTIONS[0], &method.config_bytes(), PROBES, 1);
        assert_near(estimate.solutions, visited.solutions.exact().expect("few") as f64, name);
        assert_near(estimate.nodes, visited.nodes as f64 + 1.0, name);
    }
}
