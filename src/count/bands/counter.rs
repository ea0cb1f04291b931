//! Counts classes of pairs (P₁, P₂): weights from X, dot products of Y and Z (see "The join" in `docs/bands.md`).
//!
//! Lines of the tables run over R₃ and S₃, the dot products over the pairs k of a continuation of P₁ and one of P₂. So
//! gathering is a transposition. Some hundreds of k are gathered at a time, to stay in the cache.

use std::ops::Range;

use crate::{CacheStats, Control, Counted, Counter, Solutions, SplitSink};

use super::aligned::Aligned;
use super::join::Join;
use super::kernel::{LANES, MAX_ENTRY, MAX_TERMS, OwnedRow};
use super::partition::{Digits, NINE, PARTITIONS, code_sums};
use super::pool::Unit;
use super::symmetry::Class;

/// The gathered numbers of Y and Z should fit the second-level cache.
const GATHERED: usize = 256 << 10;

/// The most terms that are gathered at a time.
fn terms_together(join: &Join) -> usize {
    (GATHERED / (join.tables[1].stride + join.tables[2].stride)).min(MAX_TERMS) / LANES * LANES
}

/// A power of two, no less than the number of thirds.
const MAX_THIRDS: usize = 2048;
const _: () = assert!(PARTITIONS <= MAX_THIRDS);

// No sum can overflow. A weight is at most the number of fillings of a band, 9! · 56 · 6⁶; the continuations below a third
// are at most 56³ products of two table entries; the product of both, and the sum over all, fit 128 bits.
const _: () = assert!(362_880u64.checked_mul(56 * 46_656).is_some());
const _: () = assert!((56u64 * 56 * 56).checked_mul(MAX_ENTRY as u64 * MAX_ENTRY as u64).is_some());

pub(super) struct JoinCounter<'a> {
    join: &'a Join,
    /// The weight of each third, and the number of its continuations.
    weights: Vec<u64>,
    below: Vec<u64>,
    /// 1 for each third with a weight.
    has_weight: Box<[u8; MAX_THIRDS]>,
    /// The rows of Z below thirds with a weight, grouped by row of Y, and their dot products.
    selected: Vec<OwnedRow>,
    dots: Vec<u32>,
    /// The rows of Y that have any, and where the chosen rows of each end.
    active: Vec<(usize, usize)>,
    /// Lines of the tables of Y and Z, and the same turned into rows over k.
    y_lines: Vec<&'a [u16]>,
    z_lines: Vec<&'a [u16]>,
    y: Aligned,
    z: Aligned,
}

