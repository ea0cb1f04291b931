//! The state of a search and the propagation of singles, on sets of cells.
//!
//! A *plane* is the set of cells in which one value is still possible, as a bit set of `W` words. A state is one plane
//! for each value and, behind them, the set of *settled* cells: those whose single candidate has been taken away from
//! their peers.
//!
//! ```text
//!            cell:   0 1 2 3 4 …                 one bit a cell, row by row
//!   plane of 1       1 . . . 1 …
//!   plane of 2       . 1 1 . 1 …    cell 0: {1}   cell 1: {2}   cell 2: {2, 9}   cell 3: {9}   cell 4: {1, 2}
//!     ⋮
//!   plane of 9       . . 1 1 . …
//!   settled          1 1 . 1 . …
//! ```
//!
//! One pass over the planes with two accumulators, *once* and *twice*, finds the naked singles of the whole grid and
//! its dead cells at the same time, at the cost of a few word operations a plane. A settled cell takes its value away
//! from its peers by one and-not of a precomputed set. Nothing depends on what the houses are: a jigsaw with diagonals
//! runs the same code as a plain grid.
//!
//! The candidates of a state follow from its settled cells alone, so a partial grid says all there is to say about a
//! node: that is what makes a unit.

mod hidden;

use census_puzzle::Shape;

use crate::search::CellOrder;
use crate::search::endgame::{self, Endgame};
use crate::search::engine::{Engine, Propagation, PropagationResult, Tree};
use crate::search::vectors::Vectors;
use hidden::{Hidden, Houses};

/// A set of cells.
pub(crate) type Cells<const W: usize> = [u64; W];

/// Everything about a shape that the search looks up: `W` words a set; `N` is the order where it is known when the
/// program is compiled (it unrolls the loops over planes), else 0.
pub(crate) struct Board<const W: usize, const N: usize> {
    order: usize,
    cells: usize,
    all: Cells<W>,
    peers: Vec<Cells<W>>,
    houses: Houses,
    /// In a bushy tree, so many cells are left to the tail.
    tail: usize,
    vectors: Vectors,
}

/// The most cells that are left to the tail. It tells how far it is only now and then, and so what it takes must not be too
/// much: on a small board, even few cells can have many solutions.
fn tail_of(order: usize) -> usize {
    match order {
        0..8 => 20,
        8..=endgame::MOST_VALUES => endgame::MOST,
        _ => 0,
    }
}

impl<const W: usize, const N: usize> Board<W, N> {
    pub(crate) fn new(shape: &Shape) -> Self {
        let set = |cells: &[usize]| {
            let mut set = [0; W];
            for &cell in cells {
                set[cell / 64] |= 1 << (cell % 64);
            }
            set
        };
        Board {
            order: shape.order(),
            cells: shape.cells(),
            all: set(&Vec::from_iter(0..shape.cells())),
            peers: shape.peers().iter().map(|peers| set(peers)).collect(),
            houses: Houses::of(shape),
            tail: tail_of(shape.order()),
            vectors: Vectors::best(),
        }
    }

    /// The open cells from which hidden singles pay for themselves. In a bushy tree, they prune what is large while the tree
    /// is young; near the leaves, where most nodes are, a cheaper node wins over a smaller tree. Measured on puzzles with
    /// many solutions of orders 6 to 16: four to five open cells a row are a good place to change over, and on larger boards
    /// some fifty in all.
    fn hidden_singles_from(&self, growth: Propagation) -> usize {
        match growth {
            Propagation::Full => 0,
            Propagation::Cheap => (self.order() * 9 / 2).min(54).max(self.tail + 1),
        }
    }

    #[inline(always)]
    fn order(&self) -> usize {
        if N == 0 { self.order } else { N }
    }

    /// The sets of one state: a plane for each value, then the settled cells.
    #[inline(always)]
    fn state_len(&self) -> usize {
        self.order() + 1
    }

    /// Puts `value` (from 0) into `cell`; what follows from that is up to [`Engine::propagate`].
    #[inline(always)]
    fn fill(&self, state: &mut [Cells<W>], cell: usize, value: usize) {
        let (planes, settled) = state[..self.state_len()].split_at_mut(self.order());
        keep_only(planes, cell, value);
        settled[0][cell / 64] |= 1 << (cell % 64);
        self.take_from_peers(&mut planes[value], cell);
    }

    /// Takes `cell` to hold the value of `plane`: none of its peers can.
    #[inline(always)]
    fn take_from_peers(&self, plane: &mut Cells<W>, cell: usize) {
        let peers = &self.peers[cell];
        for w in 0..W {
            plane[w] &= !peers[w];
        }
    }

