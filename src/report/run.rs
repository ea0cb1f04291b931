//! The report of one run: the JSON schema `census-run/2`, described in `results/schema.json`.
//!
//! Numbers of solutions are strings, because most JSON readers are exact only up to 2⁵³. Durations are seconds.
#![warn(missing_docs)]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::cluster::{self, Cluster, Count, CountOptions, FEATURES, Host, Schedule, StopReason, batch_job};
pub use crate::cluster::{MinMaxSum, Phases, RankReport, RequestCosts, ResumedFrom};
use crate::count::{CacheStats, MethodChoice, MethodName, Solutions};
use crate::puzzle::{Format, Puzzle, formats};

use super::efficiency::Efficiency;
use super::units::UnitsKept;

/// The report of one run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunReport {
    /// Always `census-run/2`.
    pub schema: String,
    /// Program, command, time and environment.
    #[serde(flatten)]
    pub provenance: Provenance,
    /// Whether the count reached its end or its limit.
    pub complete: bool,
    /// The puzzle.
    pub puzzle: PuzzleFacts,
    /// The options of the count, and the choices made for `auto`.
    pub config: Config,
    /// The pool of units.
    pub pool: PoolFacts,
    /// The solutions of each unit with `--units`; otherwise null.
    #[serde(default)]
    pub units: Option<UnitsKept>,
    /// What earlier runs had finished; null without a resumed journal.
    pub resumed_from: Option<ResumedFrom>,
    /// The result.
    pub result: RunResult,
    /// Seconds of each phase, by `MPI_Wtime` on rank 0.
    pub phases: Phases,
    /// Statistics over ranks, in seconds, from the `MPI_Reduce`.
    pub rank_statistics: RankStatistics,
    /// The work of each rank, in the order of ranks.
    pub ranks: Vec<RankReport>,
    /// The cost of requests for blocks; null without requests.
    pub requests: Option<RequestCosts>,
    /// Cache statistics of all workers together; null without lookups.
    pub cache: Option<CacheStats>,
    /// Parallel efficiency and rates.
    pub efficiency: Efficiency,
}

impl RunReport {
    /// The report of a count.
    pub fn new(
        provenance: Provenance,
        config: Config,
        puzzle: PuzzleFacts,
        count: &Count,
        outcome: CountOutcome,
    ) -> Self {
        let Count { phases, reduction, .. } = count;
        // Rates do not include earlier runs.
        let exact = |solutions: Solutions| solutions.exact().unwrap_or(0) as f64;
        let before = count.resumed_from.as_ref();
        let solutions = exact(outcome.solutions) - before.map_or(0.0, |before| exact(before.solutions));
        let nodes = count.nodes as f64 - before.map_or(0.0, |before| before.nodes as f64);
        RunReport {
            schema: "census-run/2".into(),
            provenance,
            complete: outcome.is_done(),
            puzzle,
            config,
            pool: PoolFacts {
                units: count.units,
                bytes: count.pool_bytes,
                solutions_above: count.solutions_above,
                nodes: count.nodes_above,
            },
            units: count.tallies.as_ref().map(UnitsKept::of),
            resumed_from: count.resumed_from.clone(),
            result: RunResult {
                solutions: outcome.solutions,
                nodes: count.nodes,
                complete: outcome.complete,
                stopped: outcome.stopped.map(|reason| reason.to_string()),
                matches_expected: outcome.matches_expected,
            },
            phases: *phases,
            rank_statistics: RankStatistics {
                distribute: reduction.distribute,
                busy: reduction.busy,
                wait: reduction.wait,
                longest_unit: reduction.longest,
            },
            ranks: count.ranks.clone(),
            requests: count.requests,
            cache: Some(reduction.cache()).filter(|cache| cache.lookups > 0),
            efficiency: Efficiency::of(reduction.busy, &count.ranks, phases, solutions, nodes),
        }
    }
}

/// The outcome of counting one puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountOutcome {
    /// The number of solutions found.
    pub solutions: Solutions,
    /// Whether all solutions were found.
    pub complete: bool,
    /// Why the count is incomplete.
    pub stopped: Option<StopReason>,
    /// Whether the count is the one that the file expects; `None` if it expects none or the count is incomplete.
    pub matches_expected: Option<bool>,
}

impl CountOutcome {
    /// Whether the count reached its end or its limit.
    pub fn is_done(&self) -> bool {
        self.complete || self.stopped == Some(StopReason::Limit)
    }
}

