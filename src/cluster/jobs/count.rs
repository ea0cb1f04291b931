//! Counting a puzzle with all ranks: expand, scatter, count, reduce. docs/protocol.md draws it.

use std::cell::{Cell, RefCell};
use std::mem;
use std::time::Instant;

use super::pool_recipe::PoolRecipe;
use super::prepare::{Prepared, prepare};
pub use super::result::{Count, Phases, RankReport, RequestCosts, UnitTallies};
use super::run_rank::Rank;
use super::spec::{Command, JobSpec};
use crate::cluster::journal::{Journal, JournalOptions, OpenJournal, ResumedFrom};
use crate::cluster::lifecycle::stop::StopConditions;
use crate::cluster::schedule::message_loop::{BETWEEN_CALLBACKS, Coordinate};
use crate::cluster::schedule::progress::{Progress, ProgressCallback};
use crate::cluster::schedule::{Distribution, ScheduleChoice};
use crate::cluster::worker::unit_id::into_entries;
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

#[derive(Clone, Debug)]
pub struct CountOptions {
    pub method: MethodChoice,
    pub schedule: ScheduleChoice,
    /// Units of a block; `None` for the schedule's default.
    pub chunk: Option<usize>,
    /// The order of cells and values, and the cache.
    pub search: SearchOptions,
    pub depth: Depth,
    pub threads: usize,
    pub limit: Option<u64>,
    pub deadline: Option<Instant>,
    pub trace: bool,
    /// Keep the solutions of every unit.
    pub units: bool,
    pub journal: Option<JournalOptions>,
}

impl CountOptions {
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
    let comm = &*cluster.comm;
    let (_active, stop) = cluster.begin_job(options.deadline);
    let start = comm.wtime();

    let (expanded, entries) = expand(cluster, puzzle, options, stop, resumed, callback)?;
    let expanded_at = comm.wtime();

    let (method, job) = (&*expanded.prepared.method, expanded.job(cluster, puzzle, options));
    cluster.broadcast(&Command::Count(job.clone()));
    let journal = expanded.journal.as_ref().map(|journal| &journal.writer);
    let rank = Rank { cluster, method, job: &job, journal };
    let block = rank.scatter(entries);

    let coordinate = Coordinate { stop, known: expanded.known.exact().unwrap_or(u128::MAX), callback };
    let counted = rank.count(block, Some(coordinate));

    let result = rank.reduce(counted)?;

    let unfinished = result.reduction.unfinished;
    if unfinished > 0 && result.coordinator.stopped.is_none() && options.limit.is_none() {
        return Err(JobError::Protocol(format!("{unfinished} units unfinished")));
    }
    let complete = unfinished == 0;
    let phases = result.phases(start, expanded_at);
    let Expanded { prepared, units, pool_bytes, recipe, known, journal, .. } = expanded;
    let above = prepared.pool.above;
    let earlier_nodes = journal.as_ref().map_or(0, |journal| journal.recovery.found.nodes);
    Ok(Count {
        solutions: known.plus(result.reduction.solutions()),
        nodes: above.nodes.saturating_add(earlier_nodes).saturating_add(result.reduction.nodes),
        complete,
        stopped: result.coordinator.stopped,
        units,
        pool_bytes,
        solutions_above: above.solutions,
        nodes_above: above.nodes,
        depth_reached: prepared.pool.depth_reached,
        method: prepared.name,
        method_reason: prepared.method_reason,
        distribution: job.distribution,
        schedule_reason: prepared.schedule_reason,
        reduction: result.reduction,
        ranks: result.ranks,
        hosts: result.hosts,
        phases,
        requests: RequestCosts::new(result.coordinator, result.round_trips),
        tallies: recipe.filter(|_| complete).map(|pool| UnitTallies::new(pool, units, &result.records)),
        records: options.trace.then_some(result.records),
        resumed_from: journal.as_ref().and_then(Journal::resumed_from).cloned(),
    })
}

/// A worker rank's part of a count or recount.
pub(crate) fn join(cluster: &Cluster, job: &JobSpec, purpose: Purpose) -> Result<(), JobError> {
    let comm = &*cluster.comm;
    let method = comm.run_with_heartbeat(|| job.method(purpose))?;
    let rank = comm.rank();
    let begin = || job.journal.as_ref().map(|journal| journal.begin(rank)).transpose();
    let writer = comm.run_with_heartbeat(begin)?;
    Rank { cluster, method: &*method, job, journal: writer.as_ref() }.run(Vec::new(), None).map(drop)
}

