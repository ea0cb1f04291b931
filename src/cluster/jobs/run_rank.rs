//! One rank's part of a count, the same on every rank: scatter, count, reduce.

use std::thread;

use serde::{Deserialize, Serialize};

use super::result::{Phases, RankReport};
use super::spec::JobSpec;
use crate::cluster::comm::backoff::Backoff;
use crate::cluster::comm::wire::Reduction;
use crate::cluster::journal::JournalWriter;
use crate::cluster::lifecycle::host::Host;
use crate::cluster::schedule::message_loop::{Coordinate, Coordination, CoordinatorResult, MessageLoop};
use crate::cluster::schedule::rank_client::RoundTrips;
use crate::cluster::worker::pool::{WorkTotals, WorkerPool, start};
use crate::cluster::worker::trace::{UnitRecord, collect_records, send_records};
use crate::cluster::worker::unit_id::UnitId;
use crate::cluster::{Cluster, JobError};
use crate::count::{Control, Method, Solutions};

/// The first block of this rank. Times are in seconds of its clock.
pub(crate) struct Block {
    entries: Vec<u8>,
    /// On rank 0, the entries that follow the first blocks.
    rest: Vec<u8>,
    begin: f64,
    end: f64,
}

/// What this rank has counted.
pub(crate) struct CountedBlock {
    totals: WorkTotals,
    round_trips: RoundTrips,
    coordinator: CoordinatorResult,
    /// Seconds that the scatter took.
    distribute: f64,
    begin: f64,
    end: f64,
}

/// The result of all ranks, on rank 0.
pub(crate) struct RankResult {
    pub reduction: Reduction,
    /// Reports and hosts of all ranks, in order.
    pub ranks: Vec<RankReport>,
    pub hosts: Vec<Host>,
    /// Those of all ranks but rank 0, whose own requests are not messages.
    pub round_trips: RoundTrips,
    pub records: Vec<UnitRecord>,
    pub coordinator: CoordinatorResult,
    scattered: f64,
    counted: f64,
    reduced: f64,
}

#[derive(Serialize, Deserialize)]
struct FinalReport {
    rank: RankReport,
    host: Host,
    round_trips: RoundTrips,
    /// The number of its trace records.
    records: usize,
}

pub(crate) struct Rank<'a> {
    pub cluster: &'a Cluster,
    pub method: &'a dyn Method,
    pub job: &'a JobSpec,
    pub journal: Option<&'a JournalWriter>,
}

