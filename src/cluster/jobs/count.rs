//! Counting a puzzle with all ranks: expand, scatter, count, reduce.
//!
//! ```text
//!   rank 0   expand breadth-first ─▶ pool ─┐ scatter                          ┌─▶ reduce ─▶ the count
//!   rank 0                                 ├─▶ block 0 ─▶ count depth-first ──┤
//!   rank 1                                 ├─▶ block 1 ─▶ count depth-first ──┤
//!     ⋮                                    ├─▶    ⋮              ▲            │
//!   rank R−1                               └─▶ block R−1 ─▶ …    │ ───────────┘
//!                                                                └ more blocks, with schedules that send them on request
//! ```

use std::cell::RefCell;
use std::time::Instant;

use signal_hook::consts::SIGTERM;

use super::pool_recipe::PoolRecipe;
use super::prepare::{Prepared, prepare};
pub use super::result::{Count, Phases, RankReport, RequestCosts, UnitTallies};
use super::run_rank::{Coordinate, Units, count_block, reduce, run_rank, scatter};
use super::spec::{Command, JobSpec};
use crate::cluster::journal::{Journal, JournalOptions, OpenJournal, ResumedFrom};
use crate::cluster::lifecycle::stop::{StopConditions, StopReason};
use crate::cluster::schedule::message_loop::BETWEEN_CALLBACKS;
use crate::cluster::schedule::progress::{Progress, ProgressCallback};
use crate::cluster::schedule::rank_client::RoundTrips;
use crate::cluster::schedule::{Distribution, ScheduleChoice};
use crate::cluster::worker::trace::{UnitRecord, collect_records, send_records, sums};
use crate::cluster::{Cluster, JobError, stop_requested};
use crate::count::search::SearchOptions;
use crate::count::{Depth, MethodChoice, MethodName, PoolOptions, Purpose, Solutions};
use crate::puzzle::Puzzle;

/// Units per worker with `--depth auto`: enough for long units to even out.
const UNITS_PER_WORKER: usize = 64;
/// The largest pool in bytes on rank 0.
pub(crate) const MAX_POOL_BYTES: usize = 1 << 30;
/// The most units whose solutions a report keeps: some megabytes.
const MAX_UNITS_KEPT: usize = 1 << 20;

/// How to count.
#[derive(Clone, Debug)]
pub struct CountOptions {
    /// The method.
    pub method: MethodChoice,
    /// The schedule.
    pub schedule: ScheduleChoice,
    /// Units of a block; `None` for the schedule's default.
    pub chunk: Option<usize>,
    /// The order of cells and values, and the cache.
    pub search: SearchOptions,
    /// The depth of the expansion.
    pub depth: Depth,
    /// Worker threads of each rank.
    pub threads: usize,
    /// Stop at this many solutions.
    pub limit: Option<u64>,
    /// Stop at this time.
    pub deadline: Option<Instant>,
    /// Record every unit.
    pub trace: bool,
    /// Keep the solutions of every unit.
    pub units: bool,
    /// Keep a journal.
    pub journal: Option<JournalOptions>,
}

impl CountOptions {
    /// The options of a pool for so many ranks.
    pub(crate) fn pool(&self, ranks: usize, keep_solved: bool) -> PoolOptions {
        let units = ranks.saturating_mul(self.threads).saturating_mul(UNITS_PER_WORKER);
        PoolOptions { depth: self.depth, units, keep_solved, max_bytes: MAX_POOL_BYTES }
    }
}

