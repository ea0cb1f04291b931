//! One rank's part of a count, the same on every rank: scatter, count, reduce.

use std::ops::Range;
use std::thread;

use serde::{Deserialize, Serialize};

use super::result::{Phases, RankReport};
use super::spec::JobSpec;
use crate::cluster::comm::Comm;
use crate::cluster::comm::backoff::Backoff;
use crate::cluster::comm::wire::Reduction;
use crate::cluster::journal::JournalWriter;
use crate::cluster::lifecycle::host::Host;
use crate::cluster::lifecycle::stop::StopConditions;
use crate::cluster::schedule::coordinator::Coordinator;
use crate::cluster::schedule::message_loop::{Coordination, CoordinatorResult, MessageLoop};
use crate::cluster::schedule::progress::ProgressCallback;
use crate::cluster::schedule::rank_client::RoundTrips;
use crate::cluster::worker::pool::{WorkTotals, WorkerPool, start};
use crate::cluster::worker::trace::UnitRecord;
use crate::cluster::worker::unit_id::UnitId;
use crate::cluster::{Cluster, JobError};
use crate::count::{Control, Method, Solutions};

/// Units, one after the other, with their ids if these are not their indices.
#[derive(Default)]
pub(crate) struct Units {
    pub bytes: Vec<u8>,
    pub ids: Option<Vec<u8>>,
}

/// What rank 0 needs to coordinate a count.
pub(crate) struct Coordinate<'a> {
    pub stop: StopConditions<'a>,
    /// Solutions that are known before the count phase.
    pub known: u128,
    pub callback: &'a mut ProgressCallback<'a>,
}

/// The first block of this rank.
pub(crate) struct Block {
    units: Vec<u8>,
    ids: Vec<u8>,
    /// The first blocks of all ranks.
    all: Vec<Range<usize>>,
    /// On rank 0, the units that follow the first blocks.
    rest: Units,
    begin: f64,
    end: f64,
}

/// What this rank has counted.
pub(crate) struct Counted {
    totals: WorkTotals,
    round_trips: RoundTrips,
    coordinator: Option<CoordinatorResult>,
    begin: f64,
    end: f64,
    distribute: f64,
}

/// The result of a rank; complete on rank 0.
pub(crate) struct RankResult {
    pub reduction: Reduction,
    reports: Vec<Vec<u8>>,
    pub records: Vec<UnitRecord>,
    pub coordinator: CoordinatorResult,
    scattered: f64,
    counted: f64,
}

/// What a rank reports at the end.
#[derive(Serialize, Deserialize)]
pub(crate) struct FinalReport {
    pub rank: RankReport,
    pub host: Host,
    pub round_trips: RoundTrips,
    /// The number of its trace records.
    pub records: usize,
}

/// Scatter, count, reduce.
pub(crate) fn run_rank(
    cluster: &Cluster,
    method: &dyn Method,
    job: &JobSpec,
    units: Units,
    journal: Option<&JournalWriter>,
    coordinate: Option<Coordinate>,
) -> RankResult {
    let block = scatter(&cluster.comm, method, job, units);
    let counted = count_block(cluster, method, job, block, journal, coordinate);
    reduce(&cluster.comm, job, counted)
}

/// Scatters the first blocks of rank 0's units.
pub(crate) fn scatter(comm: &Comm, method: &dyn Method, job: &JobSpec, mut units: Units) -> Block {
    let begin = comm.wtime();
    let distribution = job.distribution;
    let all = distribution.first_blocks(job.units);
    distribution.permute(&mut units.bytes, method.unit_bytes());
    let block = comm.scatter(&mut units.bytes, method.unit_bytes(), &all);
    let mine = all[comm.rank()].clone();
    let ids = if job.has_ids {
        let ids = units.ids.get_or_insert_default(); // empty on other ranks than 0
        distribution.permute(ids, UnitId::BYTES);
        comm.scatter(ids, UnitId::BYTES, &all)
    } else {
        let indices = distribution.permutation(job.units).skip(mine.start).take(mine.len());
        indices.flat_map(|index| UnitId::of_unit(index).to_bytes()).collect()
    };
    Block { units: block, ids, all, rest: units, begin, end: comm.wtime() }
}

/// Counts the block, and whatever the schedule assigns to this rank later, until all ranks are done.
pub(crate) fn count_block(
    cluster: &Cluster,
    method: &dyn Method,
    job: &JobSpec,
    block: Block,
    journal: Option<&JournalWriter>,
    coordinate: Option<Coordinate>,
) -> Counted {
    let (comm, distribution) = (&cluster.comm, job.distribution);
    let Block { units, ids, all, rest, begin: scatter_begin, end: begin } = block;
    let control = Control::new(job.limit);
    // Where no more units will come and none is split, no more workers than units are needed.
    let is_final = distribution.schedule.is_fixed() && journal.is_none();
    let threads = if is_final { distribution.threads.min(all[comm.rank()].len()) } else { distribution.threads };
    let splits = distribution.schedule.splits_units();
    let mut workers = WorkerPool::new(method, &control, threads, splits, comm.rank(), journal);
    workers.fill(units, &ids);
    drop(ids);
    if job.trace {
        workers.trace();
    }
    let coordination = coordinate.map(|Coordinate { stop, known, callback }| {
        let coordinator = Coordinator::new(distribution, method.unit_bytes(), job.units, rest.bytes, rest.ids);
        Coordination::new(coordinator, stop, job.limit, known, &all, callback)
    });
    let signals = cluster.signals();
    let messages = MessageLoop::new(comm, signals, &workers, distribution, job.limit.is_some(), coordination);
    let (mut totals, round_trips, coordinator) = run_workers(comm, &workers, threads, method, messages, journal);
    totals.unfinished += coordinator.map_or(0, |coordinator| coordinator.unassigned);
    Counted { totals, round_trips, coordinator, begin, end: comm.wtime(), distribute: begin - scatter_begin }
}

