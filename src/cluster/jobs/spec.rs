//! What rank 0 broadcasts: the next command, and the job that belongs to it. The other ranks read neither options nor files.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::cluster::JobError;
use crate::cluster::journal::JournalHandle;
use crate::cluster::schedule::Distribution;
use crate::count::batch::BatchLimits;
use crate::count::search::SearchOptions;
use crate::count::{Method, MethodName, Purpose, RecountVariant};
use crate::puzzle::{Extras, Grid, Puzzle, Regions, Shape};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Command {
    Count(JobSpec),
    Recount(JobSpec, RecountVariant),
    CountBatch(JobSpec, BatchLimits),
    List(JobSpec),
    /// Leave with this exit code.
    Finalize(u8),
}

/// A puzzle, how to count it, and how its units are distributed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JobSpec {
    pub order: usize,
    regions: Regions,
    extras: Extras,
    givens: Vec<u8>,
    method: MethodName,
    search: SearchOptions,
    config: Vec<u8>,
    /// Entries to count: units, and subtasks that earlier runs have left.
    pub units: usize,
    pub subtasks: usize,
    pub distribution: Distribution,
    pub limit: Option<u64>,
    pub trace: bool,
    pub journal: Option<JournalHandle>,
}

impl JobSpec {
    pub(crate) fn new(
        puzzle: &Puzzle,
        method: MethodName,
        search: SearchOptions,
        bound: &dyn Method,
        units: usize,
        distribution: Distribution,
    ) -> JobSpec {
        let shape = &puzzle.shape;
        JobSpec {
            order: shape.order(),
            regions: shape.regions().clone(),
            extras: shape.extras(),
            givens: puzzle.givens.values().to_vec(),
            method,
            search,
            config: bound.config_bytes(),
            units,
            subtasks: 0,
            distribution,
            limit: None,
            trace: false,
            journal: None,
        }
    }

    /// The method, built on the rank that has received the job.
    pub(crate) fn method(&self, purpose: Purpose) -> Result<Box<dyn Method>, JobError> {
        let puzzle = self.puzzle().ok_or_else(|| JobError::Protocol("the puzzle of the job is invalid".into()))?;
        Ok(self.method.of(&puzzle, self.search, purpose, Some(&self.config), &|| false)?)
    }

    fn puzzle(&self) -> Option<Puzzle> {
        let shape = Shape::new(self.order, self.regions.clone(), self.extras).ok()?;
        (self.givens.len() == shape.cells()).then(|| Puzzle::new(Arc::new(shape), Grid::new(self.givens.clone())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::search::search;

    #[test]
    fn a_method_that_does_not_apply_to_the_shape_is_an_error_on_the_rank_that_receives_the_job() {
        // Rank 0 never sends this, but a rank that receives it must not panic.
        let puzzle = Puzzle::new(Arc::new(Shape::usual(4).expect("a shape")), Grid::empty(16));
        let options = SearchOptions::default();
        let (method, distribution) = (search(&puzzle, options), Distribution::default());
        let job = JobSpec::new(&puzzle, MethodName::Bands, options, &*method, 1, distribution);
        assert!(matches!(job.method(Purpose::Count), Err(JobError::Method(_))));
    }
}
