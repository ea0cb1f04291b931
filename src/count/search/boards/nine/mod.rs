//! The board for a plain 9×9: a state is nine planes in five vector registers.
//!
//! The plane of a value has one bit for each cell that has the value as a candidate, band by band. A spare bit behind each
//! row takes the carry of sums, so that it does not reach the next row:
//!
//! ```text
//!   bit of a lane    29 28 … 20   19 18 … 10    9  8 … 0
//!                     ╎ row 3      ╎ row 2      ╎ row 1        one lane a band, one empty
//!   slot of a value  [ band 1 | band 2 | band 3 |    ]
//!   planes           [ 1 | 2 ]  [ 3 | 4 ]  [ 5 | 6 ]  [ 7 | 8 ]  [ 9 |   ]
//! ```

mod propagate;
#[cfg(test)]
mod tests;

use census_puzzle::Shape;

use crate::search::CellOrder;
use crate::search::boards::generic::bits;
use crate::search::endgame::{self, Endgame};
use crate::search::engine::{Engine, Propagation, PropagationResult, Tree};
#[cfg(target_arch = "x86_64")]
use crate::search::vectors::Avx2Pair;
use crate::search::vectors::{PlainPair, Slot, SlotPair, Vectors};
use propagate::{Open, propagate};

const PAIRS: usize = 5;
/// The cells of the first row of a band.
const ROW: u32 = 0x1FF;
const ROW_STARTS: u32 = 1 | 1 << 10 | 1 << 20;
const ALL: u32 = ROW * ROW_STARTS;
/// The spare bit behind each row.
const SPARES: u32 = ROW_STARTS << 9;
/// The first column of each box, in the first row.
const BOXES: u32 = 1 | 1 << 3 | 1 << 6;

#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct NineState {
    planes: [[Slot; 2]; PAIRS],
    /// The cells whose value was removed from their peers, in both slots.
    settled: [Slot; 2],
}

impl NineState {
    #[inline(always)]
    fn plane(&self, value: usize) -> &Slot {
        &self.planes[value / 2][value % 2]
    }
}

pub(crate) struct NineBoard {
    /// Each cell, and its peers, in both slots.
    cells: [[Slot; 2]; 81],
    peers: [[Slot; 2]; 81],
    values: [[[Slot; 2]; PAIRS]; 9],
    vectors: Vectors,
}

fn bit_of(cell: usize) -> (usize, u32) {
    (cell / 27, (cell % 27 / 9 * 10 + cell % 9) as u32)
}

#[inline(always)]
fn cell_of(lane: usize, bit: u32) -> usize {
    lane * 27 + bit as usize / 10 * 9 + bit as usize % 10
}

