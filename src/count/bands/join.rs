//! The join of three bands: everything that counting a puzzle looks up, in one orientation.
//!
//! ```text
//!              stack 1   stack 2   stack 3
//!   band X       P₁        P₂        P₃       f_X(P₁, P₂, P₃) fillings
//!   band Y       R₁        R₂        R₃       f_Y(R₁, R₂, R₃)
//!   band Z       S₁        S₂        S₃       f_Z(S₁, S₂, S₃)
//!                 ╰ a chain: (P₁, R₁, S₁) follow one another, and so in the other stacks
//!
//!   solutions = Σ over (P₁, P₂, P₃):  f_X(P₁, P₂, P₃) · Σ over all chains below them:  f_Y(R₁, R₂, R₃) · f_Z(S₁, S₂, S₃)
//! ```
//!
//! The pairs (P₁, P₂) are merged into classes under what Y and Z leave free (`symmetry`); the partitions P₃ into *thirds*
//! under the swaps of columns of stack 3 that Y and Z allow. Classes are what a count is split into.

use std::sync::Arc;

use census_puzzle::Puzzle;

use super::chain::Chains;
use super::choice::cost;
use super::clues::{Clue, Filter, Orientation, OrientedClues};
use super::kernel::{Kernel, LANES, RowOf};
use super::partition::{ALL, CODES, Digits, PARTITIONS};
use super::pool::Item;
use super::symmetry::{Class, Classes, Symmetry, reorder};
use super::table::{NONE, Rows, Table};

/// One puzzle, ready to be counted.
pub(super) struct Join {
    pub kernel: Kernel,
    /// The tables of X, Y and Z.
    pub tables: [Arc<Table>; 3],
    /// How the first and the second stack go on below each partition, as rows of the tables of Y and Z.
    pub below: [Continuations; 2],
    pub third: Third,
    pub classes: Classes,
}

/// How a stack goes on below each partition of X.
pub(super) struct Continuations {
    ways: Vec<(u16, u16)>,
    starts: Vec<u32>,
}

impl Continuations {
    pub(super) fn new(chains: &Chains, y: &Rows, z: &Rows) -> Continuations {
        let ways = chains.all().iter().map(|chain| (y.of(chain[1]), z.of(chain[2]))).collect();
        let starts = (0..PARTITIONS as u16).map(|first| chains.after(first).len() as u32);
        let starts = std::iter::once(0).chain(starts.scan(0, |end, len| {
            *end += len;
            Some(*end)
        }));
        Continuations { ways, starts: starts.collect() }
    }

    /// The rows of Y and Z in which the stack can go on below a partition.
    pub(super) fn ways(&self, first: u16) -> &[(u16, u16)] {
        let first = usize::from(first);
        &self.ways[self.starts[first] as usize..self.starts[first + 1] as usize]
    }
}

/// The third stack.
pub(super) struct Third {
    /// How many classes of partitions P₃ there are that can go on below.
    pub classes: usize,
    /// The partitions of each class, one class after the other, so many each: their middle and right columns.
    pub partitions: Vec<(Digits, Digits)>,
    /// For each row of Y, the rows of Z that go with it, each with the class of P₃ above them.
    pub ways: Vec<Vec<RowOf>>,
    /// The row of X of the partition with each code, or one that is always 0.
    pub codes: Vec<u16>,
}

impl Third {
    fn new(chains: &Chains, orders: &[[usize; 3]], tables: &[Arc<Table>; 3]) -> Third {
        let mut partitions = Vec::new();
        let mut known = vec![false; PARTITIONS];
        let mut ways = vec![Vec::new(); tables[1].rows(2).len()];
        let mut class = 0;
        for place in chains.at(0) {
            if known[usize::from(place)] {
                continue;
            }
            for order in orders {
                let parts = reorder(ALL.parts(place), order);
                known[usize::from(ALL.place(&parts))] = true;
                partitions.push((parts[1], parts[2]));
            }
            for chain in chains.after(place) {
                let (y, row) = (tables[1].rows(2).of(chain[1]), tables[2].rows(2).of(chain[2]));
                ways[usize::from(y)].push(RowOf { row, owner: class });
            }
            class += 1;
        }
        let x = tables[0].rows(2);
        let mut codes = vec![x.len() as u16; CODES];
        for (code, &place) in ALL.places_by_code().iter().enumerate() {
            if place != NONE && x.of(place) != NONE {
                codes[code] = x.of(place);
            }
        }
        Third { classes: class.into(), partitions, ways, codes }
    }