/// Program, command, time and environment of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Provenance {
    /// The program.
    pub program: Program,
    /// The command line: program and arguments.
    pub command: Vec<String>,
    /// Start of the run, RFC 3339 in UTC, to the millisecond.
    pub started: String,
    /// End of the run, RFC 3339 in UTC, to the millisecond.
    pub finished: String,
    /// Where the run took place.
    pub environment: Environment,
}

impl Provenance {
    /// A run that ends now; `hosts` has the host of each rank.
    pub fn of<'a>(
        cluster: &Cluster,
        started: SystemTime,
        threads: usize,
        hosts: impl Iterator<Item = &'a Host>,
    ) -> Provenance {
        let text = |time| humantime::format_rfc3339_millis(time).to_string();
        Provenance {
            program: Program::this(),
            command: std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect(),
            started: text(started),
            finished: text(SystemTime::now()),
            environment: Environment {
                mpi_library: cluster.comm.library(),
                launcher: cluster.launcher().map(|launcher| launcher.name.into()),
                ranks: cluster.ranks(),
                threads,
                thread_level: cluster.comm.thread_level(),
                wtime_resolution: cluster.comm.wtick(),
                hosts: HostFacts::of(hosts),
                job: batch_job(),
            },
        }
    }
}

/// A build of the program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Program {
    /// Always `census`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The commit of the build; `+changes` marks a modified work tree.
    pub commit: String,
    /// The fingerprint of the sources, which does not depend on the machine of the build.
    #[serde(default)]
    pub sources: String,
    /// The compiler, as `rustc --version` prints it.
    pub rustc: String,
    /// The cargo profile, `release` or `debug`.
    pub profile: String,
    /// The enabled cargo features.
    pub features: Vec<String>,
}

impl Program {
    /// The running program.
    pub fn this() -> Program {
        Program {
            name: env!("CARGO_PKG_NAME").into(),
            version: env!("CARGO_PKG_VERSION").into(),
            commit: env!("CENSUS_COMMIT").into(),
            sources: cluster::sources().into(),
            rustc: env!("CENSUS_RUSTC").into(),
            profile: env!("CENSUS_PROFILE").into(),
            features: FEATURES.iter().map(ToString::to_string).collect(),
        }
    }
}

/// Where a run took place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Environment {
    /// The MPI library, as it describes itself; null without MPI.
    pub mpi_library: Option<String>,
    /// What started the ranks; null without a launcher.
    pub launcher: Option<String>,
    /// The number of ranks.
    pub ranks: usize,
    /// Worker threads of each rank.
    pub threads: usize,
    /// The thread level that MPI provides; null without MPI.
    pub thread_level: Option<String>,
    /// `MPI_Wtick` in seconds.
    pub wtime_resolution: f64,
    /// The hosts, in the order of their first rank.
    pub hosts: Vec<HostFacts>,
    /// The batch system and the id of the job; null outside of one.
    pub job: Option<String>,
}

/// A host of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostFacts {
    /// The name that the system reports.
    pub name: String,
    /// The number of its ranks.
    pub ranks: usize,
    /// The model of its processor; null if unknown.
    pub cpu: Option<String>,
    /// The number of cores that its ranks may use together.
    pub cores: usize,
}

impl HostFacts {
    fn of<'a>(hosts: impl Iterator<Item = &'a Host>) -> Vec<HostFacts> {
        let hosts: Vec<&Host> = hosts.collect();
        let mut facts: Vec<HostFacts> = Vec::new();
        for Host { name, cpu, .. } in &hosts {
            if facts.iter().all(|known| known.name != *name) {
                let same = || hosts.iter().filter(|host| host.name == *name);
                let processors: BTreeSet<&usize> = same().flat_map(|host| &host.processors).collect();
                let cores = processors.len();
                facts.push(HostFacts { name: name.clone(), ranks: same().count(), cpu: cpu.clone(), cores });
            }
        }
        facts
    }
}

/// A puzzle.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PuzzleFacts {
    /// The file it was read from.
    pub file: String,
    /// The SHA-256 of the input, in hexadecimal.
    pub sha256: String,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The number of rows, of columns and of values.
    pub order: usize,
    /// A description of its regions and extra houses, such as `boxes 3x3`.
    pub regions: String,
    /// The number of givens.
    pub givens: usize,
    /// The number of solutions that its file expects, if it does.
    pub expected: Option<Solutions>,
    /// The puzzle in a format that census reads, without its name; null in reports of earlier versions.
    #[serde(default)]
    pub text: Option<String>,
}