impl<'a> JoinCounter<'a> {
    pub(super) fn new(join: &'a Join) -> JoinCounter<'a> {
        let pairs: usize = join.third.pairs.iter().map(Vec::len).sum();
        let terms = terms_together(join);
        JoinCounter {
            join,
            weights: vec![0; join.third.count],
            below: vec![0; join.third.count],
            has_weight: Box::new([0; MAX_THIRDS]),
            // One more: an element is written even if it is not kept.
            selected: vec![OwnedRow::default(); pairs + 1],
            dots: vec![0; pairs],
            active: Vec::new(),
            y_lines: Vec::new(),
            z_lines: Vec::new(),
            y: Aligned::zeros(terms * join.tables[1].stride),
            z: Aligned::zeros(terms * join.tables[2].stride),
        }
    }

    /// The solutions of a class below these thirds, and the number of these thirds with a weight.
    fn class(&mut self, class: usize, thirds: Range<usize>) -> (u128, u64) {
        let class = &self.join.classes.classes[class];
        let evaluated = self.compute_weights(class, thirds.clone());
        if evaluated == 0 {
            return (0, 0);
        }
        self.select_pairs();
        self.below.fill(0);
        self.count_below(class);
        let pairs = self.weights[thirds.clone()].iter().zip(&self.below[thirds]);
        (pairs.map(|(&weight, &below)| u128::from(weight) * u128::from(below)).sum(), evaluated)
    }

    /// The weights of these thirds. Returns how many have a weight.
    fn compute_weights(&mut self, class: &Class, thirds: Range<usize>) -> u64 {
        let (x, third) = (&self.join.tables[0], &self.join.third);
        let weights = &mut self.weights[thirds.clone()];
        let partitions = &third.partitions[thirds.start * third.size()..thirds.end * third.size()];
        weights.fill(0);
        for image in &self.join.classes.images[class.images.clone()] {
            let line = x.line(x.rows[0].of(image.first), x.rows[1].of(image.second));
            let sums = code_sums(&image.renamed);
            let times = u64::from(image.times);
            for (weight, partitions) in weights.iter_mut().zip(partitions.chunks_exact(third.size())) {
                let fillings = |&(middle, right): &(Digits, Digits)| {
                    let code = sums[usize::from(middle & NINE)] + 2 * sums[usize::from(right & NINE)];
                    u64::from(line[usize::from(third.codes[usize::from(code)])])
                };
                *weight += times * partitions.iter().map(fillings).sum::<u64>();
            }
        }
        self.has_weight[..third.count].fill(0);
        let mut evaluated = 0;
        for (has_weight, &weight) in self.has_weight[thirds].iter_mut().zip(&*weights) {
            *has_weight = u8::from(weight > 0);
            evaluated += u64::from(*has_weight);
        }
        evaluated
    }

    /// Selects the pairs (R₃, S₃) below thirds with a weight, grouped by row of Y.
    fn select_pairs(&mut self) {
        self.active.clear();
        let mut count = 0;
        for (y, pairs) in self.join.third.pairs.iter().enumerate() {
            let before = count;
            for &pair in pairs {
                // Which thirds have a weight is unpredictable, so write all pairs without a branch, and advance only past
                // those to keep. (The modulo changes nothing, but avoids a bounds check.)
                self.selected[count] = pair;
                count += usize::from(self.has_weight[usize::from(pair.owner) % MAX_THIRDS]);
            }
            if count > before {
                self.active.push((y, count));
            }
        }
    }

    /// The continuations below each third with a weight.
    fn count_below(&mut self, class: &Class) {
        let join = self.join;
        let [_, y, z] = &join.tables;
        let (first, second) = (join.below[0].of(class.first), join.below[1].of(class.second));
        y.prepare(first.iter().map(|rows| rows.0));
        z.prepare(first.iter().map(|rows| rows.1));
        let most = terms_together(join);
        let mut pairs = first.iter().flat_map(|one| second.iter().map(move |two| (*one, *two)));
        loop {
            self.y_lines.clear();
            self.z_lines.clear();
            for ((y1, z1), (y2, z2)) in pairs.by_ref().take(most) {
                self.y_lines.push(y.line(y1, y2));
                self.z_lines.push(z.line(z1, z2));
            }
            if self.y_lines.is_empty() {
                return;
            }
            let terms = self.y_lines.len().next_multiple_of(LANES);
            self.y_lines.resize(terms, &y.zeros);
            self.z_lines.resize(terms, &z.zeros);
            join.kernel.transpose(&self.y_lines, &mut self.y);
            join.kernel.transpose(&self.z_lines, &mut self.z);
            let mut start = 0;
            for &(row, end) in &self.active {
                let left = &self.y[row * terms..][..terms];
                join.kernel.dots(left, &self.z, &self.selected[start..end], &mut self.dots[start..end]);
                start = end;
            }
            for (pair, &dot) in self.selected[..start].iter().zip(&self.dots) {
                self.below[usize::from(pair.owner)] += u64::from(dot);
            }
        }
    }
}

/// Adds up the results of `count` for the classes of a unit, each with the thirds of the unit. Splits off classes not begun
/// yet.
pub(super) fn for_each_class(
    join: &Join,
    unit: &[u8],
    control: &Control,
    mut sink: Option<&mut SplitSink>,
    mut count: impl FnMut(usize, Range<usize>) -> Counted,
) -> Counted {
    let Unit { classes: mut left, thirds } = Unit::from_bytes(unit, join.classes.classes.len(), join.third.count);
    let mut sum = Counted { solutions: Solutions::ZERO, nodes: 0, finished: true, cache: CacheStats::default() };
    while sum.finished
        && let Some(class) = left.next()
    {
        if control.stopped() {
            return Counted { finished: false, ..sum };
        }
        if let Some(sink) = &mut sink {
            control.split_off(&mut left, |classes| sink(&Unit { classes, thirds: thirds.clone() }.to_bytes()));
        }
        let counted = count(class, thirds.clone());
        sum.solutions = sum.solutions.plus(counted.solutions);
        sum.nodes += counted.nodes;
        sum.finished = counted.finished;
    }
    sum
}

impl Counter for JoinCounter<'_> {
    fn count_unit(&mut self, unit: &[u8], control: &Control, sink: Option<&mut SplitSink>) -> Counted {
        for_each_class(self.join, unit, control, sink, |class, thirds| {
            let (found, nodes) = self.class(class, thirds);
            control.report(found, nodes);
            Counted { solutions: Solutions::new(found), nodes, finished: true, cache: CacheStats::default() }
        })
    }
}
