//! Which way round to count: rows and columns swapped or not, which band is X, which stack comes third.
//!
//! All eighteen ways give the same number, but not in the same time. What each would cost is estimated from how many
//! partitions and chains its clues leave in each stack and from the sizes of its symmetry groups, as if clues and
//! symmetries were independent of one another; the way with the least estimate is taken.

use census_puzzle::Puzzle;

use super::chain::Moves;
use super::clues::{Filter, Orientation, OrientedClues};
use super::join::filters;
use super::partition::ALL;
use super::symmetry::Symmetry;

/// Nanoseconds, measured on the machine of the README: what they are to each other is what matters.
pub(super) mod cost {
    /// A term of a dot product.
    pub const TERM: f64 = 0.02;
    /// A dot product, besides its terms.
    pub const DOT: f64 = 2.0;
    /// A number of a table line that is gathered.
    pub const GATHERED: f64 = 0.08;
    /// A pair of third rows that is looked at, for whether it is below a third with a weight.
    pub const CHOSEN: f64 = 0.6;
    /// A partition P₃ that is weighed for an image.
    pub const WEIGHED: f64 = 1.5;
    /// A pair of partitions that is put into its class.
    pub const CLASSED: f64 = 100.0;
}

/// The number of the orientation that should take least, of all that there are, and its estimate in nanoseconds. Estimates
/// may be as good as equal, and rounding differs from machine to machine: one rank chooses for all.
pub(super) fn best(puzzle: &Puzzle) -> (u8, f64) {
    let mut known = Known::default();
    let costs = (0..).zip(all().map(|orientation| cost(&OrientedClues::new(puzzle, &orientation), &mut known)));
    costs.min_by(|(_, one), (_, other)| one.total_cmp(other)).unwrap_or((0, 0.0))
}

/// The orientation with this number.
pub(super) fn orientation(number: u8) -> Orientation {
    all().nth(number.into()).unwrap_or(Orientation::UPRIGHT)
}

/// All orientations that may differ in cost.
pub(super) fn all() -> impl Iterator<Item = Orientation> {
    const TURNS: [[usize; 3]; 3] = [[0, 1, 2], [1, 0, 2], [2, 0, 1]];
    [false, true].into_iter().flat_map(|transposed| {
        TURNS.into_iter().flat_map(move |bands| {
            TURNS.into_iter().map(move |[third, first, second]| Orientation {
                transposed,
                bands,
                stacks: [first, second, third],
            })
        })
    })
}

/// The estimate for a frame, in nanoseconds.
fn cost(oriented: &OrientedClues, known: &mut Known) -> f64 {
    let merging = Symmetry::of(oriented, &[1, 2]);
    let full = Symmetry::of(oriented, &[0, 1, 2]);
    let stacks = [0, 1, 2];
    let merged = stacks.map(|stack| known.count(&filters(oriented, stack, Some(&merging))));
    let exact = stacks.map(|stack| known.count(&filters(oriented, stack, None)));
    if exact.iter().any(|stack| stack.chains == 0.0) {
        return 0.0;
    }
    // Of the classes that there are, some have members that agree with the clues of X.
    let agrees = |stack: usize| exact[stack].partitions / merged[stack].partitions;
    let met = |chance: f64, times: f64| 1.0 - (1.0 - chance).powf(times.max(1.0));
    let (group, subgroup) = (merging.size(2), full.size(2));
    let all_classes = (merged[0].partitions * merged[1].partitions / group).max(1.0);
    let classes = all_classes * met(agrees(0) * agrees(1), group / subgroup);
    let images = (exact[0].partitions * exact[1].partitions / subgroup).max(classes);
    // ShortcutResult a class: ways of the first two stacks, and pairs of third rows, of which some are below a weight.
    let ways = |stack: usize| merged[stack].chains / merged[stack].partitions;
    let terms = (ways(0) * ways(1) / 16.0).ceil() * 16.0;
    let orders = merging.columns(2).len() as f64;
    let pairs = merged[2].chains / orders;
    let swaps = orders / full.columns(2).len() as f64;
    let dots = pairs * met(agrees(2), images / classes * swaps);
    let gathered = terms * (rows(oriented, 1) + rows(oriented, 2));
    classes * (dots * (cost::DOT + terms * cost::TERM) + gathered * cost::GATHERED + pairs * cost::CHOSEN)
        + images * (merged[2].partitions * cost::WEIGHED + cost::CLASSED)
}

/// About how many rows the third box of a band has.
fn rows(oriented: &OrientedClues, band: usize) -> f64 {
    280.0 / 3f64.powi(oriented.boxes[band][2].len().saturating_sub(1) as i32)
}

/// How many chains filters leave, and how many first partitions these have.
#[derive(Clone, Copy, Debug)]
struct Left {
    partitions: f64,
    chains: f64,
}

/// What has been counted: many orientations ask the same.
#[derive(Default)]
struct Known(Vec<([Filter; 3], Left)>);

impl Known {
    fn count(&mut self, filters: &[Filter; 3]) -> Left {
        if let Some((_, left)) = self.0.iter().find(|(known, _)| known == filters) {
            return *left;
        }
        let mut left = Left { partitions: 0.0, chains: 0.0 };
        for moves in ALL.iter().filter_map(|(_, parts)| Moves::new(parts, filters)) {
            let chains = moves.count();
            left.partitions += f64::from(u8::from(chains > 0));
            left.chains += chains as f64;
        }
        self.0.push((*filters, left));
        left
    }
}
