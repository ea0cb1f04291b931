//! The endgame: searches the last open cells of a board, at most [`MAX_CELLS`]. It needs only the candidates of each
//! cell and its peers among them, whatever the shape. The tree is the same as on the board, in the same order.
//!
//! A state is one candidate set for each cell, all side by side in two vectors.

mod search;

use std::ops::ControlFlow;

#[cfg(target_arch = "x86_64")]
use crate::search::vectors::Avx2Lanes;
use crate::search::vectors::{LaneSets, PlainLanes, Vectors};
use crate::search::{CellOrder, ValueOrder};
use search::{EndgameDfs, LaneBoard};

pub(crate) const MAX_CELLS: usize = 32;
pub(crate) const MAX_VALUES: usize = 16;

/// Solutions and nodes, in total or since the last report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LeafTally {
    pub solutions: u64,
    pub nodes: u64,
}

/// Takes what was found since the last report, and returns whether to continue.
pub(crate) type Report<'a> = &'a mut dyn FnMut(LeafTally) -> bool;

pub(crate) struct Endgame {
    /// The grid cell of each lane.
    cells: [usize; MAX_CELLS],
    len: usize,
    board: AnyBoard,
}

/// The board, for the instruction set of the processor.
enum AnyBoard {
    Plain(LaneBoard<PlainLanes>),
    #[cfg(target_arch = "x86_64")]
    Avx2(LaneBoard<Avx2Lanes>),
}

impl Endgame {
    pub(crate) fn new(vectors: Vectors) -> Endgame {
        let board = match vectors {
            Vectors::Plain => AnyBoard::Plain(LaneBoard::new(())),
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx2(proof) | Vectors::Avx512(proof, _) => AnyBoard::Avx2(LaneBoard::new(proof)),
        };
        Endgame { cells: [0; MAX_CELLS], len: 0, board }
    }

    /// Loads the open cells of a board, at most [`MAX_CELLS`], with at most [`MAX_VALUES`] values: the cells as bits, the
    /// plane of each value, the cell of a bit, and the peers of a cell as bits.
    pub(crate) fn load<const W: usize>(
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
        match &mut self.board {
            AnyBoard::Plain(board) => board.load(open, planes, peers),
            // SAFETY: where there is such a board, the processor has what the function is compiled for.
            #[cfg(target_arch = "x86_64")]
            AnyBoard::Avx2(board) => unsafe { load_avx2(board, open, planes, peers) },
        }
    }

    /// Counts the solutions. Reports every few thousand nodes. Returns what was not reported, and whether the search is
    /// complete.
    pub(crate) fn count(&mut self, cells: CellOrder, report: Report) -> (LeafTally, bool) {
        let dfs = EndgameDfs { cells, values: ValueOrder::Min };
        match &mut self.board {
            AnyBoard::Plain(board) => dfs.count(board, report),
            // SAFETY: see above.
            #[cfg(target_arch = "x86_64")]
            AnyBoard::Avx2(board) => unsafe { count_avx2(dfs, board, report) },
        }
    }

    /// Visits the solutions in the order of the search, until `visit` breaks: writes the values of each to `grid`.
    /// Otherwise like [`Endgame::count`].
    pub(crate) fn visit(
        &mut self,
        cells: CellOrder,
        values: ValueOrder,
        grid: &mut [u8],
        report: Report,
        visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> (LeafTally, bool) {
        let dfs = EndgameDfs { cells, values };
        let places = &self.cells[..self.len];
        let leaf = &mut |sets: &LaneSets| {
            for (&cell, set) in places.iter().zip(sets) {
                grid[cell] = set.trailing_zeros() as u8 + 1;
            }
            visit(grid)
        };
        match &mut self.board {
            AnyBoard::Plain(board) => dfs.visit(board, report, leaf),
            // SAFETY: see above.
            #[cfg(target_arch = "x86_64")]
            AnyBoard::Avx2(board) => unsafe { visit_avx2(dfs, board, report, leaf) },
        }
    }
}

// Functions, not closures: the compiler then knows that no two of their arguments overlap.

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn load_avx2<const W: usize>(
    board: &mut LaneBoard<Avx2Lanes>,
    open: &[u64; W],
    planes: impl Iterator<Item = [u64; W]>,
    peers: impl Iterator<Item = [u64; W]>,
) {
    board.load(open, planes, peers);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn count_avx2(dfs: EndgameDfs, board: &mut LaneBoard<Avx2Lanes>, report: Report) -> (LeafTally, bool) {
    dfs.count(board, report)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn visit_avx2(
    dfs: EndgameDfs,
    board: &mut LaneBoard<Avx2Lanes>,
    report: Report,
    leaf: &mut dyn FnMut(&LaneSets) -> ControlFlow<()>,
) -> (LeafTally, bool) {
    dfs.visit(board, report, leaf)
}
