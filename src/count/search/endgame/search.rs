//! The walk through the tree of the last cells: depth first, several nodes at a time.
//!
//! They are settled side by side in one loop. Each waits for memory, shuffles and branches most of the time, so the second
//! costs little, and the third and fourth not much more; six need more registers than there are, and take longer.

use std::ops::ControlFlow;

use super::lanes::{Lanes, Values};
use super::{LeafTally, MOST};
use crate::search::{CellOrder, ValueOrder};

/// Nodes between two tells: a tenth of a millisecond.
const NODES_BETWEEN_TELLS: u64 = 4096;

/// The last cells of a board: one lane a cell.
pub(crate) struct Frame<L> {
    /// The peers of each lane; nothing for the lane that there is not.
    peers: [L; MOST + 1],
    /// The same as masks.
    masks: [u32; MOST],
    /// Each lane by itself.
    own: [L; MOST],
    /// The candidates.
    start: L,
    /// The lanes that have no cell.
    spare: u32,
    stack: Vec<Node<L>>,
}

/// A node, or what is to become one when it is settled.
#[derive(Clone, Copy)]
struct Node<L> {
    sets: L,
    /// The lanes whose value has been taken from their peers. In a node, these are all with one candidate.
    settled: u32,
}

impl<L: Lanes> Frame<L> {
    pub(crate) fn new(proof: L::Proof) -> Frame<L> {
        let nothing = L::all(proof, 0);
        Frame {
            peers: [nothing; MOST + 1],
            masks: [0; MOST],
            own: std::array::from_fn(|lane| L::spread(proof, 1 << lane)),
            start: nothing,
            spare: u32::MAX,
            stack: Vec::new(),
        }
    }

    /// See [`super::Endgame::take`]: the open cells, the places of each value, and the peers of each open cell.
    #[inline(always)]
    pub(crate) fn take<const W: usize>(
        &mut self,
        proof: L::Proof,
        open: &[u64; W],
        planes: impl Iterator<Item = [u64; W]>,
        peers: impl Iterator<Item = [u64; W]>,
    ) {
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
        // A lane without a cell has a value of its own, and no peers.
        self.start = L::spread(proof, self.spare).and(L::all(proof, 1));
        for (value, places) in planes.enumerate() {
            self.start = self.start.or(L::spread(proof, mask_of(places)).and(L::all(proof, 1 << value)));
        }
    }

    /// The state that it starts from, not settled yet.
    fn root(&self) -> Node<L> {
        Node { sets: self.start, settled: self.spare }
    }
}

/// How to walk.
#[derive(Clone, Copy)]
pub(crate) struct Walk {
    pub cells: CellOrder,
    pub values: ValueOrder,
}

impl Walk {
    /// Counts the solutions; in which order does not matter.
    #[inline(always)]
    pub(crate) fn count<L: Lanes>(
        self,
        proof: L::Proof,
        frame: &mut Frame<L>,
        tell: &mut dyn FnMut(LeafTally) -> bool,
    ) -> (LeafTally, bool) {
        let nothing = Node { sets: L::all(proof, 0), settled: u32::MAX };
        let mut leaves = LeafTally::default();
        let mut stack = std::mem::take(&mut frame.stack); // of what is not settled yet
        stack.clear();
        stack.push(frame.root());
        let mut whole = true;
        while !stack.is_empty() {
            if leaves.nodes >= NODES_BETWEEN_TELLS && !tell(std::mem::take(&mut leaves)) {
                whole = false;
                break;
            }
            let mut four = [nothing; 4];
            for node in &mut four {
                let Some(next) = stack.pop() else { break };
                *node = next;
            }
            for node in propagate(proof, frame, four) {
                let Some(node) = node else { continue };
                if node.settled == u32::MAX {
                    leaves.solutions += 1;
                    continue;
                }
                let next = self.next(node);
                if let Some(pairs) = next.pairs(proof, frame, node) {
                    let found = pairs.leaves();
                    leaves.solutions += found.solutions;
                    leaves.nodes += found.nodes;
                    continue;
                }
                leaves.nodes += self.branch(proof, frame, node, next, &mut stack);
            }
        }
        frame.stack = stack;
        (leaves, whole)
    }

