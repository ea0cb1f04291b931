//! The board for any shape: candidates as sets of cells, and the propagation of singles on them.
//!
//! A *plane* is the set of cells that have one value as a candidate, a bit set of `W` words (see "Boards" in
//! `docs/search.md`). A state is one plane for each value, followed by the set of *settled* cells: those whose single
//! candidate was removed from their peers.

mod hidden;

use census_puzzle::Shape;

use crate::search::CellOrder;
use crate::search::endgame::{self, Endgame};
use crate::search::engine::{Engine, Propagation, PropagationResult, Tree};
use crate::search::vectors::Vectors;
use hidden::Houses;

pub(crate) type CellSet<const W: usize> = [u64; W];

/// The tables of a shape. `W` is the number of words of a set. `N` is the order if it is known at compile time (which
/// unrolls the loops over planes), else 0.
pub(crate) struct GenericBoard<const W: usize, const N: usize> {
    order: usize,
    cells: usize,
    all: CellSet<W>,
    peers: Vec<CellSet<W>>,
    houses: Houses,
    /// With cheap propagation, so many open cells are left to the endgame.
    endgame: usize,
    vectors: Vectors,
}

/// The most cells left to the endgame, which reports only every few thousand nodes. On a small board, even few cells can
/// have many solutions, so it gets fewer.
fn endgame_cells(order: usize) -> usize {
    match order {
        0..8 => 20,
        8..=endgame::MAX_VALUES => endgame::MAX_CELLS,
        _ => 0,
    }
}

impl<const W: usize, const N: usize> GenericBoard<W, N> {
    pub(crate) fn new(shape: &Shape) -> Self {
        let set = |cells: &[usize]| {
            let mut set = [0; W];
            for &cell in cells {
                set[cell / 64] |= 1 << (cell % 64);
            }
            set
        };
        GenericBoard {
            order: shape.order(),
            cells: shape.cells(),
            all: set(&Vec::from_iter(0..shape.cells())),
            peers: shape.peers().iter().map(|peers| set(peers)).collect(),
            houses: Houses::of(shape),
            endgame: endgame_cells(shape.order()),
            vectors: Vectors::best(),
        }
    }

    /// The number of open cells from which hidden singles pay. With cheap propagation, they prune large subtrees near the
    /// root; near the leaves, where most nodes are, cheaper nodes win over a smaller tree. Measured on puzzles of orders 6
    /// to 16 with many solutions: the best threshold is four to five open cells a row, and some fifty on larger boards.
    fn hidden_singles_from(&self, propagation: Propagation) -> usize {
        match propagation {
            Propagation::Full => 0,
            Propagation::Cheap => (self.order() * 9 / 2).min(54).max(self.endgame + 1),
        }
    }

    #[inline(always)]
    fn order(&self) -> usize {
        if N == 0 { self.order } else { N }
    }

    /// A plane for each value, then the settled cells.
    #[inline(always)]
    fn state_len(&self) -> usize {
        self.order() + 1
    }

    /// Sets `cell` to `value` (from 0) without further propagation.
    #[inline(always)]
    fn fill(&self, state: &mut [CellSet<W>], cell: usize, value: usize) {
        let (planes, settled) = state[..self.state_len()].split_at_mut(self.order());
        keep_only(planes, cell, value);
        settled[0][cell / 64] |= 1 << (cell % 64);
        self.take_from_peers(&mut planes[value], cell);
    }

    /// Removes the value of `plane` from the peers of `cell`.
    #[inline(always)]
    fn take_from_peers(&self, plane: &mut CellSet<W>, cell: usize) {
        let peers = &self.peers[cell];
        for w in 0..W {
            plane[w] &= !peers[w];
        }
    }

