//! The board of a large puzzle: it has only the cells that the givens leave open, and its work is proportional to what
//! changes.
//!
//! A state is a list of sets of at most 64 members, one for each constraint of an exact cover: the candidates of a
//! cell, and the places of a value in a house. A set with one member is a naked or hidden single, and an empty set is a
//! contradiction: both are detected when the last but one, or the last, member is removed.

use std::sync::Arc;

use crate::search::CellOrder;
use crate::search::boards::generic::bits;
use crate::search::engine::{Engine, PropagationResult, Tree};
use census_puzzle::Shape;

/// Marks a missing set or cell.
const NONE: u32 = u32::MAX;

/// The cells of the houses and the houses of the cells, shared by all boards of a puzzle.
pub(crate) struct Layout {
    pub order: usize,
    /// The cells of each house, one house after the other.
    cells: Vec<u16>,
    /// For each cell its houses, and its place in each.
    houses_of: Vec<Vec<(usize, u32)>>,
}

impl Layout {
    pub(crate) fn new(shape: &Shape) -> Layout {
        let mut houses_of = vec![Vec::new(); shape.cells()];
        let mut cells = Vec::with_capacity(shape.houses().len() * shape.order());
        for (number, house) in shape.houses().iter().enumerate() {
            for (place, &cell) in house.cells.iter().enumerate() {
                houses_of[cell].push((number, place as u32));
                cells.push(cell as u16);
            }
        }
        Layout { order: shape.order(), cells, houses_of }
    }
}

/// The open cells of a partial grid. The search uses their indices here, not those of the grid.
pub(crate) struct LargeBoard {
    layout: Arc<Layout>,
    /// The grid index of each open cell, ascending.
    pub open: Vec<u16>,
    /// The index here of each cell of the grid.
    index: Vec<u32>,
    /// The set of the places of a value in a house, at `house * order + value`.
    places: Vec<u32>,
    /// The sets at the start: first those of the open cells.
    pub start: Vec<u64>,
    singles: Vec<Candidate>,
    /// The grid, with 0 in its open cells.
    pub filled: Vec<u8>,
    pub contradiction: bool,
}

pub(crate) type Candidate = (u32, u8);

#[derive(Default)]
pub(crate) struct LargeState {
    pub sets: Vec<u64>,
    pub unsettled: usize,
    /// The state is split into components when so few cells are unsettled.
    pub next_split: usize,
    /// Singles not propagated yet.
    queue: Vec<Candidate>,
    contradiction: bool,
}

impl Clone for LargeState {
    fn clone(&self) -> LargeState {
        let mut state = LargeState::default();
        state.clone_from(self);
        state
    }

    /// Keeps the allocations.
    fn clone_from(&mut self, other: &LargeState) {
        self.sets.clone_from(&other.sets);
        self.queue.clone_from(&other.queue);
        (self.unsettled, self.next_split) = (other.unsettled, other.next_split);
        self.contradiction = other.contradiction;
    }
}

impl LargeBoard {
    /// The board of a partial grid, without propagation.
    pub(crate) fn of_grid(layout: &Arc<Layout>, grid: &[u8]) -> LargeBoard {
        LargeBoard::build(layout, grid.to_vec(), |_| u64::MAX)
    }

    /// The board of the cells that a state leaves open.
    pub(crate) fn shrink(&self, state: &LargeState) -> LargeBoard {
        let mut filled = self.filled.clone();
        self.store(state, &mut filled);
        LargeBoard::build(&self.layout, filled, |cell| state.sets[self.index[cell] as usize])
    }

