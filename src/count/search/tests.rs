//! Boards against a slow board written from the definitions: the same tree, node by node. Also generates random puzzles for
//! the tests of the search.

use std::ops::ControlFlow;
use std::sync::Arc;

use fastrand::Rng;

use crate::{Control, Counter};
use census_puzzle::{Extras, Grid, Puzzle, Regions, Shape};

use super::boards::generic::{GenericBoard, bits};
use super::engine::{Engine, Propagation, PropagationResult, Tree};
use super::{CellOrder, with_board_for};

pub(super) const TREES: [Tree; 4] = [
    Tree { cells: CellOrder::Fewest, propagation: Propagation::Full },
    Tree { cells: CellOrder::Fewest, propagation: Propagation::Cheap },
    Tree { cells: CellOrder::First, propagation: Propagation::Full },
    Tree { cells: CellOrder::First, propagation: Propagation::Cheap },
];

/// A board that checks cell after cell and house after house, as a person would, without an endgame.
pub(super) struct Slow {
    order: usize,
    houses: Vec<Vec<usize>>,
    peers: Vec<Vec<usize>>,
    /// Whether full propagation includes locked candidates.
    locked: bool,
    /// The number of open cells from which cheap propagation includes hidden singles.
    hidden_from: usize,
}

/// The candidates of each cell, and whether its value was removed from its peers.
type Notes = Vec<(u64, bool)>;

impl Slow {
    pub(super) fn new(shape: &Shape, locked: bool, hidden_from: usize) -> Slow {
        let houses = shape.houses().iter().map(|house| house.cells.clone()).collect();
        Slow { order: shape.order(), houses, peers: shape.peers(), locked, hidden_from }
    }

    fn put(&self, notes: &mut Notes, cell: usize, value: usize) {
        notes[cell] = (1 << value, true);
        for &peer in &self.peers[cell] {
            notes[peer].0 &= !(1 << value);
        }
    }

    fn places(&self, notes: &Notes, house: usize, value: usize) -> Vec<usize> {
        self.houses[house].iter().copied().filter(|&cell| notes[cell].0 >> value & 1 == 1).collect()
    }

    /// Cells with one candidate that are not settled; `None` if a cell has none.
    fn naked(&self, notes: &Notes) -> Option<Vec<(usize, usize)>> {
        let single = |cell: &usize| notes[*cell].0.count_ones() == 1 && !notes[*cell].1;
        let singles = (0..notes.len()).filter(single).map(|cell| (cell, notes[cell].0.trailing_zeros() as usize));
        notes.iter().all(|&(values, _)| values != 0).then(|| singles.collect())
    }

    /// All hidden singles at once; `None` if a value has no place in a house.
    fn hidden(&self, notes: &Notes) -> Option<Vec<(usize, usize)>> {
        let mut found = Vec::new();
        for house in 0..self.houses.len() {
            for value in 0..self.order {
                match self.places(notes, house, value)[..] {
                    [] => return None,
                    [cell] if !notes[cell].1 => found.push((cell, value)),
                    _ => {}
                }
            }
        }
        Some(found)
    }

    /// Locked candidates: a value confined to the intersection of two houses in one of them goes from the rest of the
    /// other.
    fn take_locked(&self, notes: &mut Notes) -> bool {
        let mut taken = false;
        for one in 0..self.houses.len() {
            for value in 0..self.order {
                let places = self.places(notes, one, value);
                for other in (0..self.houses.len()).filter(|&other| other != one) {
                    if places.iter().all(|cell| self.houses[other].contains(cell)) {
                        for cell in self.places(notes, other, value) {
                            if !places.contains(&cell) {
                                notes[cell].0 &= !(1 << value);
                                taken = true;
                            }
                        }
                    }
                }
            }
        }
        taken
    }

    fn branch(&self, tree: Tree, notes: &Notes) -> usize {
        let open: Vec<usize> = (0..notes.len()).filter(|&cell| notes[cell].0.count_ones() > 1).collect();
        let fewest = open.iter().map(|&cell| notes[cell].0.count_ones()).min().expect("an open cell");
        let set: Vec<usize> = open.iter().copied().filter(|&cell| notes[cell].0.count_ones() == fewest).collect();
        let shared = |cell: usize| set.iter().filter(|other| self.peers[cell].contains(other)).count();
        match (tree.cells, tree.propagation) {
            (CellOrder::First, _) => open[0],
            (CellOrder::Fewest, Propagation::Cheap) => set[0],
            // The first of the best; in a large set, the generic board compares only the first cells.
            (CellOrder::Fewest, Propagation::Full) => {
                let looked_at = if self.locked { set.len() } else { set.len().min(32) };
                *set[..looked_at].iter().rev().max_by_key(|&&cell| shared(cell)).expect("a cell")
            }
        }
    }
}

impl Engine for Slow {
    type State = Notes;

    fn cells(&self) -> usize {
        self.peers.len()
    }

    fn blank(&self) -> Notes {
        vec![(0, false); self.cells()]
    }

