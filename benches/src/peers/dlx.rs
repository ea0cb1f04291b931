//! The crate `dlx-rs`: Knuth's Algorithm X with dancing links, an iterator over solutions.

use std::time::Duration;

use dlx_rs::Solver;

use super::{Cover, LimitedCount};
use crate::rounds::Run;

/// Counts solutions. Each is a vector of the names of its options: with names of type `()`, it needs no memory.
pub fn count(cover: &Cover, limit: Duration) -> Run {
    let mut solver = Solver::new(cover.items);
    for option in &cover.options {
        let from_one: Vec<usize> = option.iter().map(|item| item + 1).collect();
        solver.add_option((), &from_one);
    }
    let mut counted = LimitedCount::start(limit);
    let _ = solver.try_for_each(|_| counted.found());
    counted.stop()
}