/// Counts a puzzle with all ranks, as rank 0. The others are in [`Cluster::run_commands`]. `resumed` is called with what is taken over from a
/// journal and the number of units, `callback` a few times a second with the progress.
pub fn count(
    cluster: &Cluster,
    puzzle: &Puzzle,
    options: &CountOptions,
    resumed: &mut dyn FnMut(&ResumedFrom, usize),
    callback: &mut ProgressCallback,
) -> Result<Count, JobError> {
    let comm = &cluster.comm;
    let _active = comm.activate_heartbeat();
    let stop = StopConditions { signals: cluster.signals(), deadline: options.deadline };
    let start = comm.wtime();

    let (expanded, units) = expand(cluster, puzzle, options, &stop, resumed, callback)?;
    let expanded_at = comm.wtime();

    let (method, job) = (&*expanded.prepared.method, expanded.job(cluster, puzzle, options, &units));
    cluster.broadcast(&Command::Count(job.clone()));
    let block = scatter(comm, method, &job, units);

    let coordinate = Coordinate { stop, known: expanded.known.exact().unwrap_or(u128::MAX), callback };
    let writer = expanded.journal.as_ref().map(|journal| &journal.writer);
    let counted = count_block(cluster, method, &job, block, writer, Some(coordinate));

    let mut result = reduce(comm, &job, counted);
    let phases = result.phases(start, expanded_at, comm.wtime());

    let reports = result.reports()?;
    let announced = reports.iter().map(|report| report.records).sum();
    let own = std::mem::take(&mut result.records);
    let records = job.trace.then(|| collect_records(comm, own, announced));
    // Rank 0's own requests are not messages.
    let round_trips = reports.iter().skip(1).fold(RoundTrips::default(), |sum, report| sum.plus(report.round_trips));
    let (ranks, hosts): (Vec<_>, Vec<_>) = reports.into_iter().map(|report| (report.rank, report.host)).unzip();
    let subtasks_left = expanded.subtasks_left();
    result.check_sums(ranks.iter(), job.units - subtasks_left, subtasks_left)?;
    let unfinished = result.reduction.unfinished;
    if unfinished > 0 && result.coordinator.stopped.is_none() && options.limit.is_none() {
        return Err(JobError::Protocol(format!("{unfinished} units unfinished")));
    }

    let complete = unfinished == 0;
    let Expanded { prepared, units, pool_bytes, recipe, known, journal } = expanded;
    let earlier_nodes = journal.as_ref().map_or(0, |journal| journal.recovery.nodes);
    Ok(Count {
        solutions: known.plus(result.reduction.solutions),
        nodes: prepared.pool.above.nodes.saturating_add(earlier_nodes).saturating_add(result.reduction.nodes),
        complete,
        stopped: result.coordinator.stopped,
        units,
        pool_bytes,
        solutions_above: prepared.pool.above.solutions,
        nodes_above: prepared.pool.above.nodes,
        depth_reached: prepared.pool.depth_reached,
        method: prepared.name,
        method_reason: prepared.method_reason,
        distribution: job.distribution,
        schedule_reason: prepared.schedule_reason,
        reduction: result.reduction,
        ranks,
        hosts,
        phases,
        requests: RequestCosts::new(result.coordinator, round_trips),
        tallies: recipe.filter(|_| complete).zip(records.as_ref()).map(|(pool, records)| tallies(pool, units, records)),
        records: records.filter(|_| options.trace),
        resumed_from: journal.as_ref().and_then(Journal::resumed_from),
    })
}

/// A worker rank's part of a count or recount.
pub(crate) fn join(cluster: &Cluster, job: &JobSpec, purpose: Purpose) -> Result<(), JobError> {
    let comm = &cluster.comm;
    let method = comm.run_with_heartbeat(|| job.method(purpose))?;
    let rank = comm.rank();
    let begin = || job.journal.as_ref().map(|journal| journal.begin(rank)).transpose();
    let writer = comm.run_with_heartbeat(begin)?;
    let result = run_rank(cluster, &*method, job, Units::default(), writer.as_ref(), None);
    send_records(comm, &result.records);
    Ok(())
}

/// A pool, and what is already known of it.
struct Expanded {
    /// Its pool has no units any more: these are being distributed.
    prepared: Prepared,
    units: usize,
    pool_bytes: usize,
    /// With `--units`, how to make the pool again.
    recipe: Option<PoolRecipe>,
    /// Solutions above the depth and of earlier runs.
    known: Solutions,
    journal: Option<Journal>,
}

/// Reports that rank 0 prepares a count, from the function that it calls all the time to learn whether to stop.
struct PreparationProgress<'a, 'b> {
    callback: &'a mut ProgressCallback<'b>,
    start: Instant,
    reported: Instant,
}

impl<'a, 'b> PreparationProgress<'a, 'b> {
    fn new(callback: &'a mut ProgressCallback<'b>) -> Self {
        let now = Instant::now();
        PreparationProgress { callback, start: now, reported: now }
    }