/// Compiles [`NineBoard::run_with`] for different instructions.
macro_rules! for_instructions {
    ($($(#[$attribute:meta])+ $name:ident: $pair:ty;)+) => {$(
        $(#[$attribute])+
        fn $name(
            &self,
            proof: <$pair as SlotPair>::Proof,
            tree: Tree,
            from: &NineState,
            guess: Option<(usize, usize)>,
            into: &mut NineState,
        ) -> PropagationResult {
            self.run_with::<$pair>(proof, tree, from, guess, into)
        }
    )+};
}

impl NineBoard {
    /// The shape must be a plain 9×9.
    pub(crate) fn new(shape: &Shape) -> NineBoard {
        NineBoard::with(shape, Vectors::best())
    }

    fn with(shape: &Shape, vectors: Vectors) -> NineBoard {
        let set = |cells: &[usize]| {
            let mut slot = [0; 4];
            for (lane, bit) in cells.iter().map(|&cell| bit_of(cell)) {
                slot[lane] |= 1 << bit;
            }
            [slot; 2]
        };
        let mut values = [[[[0; 4]; 2]; PAIRS]; 9];
        for (value, masks) in values.iter_mut().enumerate() {
            masks[value / 2][value % 2] = [u32::MAX; 4];
        }
        let peers = shape.peers();
        NineBoard {
            cells: std::array::from_fn(|cell| set(&[cell])),
            peers: std::array::from_fn(|cell| set(&peers[cell])),
            values,
            vectors,
        }
    }

    #[inline(always)]
    fn run(
        &self,
        tree: Tree,
        from: &NineState,
        guess: Option<(usize, usize)>,
        into: &mut NineState,
    ) -> PropagationResult {
        match self.vectors {
            Vectors::Plain => self.run_plain((), tree, from, guess, into),
            // SAFETY: these variants are only made where the processor has what the functions are compiled for.
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx2(proof) => unsafe { self.run_avx2(proof, tree, from, guess, into) },
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx512(proof, _) => unsafe { self.run_avx512(proof, tree, from, guess, into) },
        }
    }

    for_instructions! {
        #[inline(never)]
        run_plain: PlainPair;
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        run_avx2: Avx2Pair;
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,bmi1,bmi2,popcnt")]
        run_avx512: Avx2Pair;
    }

    #[inline(always)]
    fn run_with<V: SlotPair>(
        &self,
        proof: V::Proof,
        tree: Tree,
        from: &NineState,
        guess: Option<(usize, usize)>,
        into: &mut NineState,
    ) -> PropagationResult {
        match propagate::<V>(proof, self, tree.propagation, from, guess, into) {
            None => PropagationResult::Contradiction,
            Some(Open { all, .. }) if all == [0; 4] => PropagationResult::Solved,
            Some(open) => PropagationResult::Branch(match (tree.cells, tree.propagation) {
                (CellOrder::First, _) => first(open.all),
                (CellOrder::Fewest, Propagation::Full) => self.most_connected(fewest(into, open)),
                (CellOrder::Fewest, Propagation::Cheap) => first(fewest(into, open)),
            }),
        }
    }

    /// The cell of a set with the most peers in it, the first of them on a tie.
    #[inline(always)]
    fn most_connected(&self, set: Slot) -> usize {
        let (mut best, mut most) = (0, 0);
        for lane in 0..3 {
            for bit in bits(set[lane].into()) {
                let cell = cell_of(lane, bit as u32);
                let peers = &self.peers[cell][0];
                let shared = |lane: usize| (set[lane] & peers[lane]).count_ones();
                let shared = 1 + shared(0) + shared(1) + shared(2);
                if shared > most {
                    (best, most) = (cell, shared);
                }
            }
        }
        best
    }
}

/// The set must not be empty.
#[inline(always)]
fn first(set: Slot) -> usize {
    let lane = set.iter().position(|&lane| lane != 0).unwrap_or(0);
    cell_of(lane, set[lane].trailing_zeros())
}

#[inline(always)]
fn fewest(state: &NineState, open: Open) -> Slot {
    if open.two != [0; 4] { open.two } else { fewest_of_many(state, open.all) }
}

/// For states without a cell of two candidates.
#[cold]
fn fewest_of_many(state: &NineState, open: Slot) -> Slot {
    let (mut fewest, mut set) = (u32::MAX, [0; 4]);
    for lane in 0..3 {
        for bit in bits(open[lane].into()) {
            let count = (0..9).filter(|&value| state.plane(value)[lane] >> bit & 1 == 1).count() as u32;
            if count < fewest {
                (fewest, set) = (count, [0; 4]);
            }
            if count == fewest {
                set[lane] |= 1 << bit;
            }
        }
    }
    set
}

impl Engine for NineBoard {
    type State = NineState;

    fn cells(&self) -> usize {
        81
    }

    fn blank(&self) -> NineState {
        NineState { planes: [[[0; 4]; 2]; PAIRS], settled: [[0; 4]; 2] }
    }

    fn load(&self, grid: &[u8], state: &mut NineState) {
        let mut given = [[0u32; 4]; 10];
        let mut any = [0u32; 4];
        for (cell, &value) in grid.iter().enumerate().filter(|&(_, &value)| value != 0) {
            let (lane, bit) = bit_of(cell);
            given[usize::from(value) - 1][lane] |= 1 << bit;
            any[lane] |= 1 << bit;
        }
        for (value, given) in given.iter().enumerate().take(9) {
            state.planes[value / 2][value % 2] =
                std::array::from_fn(|lane| if lane < 3 { ALL & !any[lane] | given[lane] } else { 0 });
        }
        state.planes[4][1] = [0; 4];
        state.settled = [[0; 4]; 2];
    }

    fn store(&self, state: &NineState, grid: &mut [u8]) {
        grid.fill(0);
        for value in 0..9 {
            for lane in 0..3 {
                for bit in bits((state.plane(value)[lane] & state.settled[0][lane]).into()) {
                    grid[cell_of(lane, bit as u32)] = value as u8 + 1;
                }
            }
        }
    }

    fn propagate(&self, tree: Tree, state: &mut NineState) -> PropagationResult {
        let before = *state;
        self.run(tree, &before, None, state)
    }

    #[inline(always)]
    fn guess(
        &self,
        tree: Tree,
        parent: &NineState,
        child: &mut NineState,
        cell: usize,
        value: usize,
    ) -> PropagationResult {
        self.run(tree, parent, Some((cell, value)), child)
    }

    #[inline(always)]
    fn guess_in_place(&self, tree: Tree, state: &mut NineState, cell: usize, value: usize) -> PropagationResult {
        let parent = *state;
        self.run(tree, &parent, Some((cell, value)), state)
    }

    #[inline(always)]
    fn candidates(&self, state: &NineState, cell: usize) -> u64 {
        let (lane, bit) = bit_of(cell);
        (0..9).fold(0, |values, value| values | u64::from(state.plane(value)[lane] >> bit & 1) << value)
    }

    fn residual_words(&self) -> usize {
        0 // sparse plain 9×9 are for the method `bands`
    }

    fn load_endgame(&self, state: &NineState, endgame: &mut Endgame) -> bool {
        let wide = |slot: &Slot| [u64::from(slot[0]) | u64::from(slot[1]) << 32, u64::from(slot[2])];
        let open = std::array::from_fn(|lane| if lane < 3 { ALL & !state.settled[0][lane] } else { 0 });
        if open.iter().map(|lane: &u32| lane.count_ones()).sum::<u32>() as usize > endgame::MAX_CELLS {
            return false;
        }
        let cell = |bit: usize| cell_of(bit / 32, bit as u32 % 32);
        endgame
            .load(&wide(&open), (0..9).map(|value| wide(state.plane(value))), cell, |cell| wide(&self.peers[cell][0]));
        true
    }
}
