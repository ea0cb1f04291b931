//! Every rank's side of the protocol, rank 0's included: when to request blocks, what to donate, when to report that it is idle. It
//! calls neither MPI nor a clock: the time is passed in.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::message::{RankProgress, ToCoordinator, ToRank};
use super::{Distribution, MAX_REQUESTED};

/// How long a rank with a steal request waits for its workers to split something off, before it donates nothing. The time doubles
/// with each failure, so that the few ranks that cannot donate are not asked all the time.
const DONATION_TIMEOUT: Duration = Duration::from_millis(5);
const LONGEST_DONATION_TIMEOUT: Duration = Duration::from_millis(200);

/// What counts the units of a rank: its [`WorkerPool`](crate::cluster::worker::pool::WorkerPool).
pub(crate) trait WorkSource {
    fn status(&self) -> WorkerStatus;
    /// Adds entries to the queue, and returns their number.
    fn add(&self, entries: &[u8]) -> usize;
    /// How many entries other ranks want.
    fn request_donation(&self, entries: usize);
    /// The main thread should be woken when fewer units wait.
    fn set_low_mark(&self, units: usize);
    fn take_donation(&self) -> Vec<u8>;
    fn stop(&self);
    /// Whether it has stopped, or is about to.
    fn stopped(&self) -> bool;
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkerStatus {
    pub waiting: usize,
    /// No worker counts, and none will without new units.
    pub idle: bool,
    /// Mean seconds of a unit; 0 before the first is counted.
    pub mean_unit: f64,
    pub progress: RankProgress,
}

pub(crate) struct RankClient<'a, S> {
    distribution: Distribution,
    source: &'a S,
    /// When blocks were requested that have not arrived, and how many.
    requested: Option<(Instant, usize)>,
    /// The number of units in the last block.
    last_block: usize,
    pool_empty: bool,
    pub round_trips: RoundTrips,
    blocks_received: u64,
    /// `blocks_received` of the last IDLE message.
    reported_idle: Option<u64>,
    /// Since when a steal request waits for its answer.
    steal_request: Option<Instant>,
    donation_timeout: Duration,
    /// The number of solutions last reported, and when.
    reported: (u128, Instant),
    interval: ProgressInterval,
    ended: bool,
}

/// The time between two reports of a rank's progress.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProgressInterval {
    /// When it has found new solutions.
    pub with_solutions: Duration,
    pub without: Duration,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RoundTrips {
    count: u64,
    /// From the requests to the arrival of the blocks.
    seconds: f64,
}

impl RoundTrips {
    pub(crate) fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.seconds / self.count as f64)
    }

    pub(crate) fn plus(self, other: RoundTrips) -> RoundTrips {
        RoundTrips { count: self.count + other.count, seconds: self.seconds + other.seconds }
    }
}

impl<'a, S: WorkSource> RankClient<'a, S> {
    /// A rank that has received its first block.
    pub(crate) fn new(distribution: Distribution, source: &'a S, interval: ProgressInterval, now: Instant) -> Self {
        RankClient {
            distribution,
            source,
            requested: None,
            last_block: source.status().waiting.max(1),
            pool_empty: distribution.schedule.is_fixed(),
            round_trips: RoundTrips::default(),
            blocks_received: 0,
            reported_idle: None,
            steal_request: None,
            donation_timeout: DONATION_TIMEOUT,
            reported: (0, now),
            interval,
            ended: false,
        }
    }

    pub(crate) fn messages(&mut self, now: Instant) -> Vec<ToCoordinator> {
        let mut messages = Vec::new();
        if self.ended {
            return messages;
        }
        let status = self.source.status();
        let ProgressInterval { with_solutions, without } = self.interval;
        let until_report = if status.progress.found > self.reported.0 { with_solutions } else { without };
        if let Some(since) = self.steal_request {
            messages.extend(self.donation(now - since, &status));
        }
        if !self.pool_empty && self.requested.is_none() && !self.source.stopped() {
            messages.extend(self.request(now, &status));
        }
        if status.idle && self.reported_idle != Some(self.blocks_received) {
            self.reported_idle = Some(self.blocks_received);
            messages.push(ToCoordinator::Idle { received: self.blocks_received, progress: status.progress });
        } else if !status.idle && now - self.reported.1 >= until_report {
            self.reported = (status.progress.found, now);
            messages.push(ToCoordinator::Progress(status.progress));
        }
        messages
    }

    pub(crate) fn receive(&mut self, message: ToRank, now: Instant) {
        match message {
            ToRank::Block(entries) => {
                self.blocks_received += 1;
                let units = self.source.add(&entries);
                // A block that was not requested is a donation.
                if let Some((since, blocks)) = self.requested.take() {
                    self.last_block = units.div_ceil(blocks).max(1);
                    let round_trip = RoundTrips { count: 1, seconds: (now - since).as_secs_f64() };
                    self.round_trips = self.round_trips.plus(round_trip);
                }
            }
            ToRank::PoolEmpty => {
                self.pool_empty = true;
                self.requested = None;
            }
            ToRank::StealRequest(entries) => {
                self.steal_request = Some(now);
                self.source.request_donation(entries);
            }
            ToRank::Stop => self.source.stop(),
            ToRank::End => self.ended = true,
        }
    }

    pub(crate) fn expects_block(&self) -> bool {
        self.requested.is_some()
    }

    pub(crate) fn ended(&self) -> bool {
        self.ended
    }

    /// A request, if it is time for one. If not, the workers will wake the main thread when it is.
    fn request(&mut self, now: Instant, status: &WorkerStatus) -> Option<ToCoordinator> {
        let (low, enough) = self.distribution.request_ahead(status.mean_unit, self.round_trips.mean());
        if status.waiting >= low {
            self.source.set_low_mark(low);
            return None;
        }
        self.source.set_low_mark(0);
        let blocks = (enough - status.waiting).div_ceil(self.last_block).min(MAX_REQUESTED);
        self.requested = Some((now, blocks));
        Some(ToCoordinator::Request(blocks))
    }

    /// The answer to a steal request, perhaps empty; `None` while workers may still split something off.
    fn donation(&mut self, waited: Duration, status: &WorkerStatus) -> Option<ToCoordinator> {
        let entries = self.source.take_donation();
        if !entries.is_empty() {
            self.donation_timeout = DONATION_TIMEOUT;
        } else if status.idle || self.source.stopped() || waited >= self.donation_timeout {
            self.donation_timeout = (self.donation_timeout * 2).min(LONGEST_DONATION_TIMEOUT);
        } else {
            return None;
        }
        self.steal_request = None;
        self.source.request_donation(0);
        Some(ToCoordinator::Donation(entries))
    }
}