    /// Propagates singles as far as they go and says what comes next.
    #[inline(always)]
    fn propagate(&self, tree: Tree, state: &mut [Cells<W>]) -> PropagationResult {
        let hidden_singles_from = self.hidden_singles_from(tree.growth);
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
                        // A single whose one plane has just lost it to a peer of the same value has nothing left.
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
                // Every cell has one candidate, and no two that count_splitting a house the same one: see above.
                return PropagationResult::Solved;
            }
            if size(&twice) >= hidden_singles_from {
                match self.houses.singles::<W, N>(planes, settled) {
                    Hidden::Contradiction => return PropagationResult::Contradiction,
                    Hidden::Found => continue,
                    Hidden::None => {}
                }
            }
            return PropagationResult::Branch(match (tree.cells, tree.growth) {
                (CellOrder::First, _) => first(&twice),
                (CellOrder::Fewest, Propagation::Full) => self.most_connected(&self.fewest(planes, &twice)),
                (CellOrder::Fewest, Propagation::Cheap) => first(&self.fewest(planes, &twice)),
            });
        }
    }

    /// The same, compiled once for what every target has …
    #[inline(never)]
    fn propagate_plain(&self, tree: Tree, state: &mut [Cells<W>]) -> PropagationResult {
        self.propagate(tree, state)
    }

    /// … and once for more instructions.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    fn propagate_avx2(&self, tree: Tree, state: &mut [Cells<W>]) -> PropagationResult {
        self.propagate(tree, state)
    }

    /// The open cells with the fewest candidates.
    #[inline(always)]
    fn fewest(&self, planes: &[Cells<W>], open: &Cells<W>) -> Cells<W> {
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

    /// The cell of a set with the most peers in it, the first of them where several have. A large set says little
    /// about any one of its cells, so only its first cells are looked at.
    #[inline(always)]
    fn most_connected(&self, set: &Cells<W>) -> usize {
        const LOOK_AT: usize = 32;
        let (mut best, mut most) = (first(set), 0);
        let members = (0..W).flat_map(|w| bits(set[w]).map(move |bit| w * 64 + bit));
        for cell in members.take(LOOK_AT) {
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

impl<const W: usize, const N: usize> Engine for Board<W, N> {
    /// The planes, then the settled cells.
    type State = Vec<Cells<W>>;

    fn cells(&self) -> usize {
        self.cells
    }

    fn blank(&self) -> Vec<Cells<W>> {
        vec![[0; W]; self.state_len()]
    }

    fn load(&self, grid: &[u8], state: &mut Vec<Cells<W>>) {
        let (planes, settled) = state.split_at_mut(self.order());
        settled[0] = [0; W];
        planes.fill(self.all);
        for (cell, &value) in grid.iter().enumerate().filter(|&(_, &value)| value != 0) {
            keep_only(planes, cell, usize::from(value) - 1);
        }
    }

    fn store(&self, state: &Vec<Cells<W>>, grid: &mut [u8]) {
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
    fn propagate(&self, tree: Tree, state: &mut Vec<Cells<W>>) -> PropagationResult {
        match self.vectors {
            Vectors::Plain => self.propagate_plain(tree, state),
            // SAFETY: these variants are only made where the processor has what the function is compiled for.
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx2(..) | Vectors::Avx512(..) => unsafe { self.propagate_avx2(tree, state) },
        }
    }

    fn guess(
        &self,
        tree: Tree,
        parent: &Vec<Cells<W>>,
        child: &mut Vec<Cells<W>>,
        cell: usize,
        value: usize,
    ) -> PropagationResult {
        child.copy_from_slice(parent);
        self.guess_in_place(tree, child, cell, value)
    }

    fn guess_in_place(&self, tree: Tree, state: &mut Vec<Cells<W>>, cell: usize, value: usize) -> PropagationResult {
        self.fill(state, cell, value);
        self.propagate(tree, state)
    }

    #[inline(always)]
    fn candidates(&self, state: &Vec<Cells<W>>, cell: usize) -> u64 {
        let planes = &state[..self.order()];
        let mut values = 0;
        for (value, plane) in planes.iter().enumerate() {
            values |= (plane[cell / 64] >> (cell % 64) & 1) << value;
        }
        values
    }

    fn has_cheap_propagation(&self) -> bool {
        self.tail > 0
    }

    fn remainder_words(&self) -> usize {
        if self.tail > 0 { W * self.order() } else { 0 }
    }

    fn remainder(&self, state: &Vec<Cells<W>>, remainder: &mut [u64]) {
        let (planes, settled) = state.split_at(self.order());
        let (places, _) = remainder.as_chunks_mut::<W>();
        for (places, plane) in places.iter_mut().zip(planes) {
            for w in 0..W {
                places[w] = plane[w] & !settled[0][w];
            }
        }
        places.sort_unstable();
    }

    fn hand_over(&self, state: &Vec<Cells<W>>, tail: &mut Endgame) -> bool {
        let (planes, settled) = state.split_at(self.order());
        let open = std::array::from_fn(|w| self.all[w] & !settled[0][w]);
        let few = self.tail > 0 && size(&open) <= self.tail;
        if few {
            tail.take(&open, planes.iter().copied(), |cell| cell, |cell| self.peers[cell]);
        }
        few
    }
}

/// Of the open cells, those with the fewest candidates, where that may be any number: the candidates of all cells are
/// counted at once in binary, one set of cells for each digit of the count, and compared from the highest digit down.
#[cold]
fn fewest_of_many<const W: usize>(planes: &[Cells<W>], open: &Cells<W>) -> Cells<W> {
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

/// Takes `cell` out of every plane but that of `value`.
#[inline(always)]
pub(crate) fn keep_only<const W: usize>(planes: &mut [Cells<W>], cell: usize, value: usize) {
    let (w, others) = (cell / 64, !(1 << (cell % 64)));
    let kept = planes[value][w];
    for plane in planes.iter_mut() {
        plane[w] &= others;
    }
    planes[value][w] = kept;
}

/// The first cell of a set that is not empty.
#[inline(always)]
fn first<const W: usize>(set: &Cells<W>) -> usize {
    let w = set.iter().position(|&word| word != 0).unwrap_or(0);
    w * 64 + set[w].trailing_zeros() as usize
}

/// The number of cells in a set.
#[inline(always)]
fn size<const W: usize>(set: &Cells<W>) -> usize {
    set.iter().map(|word| word.count_ones() as usize).sum()
}

/// The positions of the ones in a word, ascending.
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
