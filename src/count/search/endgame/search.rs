//! The depth-first search of the endgame, which propagates several nodes at a time.
//!
//! Propagating one node waits most of the time, for loads, shuffles and branches. So a second node in the same loop costs
//! little, and a third and fourth not much more; six need more registers than there are, and are slower.

use std::ops::ControlFlow;

use super::{LeafTally, MAX_CELLS, Report};
use crate::search::vectors::{LaneSets, Lanes};
use crate::search::{CellOrder, ValueOrder};

/// Nodes between two reports: a tenth of a millisecond.
const NODES_BETWEEN_REPORTS: u64 = 4096;

/// The open cells of a board: one lane a cell.
pub(crate) struct LaneBoard<L: Lanes> {
    proof: L::Proof,
    /// The peers of each lane; empty for lane 32.
    peers: [L; MAX_CELLS + 1],
    /// The peers of each lane as masks.
    masks: [u32; MAX_CELLS],
    own: [L; MAX_CELLS],
    start: L,
    /// The lanes without a cell.
    spare: u32,
    stack: Vec<Node<L>>,
}

/// A node, before or after propagation.
#[derive(Clone, Copy)]
struct Node<L> {
    sets: L,
    /// The lanes whose value was removed from their peers. After propagation, these are all lanes with one candidate.
    settled: u32,
}

impl<L: Lanes> LaneBoard<L> {
    pub(crate) fn new(proof: L::Proof) -> LaneBoard<L> {
        let nothing = L::all(proof, 0);
        LaneBoard {
            proof,
            peers: [nothing; MAX_CELLS + 1],
            masks: [0; MAX_CELLS],
            own: std::array::from_fn(|lane| L::spread(proof, 1 << lane)),
            start: nothing,
            spare: u32::MAX,
            stack: Vec::new(),
        }
    }

    /// See [`super::Endgame::load`].
    #[inline(always)]
    pub(crate) fn load<const W: usize>(
        &mut self,
        open: &[u64; W],
        planes: impl Iterator<Item = [u64; W]>,
        peers: impl Iterator<Item = [u64; W]>,
    ) {
        let proof = self.proof;
        let mask_of = |set: [u64; W]| {
            let (mut mask, mut at) = (0, 0);
            for w in 0..W {
                mask |= L::extract(proof, set[w], open[w]) << at;
                at += open[w].count_ones();
            }
            mask as u32
        };
        let mut lanes = 0;
        for (lane, peers) in peers.enumerate() {
            self.masks[lane] = mask_of(peers);
            self.peers[lane] = L::spread(proof, self.masks[lane]);
            lanes += 1;
        }
        self.spare = u32::MAX.checked_shl(lanes).unwrap_or(0);
        // A lane without a cell has one candidate and no peers.
        self.start = L::spread(proof, self.spare) & L::all(proof, 1);
        for (value, places) in planes.enumerate() {
            self.start = self.start | L::spread(proof, mask_of(places)) & L::all(proof, 1 << value);
        }
    }

