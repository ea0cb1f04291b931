//! Counting classes of pairs (P₁, P₂): weights above, dot products below.
//!
//! For a class with the representative (P₁, P₂):
//!
//! 1. *Weights.* For every third, add up f_X over the images of the class and the partitions P₃ of the third, each
//!    renamed as the image is. Thirds whose weight is 0 are out.
//! 2. *Gather.* Let k run over the pairs of a way below P₁ and a way below P₂, some 56 · 56 at the most. Collect
//!    y(R₃, k) = f_Y(R₁ₖ, R₂ₖ, R₃) and z(S₃, k) = f_Z(S₁ₖ, S₂ₖ, S₃) as rows over k, one for each row R₃ and S₃. Table lines
//!    run over R₃, so that is a transposition. It is done for some hundreds of k at a time, to stay in the cache.
//! 3. *Dot products.* Below a third go so many (R₃, S₃); the number of ways to fill Y and Z below it is the sum of the dot
//!    products y(R₃, ·) · z(S₃, ·). Multiplied with the third's weight and added up: that is the class.

use std::ops::ControlFlow;

use crate::count::{Control, Counted, Counter, Give, Solutions};

use super::join::Join;
use super::kernel::{LANES, MAX_TERMS};
use super::partition::code_sums;
use super::unit::Unit;

/// Numbers that the gathered rows of Y and Z may take together: they should stay in the second-level cache.
const GATHERED: usize = 256 << 10;

/// Counts units, with memory of its own.
pub(super) struct Joiner<'a> {
    join: &'a Join,
    weights: Vec<u64>,
    below: Vec<u64>,
    /// For each row of Y that has any: its number, and where its part of `rows` and `thirds` ends.
    active: Vec<(u32, usize)>,
    rows: Vec<u32>,
    thirds: Vec<u16>,
    dots: Vec<u32>,
    y: Vec<u16>,
    z: Vec<u16>,
    zeros: Vec<u16>,
}

