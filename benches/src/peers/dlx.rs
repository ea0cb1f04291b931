//! The crate `dlx-rs`: Knuth's Algorithm X with dancing links, an iterator over solutions.

use std::time::Duration;

use dlx_rs::Solver;

use super::{Cover, ProgressCallback};
use crate::rounds::Run;

/// Counts solutions. Each comes as a vector of the names of its options: names without a size spare it the memory.
pub fn count(cover: &Cover, limit: Duration) -> Run {
    let mut solver = Solver::new(cover.items);
    for option in &cover.options {
        let from_one: Vec<usize> = option.iter().map(|item| item + 1).collect();
        solver.add_option((), &from_one);
    }
    let mut watch = ProgressCallback::start(limit);
    let _ = solver.try_for_each(|_| watch.found());
    watch.stop()
}
