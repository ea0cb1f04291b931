//! Open cells that have nothing to do with each other are counted apart: the number of solutions is the product.
//!
//! Towards the leaves of a large puzzle a few knots are left here and there. Visiting all solutions means untying each of
//! them again for every way to untie the others; counting them apart takes each of them once.

use crate::Solutions;
use crate::search::CellOrder;
use crate::search::boards::generic::bits;
use crate::search::dfs::{Shortcut, ShortcutResult};
use crate::search::endgame::LeafTally;
use crate::search::engine::Engine;

use super::board::{Board, State};

/// Parts are looked for again when so many of the cells of the last look are left: the look takes longer than a node.
const LEFT_TO_LOOK_AGAIN: (usize, usize) = (3, 4);
/// Nodes between two looks at whether to stop.
const NODES_BETWEEN_LOOKS: u64 = 512;

/// So few unsettled cells have to be left of `now` for the next look.
fn next_look(now: usize) -> usize {
    now * LEFT_TO_LOOK_AGAIN.0 / LEFT_TO_LOOK_AGAIN.1
}

/// The count was stopped from outside.
pub(crate) struct Stopped;

/// Takes nodes, and says whether to go on.
type Tell<'a> = &'a mut dyn FnMut(LeafTally) -> bool;

/// Room to count parts.
pub(crate) struct Parts<'a> {
    board: &'a Board,
    order: CellOrder,
    levels: Vec<State>,
    groups: Groups,
    nodes: u64,
    /// Nodes that led nowhere.
    pub dead_ends: u64,
}

/// Finds groups of cells that have nothing to do with each other.
struct Groups {
    /// The last look in which each set was met.
    met: Vec<u32>,
    look: u32,
}

impl Groups {
    /// The unsettled cells of a state among some, in groups: no candidate of one shares a set with any of another.
    fn split(&mut self, board: &Board, state: &State, cells: impl Iterator<Item = u32>) -> Vec<Vec<u32>> {
        self.look = self.look.checked_add(1).unwrap_or_else(|| {
            self.met.fill(0);
            1
        });
        let mut groups = Vec::new();
        for first in cells {
            if state.sets[first as usize].is_power_of_two() || !self.meet(first as usize) {
                continue;
            }
            let mut group = vec![first];
            let mut at = 0;
            while let Some(&cell) = group.get(at) {
                at += 1;
                for value in bits(state.sets[cell as usize]) {
                    for (set, house, _) in board.sets_of(cell as usize, value) {
                        if !self.meet(set) {
                            continue;
                        }
                        for place in bits(state.sets[set]) {
                            let other = board.cell_at(house, place as u32);
                            if self.meet(other as usize) {
                                group.push(other);
                            }
                        }
                    }
                }
            }
            group.sort_unstable();
            groups.push(group);
        }
        groups
    }

    fn meet(&mut self, set: usize) -> bool {
        std::mem::replace(&mut self.met[set], self.look) != self.look
    }
}

impl<'a> Parts<'a> {
    pub(crate) fn new(board: &'a Board, order: CellOrder) -> Self {
        let groups = Groups { met: vec![0; board.start.len()], look: 0 };
        Parts { board, order, levels: Vec::new(), groups, nodes: 0, dead_ends: 0 }
    }

    /// Counts all that is open in a state: the solutions, and the nodes that `tell` has not been told of.
    pub(crate) fn count(&mut self, state: &State, tell: Tell) -> Result<(Solutions, u64), Stopped> {
        let groups = self.groups.split(self.board, state, 0..self.board.open.len() as u32);
        self.count_groups(state, &groups, tell)
    }

    fn count_groups(&mut self, state: &State, groups: &[Vec<u32>], tell: Tell) -> Result<(Solutions, u64), Stopped> {
        self.make_room(0);
        self.levels[0].copy(state);
        let solutions = self.product(0, groups, tell)?;
        Ok((solutions, self.untold().nodes))
    }

    /// Nodes that have not been told.
    fn untold(&mut self) -> LeafTally {
        LeafTally { solutions: 0, nodes: std::mem::take(&mut self.nodes) }
    }

    fn product(&mut self, depth: usize, groups: &[Vec<u32>], tell: Tell) -> Result<Solutions, Stopped> {
        let mut product = Solutions::new(1);
        // The smallest first: if one of them is a dead end, the others need not be counted.
        let mut by_size: Vec<&Vec<u32>> = groups.iter().collect();
        by_size.sort_by_key(|group| group.len());
        for group in by_size {
            product = product.times(self.sum(depth, group, next_look(group.len()), tell)?);
            if product == Solutions::ZERO {
                break;
            }
        }
        Ok(product)
    }

    /// Counts some cells of the state on level `depth`, which are looked at for parts when `look` of them are left.
    fn sum(&mut self, depth: usize, cells: &[u32], look: usize, tell: Tell) -> Result<Solutions, Stopped> {
        let state = &self.levels[depth];
        let Some(cell) = Board::choose(self.order, state, cells.iter().map(|&cell| cell as usize)) else {
            return Ok(Solutions::new(1));
        };
        let unsettled = cells.iter().filter(|&&cell| !state.sets[cell as usize].is_power_of_two()).count();
        if unsettled <= look {
            let groups = self.groups.split(self.board, state, cells.iter().copied());
            return self.product(depth, &groups, tell);
        }
        self.make_room(depth + 1);
        let mut sum = Solutions::ZERO;
        for value in bits(self.levels[depth].sets[cell]) {
            self.nodes += 1;
            if self.nodes >= NODES_BETWEEN_LOOKS && !tell(self.untold()) {
                return Err(Stopped);
            }
            let (parents, children) = self.levels.split_at_mut(depth + 1);
            children[0].copy(&parents[depth]);
            if self.board.fill(&mut children[0], cell, value) {
                sum = sum.plus(self.sum(depth + 1, cells, look, tell)?);
            } else {
                self.dead_ends += 1;
            }
        }
        Ok(sum)
    }

    fn make_room(&mut self, depth: usize) {
        while self.levels.len() <= depth {
            self.levels.push(self.board.blank());
        }
    }
}

impl Shortcut<Board> for Parts<'_> {
    /// Where the open cells of a node have become few enough for a look, and fall into parts, these are counted here.
    fn below(&mut self, state: &mut State, tell: Tell) -> ShortcutResult {
        if state.unsettled > state.look {
            return ShortcutResult::Unknown;
        }
        state.look = next_look(state.unsettled);
        let groups = self.groups.split(self.board, state, 0..self.board.open.len() as u32);
        if groups.len() < 2 {
            return ShortcutResult::Unknown;
        }
        match self.count_groups(state, &groups, tell) {
            Ok((solutions, nodes)) => ShortcutResult::Counted(solutions, nodes),
            Err(Stopped) => ShortcutResult::Stopped,
        }
    }
}
