//! The message loop of one rank in one count: carries messages between the rank's client ([`RankClient`]) and the [`Coordinator`] on
//! rank 0, over MPI, or on rank 0 directly. Never blocks.

use std::time::{Duration, Instant};

use super::coordinator::Coordinator;
use super::message::{RankProgress, ToCoordinator, ToRank};
use super::progress::{Progress, ProgressCallback, estimate};
use super::rank_client::{ProgressInterval, RankClient, RoundTrips};
use crate::cluster::comm::Comm;
use crate::cluster::jobs::spec::JobSpec;
use crate::cluster::lifecycle::stop::{Signals, StopConditions, StopReason};
use crate::cluster::worker::pool::WorkerPool;
use crate::cluster::{Cluster, JobError, abort_job};

pub(crate) struct MessageLoop<'a> {
    comm: &'a dyn Comm,
    signals: &'a Signals,
    client: RankClient<'a, WorkerPool<'a>>,
    coordination: Option<Coordination<'a>>,
    signal_reported: bool,
}

/// What rank 0 needs to coordinate a count.
pub(crate) struct Coordinate<'a> {
    pub stop: StopConditions<'a>,
    /// Solutions that are known before the count phase: those above the depth and of earlier runs.
    pub known: u128,
    pub callback: &'a mut ProgressCallback<'a>,
}

/// What rank 0 has beside its client.
pub(crate) struct Coordination<'a> {
    coordinator: Coordinator,
    coordinate: Coordinate<'a>,
    job: &'a JobSpec,
    /// Units of each rank's first block.
    first_blocks: Vec<usize>,
    start: Instant,
    called_back: Instant,
    /// Seconds spent answering requests.
    service: f64,
}

pub(crate) const BETWEEN_CALLBACKS: Duration = Duration::from_millis(100);

impl<'a> MessageLoop<'a> {
    pub(crate) fn new(
        cluster: &'a Cluster,
        job: &JobSpec,
        workers: &'a WorkerPool<'a>,
        coordination: Option<Coordination<'a>>,
    ) -> Self {
        let (comm, signals) = (&*cluster.comm, cluster.signals());
        let interval = progress_interval(comm, job.limit.is_some());
        let client = RankClient::new(job.distribution, workers, interval, Instant::now());
        MessageLoop { comm, signals, client, coordination, signal_reported: false }
    }

    /// Sends what is due and receives what has arrived. Returns whether there was any message other than progress.
    pub(crate) fn step(&mut self) -> bool {
        let messages = self.client.messages(Instant::now());
        let mut active = messages.iter().any(|message| !matches!(message, ToCoordinator::Progress(_)));
        match &mut self.coordination {
            Some(coordination) => {
                let (begin, before) = (Instant::now(), coordination.coordinator.requests);
                messages.into_iter().for_each(|message| coordination.coordinator.receive(0, message));
                while let Some((rank, tag, bytes)) = self.comm.receive() {
                    active = true;
                    let message =
                        ToCoordinator::decode(tag, bytes).unwrap_or_else(|| abort_on_invalid_message(rank, tag));
                    coordination.coordinator.receive(rank, message);
                }
                coordination.stop_if_due();
                for (rank, message) in coordination.coordinator.messages() {
                    active = true;
                    match rank {
                        0 => self.client.receive(message, Instant::now()),
                        _ => self.comm.send(rank, message.encode()),
                    }
                }
                if coordination.coordinator.requests > before {
                    coordination.service += begin.elapsed().as_secs_f64();
                }
                coordination.report_progress();
            }
            None => {
                if !self.client.ended()
                    && let Some(signal) = self.signals.caught_once(&mut self.signal_reported)
                {
                    self.comm.send(0, ToCoordinator::Signal(signal).encode());
                }
                messages.into_iter().for_each(|message| self.comm.send(0, message.encode()));
                while !self.client.ended()
                    && let Some((_, tag, bytes)) = self.comm.receive()
                {
                    active = true;
                    let message = ToRank::decode(tag, bytes).unwrap_or_else(|| abort_on_invalid_message(0, tag));
                    self.client.receive(message, Instant::now());
                }
            }
        }
        active
    }

