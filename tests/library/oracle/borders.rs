//! Each instance of the board, at both ends of its range of orders, counts what brute force counts.

use std::sync::Arc;

use census_count::search::{Verdict, search, singles};
use census_count::{Control, Depth, PoolOptions};
use census_puzzle::{Extras, Puzzle, Regions, Shape};
use fastrand::Rng;

use crate::oracle::puzzles::cyclic;
use crate::oracle::{ALL_OPTIONS, brute};

const ORDERS: [usize; 24] = [2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 24, 25, 26, 35, 36, 37, 49, 50, 63, 64];

/// Removes pairs of values from a few rows, so that there are several solutions, and a few more cells.
fn with_holes(shape: &Arc<Shape>, seed: u64) -> Puzzle {
    let mut random = Rng::with_seed(seed);
    let n = shape.order();
    let mut puzzle = Puzzle::new(Arc::clone(shape), cyclic(shape));
    let pair = [1, 1 + random.u8(1..n as u8)];
    let rows: Vec<usize> = (0..4).map(|_| random.usize(0..n)).collect();
    for cell in 0..n * n {
        if pair.contains(&puzzle.givens[cell]) && (rows.contains(&(cell / n)) || n <= 12) {
            puzzle.givens[cell] = 0;
        }
    }
    for _ in 0..6 {
        puzzle.givens[random.usize(0..n * n)] = 0;
    }
    puzzle
}

#[test]
fn a_cyclic_filling_is_a_solution_at_every_order() {
    for order in 2..=64 {
        for regions in [Regions::usual(order), Regions::None] {
            let shape = Arc::new(Shape::new(order, regions, Extras::default()).expect("a shape"));
            let puzzle = Puzzle::new(Arc::clone(&shape), cyclic(&shape));
            assert!(brute::is_solution(&shape, puzzle.givens.values()), "order {order}, {shape}");
            let counted = search(&puzzle, ALL_OPTIONS[0]).counter().count(puzzle.givens.values(), &Control::new(None));
            assert_eq!((counted.solutions.exact(), counted.nodes), (Some(1), 0), "order {order}, {shape}");
            assert_eq!(singles(&puzzle).verdict, Verdict::Solved, "order {order}, {shape}");
        }
    }
}

#[test]
fn every_instance_of_the_board_counts_what_brute_force_counts() {
    let mut several = 0;
    for order in ORDERS {
        for regions in [Regions::usual(order), Regions::None] {
            let shape = Arc::new(Shape::new(order, regions, Extras::default()).expect("a shape"));
            for seed in 0..4 {
                let puzzle = with_holes(&shape, seed);
                let expected = brute::count(&puzzle);
                several += usize::from(expected > 1);
                for options in ALL_OPTIONS {
                    let method = search(&puzzle, options);
                    for depth in [0, 2, 5000] {
                        let plan = PoolOptions {
                            depth: Depth::Fixed(depth),
                            units: 0,
                            keep_solved: false,
                            max_bytes: 1 << 30,
                        };
                        let pool = method.expand(&plan, &|| false).expect("a small pool");
                        let mut found = pool.above.solutions.exact().expect("a small count");
                        for unit in pool.bytes.chunks_exact(pool.unit_bytes) {
                            let counted = method.counter().count(unit, &Control::new(None));
                            found += counted.solutions.exact().expect("a small count");
                        }
                        assert_eq!(found, expected, "order {order}, {shape}, seed {seed}, depth {depth}, {options:?}");
                    }
                }
            }
        }
    }
    assert!(several > 50, "only {several} of these puzzles have more than one solution: too few");
}

#[test]
fn a_wrong_last_value_is_a_contradiction_at_every_order() {
    for order in ORDERS {
        let shape = Arc::new(Shape::usual(order).expect("a shape"));
        let mut puzzle = Puzzle::new(Arc::clone(&shape), cyclic(&shape));
        // The last two cells of the last row need one value each; the column of the last cell excludes one of them.
        let last = order * order - 1;
        let (second, value) = (puzzle.givens[last - 1], puzzle.givens[last]);
        puzzle.givens[last - 1] = 0;
        puzzle.givens[last] = 0;
        puzzle.givens[0] = 0;
        assert_eq!(brute::count(&puzzle), 1, "order {order}");
        puzzle.givens[last] = second;
        let expected = brute::count(&puzzle);
        for options in ALL_OPTIONS {
            let counted = search(&puzzle, options).counter().count(puzzle.givens.values(), &Control::new(None));
            assert_eq!(counted.solutions.exact(), Some(expected), "order {order}, {value} for {second}, {options:?}");
        }
    }
}
