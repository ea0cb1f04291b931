//! Random puzzles of every shape, small enough for brute force, each with all its solutions.

use std::sync::Arc;

use census_count::search::search_with;
use census_count::{Control, Method};
use census_puzzle::{Extras, Grid, Puzzle, Regions, Shape};
use fastrand::Rng;
use proptest::prelude::*;
use proptest::sample::select;

use crate::oracle::brute::{self, Brute};
use crate::oracle::{ALL_OPTIONS, CONFIGS};

/// Tries of brute force for one puzzle.
const BUDGET: u64 = 4_000;
/// The most nodes of a search, in any tree.
const NODES: u64 = 100_000;

/// The solutions are in order of their cells.
#[derive(Clone, Debug)]
pub struct Solved {
    pub puzzle: Puzzle,
    pub solutions: Vec<Vec<u8>>,
}

/// Puzzles of every shape: boxes of both orientations, jigsaws, Latin squares, diagonals, hyper boxes; with one solution,
/// many, or none.
pub fn solved() -> impl Strategy<Value = Solved> {
    let order = prop_oneof![8 => 2usize..=6, 2 => 7usize..=8, 2 => Just(9)];
    let shape = order.prop_flat_map(|order| (Just(order), regions(order), prop::bool::weighted(0.25), any::<bool>()));
    (shape, any::<u64>(), 0.0..=1.0f64, prop::bool::weighted(0.15)).prop_map(
        |((order, regions, diagonals, hyper), seed, emptiness, spoilt)| {
            let hyper = hyper && matches!(regions, Regions::Boxes { rows, cols } if rows == cols);
            let shape = Shape::new(order, regions, Extras { diagonals, hyper }).expect("a shape");
            random_puzzle(Arc::new(shape), seed, emptiness, spoilt)
        },
    )
}

pub fn regions(order: usize) -> BoxedStrategy<Regions> {
    let boxes: Vec<Regions> = (1..=order)
        .filter(|rows| order.is_multiple_of(*rows))
        .map(|rows| Regions::Boxes { rows, cols: order / rows })
        .collect();
    prop_oneof![
        2 => Just(Regions::usual(order)),
        2 => select(boxes),
        1 => Just(Regions::None),
        2 => (any::<u64>(), 0..2 * order).prop_map(move |(seed, swaps)| jigsaw(order, seed, swaps)),
    ]
    .boxed()
}

/// Boxes (or rows) with some cells swapped between regions. Regions need not be connected.
fn jigsaw(order: usize, seed: u64, swaps: usize) -> Regions {
    let mut random = Rng::with_seed(seed);
    let (rows, cols) = match Regions::usual(order) {
        Regions::Boxes { rows, cols } => (rows, cols),
        _ => (1, order),
    };
    let region = |cell: usize| (cell / order / rows * rows + cell % order / cols) as u8;
    let mut map: Vec<u8> = (0..order * order).map(region).collect();
    for _ in 0..swaps {
        let near = random.usize(0..map.len());
        map.swap(near, (near + 1 + random.usize(0..order)) % (order * order));
    }
    Regions::Jigsaw(map)
}

/// Takes a random solution (or, if none is soon found, a filling without a conflict), and empties as many cells as asked
/// for and as brute force can handle. If `spoilt`, sets one cell to a value that no house excludes but that may have no
/// solution.
pub fn random_puzzle(shape: Arc<Shape>, seed: u64, emptiness: f64, spoilt: bool) -> Solved {
    let mut random = Rng::with_seed(seed);
    let full = random_solution(&shape, &mut random).unwrap_or_else(|| random_filling(&shape, &mut random));
    let mut order: Vec<usize> = (0..shape.cells()).collect();
    random.shuffle(&mut order);
    let mut holes = (emptiness.sqrt() * shape.cells() as f64).round() as usize;
    loop {
        let mut puzzle = Puzzle::new(Arc::clone(&shape), full.clone());
        for &cell in &order[..holes] {
            puzzle.givens[cell] = 0;
        }
        if spoilt && let Some(&cell) = order[..holes].first() {
            puzzle.givens[cell] = random.u8(1..=shape.order() as u8);
            if !puzzle.conflicts().is_empty() {
                puzzle.givens[cell] = 0;
            }
        }
        match brute::solutions(&puzzle, BUDGET) {
            Some(solutions) if all_trees_are_small(&puzzle) => return Solved { puzzle, solutions },
            _ => holes -= holes.div_ceil(10),
        }
    }
}

