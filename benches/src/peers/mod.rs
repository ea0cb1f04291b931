//! The peers, crates that are used in their fastest way to count all solutions.

mod cover;
mod dlx;
mod exact_covers;
pub mod sudoku;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::rounds::Run;
pub use cover::Cover;

/// A solver of exact covers
pub struct CoverSolver {
    /// Its crate
    pub name: &'static str,
    /// Counts all exact covers within the time limit. Only the search is timed.
    pub count: fn(&Cover, Duration) -> Run,
}

impl CoverSolver {
    /// The one of these covers with which it finds more solutions a second.
    pub fn faster<'a>(&self, covers: &'a [Cover], limit: Duration) -> &'a Cover {
        let pace = |cover| {
            let run = (self.count)(cover, limit);
            run.solutions as f64 / run.seconds
        };
        let paces = covers.iter().map(|cover| (pace(cover), cover));
        paces.max_by(|a, b| a.0.total_cmp(&b.0)).expect("one at least").1
    }
}

pub const COVER_SOLVERS: [CoverSolver; 2] = [
    CoverSolver { name: "exact-covers", count: exact_covers::count },
    CoverSolver { name: "dlx-rs", count: dlx::count },
];

/// A crate with its version from the lock file, for tables.
pub fn versioned(name: &str) -> String {
    let lock = include_str!("../../Cargo.lock");
    let entry = format!("name = \"{name}\"\nversion = \"");
    let version = lock.split_once(&entry).and_then(|(_, rest)| rest.split('"').next());
    format!("`{name}` {}", version.unwrap_or("of unknown version"))
}

/// Counts the solutions that a peer finds, within the time limit.
struct LimitedCount {
    start: Instant,
    limit: Duration,
    solutions: u64,
    complete: bool,
}

impl LimitedCount {
    fn start(limit: Duration) -> LimitedCount {
        LimitedCount { start: Instant::now(), limit, solutions: 0, complete: true }
    }

    /// Counts a solution. Reads the clock only every 64 solutions, to keep the overhead small.
    #[inline]
    fn found(&mut self) -> ControlFlow<()> {
        self.solutions += 1;
        if self.solutions.is_multiple_of(64) && self.start.elapsed() >= self.limit {
            self.complete = false;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn stop(self) -> Run {
        let seconds = self.start.elapsed().as_secs_f64();
        Run { seconds, solutions: self.solutions.into(), complete: self.complete }
    }
}
