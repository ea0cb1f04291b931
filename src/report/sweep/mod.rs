//! A sweep: the reports of a directory, and what they say together.
//!
//! ```text
//!   read     the reports, the sweep's own notes, what failed          → Sweep
//!   warnings   what forbids a comparison, and what warns of one
//!   ways     what tells series from each other, and the words for it
//!   study    repeats → cases → series → subjects, speed-up and laws   → Analysis
//!   table, csv, markdown                                              for terminals, programs, papers
//!   compare  two sweeps, case by case                                 → Comparison
//! ```
//!
//! The page that people look at is a room of its own: [`page`](super::html).

pub mod analysis;
pub mod compare;
pub mod csv;
pub mod markdown;
pub mod read;
pub mod scaling;
pub mod stats;
pub mod table;
#[cfg(test)]
pub(crate) mod tests;
mod variant;
pub mod warnings;

use std::path::PathBuf;

use super::run::RunReport;

/// What a directory of reports holds.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// What it is called: the name of its directory.
    pub name: String,
    /// The runs that came to their end, in the order of their names.
    pub runs: Vec<Run>,
    /// The runs that did not.
    pub failures: Vec<FailedRun>,
    /// How it was made: the sweep file that makes it again, where there is one.
    pub settings: Option<String>,
}

/// How the work of a run goes with the number of workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scaling {
    /// The same work for any number of workers.
    Strong,
    /// As much work for each worker.
    Weak,
}

/// One run of a sweep.
#[derive(Clone, Debug)]
pub struct Run {
    /// What it is called: its report without `.json`.
    pub name: String,
    /// What it says of itself.
    pub report: RunReport,
    /// What it is a measurement of.
    pub scaling: Scaling,
    /// The command that makes it again.
    pub command: String,
    /// The trace beside the report.
    pub trace: Option<PathBuf>,
}

/// A run that did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedRun {
    /// What it is called.
    pub name: String,
    /// What is known about it, in one line.
    pub why: String,
}

impl Run {
    /// Seconds from the beginning to the end, by the clock of rank 0.
    pub fn seconds(&self) -> f64 {
        self.report.phases.total
    }

    /// The number of ranks.
    pub fn ranks(&self) -> usize {
        self.report.provenance.environment.ranks
    }

    /// Worker threads of each rank.
    pub fn threads(&self) -> usize {
        self.report.provenance.environment.threads
    }

    /// All workers.
    pub fn workers(&self) -> usize {
        self.ranks() * self.threads()
    }

    /// Whether it is one worker that no launcher has started: what parallel runs are compared with.
    pub fn is_sequential(&self) -> bool {
        self.report.provenance.environment.launcher.is_none() && self.workers() == 1
    }

    /// Whether some host had more workers than cores.
    pub fn is_oversubscribed(&self) -> bool {
        let hosts = &self.report.provenance.environment.hosts;
        hosts.iter().any(|host| host.ranks * self.threads() > host.cores)
    }

    /// The cores of all its hosts that its ranks might use.
    pub fn cores(&self) -> usize {
        self.report.provenance.environment.hosts.iter().map(|host| host.cores).sum()
    }

    /// The schedule that was asked for.
    pub fn schedule(&self) -> &str {
        let config = &self.report.config;
        if config.schedule_reason.is_some() { "auto" } else { &config.schedule }
    }

    /// The method that was asked for.
    pub fn method(&self) -> &str {
        let config = &self.report.config;
        if config.method_reason.is_some() { "auto" } else { &config.method }
    }

    /// What people call the puzzle.
    pub fn puzzle(&self) -> &str {
        let puzzle = &self.report.puzzle;
        puzzle.name.as_deref().unwrap_or(&puzzle.file)
    }

    /// The file's name without its folder and ending: short, and the same wherever the project is.
    pub fn stem(&self) -> &str {
        let file = self.report.puzzle.file.rsplit('/').next().unwrap_or_default();
        file.rsplit_once('.').map_or(file, |(stem, _)| stem)
    }

    /// What was done: 1 where all runs of the puzzle do the same, nodes where each number of workers has its own puzzle.
    pub fn work(&self) -> f64 {
        match self.scaling {
            Scaling::Strong => 1.0,
            Scaling::Weak => self.report.result.nodes as f64,
        }
    }

    /// Busy seconds of the mean rank, and seconds of the count phase in which it was not.
    pub fn busy_and_wait(&self) -> (f64, f64) {
        let report = &self.report;
        let busy = report.rank_statistics.busy.sum / report.ranks.len().max(1) as f64;
        (busy, (report.phases.count - busy).max(0.0))
    }
}
