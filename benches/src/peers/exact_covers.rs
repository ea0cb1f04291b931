//! The crate `exact-covers`: Knuth's Algorithm C with dancing links, which calls back for each solution. Its other solver,
//! dancing cells, is still to be written.

use std::time::Duration;

use exact_covers::{DlSolver, Solver};

use super::{Cover, ProgressCallback};
use crate::rounds::Run;

/// Counts solutions without looking at them. Items are plain numbers, and none has a colour.
pub fn count(cover: &Cover, limit: Duration) -> Run {
    let items: Vec<usize> = (0..cover.items).collect();
    let mut solver: DlSolver<usize, ()> = DlSolver::new(&items, &[]);
    cover.options.iter().for_each(|option| solver.add_option(option, []));
    let mut watch = ProgressCallback::start(limit);
    solver.solve(|_| watch.found());
    watch.stop()
}
