//! The engine for large puzzles: small puzzles against brute force, and large ones with known counts.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use census_count::search::{CdclUse, SearchOptions, search_large, search_with};
use census_count::{Control, Depth, Method, PoolOptions, Solutions};
use census_puzzle::{Extras, Grid, Puzzle, Regions, Shape};
use fastrand::Rng;
use proptest::prelude::*;

use crate::files::{puzzles_of, root};
use crate::oracle::puzzles::{Solved, cyclic, solved};
use crate::oracle::{ALL_OPTIONS, brute};

const LEARNINGS: [CdclUse; 2] = [CdclUse::IfNeeded, CdclUse::Always];

fn count(method: &dyn Method, unit: &[u8]) -> Solutions {
    let counted = method.counter().count(unit, &Control::new(None));
    assert!(counted.finished);
    counted.solutions
}

fn list(method: &dyn Method, units: &[u8]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let mut counter = method.counter();
    for unit in units.chunks_exact(method.unit_bytes()) {
        let counted = counter.visit(unit, &Control::new(None), &mut |solution| {
            all.push(solution.to_vec());
            ControlFlow::Continue(())
        });
        assert!(counted.finished);
    }
    all
}

fn all_searches(puzzle: &Puzzle) -> impl Iterator<Item = Box<dyn Method>> {
    let variants = ALL_OPTIONS.into_iter().flat_map(|options| LEARNINGS.map(|learning| (options, learning)));
    variants.map(|(options, learning)| search_large(puzzle, options, learning, &|| false))
}

/// A puzzle of `puzzles/` without some of its clues.
pub fn with_fewer_clues(name: &str, fewer: usize, seed: u64) -> Puzzle {
    let mut puzzle = puzzles_of(&root().join(format!("puzzles/{name}.txt"))).remove(0);
    let mut clues: Vec<usize> = (0..puzzle.shape.cells()).filter(|&cell| puzzle.givens[cell] != 0).collect();
    Rng::with_seed(seed).shuffle(&mut clues);
    clues.iter().take(fewer).for_each(|&cell| puzzle.givens[cell] = 0);
    puzzle
}

proptest! {
    #![proptest_config(crate::cases(150))]

    #[test]
    fn it_counts_and_lists_what_brute_force_finds(Solved { puzzle, solutions } in solved()) {
        for method in all_searches(&puzzle) {
            prop_assert_eq!(count(&*method, puzzle.givens.values()), Solutions::new(solutions.len() as u128));
            let mut listed = list(&*method, puzzle.givens.values());
            listed.sort();
            prop_assert_eq!(&listed, &solutions);
        }
    }

    #[test]
    fn units_add_up_and_lists_keep_their_order_at_any_depth(Solved { puzzle, solutions } in solved()) {
        for method in all_searches(&puzzle) {
            let in_order = list(&*method, puzzle.givens.values());
            for depth in [0, 1, 2, 3, 1000].map(Depth::Fixed) {
                let plan = PoolOptions { depth, units: 0, keep_solved: true, max_bytes: 1 << 30 };
                let pool = method.expand(&plan, &|| false).expect("a small pool");
                prop_assert_eq!(&list(&*method, &pool.bytes), &in_order);
                let plan = PoolOptions { keep_solved: false, ..plan };
                let pool = method.expand(&plan, &|| false).expect("a small pool");
                let units = pool.bytes.chunks_exact(pool.unit_bytes).map(|unit| count(&*method, unit));
                let sum = units.fold(pool.above.solutions, Solutions::plus);
                prop_assert_eq!(sum, Solutions::new(solutions.len() as u128));
            }
        }
    }

    #[test]
    fn what_is_split_off_is_not_counted_twice(Solved { puzzle, solutions } in solved(), wanted in 1usize..5) {
        let method = search_large(&puzzle, SearchOptions::default(), CdclUse::IfNeeded, &|| false);
        let control = Control::new(None);
        let mut units = vec![puzzle.givens.values().to_vec()];
        let mut sum = Solutions::ZERO;
        let mut counter = method.counter();
        while let Some(unit) = units.pop() {
            control.request_subtasks(wanted);
            let counted = counter.count_splitting(&unit, &control, &mut |part| {
                units.push(part.to_vec());
                control.request_subtasks(control.requested_subtasks() - 1);
            });
            sum = sum.plus(counted.solutions);
        }
        prop_assert_eq!(sum, Solutions::new(solutions.len() as u128));
        prop_assert_eq!(control.found(), solutions.len() as u128);
    }
}

#[test]
fn large_puzzles_with_many_dead_ends_are_listed_as_they_are_counted() {
    for (name, fewer, seed) in [("25x25", 0, 0), ("49x49", 40, 1), ("49x49", 40, 2), ("64x64", 60, 3)] {
        let puzzle = with_fewer_clues(name, fewer, seed);
        let mut counts = HashSet::new();
        for learning in LEARNINGS {
            let method = search_large(&puzzle, SearchOptions::default(), learning, &|| false);
            let listed = list(&*method, puzzle.givens.values());
            assert_eq!(count(&*method, puzzle.givens.values()), Solutions::new(listed.len() as u128), "{name}");
            assert!(listed.iter().step_by(4 * crate::stride() - 3).all(|grid| brute::is_solution(&puzzle.shape, grid)));
            assert_eq!(listed.iter().collect::<HashSet<_>>().len(), listed.len());
            counts.insert(listed.len());
        }
        assert!(counts.len() == 1 && !counts.contains(&0), "{name}: {counts:?}");
    }
}

fn pool(method: &dyn Method, depth: usize) -> Vec<u8> {
    let plan = PoolOptions { depth: Depth::Fixed(depth), units: 0, keep_solved: true, max_bytes: 1 << 30 };
    method.expand(&plan, &|| false).expect("a small pool").bytes
}

