//! Counts independent components of the open cells separately: a plain search would search each component again for
//! every solution of the others.

use crate::Solutions;
use crate::search::CellOrder;
use crate::search::boards::generic::bits;
use crate::search::endgame::{LeafTally, Report};
use crate::search::engine::Engine;

use super::board::{LargeBoard, LargeState};

/// Components are searched again when this fraction of the unsettled cells is left: finding them takes longer than a node.
const LEFT_TO_SPLIT_AGAIN: (usize, usize) = (3, 4);
/// Nodes between two polls of the control.
const NODES_BETWEEN_POLLS: u64 = 512;

fn next_split(now: usize) -> usize {
    now * LEFT_TO_SPLIT_AGAIN.0 / LEFT_TO_SPLIT_AGAIN.1
}

pub(crate) struct Stopped;

pub(crate) struct ComponentCounter<'a> {
    board: &'a LargeBoard,
    order: CellOrder,
    levels: Vec<LargeState>,
    finder: ComponentFinder,
    nodes: u64,
    pub dead_ends: u64,
}

struct ComponentFinder {
    /// The number of the last search that visited each set.
    visited: Vec<u32>,
    search: u32,
}

impl ComponentFinder {
    /// Splits the unsettled cells among `cells` into components: no candidate of one shares a set with a candidate of
    /// another.
    fn split(&mut self, board: &LargeBoard, state: &LargeState, cells: impl Iterator<Item = u32>) -> Vec<Vec<u32>> {
        self.search = self.search.checked_add(1).unwrap_or_else(|| {
            self.visited.fill(0);
            1
        });
        let mut components = Vec::new();
        for first in cells {
            if state.sets[first as usize].is_power_of_two() || !self.visit(first as usize) {
                continue;
            }
            let mut component = vec![first];
            let mut at = 0;
            while let Some(&cell) = component.get(at) {
                at += 1;
                for value in bits(state.sets[cell as usize]) {
                    for (set, house, _) in board.sets_of(cell as usize, value) {
                        if !self.visit(set) {
                            continue;
                        }
                        for place in bits(state.sets[set]) {
                            let other = board.cell_at(house, place as u32);
                            if self.visit(other as usize) {
                                component.push(other);
                            }
                        }
                    }
                }
            }
            component.sort_unstable();
            components.push(component);
        }
        components
    }

    fn visit(&mut self, set: usize) -> bool {
        std::mem::replace(&mut self.visited[set], self.search) != self.search
    }
}

impl<'a> ComponentCounter<'a> {
    pub(crate) fn new(board: &'a LargeBoard, order: CellOrder) -> Self {
        let finder = ComponentFinder { visited: vec![0; board.start.len()], search: 0 };
        ComponentCounter { board, order, levels: Vec::new(), finder, nodes: 0, dead_ends: 0 }
    }

    /// Counts all open cells of a state: the solutions, and the nodes not reported yet.
    pub(crate) fn count(&mut self, state: &LargeState, report: Report) -> Result<(Solutions, u64), Stopped> {
        let components = self.finder.split(self.board, state, 0..self.board.open.len() as u32);
        self.count_components(state, &components, report)
    }

    fn count_components(
        &mut self,
        state: &LargeState,
        components: &[Vec<u32>],
        report: Report,
    ) -> Result<(Solutions, u64), Stopped> {
        self.ensure_level(0);
        self.levels[0].clone_from(state);
        let solutions = self.product(0, components, report)?;
        Ok((solutions, self.unreported().nodes))
    }

    fn unreported(&mut self) -> LeafTally {
        LeafTally { solutions: 0, nodes: std::mem::take(&mut self.nodes) }
    }

    fn product(&mut self, depth: usize, components: &[Vec<u32>], report: Report) -> Result<Solutions, Stopped> {
        let mut product = Solutions::new(1);
        // The smallest first: if it has no solution, the others need not be counted.
        let mut by_size: Vec<&Vec<u32>> = components.iter().collect();
        by_size.sort_by_key(|component| component.len());
        for component in by_size {
            product = product.times(self.sum(depth, component, next_split(component.len()), report)?);
            if product == Solutions::ZERO {
                break;
            }
        }
        Ok(product)
    }

    /// Counts some cells of the state on level `depth`. They are split into components when at most `next_split` of them
    /// are left.
    fn sum(&mut self, depth: usize, cells: &[u32], next_split: usize, report: Report) -> Result<Solutions, Stopped> {
        let state = &self.levels[depth];
        let Some(cell) = LargeBoard::choose(self.order, state, cells.iter().map(|&cell| cell as usize)) else {
            return Ok(Solutions::new(1));
        };
        let unsettled = cells.iter().filter(|&&cell| !state.sets[cell as usize].is_power_of_two()).count();
        if unsettled <= next_split {
            let components = self.finder.split(self.board, state, cells.iter().copied());
            return self.product(depth, &components, report);
        }
        self.ensure_level(depth + 1);
        let mut sum = Solutions::ZERO;
        for value in bits(self.levels[depth].sets[cell]) {
            self.nodes += 1;
            if self.nodes >= NODES_BETWEEN_POLLS && !report(self.unreported()) {
                return Err(Stopped);
            }
            let (parents, children) = self.levels.split_at_mut(depth + 1);
            children[0].clone_from(&parents[depth]);
            if self.board.fill(&mut children[0], cell, value) {
                sum = sum.plus(self.sum(depth + 1, cells, next_split, report)?);
            } else {
                self.dead_ends += 1;
            }
        }
        Ok(sum)
    }

    fn ensure_level(&mut self, depth: usize) {
        while self.levels.len() <= depth {
            self.levels.push(self.board.blank());
        }
    }
    /// Splits a node once its unsettled cells are few enough, and counts its components if there are several.
    pub(crate) fn below(
        &mut self,
        state: &mut LargeState,
        report: Report,
    ) -> Result<Option<(Solutions, u64)>, Stopped> {
        if state.unsettled > state.next_split {
            return Ok(None);
        }
        state.next_split = next_split(state.unsettled);
        let components = self.finder.split(self.board, state, 0..self.board.open.len() as u32);
        if components.len() < 2 {
            return Ok(None);
        }
        self.count_components(state, &components, report).map(Some)
    }
}
