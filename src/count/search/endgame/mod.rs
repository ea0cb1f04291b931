//! The last cells of a search, counted on their own: which of at most [`MOST`] cells exclude each other, and which values
//! each can still take. What board they are on does not matter any more.
//!
//! A state is one set of values for each cell, all side by side in two vectors. That makes a node some ten times as cheap
//! as on a board, and most nodes of a bushy tree are down here. The tree is the same as on the board, in the same order:
//! naked singles, then the first of the cells with the fewest candidates.

mod lanes;
mod search;

use std::ops::ControlFlow;

#[cfg(target_arch = "x86_64")]
use crate::search::vectors::Detected;
use crate::search::vectors::Vectors;
use crate::search::{CellOrder, ValueOrder};
use lanes::Plain;
use search::{Frame, Walk};

/// The most cells it takes.
pub(crate) const MOST: usize = 32;
/// The most values it knows.
pub(crate) const MOST_VALUES: usize = 16;

/// What walking the last cells came to, all of it or since it was last told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LeafTally {
    pub solutions: u64,
    pub nodes: u64,
}

/// Room for the last cells of a node.
pub(crate) struct Endgame {
    /// Where each lane stands in the grid.
    cells: [usize; MOST],
    len: usize,
    frame: Wide,
}

/// The frame, for the instructions there are.
enum Wide {
    Plain(Frame<Plain>),
    #[cfg(target_arch = "x86_64")]
    Avx2(Detected, Frame<lanes::avx2::Avx2>),
}

impl Endgame {
    pub(crate) fn new(vectors: Vectors) -> Endgame {
        let frame = match vectors {
            Vectors::Plain => Wide::Plain(Frame::new(())),
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx2(proof) | Vectors::Avx512(proof, _) => Wide::Avx2(proof, Frame::new(proof)),
        };
        Endgame { cells: [0; MOST], len: 0, frame }
    }

    /// Takes the open cells of a board, at most [`MOST`]: the cells as bits, the places of each value, the cell of a bit,
    /// and its peers as bits. At most [`MOST_VALUES`] values.
    pub(crate) fn take<const W: usize>(
        &mut self,
        open: &[u64; W],
        planes: impl Iterator<Item = [u64; W]>,
        cell: impl Fn(usize) -> usize,
        peers: impl Fn(usize) -> [u64; W],
    ) {
        self.len = 0;
        for (w, &word) in open.iter().enumerate() {
            for bit in crate::search::boards::generic::bits(word) {
                self.cells[self.len] = cell(w * 64 + bit);
                self.len += 1;
            }
        }
        let peers = self.cells[..self.len].iter().map(|&cell| peers(cell));
        match &mut self.frame {
            Wide::Plain(frame) => frame.take((), open, planes, peers),
            // SAFETY: where there is a proof, the processor has what the function is compiled for.
            #[cfg(target_arch = "x86_64")]
            Wide::Avx2(proof, frame) => unsafe { take_avx2(*proof, frame, open, planes, peers) },
        }
    }

    /// Counts. Every few thousand nodes, `tell` hears what was found since, and says whether to go on. Returns what it has
    /// not heard yet, and whether all was counted.
    pub(crate) fn count(&mut self, cells: CellOrder, tell: &mut dyn FnMut(LeafTally) -> bool) -> (LeafTally, bool) {
        let walk = Walk { cells, values: ValueOrder::Min };
        match &mut self.frame {
            Wide::Plain(frame) => walk.count((), frame, tell),
            // SAFETY: where there is a proof, the processor has what the function is compiled for.
            #[cfg(target_arch = "x86_64")]
            Wide::Avx2(proof, frame) => unsafe { count_avx2(*proof, walk, frame, tell) },
        }
    }

    /// Visits the solutions in the order of the search: their values are written to their cells of `grid`, and `visit` is
    /// called with it, until it breaks. The rest as with [`Endgame::count`].
    pub(crate) fn visit(
        &mut self,
        cells: CellOrder,
        values: ValueOrder,
        grid: &mut [u8],
        tell: &mut dyn FnMut(LeafTally) -> bool,
        visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> (LeafTally, bool) {
        let walk = Walk { cells, values };
        let places = &self.cells[..self.len];
        let leaf = &mut |sets: &lanes::Values| {
            for (&cell, set) in places.iter().zip(sets) {
                grid[cell] = set.trailing_zeros() as u8 + 1;
            }
            visit(grid)
        };
        match &mut self.frame {
            Wide::Plain(frame) => walk.visit((), frame, tell, leaf),
            // SAFETY: where there is a proof, the processor has what the function is compiled for.
            #[cfg(target_arch = "x86_64")]
            Wide::Avx2(proof, frame) => unsafe { visit_avx2(*proof, walk, frame, tell, leaf) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn take_avx2<const W: usize>(
    proof: Detected,
    frame: &mut Frame<lanes::avx2::Avx2>,
    open: &[u64; W],
    planes: impl Iterator<Item = [u64; W]>,
    peers: impl Iterator<Item = [u64; W]>,
) {
    frame.take(proof, open, planes, peers);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn count_avx2(
    proof: Detected,
    walk: Walk,
    frame: &mut Frame<lanes::avx2::Avx2>,
    tell: &mut dyn FnMut(LeafTally) -> bool,
) -> (LeafTally, bool) {
    walk.count(proof, frame, tell)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn visit_avx2(
    proof: Detected,
    walk: Walk,
    frame: &mut Frame<lanes::avx2::Avx2>,
    tell: &mut dyn FnMut(LeafTally) -> bool,
    leaf: &mut dyn FnMut(&lanes::Values) -> ControlFlow<()>,
) -> (LeafTally, bool) {
    walk.visit(proof, frame, tell, leaf)
}