impl PuzzleFacts {
    /// A puzzle read from `file`.
    pub fn of(puzzle: &Puzzle, file: &str, sha256: &str) -> PuzzleFacts {
        /// The first that can represent the puzzle is used.
        const FORMATS: [Format; 3] = [Format::Line, Format::Jigsaw, Format::Flagged];
        let nameless = Puzzle::new(Arc::clone(&puzzle.shape), puzzle.givens.clone());
        PuzzleFacts {
            file: file.into(),
            sha256: sha256.into(),
            name: puzzle.name.clone(),
            order: puzzle.shape.order(),
            regions: puzzle.shape.to_string(),
            givens: puzzle.givens.filled(),
            expected: puzzle.expected.map(Solutions::new),
            text: FORMATS.into_iter().find_map(|format| formats::write(&nameless, format).ok()),
        }
    }
}

/// The options of a count, and the choices made for `auto`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The method; for `auto`, the chosen one.
    pub method: String,
    /// Why this method was chosen; null without `auto`.
    pub method_reason: Option<String>,
    /// The schedule; for `auto`, the chosen one.
    pub schedule: String,
    /// Why this schedule was chosen; null without `auto`.
    pub schedule_reason: Option<String>,
    /// The requested depth in guesses, or `auto`.
    pub depth: String,
    /// The depth at which the expansion ended, in guesses; null for a collection.
    pub depth_reached: Option<usize>,
    /// Units of a block; null for `static`.
    pub chunk: Option<u64>,
    /// The order of cells; null for `bands`.
    pub cells: Option<String>,
    /// The order of values; null for `bands`.
    pub values: Option<String>,
    /// Size of each worker's cache in bytes, 0 for none; null for `bands`.
    pub cache: Option<u64>,
    /// The limit on solutions; null without one.
    pub limit: Option<String>,
}

impl Config {
    /// The options, with the choices of a count; a collection has none for all of its puzzles.
    pub fn of(options: &CountOptions, count: Option<&Count>) -> Config {
        let chunk =
            count.filter(|count| count.distribution.schedule != Schedule::Static).map(|count| count.distribution.chunk);
        let method = count.map_or(options.method, |count| MethodChoice::Fixed(count.method));
        let search = method.fixed().is_none_or(MethodName::searches).then_some(options.search);
        Config {
            method: method.to_string(),
            method_reason: count.and_then(|count| count.method_reason).map(Into::into),
            schedule: count.map_or(options.schedule.to_string(), |count| count.distribution.schedule.to_string()),
            schedule_reason: count.and_then(|count| count.schedule_reason).map(Into::into),
            depth: options.depth.to_string(),
            depth_reached: count.map(|count| count.depth_reached),
            chunk: count.map_or(options.chunk, |_| chunk).map(|chunk| chunk as u64),
            cells: search.map(|search| search.cells.to_string()),
            values: search.map(|search| search.values.to_string()),
            cache: search.map(|search| search.cache as u64),
            limit: options.limit.map(|limit| limit.to_string()),
        }
    }
}

/// The pool of units.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PoolFacts {
    /// The number of units.
    pub units: usize,
    /// The size of all units, in bytes.
    pub bytes: usize,
    /// Solutions found above the depth.
    pub solutions_above: Solutions,
    /// Nodes visited above the depth.
    pub nodes: u64,
}

/// The result of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunResult {
    /// The number of solutions found; null for 2¹²⁸ or more.
    pub solutions: Solutions,
    /// Nodes visited.
    pub nodes: u64,
    /// Whether all solutions were found.
    pub complete: bool,
    /// Why the count is incomplete; null if it is complete.
    pub stopped: Option<String>,
    /// Whether the count is the one that the file expects; null if it expects none or the count is incomplete.
    pub matches_expected: Option<bool>,
}

/// Statistics over ranks, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankStatistics {
    /// Until the first block has arrived.
    pub distribute: MinMaxSum,
    /// Counting, as the mean over the workers of a rank.
    pub busy: MinMaxSum,
    /// The rest of the count phase.
    pub wait: MinMaxSum,
    /// The longest unit.
    pub longest_unit: MinMaxSum,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_and_cores_are_counted_by_host() {
        let host =
            |name: &str, processors: &[usize]| Host { name: name.into(), cpu: None, processors: processors.into() };
        // The ranks of the first are bound to one processor each, those of the third share two.
        let hosts = [host("a", &[0]), host("b", &[3]), host("a", &[1]), host("c", &[0, 1]), host("c", &[0, 1])];
        let facts = HostFacts::of(hosts.iter());
        let found: Vec<(&str, usize, usize)> =
            facts.iter().map(|host| (host.name.as_str(), host.ranks, host.cores)).collect();
        assert_eq!(found, [("a", 2, 2), ("b", 1, 1), ("c", 2, 2)]);
    }
}