    fn report(&mut self, options: &CountOptions) {
        if self.reported.elapsed() < BETWEEN_CALLBACKS {
            return;
        }
        self.reported = Instant::now();
        let searches = options.method.fixed().is_some_and(MethodName::searches);
        let preparing = Some(if searches { "expanding the search tree" } else { "building tables" });
        (self.callback)(&Progress { preparing, seconds: self.start.elapsed().as_secs_f64(), ..Progress::default() });
    }
}

/// Expands the puzzle into a pool, and separates the units that are left to count.
fn expand(
    cluster: &Cluster,
    puzzle: &Puzzle,
    options: &CountOptions,
    stop: &StopConditions,
    resumed: &mut dyn FnMut(&ResumedFrom, usize),
    callback: &mut ProgressCallback,
) -> Result<(Expanded, Units), JobError> {
    let comm = &cluster.comm;
    let (stop_requested, progress) = (stop_requested(comm, stop), RefCell::new(PreparationProgress::new(callback)));
    let stopped = || {
        progress.borrow_mut().report(options);
        stop_requested()
    };
    let open = options.journal.as_ref().map(OpenJournal::open).transpose()?;
    let of_journal = open.as_ref().and_then(|journal| journal.prepare(puzzle, options, &stopped));
    let mut prepared = of_journal.unwrap_or_else(|| prepare(puzzle, options, comm.size(), &stopped))?;
    let journal = match open {
        // A partial pool cannot be compared with the journal's, nor kept.
        Some(open) if stopped() && !open.is_of(&prepared.pool) => match open.is_new() {
            true => None,
            false => return Err(JobError::Stopped(stop.reason().unwrap_or(StopReason::Signal(SIGTERM)))),
        },
        Some(open) if prepared.pool.units() > 0 => {
            Some(comm.run_with_heartbeat(|| open.begin(puzzle, options, &prepared))?)
        }
        _ => None,
    };
    let recipe = options.units.then(|| PoolRecipe::of(puzzle, options.search, &prepared));
    let (units, pool_bytes) = (prepared.pool.units(), prepared.pool.bytes.len());
    if options.units && units > MAX_UNITS_KEPT {
        return Err(JobError::ManyUnits { units, most: MAX_UNITS_KEPT });
    }
    let bytes = std::mem::take(&mut prepared.pool.bytes);
    let mut known = prepared.pool.above.solutions;
    let mut left = Units { bytes, ids: None };
    if let Some(journal) = &journal {
        if let Some(before) = journal.resumed_from() {
            resumed(&before, units);
        }
        known = known.plus(journal.recovery.solutions);
        left = journal.recovery.remove_finished(left, prepared.pool.unit_bytes);
    }
    Ok((Expanded { prepared, units, pool_bytes, recipe, known, journal }, left))
}

impl Expanded {
    /// What all ranks have to know.
    fn job(&self, cluster: &Cluster, puzzle: &Puzzle, options: &CountOptions, left: &Units) -> JobSpec {
        let Prepared { name, method, pool, schedule, .. } = &self.prepared;
        let units = left.bytes.len() / pool.unit_bytes;
        // Known solutions count towards the limit.
        let known = self.known.exact().unwrap_or(u128::MAX).try_into().unwrap_or(u64::MAX);
        let limit = options.limit.map(|limit| limit.saturating_sub(known));
        let distribution = Distribution::new(*schedule, options.chunk, units, cluster.ranks(), options.threads);
        let config = method.config_bytes();
        let mut job = JobSpec::new(puzzle, *name, options.search, config, units, distribution, limit);
        job.trace = options.trace || options.units;
        job.journal = self.journal.as_ref().map(Journal::handle);
        job.has_ids = left.ids.is_some();
        job
    }

    /// Subtasks that earlier runs have left.
    fn subtasks_left(&self) -> usize {
        self.journal.as_ref().map_or(0, |journal| journal.recovery.subtasks_left.len())
    }
}

/// The solutions of each unit, from the records of a complete count.
fn tallies(pool: PoolRecipe, units: usize, records: &[UnitRecord]) -> UnitTallies {
    let sums = sums(records);
    let solutions = (0..units).map(|unit| sums.get(&unit).map_or(0, |sum| sum.solutions)).collect();
    UnitTallies { pool, solutions }
}