    /// `allowed` returns the values that an open cell may have; its houses exclude more. Slower if inlined.
    #[inline(never)]
    fn build(layout: &Arc<Layout>, filled: Vec<u8>, allowed: impl Fn(usize) -> u64) -> LargeBoard {
        let order = layout.order;
        let mut twice = 0;
        let mut used = vec![0u64; layout.cells.len() / order];
        let all_cells = || filled.iter().zip(&layout.houses_of);
        for (&value, houses) in all_cells().filter(|(value, _)| **value != 0) {
            let bit = 1 << (value - 1);
            for &(house, _) in houses {
                twice |= used[house] & bit;
                used[house] |= bit;
            }
        }
        let cells = filled.len();
        let (mut open, mut start) = (Vec::with_capacity(cells), Vec::with_capacity(cells));
        let mut index = vec![NONE; cells];
        let mut members = vec![0u64; layout.cells.len()];
        for (cell, (_, houses)) in all_cells().enumerate().filter(|(_, (value, _))| **value == 0) {
            let all = u64::MAX >> (64 - order) & allowed(cell);
            let values = all & !houses.iter().fold(0, |sum, &(house, _)| sum | used[house]);
            for &(house, place) in houses {
                for value in bits(values) {
                    members[house * order + value] |= 1 << place;
                }
            }
            index[cell] = open.len() as u32;
            open.push(cell as u16);
            start.push(values);
        }
        let mut contradiction = twice != 0 || start.contains(&0);
        let single = |set: u64| set.is_power_of_two();
        let cells = (0u32..).zip(&start).filter(|&(_, &set)| single(set));
        let mut singles: Vec<Candidate> = cells.map(|(cell, set)| (cell, set.trailing_zeros() as u8)).collect();
        let mut places = vec![NONE; members.len()];
        for (house, used) in used.iter().enumerate() {
            for value in (0..order).filter(|value| used >> value & 1 == 0) {
                let set = members[house * order + value];
                contradiction |= set == 0;
                if single(set) {
                    let cell = layout.cells[house * order + set.trailing_zeros() as usize];
                    singles.push((index[usize::from(cell)], value as u8));
                }
                places[house * order + value] = start.len() as u32;
                start.push(set);
            }
        }
        LargeBoard { layout: Arc::clone(layout), open, index, places, start, singles, filled, contradiction }
    }

    /// All candidates at the start, cell by cell.
    pub(crate) fn candidates_at_start(&self) -> impl Iterator<Item = Candidate> {
        let cells = (0u32..).zip(&self.start[..self.open.len()]);
        cells.flat_map(|(cell, &values)| bits(values).map(move |value| (cell, value as u8)))
    }

    pub(crate) fn root(&self) -> LargeState {
        let sets = self.start.clone();
        let unsettled = sets[..self.open.len()].iter().filter(|set| !set.is_power_of_two()).count();
        LargeState {
            sets,
            unsettled,
            next_split: usize::MAX,
            queue: self.singles.clone(),
            contradiction: self.contradiction,
        }
    }

    /// The sets of a candidate other than its cell's: the set, its house, and the place in the house.
    #[inline(always)]
    pub(crate) fn sets_of(&self, cell: usize, value: usize) -> impl Iterator<Item = (usize, usize, u32)> {
        let houses_of = &self.layout.houses_of[usize::from(self.open[cell])];
        let set = move |house: usize| self.places[house * self.layout.order + value] as usize;
        houses_of.iter().map(move |&(house, place)| (set(house), house, place))
    }

    #[inline(always)]
    pub(crate) fn cell_at(&self, house: usize, place: u32) -> u32 {
        self.index[usize::from(self.layout.cells[house * self.layout.order + place as usize])]
    }

    /// Eliminates a candidate. New singles go into the queue. `false`: a contradiction.
    pub(crate) fn eliminate(&self, state: &mut LargeState, cell: usize, value: usize) -> bool {
        let bit = 1 << value;
        let left = state.sets[cell] & !bit;
        if left == state.sets[cell] {
            return true;
        }
        state.sets[cell] = left;
        if left & left.wrapping_sub(1) == 0 {
            if left == 0 {
                return false;
            }
            state.unsettled -= 1;
            state.queue.push((cell as u32, left.trailing_zeros() as u8));
        }
        for (set, house, place) in self.sets_of(cell, value) {
            let left = state.sets[set] & !(1 << place);
            state.sets[set] = left;
            if left & left.wrapping_sub(1) == 0 {
                if left == 0 {
                    return false;
                }
                state.queue.push((self.cell_at(house, left.trailing_zeros()), value as u8));
            }
        }
        true
    }

