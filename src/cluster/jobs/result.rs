//! What a count returns, and what of it goes into the report.

use serde::{Deserialize, Serialize};

use super::pool_recipe::PoolRecipe;
use crate::cluster::comm::wire::Reduction;
use crate::cluster::journal::ResumedFrom;
use crate::cluster::lifecycle::host::Host;
use crate::cluster::lifecycle::stop::StopReason;
use crate::cluster::schedule::Distribution;
use crate::cluster::schedule::message_loop::CoordinatorResult;
use crate::cluster::schedule::rank_client::RoundTrips;
use crate::cluster::worker::trace::{UnitRecord, sums};
use crate::count::{MethodName, Solutions};

#[derive(Clone, Debug)]
pub struct Count {
    /// All solutions found, those above the depth included.
    pub solutions: Solutions,
    pub nodes: u64,
    /// Whether every unit was counted to the end.
    pub complete: bool,
    pub stopped: Option<StopReason>,
    pub units: usize,
    pub pool_bytes: usize,
    pub solutions_above: Solutions,
    pub nodes_above: u64,
    pub depth_reached: usize,
    pub method: MethodName,
    /// Why this method, if the user has left the choice open.
    pub method_reason: Option<&'static str>,
    pub distribution: Distribution,
    /// Why this schedule, if the user has left the choice open.
    pub schedule_reason: Option<&'static str>,
    pub reduction: Reduction,
    pub ranks: Vec<RankReport>,
    pub hosts: Vec<Host>,
    pub phases: Phases,
    pub requests: Option<RequestCosts>,
    /// With a trace: the records of all units, in no order.
    pub records: Option<Vec<UnitRecord>>,
    /// The solutions of each unit, if asked for and complete.
    pub tallies: Option<UnitTallies>,
    pub resumed_from: Option<ResumedFrom>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RankReport {
    pub rank: usize,
    pub host: String,
    /// Units that it counted to the end, subtasks split off them not included.
    pub units: u64,
    pub subtasks: u64,
    pub split: u64,
    pub solutions: Solutions,
    pub nodes: u64,
    /// Seconds spent counting, the mean over its workers.
    pub busy: f64,
    /// Seconds of the count phase not spent counting.
    pub wait: f64,
    pub longest_unit: f64,
}

/// The phases of a count in seconds, on rank 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Phases {
    pub expand: f64,
    /// Broadcasting the job and scattering the pool.
    pub distribute: f64,
    /// Counting, until the last rank is done.
    pub count: f64,
    /// Reducing the tallies and gathering the reports of the ranks.
    pub reduce: f64,
    pub total: f64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitTallies {
    pub pool: PoolRecipe,
    /// The solutions of each unit, in the order of the pool.
    pub solutions: Vec<u128>,
}

impl UnitTallies {
    /// From the records of a complete count.
    pub(crate) fn new(pool: PoolRecipe, units: usize, records: &[UnitRecord]) -> UnitTallies {
        let sums = sums(records);
        let solutions = (0..units).map(|unit| sums.get(&unit).map_or(0, |sum| sum.solutions)).collect();
        UnitTallies { pool, solutions }
    }
}

/// The cost of requests for blocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequestCosts {
    pub count: u64,
    /// Mean seconds from a request to its blocks; `None` if none arrived.
    pub round_trip: Option<f64>,
    /// Mean seconds of rank 0's time for a request.
    pub service: f64,
}

impl RequestCosts {
    pub(crate) fn new(coordinator: CoordinatorResult, round_trips: RoundTrips) -> Option<RequestCosts> {
        let CoordinatorResult { requests, service, .. } = coordinator;
        (requests > 0).then(|| RequestCosts {
            count: requests,
            round_trip: round_trips.mean(),
            service: service / requests as f64,
        })
    }
}