    /// Propagates singles until nothing changes.
    #[inline(always)]
    fn propagate_singles(&self, tree: Tree, state: &mut [CellSet<W>]) -> PropagationResult {
        let hidden_singles_from = self.hidden_singles_from(tree.propagation);
        let (planes, settled) = state[..self.state_len()].split_at_mut(self.order());
        let settled = &mut settled[0];
        loop {
            let (mut once, mut twice) = ([0; W], [0; W]);
            for plane in planes.iter() {
                for w in 0..W {
                    twice[w] |= once[w] & plane[w];
                    once[w] |= plane[w];
                }
            }
            let (mut dead, mut fresh, mut open) = (0, 0, 0);
            let mut singles = [0; W];
            for w in 0..W {
                dead |= self.all[w] & !once[w];
                singles[w] = once[w] & !twice[w] & !settled[w];
                fresh |= singles[w];
                open |= twice[w];
            }
            if dead != 0 {
                return PropagationResult::Contradiction;
            }
            if fresh != 0 {
                for w in 0..W {
                    settled[w] |= singles[w];
                    for bit in bits(singles[w]) {
                        // No plane is left if a peer with the same value has just removed the single.
                        let Some(plane) = planes.iter_mut().find(|plane| plane[w] >> bit & 1 == 1) else {
                            return PropagationResult::Contradiction;
                        };
                        self.take_from_peers(plane, w * 64 + bit);
                    }
                }
                if open != 0 {
                    continue;
                }
            }
            if open == 0 {
                // Every cell has one candidate, and two peers with the same would have lost it above.
                return PropagationResult::Solved;
            }
            if size(&twice) >= hidden_singles_from {
                match self.houses.singles::<W, N>(planes, settled) {
                    None => return PropagationResult::Contradiction,
                    Some(true) => continue,
                    Some(false) => {}
                }
            }
            return PropagationResult::Branch(match (tree.cells, tree.propagation) {
                (CellOrder::First, _) => first(&twice),
                (CellOrder::Fewest, Propagation::Full) => self.most_connected(&self.fewest(planes, &twice)),
                (CellOrder::Fewest, Propagation::Cheap) => first(&self.fewest(planes, &twice)),
            });
        }
    }

    /// For the baseline instructions …
    #[inline(never)]
    fn propagate_plain(&self, tree: Tree, state: &mut [CellSet<W>]) -> PropagationResult {
        self.propagate_singles(tree, state)
    }

    /// … and for AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    fn propagate_avx2(&self, tree: Tree, state: &mut [CellSet<W>]) -> PropagationResult {
        self.propagate_singles(tree, state)
    }

    #[inline(always)]
    fn fewest(&self, planes: &[CellSet<W>], open: &CellSet<W>) -> CellSet<W> {
        let (mut twice, mut thrice, mut once) = ([0; W], [0; W], [0; W]);
        for plane in planes {
            for w in 0..W {
                thrice[w] |= twice[w] & plane[w];
                twice[w] |= once[w] & plane[w];
                once[w] |= plane[w];
            }
        }
        let mut two = [0; W];
        let mut any = 0;
        for w in 0..W {
            two[w] = twice[w] & !thrice[w];
            any |= two[w];
        }
        if any != 0 { two } else { fewest_of_many(planes, open) }
    }

    /// The cell of a set with the most peers in it, the first of them on a tie. In a large set, comparing the first cells
    /// is enough.
    #[inline(always)]
    fn most_connected(&self, set: &CellSet<W>) -> usize {
        const MAX_COMPARED: usize = 32;
        let (mut best, mut most) = (first(set), 0);
        let members = (0..W).flat_map(|w| bits(set[w]).map(move |bit| w * 64 + bit));
        for cell in members.take(MAX_COMPARED) {
            let peers = &self.peers[cell];
            let mut shared = [0; W];
            for w in 0..W {
                shared[w] = set[w] & peers[w];
            }
            let shared = size(&shared);
            if shared > most {
                (best, most) = (cell, shared);
            }
        }
        best
    }
}

impl<const W: usize, const N: usize> Engine for GenericBoard<W, N> {
    type State = Vec<CellSet<W>>;

    fn cells(&self) -> usize {
        self.cells
    }

    fn blank(&self) -> Vec<CellSet<W>> {
        vec![[0; W]; self.state_len()]
    }

    fn load(&self, grid: &[u8], state: &mut Vec<CellSet<W>>) {
        let (planes, settled) = state.split_at_mut(self.order());
        settled[0] = [0; W];
        planes.fill(self.all);
        for (cell, &value) in grid.iter().enumerate().filter(|&(_, &value)| value != 0) {
            keep_only(planes, cell, usize::from(value) - 1);
        }
    }