    fn load(&self, grid: &[u8], notes: &mut Notes) {
        let all = u64::MAX >> (64 - self.order);
        let note = |&value: &u8| (if value == 0 { all } else { 1 << (value - 1) }, false);
        *notes = grid.iter().map(note).collect();
    }

    fn store(&self, notes: &Notes, grid: &mut [u8]) {
        for (value, &(values, settled)) in grid.iter_mut().zip(notes) {
            *value = if settled { values.trailing_zeros() as u8 + 1 } else { 0 };
        }
    }

    fn propagate(&self, tree: Tree, notes: &mut Notes) -> PropagationResult {
        let (hidden_from, locked) = match tree.propagation {
            Propagation::Full => (0, self.locked),
            Propagation::Cheap => (self.hidden_from, false),
        };
        loop {
            let Some(mut singles) = self.naked(notes) else { return PropagationResult::Contradiction };
            let open = notes.iter().filter(|(values, _)| values.count_ones() > 1).count();
            if singles.is_empty() && open > 0 && open >= hidden_from {
                let Some(hidden) = self.hidden(notes) else { return PropagationResult::Contradiction };
                singles = hidden;
                if singles.is_empty() && locked && self.take_locked(notes) {
                    continue;
                }
            }
            if singles.is_empty() {
                let branch = || PropagationResult::Branch(self.branch(tree, notes));
                return if open == 0 { PropagationResult::Solved } else { branch() };
            }
            // Two values of a cell, or a value in two peers.
            let clash = |&(cell, value): &(usize, usize)| {
                singles.iter().any(|&(c, v)| if v == value { self.peers[cell].contains(&c) } else { c == cell })
            };
            if singles.iter().any(clash) {
                return PropagationResult::Contradiction;
            }
            for (cell, value) in singles {
                self.put(notes, cell, value);
            }
        }
    }

    fn guess_in_place(&self, tree: Tree, notes: &mut Notes, cell: usize, value: usize) -> PropagationResult {
        self.put(notes, cell, value);
        self.propagate(tree, notes)
    }

    fn candidates(&self, notes: &Notes, cell: usize) -> u64 {
        notes[cell].0
    }
}

/// A shape and a solution of it, by a formula: boxes, no regions, or a jigsaw.
pub(super) fn filled(order: usize, random: &mut Rng) -> (Arc<Shape>, Vec<u8>) {
    let n = order;
    let usual = if random.u8(..3) == 0 { Regions::None } else { Regions::usual(n) };
    let (rows, cols) = match usual {
        Regions::Boxes { rows, cols } => (rows, cols),
        _ => (1, n),
    };
    // Rows of a band and columns of a stack stay together.
    let mut shuffled = |size: usize| {
        let mut bands: Vec<Vec<usize>> = (0..n).collect::<Vec<_>>().chunks(size).map(<[usize]>::to_vec).collect();
        bands.iter_mut().for_each(|band| random.shuffle(band));
        random.shuffle(&mut bands);
        bands.concat()
    };
    let (down, across) = (shuffled(rows), shuffled(cols));
    let mut names: Vec<u8> = (1..=n as u8).collect();
    random.shuffle(&mut names);
    let value = |cell: usize| {
        let (row, column) = (down[cell / n], across[cell % n]);
        (row % rows * cols + row / rows + column) % n
    };
    let solution: Vec<u8> = (0..n * n).map(|cell| names[value(cell)]).collect();
    let mut regions = usual;
    if random.u8(..3) == 0 {
        // Swapping the regions of cells with the same value preserves the solution.
        let mut map: Vec<u8> = (0..n * n).map(|cell| (cell / n / rows * rows + cell % n / cols) as u8).collect();
        for _ in 0..random.usize(0..2 * n) {
            let (a, b) = (random.usize(0..n * n), random.usize(0..n * n));
            if solution[a] == solution[b] {
                map.swap(a, b);
            }
        }
        regions = Regions::Jigsaw(map);
    }
    (Arc::new(Shape::new(n, regions, Extras::default()).expect("a shape")), solution)
}

/// Removes all of a few values from some rows, and a few more cells, so that there are several solutions.
pub(super) fn with_holes(shape: &Arc<Shape>, solution: &[u8], random: &mut Rng) -> Puzzle {
    let n = shape.order();
    let mut givens = solution.to_vec();
    let mut names: Vec<u8> = (1..=n as u8).collect();
    random.shuffle(&mut names);
    let (wiped, kept_rows) =
        (&names[..random.usize(2..=4.min(n - 1))], random.u64(..) & random.u64(..) & random.u64(..));
    for (cell, value) in givens.iter_mut().enumerate() {
        if wiped.contains(value) && kept_rows >> (cell / n) & 1 == 0 {
            *value = 0;
        }
    }
    for _ in 0..random.usize(0..2 * n) {
        givens[random.usize(0..n * n)] = 0;
    }
    Puzzle::new(Arc::clone(shape), Grid::new(givens))
}

fn random_value<E: Engine>(board: &E, state: &E::State, cell: usize, random: &mut Rng) -> usize {
    let values: Vec<usize> = bits(board.candidates(state, cell)).collect();
    values[random.usize(..values.len())]
}

