//! The board of a large puzzle: only what the givens leave open, and work only where something changes.
//!
//! A large puzzle has thousands of cells, and soon only some dozens of them are open. So a board knows its open cells alone,
//! and a state is a list of sets of at most 64 members each, one for each thing that has to be done exactly once:
//!
//! ```text
//!   a cell has to get a value        the values that are left for it               12: {3, 7}
//!   a house has to get each value    the places in it that are left for the value  row 4, value 7: {2nd, 9th}
//! ```
//!
//! A candidate is a member of its cell's set and of one set for each of its houses. A set with one member left is a single,
//! naked or hidden, and a set without any is a dead end: both are seen when the last but one, or the last, is taken out.

mod engine;

use std::sync::Arc;

use crate::search::CellOrder;
use crate::search::boards::generic::bits;
use crate::search::engine::Engine;
use census_puzzle::Shape;

/// Where there is none.
const NONE: u32 = u32::MAX;

/// The cells of the houses and the houses of the cells, for all boards of a puzzle.
pub(crate) struct Layout {
    pub order: usize,
    /// The cells of each house, one house after the other.
    cells: Vec<u16>,
    /// For each cell its houses, and its place in each.
    homes: Vec<Vec<(usize, u32)>>,
}

impl Layout {
    pub(crate) fn new(shape: &Shape) -> Layout {
        let mut homes = vec![Vec::new(); shape.cells()];
        let mut cells = Vec::with_capacity(shape.houses().len() * shape.order());
        for (number, house) in shape.houses().iter().enumerate() {
            for (place, &cell) in house.cells.iter().enumerate() {
                homes[cell].push((number, place as u32));
                cells.push(cell as u16);
            }
        }
        Layout { order: shape.order(), cells, homes }
    }

    fn houses(&self) -> usize {
        self.cells.len() / self.order
    }
}

/// The open cells of a partial grid. The search knows them by their numbers here, not by those in the grid.
pub(crate) struct Board {
    layout: Arc<Layout>,
    /// The number of each open cell in the grid, ascending.
    pub open: Vec<u16>,
    /// The number of each cell of the grid here.
    index: Vec<u32>,
    /// Which set has the places of a value in a house: `house * order + value`.
    places: Vec<u32>,
    /// The sets as they are at the start: first those of the open cells.
    pub start: Vec<u64>,
    /// Singles at the start.
    singles: Vec<Candidate>,
    /// The grid with nothing in its open cells.
    pub filled: Vec<u8>,
    pub dead: bool,
}

/// A value (from 0) for an open cell.
pub(crate) type Candidate = (u32, u8);

/// What is known at a node.
#[derive(Clone)]
pub(crate) struct State {
    /// The sets of the board.
    pub sets: Vec<u64>,
    /// Open cells with more than one candidate.
    pub unsettled: usize,
    /// It is looked at for parts when so few of them are left.
    pub look: usize,
    /// Singles whose consequences have still to be drawn.
    queue: Vec<Candidate>,
    dead: bool,
}

impl State {
    /// Becomes a copy of a state that has been settled.
    pub(crate) fn copy(&mut self, other: &State) {
        self.sets.clone_from(&other.sets);
        (self.unsettled, self.look) = (other.unsettled, other.look);
    }
}

impl Board {
    /// The board of a partial grid. Nothing but what stands in it is drawn from it.
    pub(crate) fn of_grid(layout: &Arc<Layout>, grid: &[u8]) -> Board {
        let mut used = vec![0u64; layout.houses()];
        let mut dead = false;
        for (cell, &value) in grid.iter().enumerate().filter(|&(_, &value)| value != 0) {
            for &(house, _) in &layout.homes[cell] {
                let bit = 1 << (value - 1);
                dead |= used[house] & bit != 0;
                used[house] |= bit;
            }
        }
        let all = u64::MAX >> (64 - layout.order);
        let free = |cell: usize| all & !layout.homes[cell].iter().fold(0, |sum, &(house, _)| sum | used[house]);
        let open = (0..grid.len()).filter(|&cell| grid[cell] == 0).map(|cell| (cell as u16, free(cell))).collect();
        let mut board = Board::build(Arc::clone(layout), grid.to_vec(), open, &used);
        board.dead |= dead;
        board
    }

    /// The board of what a state has left open.
    pub(crate) fn shrunk(&self, state: &State) -> Board {
        let mut filled = self.filled.clone();
        self.store(state, &mut filled);
        let mut used = vec![0u64; self.layout.houses()];
        for (cell, &value) in filled.iter().enumerate().filter(|&(_, &value)| value != 0) {
            for &(house, _) in &self.layout.homes[cell] {
                used[house] |= 1 << (value - 1);
            }
        }
        let open = self.open.iter().zip(&state.sets).map(|(&cell, &values)| (cell, values));
        let open = open.filter(|&(cell, _)| filled[usize::from(cell)] == 0).collect();
        Board::build(Arc::clone(&self.layout), filled, open, &used)
    }

