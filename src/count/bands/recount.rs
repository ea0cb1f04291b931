//! Counting units of the join by a search: the solutions whose boxes of the first band have the columns of a class.
//!
//! Nothing of the join is used but which columns belong to a unit: no table, no dot product.

use std::ops::{ControlFlow, Range};

use census_puzzle::Puzzle;

use crate::search::search_within;
use crate::{CacheUse, Control, Counted, Counter, Give, Method, Pool, PoolPlan, PoolTooLarge, Solutions};

use super::counter::each_class;
use super::frame::Orientation;
use super::join::Join;
use super::kernel::Kernel;
use super::partition::{ALL, Digits, NINE, PARTITIONS, Parts};
use super::pool;
use super::symmetry::Image;
use super::unit::Unit;

/// The units of the join of a puzzle, counted by a search.
pub(super) struct Recount {
    puzzle: Puzzle,
    number: u8,
    orientation: Orientation,
    join: Join,
}

impl Recount {
    /// Counts the units of the join in this orientation, which has this number.
    pub(super) fn new(puzzle: &Puzzle, number: u8, orientation: Orientation) -> Recount {
        let join = Join::new(puzzle, &orientation, Kernel::best());
        Recount { puzzle: puzzle.clone(), number, orientation, join }
    }

    /// The cells of a column of a box of the first band.
    fn column(&self, stack: usize, column: usize) -> impl Iterator<Item = usize> {
        (0..3).map(move |row| self.orientation.cell(0, stack, row, column))
    }

    /// The solutions of a class with third boxes like these, each image as often as it stands for others.
    fn class(&self, class: usize, thirds: &Range<usize>, control: &Control) -> Counted {
        let classes = &self.join.classes;
        let mut sum = Counted { solutions: Solutions::ZERO, nodes: 0, finished: true, cache: CacheUse::default() };
        for image in &classes.images[classes.classes[class].images.clone()] {
            let counted = self.image(image, thirds, control);
            sum.solutions = sum.solutions.plus(counted.solutions.times(Solutions::new(image.times.into())));
            sum.nodes = sum.nodes.saturating_add(counted.nodes);
            if !counted.finished {
                return Counted { finished: false, ..sum };
            }
        }
        sum
    }

    /// The solutions with the columns of an image.
    fn image(&self, image: &Image, thirds: &Range<usize>, control: &Control) -> Counted {
        let mut allowed = vec![u64::from(NINE); self.puzzle.shape.cells()];
        for (stack, place) in [image.first, image.second].into_iter().enumerate() {
            for (column, &digits) in ALL.parts(place).iter().enumerate() {
                self.column(stack, column).for_each(|cell| allowed[cell] = digits.into());
            }
        }
        let search = search_within(&self.puzzle, &allowed);
        let (mut counter, givens) = (search.counter(), self.puzzle.givens.values());
        if *thirds == (0..self.join.third.classes) {
            return counter.count(givens, control);
        }
        let wanted = self.thirds(image, thirds);
        let mut found = 0;
        let counted = counter.visit(givens, control, &mut |solution| {
            let digits = |column: usize| self.column(2, column).fold(0, |set, cell| set | 1 << (solution[cell] - 1));
            let parts: Parts = std::array::from_fn(digits);
            found += u128::from(wanted[usize::from(ALL.place(&parts))]);
            ControlFlow::Continue(())
        });
        Counted { solutions: Solutions::new(found), ..counted }
    }

    /// Which partitions of the third box belong to these thirds, with the digits named as in an image.
    fn thirds(&self, image: &Image, thirds: &Range<usize>) -> Vec<bool> {
        let third = &self.join.third;
        let rename = |set: Digits| (0..9).filter(|d| set >> d & 1 == 1).fold(0, |s, d| s | 1 << image.renamed[d]);
        let mut wanted = vec![false; PARTITIONS];
        for &(middle, right) in &third.partitions[thirds.start * third.size()..thirds.end * third.size()] {
            let parts = [NINE & !middle & !right, middle, right].map(rename);
            wanted[usize::from(ALL.place(&parts))] = true;
        }
        wanted
    }
}

impl Method for Recount {
    fn unit_bytes(&self) -> usize {
        Unit::BYTES
    }

    fn setup(&self) -> Vec<u8> {
        vec![self.number]
    }

    fn expand(&self, plan: &PoolPlan, _: &dyn Fn() -> bool) -> Result<Pool, PoolTooLarge> {
        Ok(pool::pool(&self.join.weights(), self.join.third.classes, plan))
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        Box::new(self)
    }
}

impl Counter for &Recount {
    fn count(&mut self, unit: &[u8], control: &Control) -> Counted {
        each_class(&self.join, unit, control, None, |class, thirds| self.class(class, &thirds, control))
    }

    fn share(&mut self, unit: &[u8], control: &Control, give: &mut Give) -> Counted {
        each_class(&self.join, unit, control, Some(give), |class, thirds| self.class(class, &thirds, control))
    }

    fn visit(&mut self, _: &[u8], _: &Control, _: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Counted {
        unreachable!("units are recounted, not listed")
    }
}