    fn root(&self) -> Node<L> {
        Node { sets: self.start, settled: self.spare }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct EndgameDfs {
    pub cells: CellOrder,
    pub values: ValueOrder,
}

impl EndgameDfs {
    /// Counts the solutions, in any order.
    #[inline(always)]
    pub(crate) fn count<L: Lanes>(self, board: &mut LaneBoard<L>, report: Report) -> (LeafTally, bool) {
        let nothing = Node { sets: L::all(board.proof, 0), settled: u32::MAX };
        let mut leaves = LeafTally::default();
        let mut stack = std::mem::take(&mut board.stack); // of nodes before propagation
        stack.clear();
        stack.push(board.root());
        let mut complete = true;
        while !stack.is_empty() {
            if leaves.nodes >= NODES_BETWEEN_REPORTS && !report(std::mem::take(&mut leaves)) {
                complete = false;
                break;
            }
            let mut four = [nothing; 4];
            for node in &mut four {
                let Some(next) = stack.pop() else { break };
                *node = next;
            }
            for node in propagate(board, four) {
                let Some(node) = node else { continue };
                if node.settled == u32::MAX {
                    leaves.solutions += 1;
                    continue;
                }
                let next = self.next(node);
                if let Some(colouring) = next.colouring(board, node) {
                    let found = colouring.leaves();
                    leaves.solutions += found.solutions;
                    leaves.nodes += found.nodes;
                    continue;
                }
                leaves.nodes += self.branch(board, node, next, &mut stack);
            }
        }
        board.stack = stack;
        (leaves, complete)
    }

    /// Calls `leaf` with each solution, in the order of the search.
    #[inline(always)]
    pub(crate) fn visit<L: Lanes>(
        self,
        board: &mut LaneBoard<L>,
        report: Report,
        leaf: &mut dyn FnMut(&LaneSets) -> ControlFlow<()>,
    ) -> (LeafTally, bool) {
        let proof = board.proof;
        let nothing = Node { sets: L::all(proof, 0), settled: u32::MAX };
        let mut leaves = LeafTally::default();
        let mut stack = std::mem::take(&mut board.stack); // of nodes after propagation, the next on top
        let mut fresh = Vec::new();
        let mut sets = [0; MAX_CELLS + 1];
        stack.clear();
        let [root] = propagate(board, [board.root()]);
        stack.extend(root);
        let mut complete = true;
        'search: while let Some(node) = stack.pop() {
            if node.settled == u32::MAX {
                leaves.solutions += 1;
                node.sets.put(&mut sets);
                if leaf(&sets).is_break() {
                    complete = false;
                    break;
                }
                continue;
            }
            if leaves.nodes >= NODES_BETWEEN_REPORTS && !report(std::mem::take(&mut leaves)) {
                complete = false;
                break;
            }
            let next = self.next(node);
            if let Some(colouring) = next.colouring(board, node) {
                leaves.nodes += colouring.leaves().nodes;
                let larger = node.sets.without_smallest();
                for low in colouring.solutions(self.values) {
                    let (low, high) = (L::spread(proof, low), L::spread(proof, !(node.settled | low)));
                    leaves.solutions += 1;
                    (node.sets & !(low & larger) & !(high & !larger)).put(&mut sets);
                    if leaf(&sets).is_break() {
                        complete = false;
                        break 'search;
                    }
                }
                continue;
            }
            // Also branch on the next node: it has to be searched anyway, and its children share a propagation with these.
            fresh.clear();
            leaves.nodes += self.branch(board, node, next, &mut fresh);
            if let Some(node) = stack.pop_if(|node| node.settled != u32::MAX) {
                leaves.nodes += self.branch(board, node, self.next(node), &mut fresh);
            }
            let below = stack.len();
            for some in fresh.chunks(4) {
                let mut four = [nothing; 4];
                four[..some.len()].copy_from_slice(some);
                for child in propagate(board, four) {
                    stack.extend(child);
                }
            }
            stack[below..].reverse();
        }
        board.stack = stack;
        (leaves, complete)
    }

    /// The lane to branch on, in a node with open lanes.
    #[inline(always)]
    fn next<L: Lanes>(self, node: Node<L>) -> BranchLane {
        let (open, mut rest) = (!node.settled, node.sets.without_smallest().without_smallest());
        let two = rest.empty() & open;
        let mut among = if self.cells == CellOrder::First { open } else { two };
        while among == 0 {
            rest = rest.without_smallest();
            among = rest.empty() & open;
        }
        let mut sets = [0; MAX_CELLS + 1];
        node.sets.put(&mut sets);
        let lane = among.trailing_zeros() as usize;
        BranchLane { lane, values: sets[lane], only_pairs: two == open }
    }

    /// Appends a child for each value of a lane, before propagation. Returns their number.
    #[inline(always)]
    fn branch<L: Lanes>(
        self,
        board: &LaneBoard<L>,
        node: Node<L>,
        BranchLane { lane, values, .. }: BranchLane,
        children: &mut Vec<Node<L>>,
    ) -> u64 {
        let mut left = u64::from(values);
        while left != 0 {
            let value = L::all(board.proof, 1 << self.values.take(&mut left));
            // The lane loses all other candidates, and its peers this value.
            let sets = node.sets & !(board.own[lane] & !value) & !(board.peers[lane] & value);
            children.push(Node { sets, settled: node.settled | 1 << lane });
        }
        values.count_ones().into()
    }
}

#[derive(Clone, Copy)]
struct BranchLane {
    lane: usize,
    /// The candidates of the lane.
    values: u16,
    /// Whether all open lanes have two candidates.
    only_pairs: bool,
}

impl BranchLane {
    /// If all open lanes have the same two candidates, their solutions are 2-colourings: there is nothing to search.
    #[inline(always)]
    fn colouring<L: Lanes>(self, board: &LaneBoard<L>, node: Node<L>) -> Option<TwoColouring> {
        let same = self.only_pairs && node.sets.equal(L::all(board.proof, self.values)) | node.settled == u32::MAX;
        if same { Some(TwoColouring::new(&board.masks, !node.settled)) } else { None }
    }
}

/// Propagates the naked singles of some nodes side by side. `None` for a contradiction.
#[inline(always)]
fn propagate<L: Lanes, const K: usize>(board: &LaneBoard<L>, nodes: [Node<L>; K]) -> [Option<Node<L>>; K] {
    let (mut sets, mut settled) = (nodes.map(|node| node.sets), nodes.map(|node| node.settled));
    let mut dead = [false; K];
    let mut values = [[0; MAX_CELLS + 1]; K];
    loop {
        let mut fresh = [0u32; K];
        for k in 0..K {
            let single = sets[k].without_smallest().empty();
            sets[k].put(&mut values[k]);
            dead[k] = sets[k].any_empty();
            fresh[k] = if dead[k] { 0 } else { single & !settled[k] };
            settled[k] |= fresh[k];
        }
        if fresh == [0; K] {
            break;
        }
        // Two at a time, which saves a branch for the frequent single one. Lane 32 has no peers.
        while fresh != [0; K] {
            for k in 0..K {
                for _ in 0..2 {
                    let lane = fresh[k].trailing_zeros() as usize;
                    fresh[k] &= fresh[k].wrapping_sub(1);
                    let value = L::all(board.proof, values[k][lane]);
                    sets[k] = sets[k] & !(board.peers[lane] & value);
                }
            }
        }
    }
    std::array::from_fn(|k| (!dead[k]).then_some(Node { sets: sets[k], settled: settled[k] }))
}

/// Lanes that all have the same two candidates. Each connected component has two solutions if its graph of peers is
/// bipartite, else none. No component is a single lane: the last open cell of a row has one candidate left, not two.
struct TwoColouring {
    /// The lanes of each component by colour, that of the first lane first. Components are in the order of their first
    /// lanes.
    parts: [(u32, u32); MAX_CELLS / 2],
    len: u32,
    /// Whether all components are bipartite.
    fit: bool,
}

impl TwoColouring {
    fn new(peers: &[u32; MAX_CELLS], open: u32) -> TwoColouring {
        let mut colouring = TwoColouring { parts: [(0, 0); MAX_CELLS / 2], len: 0, fit: true };
        let mut left = open;
        while left != 0 && colouring.fit {
            let first = left & left.wrapping_neg();
            let (mut here, mut there, mut fresh) = (0, 0, first);
            while fresh != 0 {
                here |= fresh;
                let mut reached = 0;
                while fresh != 0 {
                    reached |= peers[fresh.trailing_zeros() as usize];
                    fresh &= fresh - 1;
                }
                fresh = reached & open & !there;
                (here, there) = (there, here);
            }
            left &= !(here | there);
            colouring.fit = here & there == 0;
            colouring.parts[colouring.len as usize] = if here & first == 0 { (there, here) } else { (here, there) };
            colouring.len += 1;
        }
        colouring
    }

    /// What a search would find: it tries both values in the first cell of each component, even if a later one has no
    /// colouring.
    fn leaves(&self) -> LeafTally {
        LeafTally { solutions: if self.fit { 1 << self.len } else { 0 }, nodes: (2 << self.len) - 2 }
    }

    /// The solutions in the order of a search, each as the mask of the lanes that take the smaller value.
    fn solutions(&self, values: ValueOrder) -> impl Iterator<Item = u32> {
        let parts = &self.parts[..self.len as usize];
        (0..self.leaves().solutions).map(move |solution| {
            let bits = if values == ValueOrder::Min { solution } else { !solution };
            let by_part = parts.iter().rev().enumerate();
            by_part
                .map(|(bit, part)| if bits >> bit & 1 == 0 { part.0 } else { part.1 })
                .fold(0, |low, part| low | part)
        })
    }
}
