//! What rank 0 tells the others to do next. They know nothing but this: only rank 0 reads options and files.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::count::each::Terms;
use crate::count::search::SearchOptions;
use crate::count::{Aim, Method, MethodName, Way};
use crate::puzzle::{Extras, Grid, Puzzle, Regions, Shape};

use super::Fault;
use super::journal::Keep;
use super::schedule::Deal;

/// What every rank does next.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Order {
    /// Take part in counting a puzzle.
    Count(Job),
    /// Take part in counting units of a puzzle again, in another way.
    Recount(Job, Way),
    /// Take part in counting many puzzles of one shape.
    CountEach(Job, Terms),
    /// Take part in listing a puzzle's solutions.
    List(Job),
    /// Leave with this exit code.
    Leave(u8),
}

/// A puzzle, how to count it, and how the work is shared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Job {
    /// The order of the puzzle.
    pub order: usize,
    regions: Regions,
    extras: Extras,
    givens: Vec<u8>,
    /// How a unit is counted.
    method: MethodName,
    /// How to search.
    search: SearchOptions,
    /// How the method is set up.
    setup: Vec<u8>,
    /// The units of the pool.
    pub units: usize,
    /// Who gets which units.
    pub deal: Deal,
    /// Stop at this many solutions.
    pub limit: Option<u64>,
    /// Whether to keep a record of every unit.
    pub trace: bool,
    /// The journal to keep, if there is one.
    pub journal: Option<Keep>,
    /// Whether units have labels that do not follow from their places: those that an earlier run has left.
    pub labelled: bool,
}

impl Job {
    pub(super) fn new(
        puzzle: &Puzzle,
        method: MethodName,
        search: SearchOptions,
        setup: Vec<u8>,
        units: usize,
        deal: Deal,
        limit: Option<u64>,
    ) -> Job {
        let shape = &puzzle.shape;
        Job {
            order: shape.order(),
            regions: shape.regions().clone(),
            extras: shape.extras(),
            givens: puzzle.givens.values().to_vec(),
            method,
            search,
            setup,
            units,
            deal,
            limit,
            trace: false,
            journal: None,
            labelled: false,
        }
    }

    /// The method, bound to the puzzle, built anew on the rank that got the job.
    pub(super) fn method(&self, aim: Aim) -> Result<Box<dyn Method>, Fault> {
        let puzzle = self.puzzle().ok_or_else(|| Fault::Protocol("the puzzle did not arrive whole".into()))?;
        Ok(self.method.again(&puzzle, self.search, aim, &self.setup)?)
    }

    fn puzzle(&self) -> Option<Puzzle> {
        let shape = Shape::new(self.order, self.regions.clone(), self.extras).ok()?;
        (self.givens.len() == shape.cells()).then(|| Puzzle::new(Arc::new(shape), Grid::new(self.givens.clone())))
    }
}

#[cfg(test)]
mod tests {
    use super::super::schedule::Schedule;
    use super::*;

    #[test]
    fn a_job_carries_shape_and_givens_whole() {
        let extras = Extras { diagonals: true, hyper: false };
        let map = vec![0, 0, 1, 1];
        let shape = Shape::new(2, Regions::Jigsaw(map), extras).expect("a shape");
        let puzzle = Puzzle::new(Arc::new(shape), Grid::new(vec![1, 0, 0, 2]));
        let deal = Deal::new(Schedule::Guided, Some(4), 7, 2, 3);
        let job = Job::new(&puzzle, MethodName::Bands, SearchOptions::default(), vec![5, 0], 7, deal, Some(3));
        let order = Order::Count(job.clone());
        let bytes = serde_json::to_vec(&order).expect("serialises");
        let Ok(Order::Count(arrived)) = serde_json::from_slice(&bytes) else { panic!("comes back as it went") };
        assert_eq!(arrived.puzzle(), Some(puzzle));
        assert_eq!(arrived, job);
        // Rank 0 does not order this; a rank that hears it nevertheless must not panic.
        assert!(matches!(arrived.method(Aim::Count), Err(Fault::Method(_))));
    }
}