    /// Whether a message should arrive soon.
    pub(crate) fn expects_message(&self) -> bool {
        self.client.expects_block()
            || self.coordination.as_ref().is_some_and(|rank_0| rank_0.coordinator.expects_donation())
            || !self.comm.all_sent()
    }

    pub(crate) fn ended(&self) -> bool {
        self.client.ended()
    }

    /// The result of the coordinator is that of rank 0, and empty elsewhere.
    pub(crate) fn finish(self) -> (RoundTrips, CoordinatorResult) {
        let result = self.coordination.map(|Coordination { coordinator, service, .. }| CoordinatorResult {
            stopped: coordinator.stopped,
            unassigned: coordinator.unassigned(),
            requests: coordinator.requests,
            service,
        });
        (self.client.round_trips, result.unwrap_or_default())
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CoordinatorResult {
    pub stopped: Option<StopReason>,
    pub unassigned: u64,
    pub requests: u64,
    /// Seconds spent on them.
    pub service: f64,
}

impl<'a> Coordination<'a> {
    /// `rest` has the entries that follow the first blocks, of `unit_bytes` bytes beside their ids.
    pub(crate) fn new<'b: 'a>(
        job: &'a JobSpec,
        unit_bytes: usize,
        rest: Vec<u8>,
        Coordinate { stop, known, callback }: Coordinate<'b>,
    ) -> Coordination<'a> {
        let coordinator = Coordinator::new(job.distribution, unit_bytes, rest);
        let first_blocks = job.distribution.first_blocks(job.units).iter().map(ExactSizeIterator::len).collect();
        let (start, called_back, service) = (Instant::now(), Instant::now(), 0.0);
        let coordinate = Coordinate { stop, known, callback };
        Coordination { coordinator, coordinate, job, first_blocks, start, called_back, service }
    }

    fn stop_if_due(&mut self) {
        if let Some(reason) = self.coordinate.stop.reason() {
            self.coordinator.stop(reason);
        }
        if self.job.limit.is_some_and(|limit| self.coordinator.found() >= limit.into()) {
            self.coordinator.stop(StopReason::Limit);
        }
    }

    fn report_progress(&mut self) {
        if self.called_back.elapsed() < BETWEEN_CALLBACKS {
            return;
        }
        self.called_back = Instant::now();
        let ranks = self.coordinator.progress();
        let sum = |value: fn(&RankProgress) -> u64| ranks.clone().map(value).sum::<u64>();
        let busy: f64 = ranks.clone().map(|rank| rank.busy).sum();
        let distribution = &self.job.distribution;
        let estimate = estimate(distribution, self.job.units, &self.first_blocks, ranks.clone());
        (self.coordinate.callback)(&Progress {
            preparing: None,
            seconds: self.start.elapsed().as_secs_f64(),
            share: estimate.map(|(work, _)| if busy + work > 0.0 { busy / (busy + work) } else { 1.0 }),
            left: estimate.map(|(_, left)| left),
            solutions: self.coordinate.known.saturating_add(self.coordinator.found()),
            known: self.coordinate.known,
            nodes: sum(|rank| rank.nodes),
            active: sum(|rank| rank.active),
            workers: distribution.ranks * distribution.threads,
        });
    }
}

fn abort_on_invalid_message(rank: usize, tag: i32) -> ! {
    abort_job(&JobError::Protocol(format!("invalid message from rank {rank} (tag {tag})")), 3)
}

/// The more ranks, the longer, so that rank 0 can receive all reports. Rank 0's own cost nothing.
fn progress_interval(comm: &dyn Comm, has_limit: bool) -> ProgressInterval {
    if comm.rank() == 0 {
        return ProgressInterval { with_solutions: Duration::ZERO, without: Duration::ZERO };
    }
    let ranks = comm.size() as u32;
    let without = Duration::from_millis(200) + Duration::from_micros(200) * ranks;
    let with_solutions = if has_limit { Duration::from_millis(2) + Duration::from_micros(20) * ranks } else { without };
    ProgressInterval { with_solutions, without }
}