    fn store(&self, state: &Vec<CellSet<W>>, grid: &mut [u8]) {
        let (planes, settled) = state.split_at(self.order());
        grid.fill(0);
        for (value, plane) in planes.iter().enumerate() {
            for word in 0..W {
                for bit in bits(plane[word] & settled[0][word]) {
                    grid[word * 64 + bit] = value as u8 + 1;
                }
            }
        }
    }

    #[inline(always)]
    fn propagate(&self, tree: Tree, state: &mut Vec<CellSet<W>>) -> PropagationResult {
        match self.vectors {
            Vectors::Plain => self.propagate_plain(tree, state),
            // SAFETY: these variants are only made where the processor has what the function is compiled for.
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx2(..) | Vectors::Avx512(..) => unsafe { self.propagate_avx2(tree, state) },
        }
    }

    fn guess_in_place(&self, tree: Tree, state: &mut Vec<CellSet<W>>, cell: usize, value: usize) -> PropagationResult {
        self.fill(state, cell, value);
        self.propagate(tree, state)
    }

    #[inline(always)]
    fn candidates(&self, state: &Vec<CellSet<W>>, cell: usize) -> u64 {
        let planes = &state[..self.order()];
        let mut values = 0;
        for (value, plane) in planes.iter().enumerate() {
            values |= (plane[cell / 64] >> (cell % 64) & 1) << value;
        }
        values
    }

    fn has_cheap_propagation(&self) -> bool {
        self.endgame > 0
    }

    fn residual_words(&self) -> usize {
        if self.endgame > 0 { W * self.order() } else { 0 }
    }

    fn residual(&self, state: &Vec<CellSet<W>>, residual: &mut [u64]) {
        let (planes, settled) = state.split_at(self.order());
        let (places, _) = residual.as_chunks_mut::<W>();
        for (places, plane) in places.iter_mut().zip(planes) {
            for w in 0..W {
                places[w] = plane[w] & !settled[0][w];
            }
        }
        places.sort_unstable();
    }

    fn load_endgame(&self, state: &Vec<CellSet<W>>, endgame: &mut Endgame) -> bool {
        let (planes, settled) = state.split_at(self.order());
        let open = std::array::from_fn(|w| self.all[w] & !settled[0][w]);
        let few = self.endgame > 0 && size(&open) <= self.endgame;
        if few {
            endgame.load(&open, planes.iter().copied(), |cell| cell, |cell| self.peers[cell]);
        }
        few
    }
}

/// The open cells with the fewest candidates. The candidates of all cells are counted at once in binary, one set of cells
/// for each digit, and compared from the highest digit down.
#[cold]
fn fewest_of_many<const W: usize>(planes: &[CellSet<W>], open: &CellSet<W>) -> CellSet<W> {
    let mut digits = [[0; W]; 7]; // a count of up to 64 has seven binary digits
    for plane in planes {
        let mut carry = *plane;
        for digit in &mut digits {
            for w in 0..W {
                let both = digit[w] & carry[w];
                digit[w] ^= carry[w];
                carry[w] = both;
            }
        }
    }
    let mut fewest = *open;
    for digit in digits.iter().rev() {
        let mut without = fewest;
        for w in 0..W {
            without[w] &= !digit[w];
        }
        if without.iter().any(|&word| word != 0) {
            fewest = without;
        }
    }
    fewest
}

/// Removes all candidates of `cell` but `value`.
#[inline(always)]
pub(crate) fn keep_only<const W: usize>(planes: &mut [CellSet<W>], cell: usize, value: usize) {
    let (w, others) = (cell / 64, !(1 << (cell % 64)));
    let kept = planes[value][w];
    for plane in planes.iter_mut() {
        plane[w] &= others;
    }
    planes[value][w] = kept;
}

/// The set must not be empty.
#[inline(always)]
fn first<const W: usize>(set: &CellSet<W>) -> usize {
    let w = set.iter().position(|&word| word != 0).unwrap_or(0);
    w * 64 + set[w].trailing_zeros() as usize
}

#[inline(always)]
fn size<const W: usize>(set: &CellSet<W>) -> usize {
    set.iter().map(|word| word.count_ones() as usize).sum()
}

/// The positions of the ones, ascending.
#[inline(always)]
pub(crate) fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (word != 0).then(|| {
            let bit = word.trailing_zeros() as usize;
            word &= word - 1;
            bit
        })
    })
}
