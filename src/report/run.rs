//! The report of one run: the JSON schema `census-run/2`.
//!
//! Field by field as README.md describes it. Counts are strings, because JSON's numbers end at 2⁵³ in most readers;
//! durations are seconds.

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

/// What one run says about itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunReport {
    /// `census-run/2`.
    pub schema: String,
    /// What ran when and where.
    #[serde(flatten)]
    pub provenance: Provenance,
    /// Whether the run came to the end that was asked for: all solutions, or as many as the limit.
    pub complete: bool,
    /// What was counted.
    pub puzzle: PuzzleFacts,
    /// How it was counted.
    pub config: Config,
    /// What the expansion gave.
    pub pool: PoolFacts,
    /// The solutions of each unit; null where they were not kept.
    #[serde(default)]
    pub units: Option<UnitsKept>,
    /// What runs before this one had finished; null where it did not take up a journal.
    pub resumed_from: Option<ResumedFrom>,
    /// What came out.
    pub result: RunResult,
    /// Seconds by `MPI_Wtime` on rank 0.
    pub phases: Phases,
    /// Smallest, largest and sum of the ranks' seconds, as the reduce brought them together.
    pub rank_statistics: RankStatistics,
    /// What each rank did.
    pub ranks: Vec<RankReport>,
    /// What requests for blocks have cost; null where none were made.
    pub requests: Option<RequestCosts>,
    /// What the workers remembered, all together; null where nobody looked for anything.
    pub cache: Option<CacheStats>,
    /// How well the ranks were used.
    pub efficiency: Efficiency,
}

impl RunReport {
    /// The report of one count of `puzzle`.
    pub fn new(provenance: Provenance, config: Config, puzzle: PuzzleFacts, count: &Count, answer: Answer) -> Self {
        let Count { phases, reduction: summary, .. } = count;
        // Rates are of this run.
        let before = |what: fn(&ResumedFrom) -> f64| count.resumed_from.as_ref().map_or(0.0, what);
        let exact = |solutions: Solutions| solutions.exact().unwrap_or(0) as f64;
        let found = count.resumed_from.as_ref().map_or(0.0, |before| exact(before.solutions));
        let (solutions, nodes) =
            (exact(answer.solutions) - found, count.nodes as f64 - before(|before| before.nodes as f64));
        RunReport {
            schema: "census-run/2".into(),
            provenance,
            complete: answer.is_what_was_asked_for(),
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
                solutions: answer.solutions,
                nodes: count.nodes,
                complete: answer.complete,
                stopped: answer.stopped.map(|reason| reason.to_string()),
                matches_expected: answer.matches_expected,
            },
            phases: *phases,
            rank_statistics: RankStatistics {
                distribute: summary.distribute,
                busy: summary.busy,
                wait: summary.wait,
                longest_unit: summary.longest,
            },
            ranks: count.ranks.clone(),
            requests: count.requests,
            cache: Some(summary.cache).filter(|cache| cache.lookups > 0),
            efficiency: Efficiency::of(summary.busy, &count.ranks, phases, solutions, nodes),
        }
    }
}

/// What is told of a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The solutions.
    pub solutions: Solutions,
    /// Whether these are all.
    pub complete: bool,
    /// Why not, if they are not.
    pub stopped: Option<StopReason>,
    /// Whether that is what the file expects, where it expects something and that can be said.
    pub matches_expected: Option<bool>,
}

impl Answer {
    /// Whether it is the one that was asked for: all solutions, or as many as the limit.
    pub fn is_what_was_asked_for(&self) -> bool {
        self.complete || self.stopped == Some(StopReason::Limit)
    }
}

/// What ran when and where.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Provenance {
    /// The program that ran.
    pub program: Program,
    /// The command line, as it was given.
    pub command: Vec<String>,
    /// When it started (UTC).
    pub started: String,
    /// When it finished (UTC).
    pub finished: String,
    /// Where it ran.
    pub environment: Environment,
}