/// A pool, and what is already known of it.
struct Expanded {
    /// Its pool has no units any more: these are being distributed.
    prepared: Prepared,
    units: usize,
    pool_bytes: usize,
    /// Units that are left to count, and subtasks that earlier runs have left.
    left: (usize, usize),
    /// With `--units`, how to make the pool again.
    recipe: Option<PoolRecipe>,
    /// Solutions above the depth and of earlier runs.
    known: Solutions,
    journal: Option<Journal>,
}

/// Expands the puzzle into a pool, and separates the entries that are left to count.
fn expand(
    cluster: &Cluster,
    puzzle: &Puzzle,
    options: &CountOptions,
    stop: StopConditions,
    resumed: &mut dyn FnMut(&ResumedFrom, usize),
    callback: &mut ProgressCallback,
) -> Result<(Expanded, Vec<u8>), JobError> {
    let comm = &*cluster.comm;
    let (stop_requested, callback) = (stop_requested(comm, stop), RefCell::new(callback));
    let start = Instant::now();
    let reported = Cell::new(start);
    // Called all the time while rank 0 prepares.
    let stopped = || {
        if reported.get().elapsed() >= BETWEEN_CALLBACKS {
            reported.set(Instant::now());
            let searches = options.method.fixed().is_some_and(MethodName::searches);
            let preparing = Some(if searches { "expanding the search tree" } else { "building tables" });
            let seconds = start.elapsed().as_secs_f64();
            (callback.borrow_mut())(&Progress { preparing, seconds, ..Progress::default() });
        }
        stop_requested()
    };
    let open = options.journal.as_ref().map(OpenJournal::open).transpose()?;
    let of_journal = open.as_ref().and_then(|journal| journal.prepare(puzzle, options, &stopped));
    let mut prepared = of_journal.unwrap_or_else(|| prepare(puzzle, options, comm.size(), &stopped))?;
    let journal = match open {
        // A partial pool cannot be compared with the journal's, nor kept.
        Some(open) if stopped() && !open.is_of(&prepared.pool) => match open.header {
            None => None,
            Some(_) => return Err(stop.error()),
        },
        Some(open) if prepared.pool.units() > 0 => {
            Some(comm.run_with_heartbeat(|| open.begin(puzzle, options, &prepared))?)
        }
        _ => None,
    };
    let recipe = options.units.then(|| PoolRecipe::of(puzzle, options.search, &prepared));
    let (units, unit_bytes, pool_bytes) = (prepared.pool.units(), prepared.pool.unit_bytes, prepared.pool.bytes.len());
    if options.units && units > MAX_UNITS_KEPT {
        return Err(JobError::ManyUnits { units, most: MAX_UNITS_KEPT });
    }
    let mut known = prepared.pool.above.solutions;
    let mut entries = into_entries(mem::take(&mut prepared.pool.bytes), unit_bytes);
    let mut left = (units, 0);
    if let Some(journal) = &journal {
        if let Some(before) = journal.resumed_from() {
            resumed(before, units);
        }
        known = known.plus(journal.recovery.found.solutions);
        entries = journal.recovery.remove_finished(entries, unit_bytes);
        left = (units - journal.recovery.found.units as usize, journal.recovery.subtasks_left.len());
    }
    Ok((Expanded { prepared, units, pool_bytes, left, recipe, known, journal }, entries))
}

impl Expanded {
    fn job(&self, cluster: &Cluster, puzzle: &Puzzle, options: &CountOptions) -> JobSpec {
        let Prepared { name, method, schedule, .. } = &self.prepared;
        let (units, subtasks) = self.left;
        let entries = units + subtasks;
        // Known solutions count towards the limit.
        let known = self.known.exact().unwrap_or(u128::MAX).try_into().unwrap_or(u64::MAX);
        let limit = options.limit.map(|limit| limit.saturating_sub(known));
        let distribution = Distribution::new(*schedule, options.chunk, entries, cluster.ranks(), options.threads);
        let mut job = JobSpec::new(puzzle, *name, options.search, &**method, entries, distribution);
        (job.subtasks, job.limit, job.trace) = (subtasks, limit, options.trace || options.units);
        job.journal = self.journal.as_ref().map(|journal| journal.handle.clone());
        job
    }
}
