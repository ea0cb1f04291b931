//! The search of any large puzzle of a shape, one after the other.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::{Control, Counted, Counter, Method, Pool, PoolOptions, PoolTooLarge, SplitSink};
use census_puzzle::{Grid, Puzzle, Shape};

use super::{CdclUse, LargeSearch};
use crate::search::SearchOptions;

/// A unit is the givens of a puzzle, and gets a board of its own.
pub(crate) struct LargeBatch {
    shape: Arc<Shape>,
    options: SearchOptions,
}

impl LargeBatch {
    pub(crate) fn new(shape: &Shape, options: SearchOptions) -> LargeBatch {
        LargeBatch { shape: Arc::new(shape.clone()), options }
    }

    /// Without CDCL: a batch tries each puzzle only briefly.
    fn search(&self, unit: &[u8]) -> LargeSearch {
        let puzzle = Puzzle::new(Arc::clone(&self.shape), Grid::new(unit.to_vec()));
        LargeSearch::new(&puzzle, self.options, CdclUse::Never, &|| true)
    }
}

impl Method for LargeBatch {
    fn unit_bytes(&self) -> usize {
        self.shape.cells()
    }

    fn expand(&self, plan: &PoolOptions, stop: &dyn Fn() -> bool) -> Result<Pool, PoolTooLarge> {
        self.search(&vec![0; self.shape.cells()]).expand(plan, stop)
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        Box::new(self)
    }
}

impl Counter for &LargeBatch {
    fn count_unit(&mut self, unit: &[u8], control: &Control, _: Option<&mut SplitSink>) -> Counted {
        self.search(unit).counter().count(unit, control)
    }

    fn visit(&mut self, unit: &[u8], control: &Control, visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Counted {
        self.search(unit).counter().visit(unit, control, visit)
    }
}