impl Provenance {
    /// The run that started then and finishes now, with each rank's host.
    pub fn of<'a>(
        cluster: &Cluster,
        started: SystemTime,
        threads: usize,
        hosts: impl Iterator<Item = &'a Host>,
    ) -> Provenance {
        let moment = |moment| humantime::format_rfc3339_millis(moment).to_string();
        Provenance {
            program: Program::this(),
            command: std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect(),
            started: moment(started),
            finished: moment(SystemTime::now()),
            environment: Environment {
                mpi_library: cluster.library(),
                launcher: cluster.launcher().map(|launcher| launcher.name.into()),
                ranks: cluster.ranks(),
                threads,
                thread_level: cluster.thread_level().map(Into::into),
                wtime_resolution: cluster.wtick(),
                hosts: HostFacts::of(hosts),
                job: batch_job(),
            },
        }
    }
}

/// The program that ran.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Program {
    /// `census`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The commit it was built from; `+changes` marks a work tree that differed from it.
    pub commit: String,
    /// The fingerprint of the sources it was built from: the same for the same sources, wherever they were built.
    #[serde(default)]
    pub sources: String,
    /// The compiler it was built with.
    pub rustc: String,
    /// The profile it was built with.
    pub profile: String,
    /// The features it was built with.
    pub features: Vec<String>,
}

impl Program {
    /// The program that is running.
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
    /// The MPI library in its own words; null for a process on its own.
    pub mpi_library: Option<String>,
    /// What started the ranks; null for a process on its own.
    pub launcher: Option<String>,
    /// The number of ranks.
    pub ranks: usize,
    /// Worker threads of each rank.
    pub threads: usize,
    /// The thread level that MPI gave; null for a process on its own.
    pub thread_level: Option<String>,
    /// `MPI_Wtick` in seconds.
    pub wtime_resolution: f64,
    /// The machines, in the order of their first rank.
    pub hosts: Vec<HostFacts>,
    /// The batch job it belonged to.
    pub job: Option<String>,
}

/// One machine of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostFacts {
    /// Its name.
    pub name: String,
    /// The ranks on it.
    pub ranks: usize,
    /// Its processor.
    pub cpu: Option<String>,
    /// The cores that its ranks may use, all together.
    pub cores: usize,
}

impl HostFacts {
    fn of<'a>(hosts: impl Iterator<Item = &'a Host>) -> Vec<HostFacts> {
        let mut facts: Vec<HostFacts> = Vec::new();
        let mut processors: Vec<BTreeSet<usize>> = Vec::new();
        for host in hosts {
            let known = facts.iter().position(|known| known.name == host.name);
            let index = known.unwrap_or_else(|| {
                facts.push(HostFacts { name: host.name.clone(), ranks: 0, cpu: host.cpu.clone(), cores: 0 });
                processors.push(BTreeSet::new());
                facts.len() - 1
            });
            facts[index].ranks += 1;
            processors[index].extend(&host.processors);
            facts[index].cores = processors[index].len();
        }
        facts
    }
}

/// What was counted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PuzzleFacts {
    /// Where it was read from.
    pub file: String,
    /// The SHA-256 of what was read.
    pub sha256: String,
    /// Its name.
    pub name: Option<String>,
    /// Its order.
    pub order: usize,
    /// Its regions and extra houses in words, such as `boxes 3x3`.
    pub regions: String,
    /// The number of givens.
    pub givens: usize,
    /// The number of solutions its file expects.
    pub expected: Option<Solutions>,
    /// The puzzle itself, as a file would hold it; null in reports of earlier versions.
    #[serde(default)]
    pub text: Option<String>,
}

impl PuzzleFacts {
    /// The facts of a puzzle read from `file`.
    pub fn of(puzzle: &Puzzle, file: &str, sha256: &str) -> PuzzleFacts {
        PuzzleFacts {
            file: file.into(),
            sha256: sha256.into(),
            name: puzzle.name.clone(),
            order: puzzle.shape.order(),
            regions: puzzle.shape.to_string(),
            givens: puzzle.givens.filled(),
            expected: puzzle.expected.map(Solutions::new),
            text: text_of(puzzle),
        }
    }
}

/// A puzzle as text that reads back as the same puzzle, without its name.
fn text_of(puzzle: &Puzzle) -> Option<String> {
    let nameless = Puzzle::new(Arc::clone(&puzzle.shape), puzzle.givens.clone());
    [Format::Line, Format::Jigsaw, Format::Flagged]
        .into_iter()
        .find_map(|format| formats::write(&nameless, format).ok())
}

