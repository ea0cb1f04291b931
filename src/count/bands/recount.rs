//! Recounts units of the join by a search of the solutions whose boxes in the first band have the columns of a class.
//!
//! It uses only the columns that belong to a unit: no table, no dot product.

use std::ops::Range;

use census_puzzle::Puzzle;

use crate::search::LargeSearch;
use crate::{CacheStats, Control, Counted, Counter, Method, Solutions, SplitSink};

use super::clues::Orientation;
use super::counter::for_each_class;
use super::join::Join;
use super::partition::{ALL, Digits, NINE, Parts};
use super::symmetry::Image;

pub(super) struct SearchRecounter<'a> {
    pub join: &'a Join,
    pub puzzle: &'a Puzzle,
    pub orientation: &'a Orientation,
}

impl SearchRecounter<'_> {
    /// The solutions of a class below these thirds. Each image counts with its multiplicity.
    fn class(&self, class: usize, thirds: &Range<usize>, control: &Control) -> Counted {
        let classes = &self.join.classes;
        let mut sum = Counted { solutions: Solutions::ZERO, nodes: 0, finished: true, cache: CacheStats::default() };
        for image in &classes.images[classes.classes[class].images.clone()] {
            let mut allowed = vec![u64::from(NINE); self.puzzle.shape.cells()];
            self.allow(&mut allowed, 0, ALL.parts(image.first));
            self.allow(&mut allowed, 1, ALL.parts(image.second));
            for third in self.thirds(image, thirds) {
                if let Some(parts) = third {
                    self.allow(&mut allowed, 2, &parts);
                }
                let search = LargeSearch::within(self.puzzle, &allowed);
                let counted = search.counter().count(self.puzzle.givens.values(), control);
                sum.solutions = sum.solutions.plus(counted.solutions.times(Solutions::new(image.times.into())));
                sum.nodes = sum.nodes.saturating_add(counted.nodes);
                if !counted.finished {
                    return Counted { finished: false, ..sum };
                }
            }
        }
        sum
    }

    /// Allows each column of a box of the first band only its digits.
    fn allow(&self, allowed: &mut [u64], stack: usize, parts: &Parts) {
        for (column, &digits) in parts.iter().enumerate() {
            (0..3).for_each(|row| allowed[self.orientation.cell(0, stack, row, column)] = digits.into());
        }
    }

    /// The partitions of the third box that belong to these thirds, with the digits named as in an image. `None` stands for
    /// any partition.
    fn thirds(&self, image: &Image, thirds: &Range<usize>) -> Vec<Option<Parts>> {
        let third = &self.join.third;
        if *thirds == (0..third.count) {
            return vec![None];
        }
        let rename = |set: Digits| (0..9).filter(|d| set >> d & 1 == 1).fold(0, |s, d| s | 1 << image.renamed[d]);
        let partitions = &third.partitions[thirds.start * third.size()..thirds.end * third.size()];
        let parts = |&(middle, right): &(Digits, Digits)| Some([NINE & !middle & !right, middle, right].map(rename));
        partitions.iter().map(parts).collect()
    }
}

impl Counter for SearchRecounter<'_> {
    fn count_unit(&mut self, unit: &[u8], control: &Control, sink: Option<&mut SplitSink>) -> Counted {
        for_each_class(self.join, unit, control, sink, |class, thirds| self.class(class, &thirds, control))
    }
}
