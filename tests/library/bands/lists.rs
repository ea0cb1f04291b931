//! A listing by the join has every solution once.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use census_count::bands::Lister;
use census_count::search::{SearchOptions, search};
use census_count::{Control, Depth, Method};
use census_puzzle::{Grid, Puzzle};
use fastrand::Rng;

use crate::bands::plan;
use crate::bands::puzzles::{from_line, puzzle, random_puzzle};

/// The first solutions of all units, up to a limit, in their order.
fn listed(method: &dyn Method, units: &[u8], limit: usize) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let mut counter = method.counter();
    for unit in units.chunks_exact(method.unit_bytes()) {
        let counted = counter.visit(unit, &Control::new(None), &mut |solution| {
            all.push(solution.to_vec());
            if all.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if all.len() >= limit {
            break;
        }
        assert!(counted.finished);
    }
    all
}

fn join(puzzle: &Puzzle, depth: Depth, limit: usize) -> Vec<Vec<u8>> {
    let method = Lister::new(puzzle).expect("clues enough");
    let pool = method.expand(&plan(depth, 100), &|| false).expect("a small pool");
    listed(&method, &pool.bytes, limit)
}

#[test]
fn it_has_the_solutions_of_the_search_each_once_in_one_order_for_all_depths() {
    let mut random = Rng::with_seed(21);
    let mut many = 0;
    for round in 0..60 {
        let puzzle = random_puzzle(21 + round % 12, &mut random);
        let found = listed(&*search(&puzzle, SearchOptions::default()), puzzle.givens.values(), 20_000);
        if found.len() == 20_000 {
            continue;
        }
        let expected: BTreeSet<Vec<u8>> = found.iter().cloned().collect();
        let list = join(&puzzle, Depth::Auto, usize::MAX);
        assert_eq!(list.len(), expected.len(), "{:?}", puzzle.givens);
        assert_eq!(list.iter().cloned().collect::<BTreeSet<_>>(), expected);
        for depth in [Depth::Fixed(0), Depth::Fixed(1), Depth::Fixed(2)] {
            assert_eq!(join(&puzzle, depth, usize::MAX), list, "{depth}");
        }
        many += usize::from(list.len() > 100);
    }
    assert!(many > 10);
}

#[test]
fn it_ends_when_the_visitor_breaks() {
    let puzzle = from_line(".......39.....1.......5.8....8.9.....7...2...1..4.......9.8.....2....6...........");
    let first = join(&puzzle, Depth::Auto, 1000);
    assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), 1000);
    assert_eq!(join(&puzzle, Depth::Auto, 10), first[..10]);
}

#[test]
fn a_puzzle_with_few_clues_in_a_band_is_listed_by_its_stacks() {
    let band_and_a_row = from_line(&format!("{:.<81}", "123456789456789123789123456214365897"));
    let list = join(&band_and_a_row, Depth::Auto, usize::MAX);
    assert_eq!(list.len(), 633_312);
    assert!(list.iter().collect::<BTreeSet<_>>().len() == list.len(), "each once");
    let givens = band_and_a_row.givens.values();
    assert!(list.iter().all(|grid| grid.iter().zip(givens).all(|(value, given)| *given == 0 || value == given)));
    assert!(list.iter().step_by(1000).all(|grid| puzzle(Grid::new(grid.clone())).conflicts().is_empty()));
}

#[test]
fn a_puzzle_with_too_few_clues_in_a_band_and_in_a_stack_is_an_error_that_names_them() {
    let mut puzzle = from_line(&".".repeat(81));
    let error = Lister::new(&puzzle).err().expect("too sparse");
    assert_eq!((error.band, error.stack), (1, 1));
    assert!(error.to_string().contains("--method search"));
    // Enough in the first band and in the first stack, too few elsewhere.
    let full = random_puzzle(81, &mut Rng::with_seed(22));
    let corner = [0, 1, 9, 10, 11, 20, 4, 6, 17, 36, 56, 64];
    corner.into_iter().for_each(|cell| puzzle.givens[cell] = full.givens[cell]);
    let error = Lister::new(&puzzle).err().expect("too sparse");
    assert_eq!((error.band, error.stack), (2, 2));
}