    /// The board of these open cells with these candidates; `used` are the values that each house has already.
    fn build(layout: Arc<Layout>, filled: Vec<u8>, open: Vec<(u16, u64)>, used: &[u64]) -> Board {
        let order = layout.order;
        let mut index = vec![NONE; filled.len()];
        let mut members = vec![0u64; layout.cells.len()];
        for (number, &(cell, values)) in open.iter().enumerate() {
            index[usize::from(cell)] = number as u32;
            for &(house, place) in &layout.homes[usize::from(cell)] {
                for value in bits(values) {
                    members[house * order + value] |= 1 << place;
                }
            }
        }
        let (open, mut start): (Vec<u16>, Vec<u64>) = open.into_iter().unzip();
        let mut dead = start.contains(&0);
        let single = |set: u64| set.is_power_of_two();
        let mut singles: Vec<Candidate> = (0u32..).zip(&start).filter(|&(_, &set)| single(set)).map(of_cell).collect();
        let mut places = vec![NONE; members.len()];
        for (house, used) in used.iter().enumerate() {
            for value in (0..order).filter(|value| used >> value & 1 == 0) {
                let set = members[house * order + value];
                dead |= set == 0;
                if single(set) {
                    let cell = layout.cells[house * order + set.trailing_zeros() as usize];
                    singles.push((index[usize::from(cell)], value as u8));
                }
                places[house * order + value] = start.len() as u32;
                start.push(set);
            }
        }
        Board { layout, open, index, places, start, singles, filled, dead }
    }

    /// All candidates at the start, cell by cell.
    pub(crate) fn candidates_at_start(&self) -> impl Iterator<Item = Candidate> {
        let cells = (0u32..).zip(&self.start[..self.open.len()]);
        cells.flat_map(|(cell, &values)| bits(values).map(move |value| (cell, value as u8)))
    }

    /// The state at the start.
    pub(crate) fn root(&self) -> State {
        let sets = self.start.clone();
        let unsettled = sets[..self.open.len()].iter().filter(|set| !set.is_power_of_two()).count();
        State { sets, unsettled, look: usize::MAX, queue: self.singles.clone(), dead: self.dead }
    }

    /// The sets that a candidate is a member of, apart from its cell's own, and the house of each.
    #[inline(always)]
    pub(crate) fn sets_of(&self, cell: usize, value: usize) -> impl Iterator<Item = (usize, usize, u32)> {
        let homes = &self.layout.homes[usize::from(self.open[cell])];
        let set = move |house: usize| self.places[house * self.layout.order + value] as usize;
        homes.iter().map(move |&(house, place)| (set(house), house, place))
    }

    /// The open cell at a place of a house.
    #[inline(always)]
    pub(crate) fn cell_at(&self, house: usize, place: u32) -> u32 {
        self.index[usize::from(self.layout.cells[house * self.layout.order + place as usize])]
    }

    /// Takes a candidate out. What becomes a single waits in the queue. `false`: a dead end.
    pub(crate) fn take_out(&self, state: &mut State, cell: usize, value: usize) -> bool {
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

    /// Draws all consequences of what is in the queue. `false`: a dead end.
    pub(crate) fn propagate_singles(&self, state: &mut State) -> bool {
        while let Some((cell, value)) = state.queue.pop() {
            let (cell, value) = (cell as usize, usize::from(value));
            if state.sets[cell] >> value & 1 == 0 {
                return false;
            }
            for other in bits(state.sets[cell] & !(1 << value)) {
                if !self.take_out(state, cell, other) {
                    return false;
                }
            }
            for (set, house, place) in self.sets_of(cell, value) {
                for other in bits(state.sets[set] & !(1 << place)) {
                    if !self.take_out(state, self.cell_at(house, other as u32) as usize, value) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Puts `value` into `cell` and draws all consequences. `false`: a dead end.
    pub(crate) fn fill(&self, state: &mut State, cell: usize, value: usize) -> bool {
        state.queue.clear();
        state.queue.push((cell as u32, value as u8));
        self.propagate_singles(state)
    }

    /// The unsettled cell to guess next, of some of the board's; `None`: they all have their value.
    pub(crate) fn choose(order: CellOrder, state: &State, cells: impl Iterator<Item = usize>) -> Option<usize> {
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
}

/// The last candidate of a cell.
fn of_cell((cell, set): (u32, &u64)) -> Candidate {
    (cell, set.trailing_zeros() as u8)
}