#[test]
fn another_rank_with_the_same_config_has_the_same_tree() {
    let mut other_trees = 0;
    for (name, fewer, seed) in [("25x25", 0, 0), ("49x49", 40, 1), ("49x49", 40, 2), ("64x64", 60, 3)] {
        let puzzle = with_fewer_clues(name, fewer, seed);
        for (options, learning) in ALL_OPTIONS.into_iter().flat_map(|options| LEARNINGS.map(|it| (options, it))) {
            let first = search_large(&puzzle, options, learning, &|| false);
            let rebuilt = search_with(&puzzle, options, Some(&first.config_bytes()), &|| false);
            assert_eq!(first.config_bytes(), rebuilt.config_bytes());
            assert_eq!(list(&*first, puzzle.givens.values()), list(&*rebuilt, puzzle.givens.values()), "{name}");
            for depth in [0, 1, 3] {
                assert_eq!(pool(&*first, depth), pool(&*rebuilt, depth), "{name} at depth {depth}");
            }
            let without = search_with(&puzzle, options, Some(&[]), &|| false);
            other_trees += usize::from(pool(&*first, 1) != pool(&*without, 1));
        }
    }
    assert!(other_trees > 0, "CDCL eliminated candidates");
}

#[test]
fn stopping_cdcl_does_not_change_the_solutions() {
    let mut missed = 0;
    for (name, fewer, seed) in [("25x25", 0, 0), ("49x49", 40, 1), ("49x49", 40, 2), ("64x64", 60, 3)] {
        let puzzle = with_fewer_clues(name, fewer, seed);
        let complete = search_large(&puzzle, SearchOptions::default(), CdclUse::Always, &|| false);
        let stopped = search_large(&puzzle, SearchOptions::default(), CdclUse::Always, &|| true);
        missed += usize::from(complete.config_bytes() != stopped.config_bytes());
        let counts = [complete, stopped].map(|method| count(&*method, puzzle.givens.values()));
        assert_eq!(counts[0], counts[1], "{name}");
    }
    assert!(missed > 0, "CDCL eliminated candidates");
}

/// A Latin square of order 64 with open squares of four cells, each of which can be filled in two ways independently of the
/// others: rows r and r + 32, columns c and c + 32 hold r + c and r + c + 32 crosswise. No two share a row, a column and a
/// value.
fn two_ways_each(squares: usize) -> Puzzle {
    let shape = Shape::new(64, Regions::None, Extras::default()).expect("a shape");
    let mut values: Vec<u8> = (0..64 * 64).map(|cell| ((cell / 64 + cell % 64) % 64 + 1) as u8).collect();
    for square in 0..squares {
        let (class, row, column) = (square % 4, square / 4 % 4, square / 16);
        let (row, column) = (4 * class + row, 4 * column + class);
        for (row, column) in [(row, column), (row + 32, column), (row, column + 32), (row + 32, column + 32)] {
            values[row * 64 + column] = 0;
        }
    }
    Puzzle::new(Arc::new(shape), Grid::new(values))
}

#[test]
fn components_are_multiplied_exactly_and_an_overflow_is_reported() {
    for squares in [0, 1, 2, 10, 64, 127, 128] {
        let puzzle = two_ways_each(squares);
        let expected = 1u128.checked_shl(squares as u32).map_or(Solutions::OVERFLOW, Solutions::new);
        let method = search_large(&puzzle, SearchOptions::default(), CdclUse::IfNeeded, &|| false);
        assert_eq!(count(&*method, puzzle.givens.values()), expected, "{squares}");
    }
    let control = Control::new(Some(5));
    let puzzle = two_ways_each(100);
    let counted = search_large(&puzzle, SearchOptions::default(), CdclUse::IfNeeded, &|| false)
        .counter()
        .count(puzzle.givens.values(), &control);
    assert!(control.found() >= 5 && !counted.finished && counted.nodes < 1000, "it stops early: {counted:?}");
    let puzzle = two_ways_each(10);
    let method = search_large(&puzzle, SearchOptions::default(), CdclUse::Always, &|| false);
    assert_eq!(list(&*method, puzzle.givens.values()).len(), 1024);
}

#[test]
fn givens_that_conflict_or_leave_no_place_have_no_solution() {
    let shape = Arc::new(Shape::usual(25).expect("a shape"));
    let mut givens = cyclic(&shape);
    givens[0] = givens[1];
    let conflict = Puzzle::new(Arc::clone(&shape), givens);
    // A row whose open cells all see the value that the row lacks.
    let mut givens = Grid::empty(shape.cells());
    (0..24).for_each(|column| givens[column] = column as u8 + 1);
    givens[24 + 10 * 25] = 25;
    let no_place = Puzzle::new(shape, givens);
    for puzzle in [conflict, no_place] {
        for method in all_searches(&puzzle) {
            assert_eq!(count(&*method, puzzle.givens.values()), Solutions::ZERO);
        }
    }
}

#[test]
fn a_count_stops_soon_when_it_is_asked_to() {
    let puzzle = Puzzle::new(Arc::new(Shape::usual(20).expect("a shape")), Grid::empty(400));
    let method = search_large(&puzzle, SearchOptions::default(), CdclUse::IfNeeded, &|| false);
    let control = Control::new(None).with_budget(5_000);
    let counted = method.counter().count(puzzle.givens.values(), &control);
    assert!(!counted.finished && counted.nodes < 10_000, "{counted:?}");
    let control = Control::new(Some(3));
    let mut listed = 0;
    let counted = method.counter().visit(puzzle.givens.values(), &control, &mut |_| {
        listed += 1;
        ControlFlow::Continue(())
    });
    assert!(!counted.finished && listed == 3, "{listed}");
}