    /// How many partitions a class has.
    pub(super) fn size(&self) -> usize {
        self.partitions.len() / self.classes.max(1)
    }
}

impl Join {
    /// A puzzle in an orientation.
    pub(super) fn new(puzzle: &Puzzle, orientation: &Orientation, kernel: Kernel) -> Join {
        let oriented = OrientedClues::new(puzzle, orientation);
        let merging = Symmetry::of(&oriented, &[1, 2]);
        let full = Symmetry::of(&oriented, &[0, 1, 2]);
        let stacks = [0, 1, 2];
        // Chains that agree with all clues, for X; and those that agree with all clues that merging leaves in place. Many
        // of them may be the same.
        let mut known: Vec<([Filter; 3], Arc<Chains>)> = Vec::new();
        let mut chains = |stack: usize, merging: Option<&Symmetry>| {
            let filters = filters(&oriented, stack, merging);
            let same = known.iter().find(|(known, _)| *known == filters).map(|(_, chains)| chains.clone());
            same.unwrap_or_else(|| {
                let chains = Arc::new(Chains::new(&filters));
                known.push((filters, chains.clone()));
                chains
            })
        };
        let exact = stacks.map(|stack| chains(stack, None));
        let merged = stacks.map(|stack| chains(stack, Some(&merging)));
        let rows = |band: usize| {
            stacks.map(|stack| {
                let chains = if band == 0 { &exact[stack] } else { &merged[stack] };
                Rows::new(&chains.at(band), &oriented.boxes[band][stack])
            })
        };
        // Bands that are alike count_splitting one table.
        let table = |band: usize, made: &[&Arc<Table>]| {
            let rows = rows(band);
            let alike = |&(other, table): &(usize, &&Arc<Table>)| {
                oriented.boxes[other] == oriented.boxes[band] && table.has(&rows)
            };
            match made.iter().enumerate().find(alike) {
                Some((_, table)) => Arc::clone(table),
                None => Arc::new(Table::new(&oriented.boxes[band], rows, kernel)),
            }
        };
        let x = table(0, &[]);
        let y = table(1, &[&x]);
        let z = table(2, &[&x, &y]);
        let tables = [x, y, z];
        let below =
            [0, 1].map(|stack| Continuations::new(&merged[stack], tables[1].rows(stack), tables[2].rows(stack)));
        let third = Third::new(&merged[2], merging.columns(2), &tables);
        let solvable = exact.iter().all(|chains| !chains.all().is_empty());
        let classes = match solvable {
            true => Classes::new(&exact[0].at(0), &exact[1].at(0), &merging, &full),
            false => Classes::default(),
        };
        Join { kernel, tables, below, third, classes }
    }

    /// What each class is expected to cost, in nanoseconds, if all thirds have a weight.
    pub(super) fn weights(&self) -> Vec<Item> {
        let ways = |stack: usize, place: u16| self.below[stack].ways(place).len();
        let pairs = self.third.ways.iter().map(Vec::len).sum::<usize>() as f64;
        let rows = (self.tables[1].stride() + self.tables[2].stride()) as f64;
        let weighed = self.third.partitions.len() as f64 * cost::WEIGHED;
        let weight = |class: &Class| {
            let terms = (ways(0, class.first) * ways(1, class.second)).next_multiple_of(LANES) as f64;
            let below = pairs * (cost::CHOSEN + cost::DOT + terms * cost::TERM) + terms * rows * cost::GATHERED;
            (below + class.images.len() as f64 * weighed) as u64
        };
        self.classes.classes.iter().map(|class| Item { first: class.first, weight: weight(class) }).collect()
    }
}

/// What the clues of a stack demand of its chains; with `merging`, of those of the first band only the ones that it leaves
/// in place.
pub(super) fn filters(oriented: &OrientedClues, stack: usize, merging: Option<&Symmetry>) -> [Filter; 3] {
    let clues = [0, 1, 2].map(|band| {
        let counts = |clue: &&Clue| band > 0 || merging.is_none_or(|group| group.fixes(stack, clue));
        let clues = oriented.boxes[band][stack].iter().filter(counts);
        clues.map(|clue| (clue.digit, clue.column)).collect::<Vec<_>>()
    });
    Filter::line(clues.each_ref().map(Vec::as_slice))
}
