//! A sweep: the reports in a directory, and their analysis.
//!
//! ```text
//!   read      reports, the log of scripts/sweep, failed runs            → Sweep
//!   analysis  repeats → cases → series → groups; speed-up, serial share → Analysis
//!   variant   the options in which series differ, and their labels
//!   warnings  disagreement on a count, and reasons for caution
//!   table, csv, markdown                                                  for terminals, programs, papers
//!   compare   two sweeps, case by case                                  → Comparison
//! ```
//!
//! [`html`](super::html) draws both as pages.

pub mod analysis;
pub mod compare;
pub mod csv;
pub mod markdown;
pub mod read;
pub mod scaling;
pub mod stats;
pub mod table;
mod variant;
pub mod warnings;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::run::{Environment, Program, RunReport};

#[derive(Clone, Debug)]
pub struct Sweep {
    pub name: String,
    /// The runs that are complete, ordered by name.
    pub runs: Vec<Run>,
    pub failures: Vec<FailedRun>,
    /// The sweep file, if there is one.
    pub settings: Option<String>,
}

/// How the work depends on the number of workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scaling {
    /// The same work for any number of workers.
    Strong,
    /// The same work for each worker.
    Weak,
}

#[derive(Clone, Debug)]
pub struct Run {
    /// The name of its report without `.json`.
    pub name: String,
    pub report: RunReport,
    pub scaling: Scaling,
    /// The command that repeats it.
    pub command: String,
    pub trace: Option<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedRun {
    pub name: String,
    /// The reason, in one line.
    pub why: String,
}

impl Run {
    /// Seconds of the run, by the clock of rank 0.
    pub fn seconds(&self) -> f64 {
        self.report.phases.total
    }

    pub fn environment(&self) -> &Environment {
        &self.report.provenance.environment
    }

    pub fn program(&self) -> &Program {
        &self.report.provenance.program
    }

    pub fn ranks(&self) -> usize {
        self.environment().ranks
    }

    pub fn threads(&self) -> usize {
        self.environment().threads
    }

    /// Ranks × threads.
    pub fn workers(&self) -> usize {
        self.ranks() * self.threads()
    }

    /// One worker without a launcher: the base of speed-up.
    pub fn is_sequential(&self) -> bool {
        self.environment().launcher.is_none() && self.workers() == 1
    }

    /// Whether a host had more workers than cores.
    pub fn is_oversubscribed(&self) -> bool {
        self.environment().hosts.iter().any(|host| host.ranks * self.threads() > host.cores)
    }

    /// The cores of all hosts that its ranks may use.
    pub fn cores(&self) -> usize {
        self.environment().hosts.iter().map(|host| host.cores).sum()
    }

    pub fn processors(&self) -> String {
        let models: BTreeSet<&str> = self.environment().hosts.iter().filter_map(|host| host.cpu.as_deref()).collect();
        models.into_iter().collect::<Vec<&str>>().join(" and ")
    }

    /// The name and version of the MPI library, without details of its build.
    pub fn mpi_library(&self) -> Option<&str> {
        let library = self.environment().mpi_library.as_deref()?.lines().next()?;
        Some(library.split(", package").next().unwrap_or(library))
    }

    /// The schedule that was requested.
    pub fn schedule(&self) -> &str {
        let config = &self.report.config;
        if config.schedule_reason.is_some() { "auto" } else { &config.schedule }
    }

    /// The method that was requested.
    pub fn method(&self) -> &str {
        let config = &self.report.config;
        if config.method_reason.is_some() { "auto" } else { &config.method }
    }

    pub fn puzzle(&self) -> &str {
        let puzzle = &self.report.puzzle;
        puzzle.name.as_deref().unwrap_or(&puzzle.file)
    }

    /// The name of the puzzle's file without folder and extension.
    pub fn stem(&self) -> &str {
        let file = self.report.puzzle.file.rsplit('/').next().unwrap_or_default();
        file.rsplit_once('.').map_or(file, |(stem, _)| stem)
    }

    /// The amount of work: 1 for strong scaling; nodes for weak scaling, where each number of workers has its own puzzle.
    pub fn work(&self) -> f64 {
        match self.scaling {
            Scaling::Strong => 1.0,
            Scaling::Weak => self.report.result.nodes as f64,
        }
    }

    /// Busy seconds of the mean rank, and the rest of the count phase.
    pub fn busy_and_wait(&self) -> (f64, f64) {
        let report = &self.report;
        let busy = report.rank_statistics.busy.sum / report.ranks.len().max(1) as f64;
        (busy, (report.phases.count - busy).max(0.0))
    }
}

/// A property of a run: its singular and plural name, and its value.
type Property = (&'static str, &'static str, fn(&Run) -> Option<String>);

/// What must not differ between comparable runs.
const PROPERTIES: [Property; 5] = [
    ("machine", "machines", |run| Some(run.processors())),
    ("commit", "commits", |run| Some(run.program().commit.clone())),
    ("sources", "versions of the sources", |run| Some(run.program().sources.clone())),
    ("compiler", "compilers", |run| Some(run.program().rustc.clone())),
    ("MPI library", "MPI libraries", |run| run.mpi_library().map(Into::into)),
];

/// The values of a property, with the number of runs that have each.
pub fn frequencies(runs: &[Run], property: impl Fn(&Run) -> Option<String>) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for value in runs.iter().filter_map(property) {
        *found.entry(value).or_default() += 1;
    }
    found
}