    /// Propagates the queue. `false`: a contradiction.
    pub(crate) fn propagate_singles(&self, state: &mut LargeState) -> bool {
        while let Some((cell, value)) = state.queue.pop() {
            let (cell, value) = (cell as usize, usize::from(value));
            if state.sets[cell] >> value & 1 == 0 {
                return false;
            }
            for other in bits(state.sets[cell] & !(1 << value)) {
                if !self.eliminate(state, cell, other) {
                    return false;
                }
            }
            for (set, house, place) in self.sets_of(cell, value) {
                for other in bits(state.sets[set] & !(1 << place)) {
                    if !self.eliminate(state, self.cell_at(house, other as u32) as usize, value) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Sets `cell` to `value` and propagates. `false`: a contradiction.
    pub(crate) fn fill(&self, state: &mut LargeState, cell: usize, value: usize) -> bool {
        state.queue.clear();
        state.queue.push((cell as u32, value as u8));
        self.propagate_singles(state)
    }

    /// The unsettled cell to branch on, among some cells. `None`: all of them are settled.
    pub(crate) fn choose(order: CellOrder, state: &LargeState, cells: impl Iterator<Item = usize>) -> Option<usize> {
        let mut best = None;
        let mut fewest = u32::MAX;
        for cell in cells {
            let left = state.sets[cell].count_ones();
            if left > 1 && left < fewest {
                (best, fewest) = (Some(cell), left);
                if left == 2 || order == CellOrder::First {
                    break;
                }
            }
        }
        best
    }

    fn next(&self, tree: Tree, state: &LargeState, alive: bool) -> PropagationResult {
        if !alive {
            return PropagationResult::Contradiction;
        }
        let next = LargeBoard::choose(tree.cells, state, 0..self.open.len());
        next.map_or(PropagationResult::Solved, PropagationResult::Branch)
    }
}

impl Engine for LargeBoard {
    type State = LargeState;

    fn cells(&self) -> usize {
        self.filled.len()
    }

    fn blank(&self) -> LargeState {
        LargeState::default()
    }

    /// A grid that contradicts a cell filled in by this board has no solution: another engine may have guessed a value that
    /// this board has excluded.
    fn load(&self, grid: &[u8], state: &mut LargeState) {
        *state = self.root();
        state.contradiction |=
            grid.iter().zip(&self.filled).any(|(&value, &known)| value != 0 && known != 0 && value != known);
        for (number, &cell) in (0..).zip(&self.open) {
            let value = grid[usize::from(cell)];
            if value != 0 {
                state.queue.push((number, value - 1));
            }
        }
    }

    fn store(&self, state: &LargeState, grid: &mut [u8]) {
        grid.copy_from_slice(&self.filled);
        for (&cell, set) in self.open.iter().zip(&state.sets) {
            if set.is_power_of_two() {
                grid[usize::from(cell)] = set.trailing_zeros() as u8 + 1;
            }
        }
    }

    fn propagate(&self, tree: Tree, state: &mut LargeState) -> PropagationResult {
        let alive = !state.contradiction && self.propagate_singles(state);
        self.next(tree, state, alive)
    }

    fn guess_in_place(&self, tree: Tree, state: &mut LargeState, cell: usize, value: usize) -> PropagationResult {
        let alive = self.fill(state, cell, value);
        self.next(tree, state, alive)
    }

    fn candidates(&self, state: &LargeState, cell: usize) -> u64 {
        state.sets[cell]
    }

    fn has_cheap_propagation(&self) -> bool {
        false
    }
}