/// How it was counted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The method, the one that was chosen in the case of `auto`.
    pub method: String,
    /// Why that one, where it was not the user's choice.
    pub method_reason: Option<String>,
    /// The schedule, the one that was chosen in the case of `auto`.
    pub schedule: String,
    /// Why that one, where it was not the user's choice.
    pub schedule_reason: Option<String>,
    /// The depth asked for.
    pub depth: String,
    /// The depth at which expansion ended; null for a collection, where it differs from puzzle to puzzle.
    pub depth_reached: Option<usize>,
    /// Units of a block; null where the schedule has no such number.
    pub chunk: Option<u64>,
    /// Which cell is guessed next; null where nothing is guessed.
    pub cells: Option<String>,
    /// Which value is tried next; null where nothing is guessed.
    pub values: Option<String>,
    /// Bytes of each worker for remembering what it has counted, 0 for none; null where nothing is guessed.
    pub cache: Option<u64>,
    /// The limit on solutions.
    pub limit: Option<String>,
}

impl Config {
    /// The configuration of a plan, and what became of it in a count; a collection has no one count to tell of.
    pub fn of(plan: &CountOptions, count: Option<&Count>) -> Config {
        let chunk =
            count.filter(|count| count.distribution.schedule != Schedule::Static).map(|count| count.distribution.chunk);
        let method = count.map_or(plan.method, |count| MethodChoice::Fixed(count.method));
        let search = (method != MethodChoice::Fixed(MethodName::Bands)).then_some(plan.search);
        Config {
            method: method.to_string(),
            method_reason: count.and_then(|count| count.method_reason).map(Into::into),
            schedule: count.map_or(plan.schedule.to_string(), |count| count.distribution.schedule.to_string()),
            schedule_reason: count.and_then(|count| count.schedule_reason).map(Into::into),
            depth: plan.depth.to_string(),
            depth_reached: count.map(|count| count.depth_reached),
            chunk: count.map_or(plan.chunk, |_| chunk).map(|chunk| chunk as u64),
            cells: search.map(|search| search.cells.to_string()),
            values: search.map(|search| search.values.to_string()),
            cache: search.map(|search| search.cache as u64),
            limit: plan.limit.map(|limit| limit.to_string()),
        }
    }
}

/// What the expansion gave.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PoolFacts {
    /// Units.
    pub units: usize,
    /// Bytes.
    pub bytes: usize,
    /// Solutions met above the depth.
    pub solutions_above: Solutions,
    /// Nodes visited above the depth.
    pub nodes: u64,
}

/// What came out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunResult {
    /// The solutions counted; null where these are more than 128 bits can count.
    pub solutions: Solutions,
    /// The nodes visited.
    pub nodes: u64,
    /// Whether these are all solutions.
    pub complete: bool,
    /// Why not, in words; null where they are.
    pub stopped: Option<String>,
    /// Whether that is what the file expects; null where it expects nothing or not all was counted.
    pub matches_expected: Option<bool>,
}

/// How the ranks' seconds spread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankStatistics {
    /// To get the units.
    pub distribute: MinMaxSum,
    /// Spent counting, as the mean over a rank's workers.
    pub busy: MinMaxSum,
    /// Of the count phase, not spent counting.
    pub wait: MinMaxSum,
    /// Of the longest unit.
    pub longest_unit: MinMaxSum,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_on_one_host_are_counted_together_and_so_are_their_cores() {
        let host =
            |name: &str, processors: &[usize]| Host { name: name.into(), cpu: None, processors: processors.into() };
        // The ranks of the first are bound to one processor each, those of the third share two.
        let hosts = [host("a", &[0]), host("b", &[3]), host("a", &[1]), host("c", &[0, 1]), host("c", &[0, 1])];
        let facts = HostFacts::of(hosts.iter());
        let told: Vec<(&str, usize, usize)> =
            facts.iter().map(|host| (host.name.as_str(), host.ranks, host.cores)).collect();
        assert_eq!(told, [("a", 2, 2), ("b", 1, 1), ("c", 2, 2)]);
    }
}
