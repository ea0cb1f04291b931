//! The join of three bands X, Y and Z: all tables for counting a puzzle in one orientation (see "The join" in
//! `docs/bands.md`). P, R and S are the column partitions of their boxes.

use std::collections::HashMap;
use std::sync::Arc;

use census_puzzle::Puzzle;

use super::chain::Chains;
use super::choice::cost;
use super::clues::{Clue, Filter, Orientation, OrientedClues};
use super::kernel::{Kernel, LANES, OwnedRow};
use super::partition::{ALL, CODES, Digits, PARTITIONS};
use super::pool::Item;
use super::symmetry::{Class, Classes, Symmetry, reorder};
use super::table::{NONE, Rows, Table};
use crate::groups::Groups;

pub(super) struct Join {
    pub kernel: Kernel,
    /// The tables of X, Y and Z.
    pub tables: [Arc<Table>; 3],
    /// The continuations of the first and the second stack.
    pub below: [Continuations; 2],
    pub third: Third,
    pub classes: Classes,
}

/// The continuations of a stack below each partition of X, as rows of the tables of Y and Z.
pub(super) type Continuations = Groups<(u16, u16)>;

pub(super) fn continuations(chains: &Chains, y: &Rows, z: &Rows) -> Continuations {
    chains.map(|chain| (y.of(chain[1]), z.of(chain[2])))
}

/// The third stack. A *third* is a class of its partitions P₃.
pub(super) struct Third {
    pub count: usize,
    /// The partitions of each third, one third after the other, equally many each: their middle and right columns.
    pub partitions: Vec<(Digits, Digits)>,
    /// For each row R₃ of Y, the compatible rows S₃ of Z, each with the third above them.
    pub pairs: Vec<Vec<OwnedRow>>,
    /// The row of X of the partition with each code. Partitions without a row have one that is always 0.
    pub codes: Vec<u16>,
}

impl Third {
    fn new(chains: &Chains, orders: &[[usize; 3]], tables: &[Arc<Table>; 3]) -> Third {
        let mut partitions = Vec::new();
        let mut known = vec![false; PARTITIONS];
        let mut pairs = vec![Vec::new(); tables[1].rows[2].len()];
        let mut class = 0;
        for index in chains.at(0) {
            if known[usize::from(index)] {
                continue;
            }
            for order in orders {
                let parts = reorder(ALL.parts(index), order);
                known[usize::from(ALL.index(&parts))] = true;
                partitions.push((parts[1], parts[2]));
            }
            for chain in chains.of(index) {
                let (y, row) = (tables[1].rows[2].of(chain[1]), tables[2].rows[2].of(chain[2]));
                pairs[usize::from(y)].push(OwnedRow { row, owner: class });
            }
            class += 1;
        }
        let x = &tables[0].rows[2];
        let mut codes = vec![x.len() as u16; CODES];
        for (code, &index) in ALL.indices.iter().enumerate() {
            if index != NONE && x.of(index) != NONE {
                codes[code] = x.of(index);
            }
        }
        Third { count: class.into(), partitions, pairs, codes }
    }

    /// The number of partitions of a third.
    pub(super) fn size(&self) -> usize {
        self.partitions.len() / self.count.max(1)
    }
}

impl Join {
    pub(super) fn new(puzzle: &Puzzle, orientation: &Orientation, kernel: Kernel) -> Join {
        let oriented = OrientedClues::new(puzzle, orientation);
        let merging = Symmetry::of(&oriented, &[1, 2]);
        let full = Symmetry::of(&oriented, &[0, 1, 2]);
        let stacks = [0, 1, 2];
        // Chains that agree with all clues are for X; those that agree with all clues that merging preserves are for Y and
        // Z. Many of them are equal.
        let mut known = HashMap::new();
        let mut chains = |stack: usize, merging: Option<&Symmetry>| {
            let filters = filters(&oriented, stack, merging);
            Arc::clone(known.entry(filters).or_insert_with(|| Arc::new(Chains::accepted(&filters))))
        };
        let exact = stacks.map(|stack| chains(stack, None));
        let merged = stacks.map(|stack| chains(stack, Some(&merging)));
        let rows = |band: usize| {
            stacks.map(|stack| {
                let chains = if band == 0 { &exact[stack] } else { &merged[stack] };
                Rows::new(&chains.at(band), &oriented.boxes[band][stack])
            })
        };
        // Equal bands share one table.
        let table = |band: usize, made: &[&Arc<Table>]| {
            let rows = rows(band);
            let alike = |&(other, table): &(usize, &&Arc<Table>)| {
                oriented.boxes[other] == oriented.boxes[band] && table.rows == rows
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
        let below = [0, 1].map(|stack| continuations(&merged[stack], &tables[1].rows[stack], &tables[2].rows[stack]));
        let third = Third::new(&merged[2], &merging.columns[2], &tables);
        let solvable = exact.iter().all(|chains| !chains.all().is_empty());
        let classes = match solvable {
            true => Classes::new(&exact[0].at(0), &exact[1].at(0), &merging, &full),
            false => Classes::default(),
        };
        Join { kernel, tables, below, third, classes }
    }

    /// The expected cost of each class in nanoseconds, if all thirds have a weight.
    pub(super) fn weights(&self) -> Vec<Item> {
        let continuations = |stack: usize, index: u16| self.below[stack].of(index).len();
        let pairs = self.third.pairs.iter().map(Vec::len).sum::<usize>() as f64;
        let rows = (self.tables[1].stride + self.tables[2].stride) as f64;
        let weighed = self.third.partitions.len() as f64 * cost::WEIGHTED;
        let weight = |class: &Class| {
            let terms = (continuations(0, class.first) * continuations(1, class.second)).next_multiple_of(LANES) as f64;
            let below = pairs * (cost::CHECKED + cost::DOT + terms * cost::TERM) + terms * rows * cost::GATHERED;
            (below + class.images.len() as f64 * weighed) as u64
        };
        self.classes.classes.iter().map(|class| Item { first: class.first, weight: weight(class) }).collect()
    }
}

/// The chains of a stack that its clues allow. With `merging`, ignores the clues of the first band that the group does not
/// preserve.
pub(super) fn filters(oriented: &OrientedClues, stack: usize, merging: Option<&Symmetry>) -> [Filter; 3] {
    Filter::line([0, 1, 2].map(|band| {
        let counts = move |clue: &&Clue| band > 0 || merging.is_none_or(|group| group.fixes(stack, clue));
        oriented.boxes[band][stack].iter().filter(counts).map(|clue| (clue.digit, clue.column))
    }))
}