impl<'a> Joiner<'a> {
    pub(super) fn new(join: &'a Join) -> Joiner<'a> {
        let most = join.third.ways.iter().map(Vec::len).sum::<usize>() + 1;
        let longest = join.tables[1].stride().max(join.tables[2].stride());
        Joiner {
            join,
            weights: vec![0; join.third.classes],
            below: vec![0; join.third.classes],
            active: Vec::new(),
            rows: vec![0; most],
            thirds: vec![0; most],
            dots: vec![0; most],
            y: Vec::new(),
            z: Vec::new(),
            zeros: vec![0; longest],
        }
    }

    /// The solutions of a class below these thirds, and how many of the thirds have any weight.
    fn class(&mut self, class: usize, thirds: std::ops::Range<usize>) -> (u128, u64) {
        self.weigh(class, thirds.clone());
        let evaluated = self.weights[thirds.clone()].iter().filter(|&&weight| weight > 0).count();
        if evaluated == 0 {
            return (0, 0);
        }
        self.choose();
        self.below[thirds.clone()].fill(0);
        self.count_below(class);
        let pairs = self.weights[thirds.clone()].iter().zip(&self.below[thirds.clone()]);
        let solutions = pairs.map(|(&weight, &below)| u128::from(weight) * u128::from(below)).sum();
        self.weights[thirds].fill(0);
        (solutions, evaluated as u64)
    }

    /// Step 1: the weights of these thirds. All others are 0.
    fn weigh(&mut self, class: usize, thirds: std::ops::Range<usize>) {
        let join = self.join;
        let images = &join.classes.images[join.classes.classes[class].images.clone()];
        let x = &join.tables[0];
        let partitions = &join.third.partitions;
        // Partitions are in the order of their thirds.
        let start = partitions.partition_point(|&(_, _, third)| usize::from(third) < thirds.start);
        let end = partitions.partition_point(|&(_, _, third)| usize::from(third) < thirds.end);
        for image in images {
            let line = x.line(x.rows(0).of(image.first), x.rows(1).of(image.second));
            let sums = code_sums(&image.renamed);
            let times = u64::from(image.times);
            for &(middle, right, third) in &partitions[start..end] {
                let code = sums[usize::from(middle & 511)] + 2 * sums[usize::from(right & 511)];
                let fillings = line[usize::from(join.third.codes[usize::from(code)])];
                self.weights[usize::from(third)] += times * u64::from(fillings);
            }
        }
    }

    /// The pairs (R₃, S₃) below thirds with a weight, row of Y by row of Y.
    fn choose(&mut self) {
        self.active.clear();
        let mut count = 0;
        for (y, ways) in self.join.third.ways.iter().enumerate() {
            let before = count;
            for &(z, third) in ways {
                // Nobody can foretell which thirds have a weight: write all, and keep those that do.
                self.rows[count] = z.into();
                self.thirds[count] = third;
                count += usize::from(self.weights[usize::from(third)] > 0);
            }
            if count > before {
                self.active.push((y as u32, count));
            }
        }
    }

    /// Steps 2 and 3: the ways to go on below each third with a weight.
    fn count_below(&mut self, class: usize) {
        let join = self.join;
        let [_, y, z] = &join.tables;
        let class = &join.classes.classes[class];
        let (first, second) = (join.below[0].ways(class.first), join.below[1].ways(class.second));
        let most = (GATHERED / (y.stride() + z.stride())).min(MAX_TERMS) / LANES * LANES;
        let mut pairs = first.iter().flat_map(|one| second.iter().map(move |two| (*one, *two)));
        let (mut y_lines, mut z_lines) = (Vec::with_capacity(most), Vec::with_capacity(most));
        loop {
            y_lines.clear();
            z_lines.clear();
            for ((y1, z1), (y2, z2)) in pairs.by_ref().take(most) {
                y_lines.push(y.line(y1, y2));
                z_lines.push(z.line(z1, z2));
            }
            if y_lines.is_empty() {
                return;
            }
            let terms = y_lines.len().next_multiple_of(LANES);
            y_lines.resize(terms, &self.zeros[..y.stride()]);
            z_lines.resize(terms, &self.zeros[..z.stride()]);
            self.y.resize(terms * y.stride(), 0);
            self.z.resize(terms * z.stride(), 0);
            join.kernel.transpose(&y_lines, &mut self.y);
            join.kernel.transpose(&z_lines, &mut self.z);
            let mut start = 0;
            for &(row, end) in &self.active {
                let left = &self.y[row as usize * terms..][..terms];
                join.kernel.dots(left, &self.z, &self.rows[start..end], &mut self.dots[start..end]);
                start = end;
            }
            for (&third, &dot) in self.thirds[..start].iter().zip(&self.dots[..start]) {
                self.below[usize::from(third)] += u64::from(dot);
            }
        }
    }

    fn walk(&mut self, unit: &[u8], control: &Control, mut give: Option<&mut Give>) -> Counted {
        let Unit { classes: mut left, thirds } = Unit::from_bytes(unit);
        let mut solutions = Solutions::ZERO;
        let mut nodes = 0;
        while let Some(class) = left.next() {
            if control.stopped() {
                return Counted { solutions, nodes, finished: false };
            }
            if let Some(give) = &mut give {
                while control.wanted() > 0 && left.len() > 1 {
                    let middle = left.start + (left.end - left.start) / 2;
                    give(&Unit { classes: middle..left.end, thirds: thirds.clone() }.to_bytes());
                    left.end = middle;
                }
            }
            let (found, evaluated) = self.class(class as usize, thirds.start as usize..thirds.end as usize);
            solutions = solutions.plus(Solutions::new(found));
            nodes += evaluated;
            control.tell(found, evaluated);
        }
        Counted { solutions, nodes, finished: true }
    }
}

impl Counter for Joiner<'_> {
    fn count(&mut self, unit: &[u8], control: &Control) -> Counted {
        self.walk(unit, control, None)
    }

    fn share(&mut self, unit: &[u8], control: &Control, give: &mut Give) -> Counted {
        self.walk(unit, control, Some(give))
    }

    fn visit(&mut self, _: &[u8], _: &Control, _: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Counted {
        // Solutions are listed from a pool of another kind: see `list`.
        Counted { solutions: Solutions::ZERO, nodes: 0, finished: false }
    }
}