impl Rank<'_> {
    /// Scatter, count, reduce. `entries` are those of rank 0.
    pub(crate) fn run(&self, entries: Vec<u8>, coordinate: Option<Coordinate>) -> Result<RankResult, JobError> {
        let block = self.scatter(entries);
        let counted = self.count(block, coordinate);
        self.reduce(counted)
    }

    /// Scatters the first blocks of rank 0's entries.
    pub(crate) fn scatter(&self, mut entries: Vec<u8>) -> Block {
        let Rank { cluster: Cluster { comm, .. }, method, job, .. } = self;
        let begin = comm.wtime();
        let entry_bytes = UnitId::BYTES + method.unit_bytes();
        job.distribution.permute(&mut entries, entry_bytes);
        let block = comm.scatter(&mut entries, entry_bytes, &job.distribution.first_blocks(job.units));
        Block { entries: block, rest: entries, begin, end: comm.wtime() }
    }

    /// Counts the block, and whatever the schedule assigns to this rank later, until all ranks are done.
    pub(crate) fn count(&self, block: Block, coordinate: Option<Coordinate>) -> CountedBlock {
        let &Rank { cluster, method, job, journal } = self;
        let (comm, distribution) = (&*cluster.comm, job.distribution);
        let Block { entries, rest, begin: scatter_begin, end: begin } = block;
        let control = Control::new(job.limit);
        let units = entries.len() / (UnitId::BYTES + method.unit_bytes());
        // Where no more units will come and none is split, no more workers than units are needed.
        let is_final = distribution.schedule.is_fixed() && journal.is_none();
        let threads = if is_final { distribution.threads.min(units) } else { distribution.threads };
        let workers = WorkerPool::new(entries, job, method, &control, threads, comm.rank(), journal);
        let unit_bytes = method.unit_bytes();
        let coordination = coordinate.map(|coordinate| Coordination::new(job, unit_bytes, rest, coordinate));
        let messages = MessageLoop::new(cluster, job, &workers, coordination);
        let (mut totals, round_trips, coordinator) = self.run_workers(&workers, threads, messages);
        totals.unfinished += coordinator.unassigned;
        CountedBlock { totals, round_trips, coordinator, distribute: begin - scatter_begin, begin, end: comm.wtime() }
    }

    /// Runs the worker threads, and meanwhile the message loop on this thread, until all ranks are done.
    fn run_workers(
        &self,
        workers: &WorkerPool,
        threads: usize,
        mut messages: MessageLoop,
    ) -> (WorkTotals, RoundTrips, CoordinatorResult) {
        let (method, journal) = (self.method, self.journal);
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
                self.cluster.comm.run_with_heartbeat(|| journal.close());
            }
            (totals, round_trips, coordinator)
        })
    }

    /// Reduces the tallies of all ranks to rank 0, and gathers their reports and trace records. Rank 0 checks the sums.
    pub(crate) fn reduce(&self, counted: CountedBlock) -> Result<RankResult, JobError> {
        let Rank { cluster: Cluster { comm, .. }, job, .. } = self;
        let CountedBlock { totals, round_trips, coordinator, distribute, begin, end } = counted;
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
        let mut result = RankResult {
            reduction,
            ranks: Vec::new(),
            hosts: Vec::new(),
            round_trips: RoundTrips::default(),
            records,
            coordinator,
            scattered: begin,
            counted: end,
            reduced: comm.wtime(),
        };
        if comm.rank() > 0 {
            send_records(&**comm, &result.records);
            return Ok(result);
        }
        let mut announced = 0;
        for report in reports {
            let FinalReport { rank, host, round_trips, records } =
                serde_json::from_slice(&report).map_err(|error| JobError::Protocol(error.to_string()))?;
            announced += records;
            if rank.rank > 0 {
                result.round_trips = result.round_trips.plus(round_trips);
            }
            result.ranks.push(rank);
            result.hosts.push(host);
        }
        result.records = collect_records(&**comm, result.records, announced);
        result.check_sums(job)?;
        Ok(result)
    }
}

impl RankResult {
    /// The phases of a count that began at `start` and had its pool at `expanded`.
    pub(crate) fn phases(&self, start: f64, expanded: f64) -> Phases {
        Phases {
            expand: expanded - start,
            distribute: self.scattered - expanded,
            count: self.counted - self.scattered,
            reduce: self.reduced - self.counted,
            total: self.reduced - start,
        }
    }

    /// Checks what ranks have reported: the reduced total equals the sum of the reports, which came another way. Of a complete
    /// count, every unit and every subtask was counted once.
    fn check_sums(&self, job: &JobSpec) -> Result<(), JobError> {
        let sum = self.ranks.iter().fold(Solutions::ZERO, |sum, rank| sum.plus(rank.solutions));
        let reduced = self.reduction.solutions();
        if sum != reduced {
            let what = format!("the reduce gave {reduced} solutions, the reports of the ranks {sum}");
            return Err(JobError::Protocol(what));
        }
        let total = |value: fn(&RankReport) -> u64| self.ranks.iter().map(value).sum::<u64>();
        let (counted, subtasks) = (total(|rank| rank.units), total(|rank| rank.subtasks));
        let (units, split) = (job.units - job.subtasks, total(|rank| rank.split) + job.subtasks as u64);
        if self.reduction.unfinished == 0 && (counted != units as u64 || subtasks != split) {
            let what = format!("{counted} of {units} units and {subtasks} of {split} subtasks were counted");
            return Err(JobError::Protocol(what));
        }
        Ok(())
    }
}
