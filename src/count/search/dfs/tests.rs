//! The search with and without the endgame, with and without the memo table: the same solutions, nodes and order.

use fastrand::Rng;

use crate::search::boards::generic::GenericBoard;
use crate::search::tests::{TREES, counted, filled, listed, with_holes};
use crate::search::{CellOrder, with_board_for};

use super::*;

/// Returns how many searches were compared, their nodes and their solutions.
pub(in crate::search) fn same_with_endgame<E: Engine>(board: &E, givens: &[u8]) -> (usize, u64, u128) {
    let mut compared = (0, 0, 0);
    for tree in TREES.into_iter().filter(|tree| tree.propagation == Propagation::Cheap) {
        for values in [ValueOrder::Min, ValueOrder::Max] {
            let options = SearchOptions { cells: tree.cells, values, cache: 0 };
            let mut without = Dfs { endgame: None, ..Dfs::new(board, tree, options) };
            let Some(expected) = counted(&mut without, givens, &Control::new(None).with_budget(2000)) else { continue };
            let list = listed(&mut without, givens);
            assert_eq!((list.0.len() as u128, list.1), expected);
            for vectors in Vectors::all() {
                let mut with = Dfs::new(board, tree, options);
                with.endgame = Some(Endgame::new(vectors));
                let what = format!("{vectors:?}, {tree:?}, {values}, {givens:?}");
                assert_eq!(counted(&mut with, givens, &Control::new(None)), Some(expected), "{what}");
                assert_eq!(listed(&mut with, givens), list, "{what}");
            }
            compared = (compared.0 + 1, compared.1 + expected.1, compared.2 + expected.0);
        }
    }
    compared
}

#[test]
fn the_endgame_finds_what_the_board_finds_in_the_same_order_with_as_many_nodes() {
    let mut random = Rng::with_seed(1);
    let (mut compared, mut nodes, mut solutions) = (0, 0, 0);
    for i in 0..200 {
        let (shape, solution) = filled(4 + i % 13, &mut random);
        let puzzle = with_holes(&shape, &solution, &mut random);
        let more = with_board_for!(&shape, |board| same_with_endgame(&board, puzzle.givens.values()));
        (compared, nodes, solutions) = (compared + more.0, nodes + more.1, solutions + more.2);
    }
    assert!(compared > 300 && nodes > 20_000 && solutions > 10_000, "{compared} compared: {nodes}, {solutions}");
}

/// A synthetic tree. A node and its subtree depend on its depth and its kind only. Some nodes are solved and some dead
/// ends, next to siblings with thousands of nodes.
struct Toy {
    seed: u64,
    deepest: u8,
}

const KINDS: u64 = 24;

impl Toy {
    fn number(&self, (kind, depth, what): (u8, u8, u8)) -> u64 {
        let seed = self.seed ^ u64::from(kind) << 16 ^ u64::from(depth) << 8 ^ u64::from(what);
        Rng::with_seed(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)).u64(..)
    }

    fn end(&self, &(kind, depth): &(u8, u8)) -> PropagationResult {
        match self.number((kind, depth, 0)) % 8 {
            0 | 1 if depth > 0 => PropagationResult::Solved,
            2 if depth > 0 => PropagationResult::Contradiction,
            _ if depth == self.deepest => PropagationResult::Solved,
            _ => PropagationResult::Branch(0),
        }
    }
}

impl Engine for Toy {
    type State = (u8, u8);

    fn cells(&self) -> usize {
        2
    }
    fn blank(&self) -> (u8, u8) {
        (0, 0)
    }
    fn load(&self, grid: &[u8], state: &mut (u8, u8)) {
        *state = (grid[0], grid[1]);
    }
    fn store(&self, state: &(u8, u8), grid: &mut [u8]) {
        (grid[0], grid[1]) = *state;
    }
    fn propagate(&self, _: Tree, state: &mut (u8, u8)) -> PropagationResult {
        self.end(state)
    }
    fn guess_in_place(&self, _: Tree, state: &mut (u8, u8), _: usize, value: usize) -> PropagationResult {
        *state = ((self.number((state.0, state.1, 2 + value as u8)) % KINDS) as u8, state.1 + 1);
        self.end(state)
    }
    fn candidates(&self, &(kind, depth): &(u8, u8), _: usize) -> u64 {
        [0b11, 0b110, 0b101, 0b111][self.number((kind, depth, 1)) as usize % 4]
    }
    fn residual_words(&self) -> usize {
        2
    }
    fn residual(&self, &(kind, depth): &(u8, u8), residual: &mut [u64]) {
        residual.copy_from_slice(&[1 + u64::from(kind), u64::from(depth)]);
    }
}

/// Counts a unit and the subtasks that are split off with several searches in turn, requesting subtasks at random.
fn count_with_splits<E: Engine>(searches: &mut [Dfs<E>], unit: &[u8], random: &mut Rng) -> (u128, u64, usize) {
    let (mut solutions, mut nodes, mut subtasks) = (0, 0, 0);
    let mut waiting = vec![unit.to_vec()];
    while let Some(unit) = waiting.pop() {
        let control = Control::new(None);
        control.request_subtasks(random.usize(..3));
        let dfs = random.usize(..searches.len());
        let counted = searches[dfs].count_splitting(&unit, &control, &mut |subtask| {
            waiting.push(subtask.to_vec());
            subtasks += 1;
            control.request_subtasks(random.usize(..3));
        });
        assert!(counted.finished);
        assert_eq!(Some(control.found()), counted.solutions.exact());
        solutions += counted.solutions.exact().expect("a small count");
        nodes += counted.nodes;
    }
    (solutions, nodes, subtasks)
}

#[test]
fn the_memo_table_is_right_whatever_is_split_off_at_any_moment() {
    let tree = Tree { cells: CellOrder::Fewest, propagation: Propagation::Cheap };
    let mut random = Rng::with_seed(1);
    let (mut split_off, mut large) = (0, 0);
    for seed in 0..250 {
        let toy = Toy { seed, deepest: 16 };
        let root = random.u8(..KINDS as u8);
        let mut alone = Dfs::new(&toy, tree, SearchOptions::default());
        let in_time = Control::new(None).with_budget(60_000);
        let Some((expected, nodes)) = counted(&mut alone, &[root, 0], &in_time) else { continue };
        large += usize::from(expected > 2000);
        // From one pair of entries to more than there are states.
        for cache in [0, 80, 400, 1 << 20] {
            let options = SearchOptions { cache, ..SearchOptions::default() };
            let mut searches = [Dfs::new(&toy, tree, options), Dfs::new(&toy, tree, options)];
            for _ in 0..3 {
                let (solutions, nodes_split, subtasks) = count_with_splits(&mut searches, &[root, 0], &mut random);
                assert_eq!(solutions, expected, "cache {cache}, seed {seed}, root {root}, {subtasks} subtasks");
                assert!(cache > 0 || nodes_split == nodes);
                split_off += subtasks;
            }
        }
    }
    assert!(split_off > 500 && large > 8, "only {split_off} subtasks were split off, {large} trees are large");
}