    /// Shows `leaf` each solution, in the order of the search.
    #[inline(always)]
    pub(crate) fn visit<L: Lanes>(
        self,
        proof: L::Proof,
        frame: &mut Frame<L>,
        tell: &mut dyn FnMut(LeafTally) -> bool,
        leaf: &mut dyn FnMut(&Values) -> ControlFlow<()>,
    ) -> (LeafTally, bool) {
        let nothing = Node { sets: L::all(proof, 0), settled: u32::MAX };
        let mut leaves = LeafTally::default();
        let mut stack = std::mem::take(&mut frame.stack); // of nodes, the next on top
        let mut fresh = Vec::new();
        let mut sets = [0; MOST + 1];
        stack.clear();
        let [root] = propagate(proof, frame, [frame.root()]);
        stack.extend(root);
        let mut whole = true;
        'walk: while let Some(node) = stack.pop() {
            if node.settled == u32::MAX {
                leaves.solutions += 1;
                node.sets.put(&mut sets);
                if leaf(&sets).is_break() {
                    whole = false;
                    break;
                }
                continue;
            }
            if leaves.nodes >= NODES_BETWEEN_TELLS && !tell(std::mem::take(&mut leaves)) {
                whole = false;
                break;
            }
            let next = self.next(node);
            if let Some(pairs) = next.pairs(proof, frame, node) {
                leaves.nodes += pairs.leaves().nodes;
                let larger = node.sets.without_smallest();
                for low in pairs.solutions(self.values) {
                    let (low, high) = (L::spread(proof, low), L::spread(proof, !(node.settled | low)));
                    leaves.solutions += 1;
                    node.sets.and_not(low.and(larger)).and_not(high.and_not(larger)).put(&mut sets);
                    if leaf(&sets).is_break() {
                        whole = false;
                        break 'walk;
                    }
                }
                continue;
            }
            // The next node is as good as the first: whatever is above it on the stack will be done when it is its turn.
            fresh.clear();
            leaves.nodes += self.branch(proof, frame, node, next, &mut fresh);
            if let Some(node) = stack.pop_if(|node| node.settled != u32::MAX) {
                leaves.nodes += self.branch(proof, frame, node, self.next(node), &mut fresh);
            }
            let below = stack.len();
            for some in fresh.chunks(4) {
                let mut four = [nothing; 4];
                four[..some.len()].copy_from_slice(some);
                for child in propagate(proof, frame, four) {
                    stack.extend(child);
                }
            }
            stack[below..].reverse();
        }
        frame.stack = stack;
        (leaves, whole)
    }

    /// What to guess at a node that has open lanes.
    #[inline(always)]
    fn next<L: Lanes>(self, node: Node<L>) -> Next {
        let (open, mut rest) = (!node.settled, node.sets.without_smallest().without_smallest());
        let two = rest.empty() & open;
        let mut among = if self.cells == CellOrder::First { open } else { two };
        while among == 0 {
            rest = rest.without_smallest();
            among = rest.empty() & open;
        }
        let mut sets = [0; MOST + 1];
        node.sets.put(&mut sets);
        let lane = among.trailing_zeros() as usize;
        Next { lane, values: sets[lane], only_pairs: two == open }
    }

    /// Adds what becomes of a node when a lane takes each of its values; says how many that are.
    #[inline(always)]
    fn branch<L: Lanes>(
        self,
        proof: L::Proof,
        frame: &Frame<L>,
        node: Node<L>,
        Next { lane, values, .. }: Next,
        children: &mut Vec<Node<L>>,
    ) -> u64 {
        let mut left = u64::from(values);
        while left != 0 {
            let value = L::all(proof, 1 << self.values.take(&mut left));
            // The lane loses all other values, and its peers this one.
            let sets = node.sets.and_not(frame.own[lane].and_not(value)).and_not(frame.peers[lane].and(value));
            children.push(Node { sets, settled: node.settled | 1 << lane });
        }
        values.count_ones().into()
    }
}

/// A guess.
#[derive(Clone, Copy)]
struct Next {
    lane: usize,
    /// Its candidates.
    values: u16,
    /// Whether all open lanes have two of them.
    only_pairs: bool,
}

impl Next {
    /// The open lanes, if they all have the same two candidates: then there is nothing to search.
    #[inline(always)]
    fn pairs<L: Lanes>(self, proof: L::Proof, frame: &Frame<L>, node: Node<L>) -> Option<Pairs> {
        let same = self.only_pairs && node.sets.equal(L::all(proof, self.values)) | node.settled == u32::MAX;
        if same { Some(Pairs::new(&frame.masks, !node.settled)) } else { None }
    }
}

/// Finds the naked singles of some states, and what follows from them, side by side; nothing where that is a dead end.
#[inline(always)]
fn propagate<L: Lanes, const K: usize>(proof: L::Proof, frame: &Frame<L>, nodes: [Node<L>; K]) -> [Option<Node<L>>; K] {
    let (mut sets, mut settled) = (nodes.map(|node| node.sets), nodes.map(|node| node.settled));
    let mut dead = [false; K];
    let mut values = [[0; MOST + 1]; K];
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
        // Two at a time, so that it takes no branch to find that there is but one. Lane 32 is none at all.
        while fresh != [0; K] {
            for k in 0..K {
                for _ in 0..2 {
                    let lane = fresh[k].trailing_zeros() as usize;
                    fresh[k] &= fresh[k].wrapping_sub(1);
                    let value = L::all(proof, values[k][lane]);
                    sets[k] = sets[k].and_not(frame.peers[lane].and(value));
                }
            }
        }
    }
    std::array::from_fn(|k| (!dead[k]).then_some(Node { sets: sets[k], settled: settled[k] }))
}

/// Lanes that all have the same two candidates. Each connected part of them has two solutions, if it can be coloured with
/// two colours at all. No part is a single lane: the last open cell of a row has one candidate left, not two.
struct Pairs {
    /// The lanes of each part by their colour, that of the first lane first. Parts are in the order of their first lanes.
    parts: [(u32, u32); MOST / 2],
    len: u32,
    /// Whether all of them can be coloured.
    fit: bool,
}

impl Pairs {
    fn new(peers: &[u32; MOST], open: u32) -> Pairs {
        let mut pairs = Pairs { parts: [(0, 0); MOST / 2], len: 0, fit: true };
        let mut left = open;
        while left != 0 && pairs.fit {
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
            pairs.fit = here & there == 0;
            pairs.parts[pairs.len as usize] = if here & first == 0 { (there, here) } else { (here, there) };
            pairs.len += 1;
        }
        pairs
    }

    /// What a search would find: it tries both values in the first cell of each part, in vain in one that does not fit.
    fn leaves(&self) -> LeafTally {
        LeafTally { solutions: if self.fit { 1 << self.len } else { 0 }, nodes: (2 << self.len) - 2 }
    }

    /// The solutions in the order of a search, each as the lanes that take the smaller value.
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