/// Keeps so many random clues of a solution, and makes some of them wrong.
pub(super) fn clues(solution: &[u8], many: usize, spoilt: usize, random: &mut Rng) -> Vec<u8> {
    let mut cells: Vec<usize> = (0..solution.len()).collect();
    random.shuffle(&mut cells);
    let mut givens = vec![0; solution.len()];
    for (i, &cell) in cells[..many].iter().enumerate() {
        givens[cell] = if i < spoilt { random.u8(1..=solution.len().isqrt() as u8) } else { solution[cell] };
    }
    givens
}

/// The candidates of all cells, and the values of the settled cells.
fn notes<E: Engine>(engine: &E, state: &E::State) -> (Vec<u64>, Vec<u8>) {
    let mut grid = vec![0; engine.cells()];
    engine.store(state, &mut grid);
    ((0..engine.cells()).map(|cell| engine.candidates(state, cell)).collect(), grid)
}

/// Descends a tree at random and compares two boards at every node. Returns the number of nodes compared.
#[track_caller]
pub(super) fn same_descent<A: Engine, B: Engine>(
    (a, b): (&A, &B),
    tree: Tree,
    givens: &[u8],
    random: &mut Rng,
    what: &str,
) -> usize {
    let (mut here, mut there) = (a.blank(), b.blank());
    a.load(givens, &mut here);
    b.load(givens, &mut there);
    let (mut end, mut expected) = (a.propagate(tree, &mut here), b.propagate(tree, &mut there));
    for nodes in 1.. {
        assert_eq!(end, expected, "{what}, {tree:?}, {givens:?}, node {nodes}");
        if end == PropagationResult::Contradiction {
            return nodes;
        }
        assert_eq!(notes(a, &here), notes(b, &there), "{what}, {tree:?}, {givens:?}, node {nodes}");
        let PropagationResult::Branch(cell) = end else { return nodes };
        let value = random_value(a, &here, cell, random);
        let mut child = a.blank();
        end = a.guess(tree, &here, &mut child, cell, value);
        assert_eq!(a.guess_in_place(tree, &mut here, cell, value), end, "{what}: in place or not");
        expected = b.guess_in_place(tree, &mut there, cell, value);
        if end != PropagationResult::Contradiction {
            assert_eq!(notes(a, &child), notes(a, &here), "{what}: in place or not");
            assert_is_a_unit(a, tree, &here, end, what);
        }
    }
    unreachable!()
}

/// A partial grid describes a node completely.
#[track_caller]
fn assert_is_a_unit<E: Engine>(engine: &E, tree: Tree, state: &E::State, end: PropagationResult, what: &str) {
    let (candidates, grid) = notes(engine, state);
    let mut reloaded = engine.blank();
    engine.load(&grid, &mut reloaded);
    assert_eq!(engine.propagate(tree, &mut reloaded), end, "{what}, {tree:?}: {grid:?} reloaded");
    assert_eq!(notes(engine, &reloaded), (candidates, grid), "{what}, {tree:?}, reloaded");
}

pub(super) fn counted(counter: &mut dyn Counter, givens: &[u8], control: &Control) -> Option<(u128, u64)> {
    let counted = counter.count(givens, control);
    counted.finished.then(|| (counted.solutions.exact().expect("a small count"), counted.nodes))
}

/// The solutions in order, and the nodes.
pub(super) fn listed(counter: &mut dyn Counter, givens: &[u8]) -> (Vec<Vec<u8>>, u64) {
    let mut all = Vec::new();
    let counted = counter.visit(givens, &Control::new(None), &mut |solution| {
        all.push(solution.to_vec());
        ControlFlow::Continue(())
    });
    assert!(counted.finished && counted.solutions.exact() == Some(all.len() as u128));
    (all, counted.nodes)
}

#[test]
fn boards_of_every_shape_have_the_same_tree_as_a_slow_board_and_each_node_is_a_unit() {
    let mut random = Rng::with_seed(1);
    let mut nodes = 0;
    for (i, order) in (4..=16).chain([4, 6, 9, 9, 9, 20, 26]).cycle().take(160).enumerate() {
        let (shape, solution) = filled(order, &mut random);
        let many = random.usize(0..=shape.cells() * 3 / 4);
        let spoilt = if random.bool() { 0 } else { random.usize(0..=many.min(3)) };
        let givens = match i % 2 {
            0 => clues(&solution, many, spoilt, &mut random),
            _ => with_holes(&shape, &solution, &mut random).givens.values().to_vec(),
        };
        let (slow, what) = (Slow::new(&shape, false, 0), shape.to_string());
        with_board_for!(&shape, |board| {
            for tree in TREES {
                nodes += match tree.propagation {
                    Propagation::Full => same_descent((&board, &slow), tree, &givens, &mut random, &what),
                    // Here, whether hidden singles are searched depends on the order of propagation.
                    Propagation::Cheap => same_descent((&board, &board), tree, &givens, &mut random, &what),
                };
            }
        });
    }
    assert!(nodes > 2000, "only {nodes} nodes were compared");
}
