//! The crate `exact-covers`: Knuth's Algorithm C with dancing links, with a callback for each solution. Its other solver, dancing
//! cells, is not implemented yet.

use std::time::Duration;

use exact_covers::{DlSolver, Solver};

use super::{Cover, LimitedCount};
use crate::rounds::Run;

/// Counts solutions without reading them. Items are integers without colours.
pub fn count(cover: &Cover, limit: Duration) -> Run {
    let items: Vec<usize> = (0..cover.items).collect();
    let mut solver: DlSolver<usize, ()> = DlSolver::new(&items, &[]);
    cover.options.iter().for_each(|option| solver.add_option(option, []));
    let mut counted = LimitedCount::start(limit);
    solver.solve(|_| counted.found());
    counted.stop()
}