/// Whether every search of a puzzle is short: branching on the first cell may take very long where brute force, which takes
/// the cell with the fewest candidates, sees at once that there is no solution.
fn all_trees_are_small(puzzle: &Puzzle) -> bool {
    let control = || Control::new(None).with_budget(NODES);
    let is_small = |method: Box<dyn Method>| method.counter().count(puzzle.givens.values(), &control()).finished;
    ALL_OPTIONS
        .into_iter()
        .all(|options| CONFIGS.iter().all(|config| is_small(search_with(puzzle, options, Some(config), &|| false))))
}

pub fn random_solution(shape: &Arc<Shape>, random: &mut Rng) -> Option<Grid> {
    let mut brute = Brute::new(&Puzzle::new(Arc::clone(shape), Grid::empty(shape.cells())), BUDGET);
    random.shuffle(&mut brute.values);
    let mut first = None;
    brute.each(&mut |grid| {
        first = Some(Grid::new(grid.to_vec()));
        false
    });
    first
}

/// Sets one cell after the other to a value that no house excludes; some stay empty.
fn random_filling(shape: &Arc<Shape>, random: &mut Rng) -> Grid {
    let mut brute = Brute::new(&Puzzle::new(Arc::clone(shape), Grid::empty(shape.cells())), 0);
    let mut cells: Vec<usize> = (0..shape.cells()).collect();
    random.shuffle(&mut cells);
    for cell in cells {
        random.shuffle(&mut brute.values);
        let fits = brute.values.iter().copied().find(|&value| brute.may_hold(cell, value));
        brute.grid[cell] = fits.unwrap_or(0);
    }
    Grid::new(brute.grid)
}

/// A solution of any order: each row is the one above shifted by the width of a box, and by one more at the start of a
/// band.
pub fn cyclic(shape: &Shape) -> Grid {
    let n = shape.order();
    let (rows, cols) = match shape.regions() {
        Regions::Boxes { rows, cols } => (*rows, *cols),
        _ => (1, n),
    };
    let value = |row: usize, column: usize| (row % rows * cols + row / rows + column) % n + 1;
    Grid::new((0..n * n).map(|cell| value(cell / n, cell % n) as u8).collect())
}

#[test]
fn the_random_puzzles_are_of_every_kind() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let puzzles = solved();
    let mut kinds: std::collections::BTreeMap<&str, usize> = Default::default();
    let (tried, least) = if crate::thorough() { (300, 10) } else { (100, 3) };
    for _ in 0..tried {
        let Solved { puzzle, solutions } = puzzles.new_tree(&mut runner).expect("a puzzle").current();
        let Extras { diagonals, hyper } = puzzle.shape.extras();
        let regions = match puzzle.shape.regions() {
            Regions::Boxes { rows, cols } if rows < cols => "lying boxes",
            Regions::Boxes { rows, cols } if rows > cols => "standing boxes",
            Regions::Boxes { .. } => "square boxes",
            Regions::Jigsaw(_) => "jigsaw",
            Regions::None => "no regions",
        };
        let count = match solutions.len() {
            0 => "unsolvable",
            1 => "unique",
            2..=99 => "several",
            _ => "many",
        };
        for kind in [Some(regions), Some(count), diagonals.then_some("diagonals"), hyper.then_some("hyper")] {
            *kinds.entry(kind.unwrap_or("plain")).or_default() += 1;
        }
    }
    assert_eq!(kinds.len(), 12, "{kinds:?}");
    assert!(kinds.values().all(|&count| count >= least), "{kinds:?}");
}
