//! The peers that come as crates, each used in its fastest way to count all solutions.

mod cover;
mod dlx;
mod exact_covers;
pub mod sudoku;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::rounds::Run;
pub use cover::Cover;

/// A solver of exact covers.
pub struct CoverSolver {
    /// The crate that it comes from.
    pub name: &'static str,
    /// Counts all exact covers until the time is over. What comes before its search is not timed.
    pub count: fn(&Cover, Duration) -> Run,
}

impl CoverSolver {
    /// The one of these covers with which it finds more in a second.
    pub fn faster<'a>(&self, covers: &'a [Cover], limit: Duration) -> &'a Cover {
        let pace = |cover| {
            let run = (self.count)(cover, limit);
            run.solutions as f64 / run.seconds
        };
        let paces = covers.iter().map(|cover| (pace(cover), cover));
        paces.max_by(|a, b| a.0.total_cmp(&b.0)).expect("one at least").1
    }
}

/// All that are measured.
pub const COVER_SOLVERS: [CoverSolver; 2] = [
    CoverSolver { name: "exact-covers", count: exact_covers::count },
    CoverSolver { name: "dlx-rs", count: dlx::count },
];

/// A crate with its version, as tables show it. The version is the one in the lock file, so that it is never a stale one.
pub fn versioned(name: &str) -> String {
    let lock = include_str!("../../Cargo.lock");
    let entry = format!("name = \"{name}\"\nversion = \"");
    let version = lock.split_once(&entry).and_then(|(_, rest)| rest.split('"').next());
    format!("`{name}` {}", version.unwrap_or("of unknown version"))
}

/// Counts solutions as a peer finds them, until the time is over.
struct ProgressCallback {
    start: Instant,
    limit: Duration,
    solutions: u64,
    complete: bool,
}

impl ProgressCallback {
    fn start(limit: Duration) -> ProgressCallback {
        ProgressCallback { start: Instant::now(), limit, solutions: 0, complete: true }
    }

    /// One more. Looks at the clock only sometimes, so that the peer does not pay for it.
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
