//! Chooses the orientation of a count. The cost of each is estimated from the numbers of partitions and chains that its
//! clues leave in each stack, and from the sizes of its symmetry groups, as if clues and symmetries were independent.

use std::collections::HashMap;

use census_puzzle::Puzzle;

use super::chain::Moves;
use super::clues::{Filter, Orientation, OrientedClues};
use super::join::filters;
use super::partition::ALL;
use super::symmetry::Symmetry;

/// Nanoseconds on the machine of docs/benchmarks.md; only the ratios matter.
pub(super) mod cost {
    pub const TERM: f64 = 0.02;
    /// A dot product, besides its terms.
    pub const DOT: f64 = 2.0;
    /// A gathered number of a table line.
    pub const GATHERED: f64 = 0.08;
    /// A pair (R₃, S₃) that is checked for a third with a weight.
    pub const CHECKED: f64 = 0.6;
    /// A partition P₃ that is weighted for an image.
    pub const WEIGHTED: f64 = 1.5;
    /// A pair of partitions that is classified.
    pub const CLASSIFIED: f64 = 100.0;
}

const ORIENTATIONS: u8 = 18;

/// The cheapest orientation, by its number, and its estimate in nanoseconds. Estimates may tie, and rounding differs
/// between machines, so one rank chooses for all.
pub(super) fn best(puzzle: &Puzzle) -> (u8, f64) {
    let mut known = HashMap::new();
    let costs =
        (0..ORIENTATIONS).map(|number| (number, cost(&OrientedClues::new(puzzle, &orientation(number)), &mut known)));
    costs.min_by(|(_, one), (_, other)| one.total_cmp(other)).unwrap_or((0, 0.0))
}

/// The orientations that may differ in cost, by number.
pub(super) fn orientation(number: u8) -> Orientation {
    const TURNS: [[usize; 3]; 3] = [[0, 1, 2], [1, 0, 2], [2, 0, 1]];
    let number = usize::from(number % ORIENTATIONS);
    let [third, first, second] = TURNS[number % 3];
    Orientation { transposed: number >= 9, bands: TURNS[number / 3 % 3], stacks: [first, second, third] }
}

/// In nanoseconds.
fn cost(oriented: &OrientedClues, known: &mut HashMap<[Filter; 3], StackCounts>) -> f64 {
    let merging = Symmetry::of(oriented, &[1, 2]);
    let full = Symmetry::of(oriented, &[0, 1, 2]);
    let stacks = [0, 1, 2];
    // Many orientations have the same filters.
    let mut counts = |filters| *known.entry(filters).or_insert_with(|| StackCounts::of(&filters));
    let merged = stacks.map(|stack| counts(filters(oriented, stack, Some(&merging))));
    let exact = stacks.map(|stack| counts(filters(oriented, stack, None)));
    if exact.iter().any(|stack| stack.chains == 0.0) {
        return 0.0;
    }
    // Only classes with a member that agrees with the clues of X are counted.
    let agrees = |stack: usize| exact[stack].partitions / merged[stack].partitions;
    let at_least_one = |probability: f64, trials: f64| 1.0 - (1.0 - probability).powf(trials.max(1.0));
    let (group, subgroup) = (merging.size(2), full.size(2));
    let all_classes = (merged[0].partitions * merged[1].partitions / group).max(1.0);
    let classes = all_classes * at_least_one(agrees(0) * agrees(1), group / subgroup);
    let images = (exact[0].partitions * exact[1].partitions / subgroup).max(classes);
    // For each class: the continuations of the first two stacks, and the pairs (R₃, S₃) below a third with a weight.
    let continuations = |stack: usize| merged[stack].chains / merged[stack].partitions;
    let terms = (continuations(0) * continuations(1) / 16.0).ceil() * 16.0;
    let orders = merging.columns[2].len() as f64;
    let pairs = merged[2].chains / orders;
    let swaps = orders / full.columns[2].len() as f64;
    let dots = pairs * at_least_one(agrees(2), images / classes * swaps);
    let gathered = terms * (rows(oriented, 1) + rows(oriented, 2));
    classes * (dots * (cost::DOT + terms * cost::TERM) + gathered * cost::GATHERED + pairs * cost::CHECKED)
        + images * (merged[2].partitions * cost::WEIGHTED + cost::CLASSIFIED)
}

/// An estimate of the table rows of the third box of a band.
fn rows(oriented: &OrientedClues, band: usize) -> f64 {
    280.0 / 3f64.powi(oriented.boxes[band][2].len().saturating_sub(1) as i32)
}

/// The number of chains that filters leave, and of their first partitions.
#[derive(Clone, Copy, Debug)]
struct StackCounts {
    partitions: f64,
    chains: f64,
}

impl StackCounts {
    fn of(filters: &[Filter; 3]) -> StackCounts {
        let mut counts = StackCounts { partitions: 0.0, chains: 0.0 };
        for moves in ALL.iter().filter_map(|(_, parts)| Moves::new(parts, filters)) {
            let chains = moves.count();
            counts.partitions += f64::from(u8::from(chains > 0));
            counts.chains += chains as f64;
        }
        counts
    }
}