/// Runs the worker threads, and meanwhile the message loop on this thread, until all ranks are done.
fn run_workers(
    comm: &Comm,
    workers: &WorkerPool,
    threads: usize,
    method: &dyn Method,
    mut messages: MessageLoop,
    journal: Option<&JournalWriter>,
) -> (WorkTotals, RoundTrips, Option<CoordinatorResult>) {
    thread::scope(|scope| {
        for worker in 0..threads {
            start(scope, move || workers.run_worker(worker, method));
        }
        if let Some(journal) = journal {
            start(scope, || journal.sync_until_closed());
        }
        let mut backoff = Backoff::new();
        loop {
            if messages.step() {
                backoff = Backoff::new();
            } else if messages.expects_message() {
                backoff.expect_answer();
            }
            if messages.ended() {
                break;
            }
            workers.wait(&mut backoff);
        }
        let (round_trips, coordinator) = messages.finish();
        let totals = workers.close();
        if let Some(journal) = journal {
            comm.run_with_heartbeat(|| journal.close());
        }
        (totals, round_trips, coordinator)
    })
}

/// Reduces the tallies of all ranks to rank 0, and gathers their reports.
pub(crate) fn reduce(comm: &Comm, job: &JobSpec, counted: Counted) -> RankResult {
    let Counted { totals, round_trips, coordinator, begin, end, distribute } = counted;
    let tally = totals.tally;
    let busy = tally.seconds / job.distribution.threads as f64;
    let wait = (end - begin - busy).max(0.0);
    let reduction = comm.reduce(Reduction::new(&tally, totals.unfinished, distribute, busy, wait));
    let host = Host::here();
    let rank = RankReport {
        rank: comm.rank(),
        host: host.name.clone(),
        units: tally.units,
        subtasks: totals.subtasks,
        split: totals.split,
        solutions: tally.solutions,
        nodes: tally.nodes,
        busy,
        wait,
        longest_unit: tally.longest,
    };
    let records = totals.records.unwrap_or_default();
    let report = FinalReport { rank, host: host.clone(), round_trips, records: records.len() };
    let reports = comm.gather(&serde_json::to_vec(&report).unwrap_or_default());
    let coordinator = coordinator.unwrap_or_default();
    RankResult { reduction, reports, records, coordinator, scattered: begin, counted: end }
}

impl RankResult {
    /// On rank 0, the reports of all ranks, in order.
    pub(crate) fn reports(&self) -> Result<Vec<FinalReport>, JobError> {
        let reports = self.reports.iter().map(|report| serde_json::from_slice(report));
        reports.collect::<Result<_, _>>().map_err(|error| JobError::Protocol(error.to_string()))
    }

    /// On rank 0, the phases of a count that began at `start` and had its pool at `expanded`.
    pub(crate) fn phases(&self, start: f64, expanded: f64, end: f64) -> Phases {
        Phases {
            expand: expanded - start,
            distribute: self.scattered - expanded,
            count: self.counted - self.scattered,
            reduce: end - self.counted,
            total: end - start,
        }
    }

    /// Checks what ranks have reported: the reduced total equals the sum of the reports, which came another way. Of a complete
    /// count, every unit and every subtask was counted once. `subtasks_left` are those that an earlier run has left.
    pub(crate) fn check_sums<'a>(
        &self,
        ranks: impl Iterator<Item = &'a RankReport> + Clone,
        units: usize,
        subtasks_left: usize,
    ) -> Result<(), JobError> {
        let sum = ranks.clone().map(|rank| rank.solutions).fold(Solutions::ZERO, Solutions::plus);
        if sum != self.reduction.solutions {
            let reduced = self.reduction.solutions;
            return Err(JobError::Protocol(format!(
                "the reduce gave {reduced} solutions, the reports of the ranks {sum}"
            )));
        }
        let total = |value: fn(&RankReport) -> u64| ranks.clone().map(value).sum::<u64>();
        let (counted, subtasks) = (total(|rank| rank.units), total(|rank| rank.subtasks));
        let split = total(|rank| rank.split) + subtasks_left as u64;
        if self.reduction.unfinished == 0 && (counted != units as u64 || subtasks != split) {
            let what = format!("{counted} of {units} units and {subtasks} of {split} subtasks were counted");
            return Err(JobError::Protocol(what));
        }
        Ok(())
    }
}
