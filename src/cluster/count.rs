//! Counting a puzzle with all ranks: expand, scatter, count, reduce.
//!
//! ```text
//!   rank 0   expand breadth-first ─▶ pool ─┐ scatter                          ┌─▶ reduce ─▶ the count
//!   rank 0                                 ├─▶ block 0 ─▶ count depth-first ──┤
//!   rank 1                                 ├─▶ block 1 ─▶ count depth-first ──┤
//!     ⋮                                    ├─▶    ⋮              ▲            │
//!   rank R−1                               └─▶ block R−1 ─▶ …    │ ───────────┘
//!                                                                └ further blocks, for schedules that ask for them
//! ```

use std::time::Instant;

use serde::{Deserialize, Serialize};
use signal_hook::consts::SIGTERM;

use crate::count::search::SearchOptions;
use crate::count::{Aim, Depth, MethodChoice, MethodName, PoolPlan, Solutions};
use crate::puzzle::Puzzle;

use super::auto::{self, Choice};
use super::exchange::Led;
use super::host::Host;
use super::journal::{Journal, JournalPlan, Opened, Replay, ResumedFrom};
use super::member::Rounds;
use super::order::{Job, Order};
use super::part::{check_sums, take_part};
use super::progress::Watch;
use super::recipe::PoolRecipe;
use super::schedule::{Deal, ScheduleChoice};
use super::stop::{Stop, StopReason};
use super::trace::{UnitRecord, collect_records, send_records, sums};
use super::wire::Summary;
use super::{Cluster, Fault, stops};

/// Units a worker should have at least when the depth is `auto`: enough for the long ones to even out.
const UNITS_PER_WORKER: usize = 64;
/// The most bytes a pool may take on rank 0.
pub(super) const MAX_POOL_BYTES: usize = 1 << 30;

/// The most units whose solutions are kept one by one: some megabytes of a report.
const MAX_UNITS_KEPT: usize = 1 << 20;

/// How to count.
#[derive(Clone, Debug)]
pub struct CountPlan {
    /// How a unit is counted.
    pub method: MethodChoice,
    /// Who gets which units.
    pub schedule: ScheduleChoice,
    /// Units of a block; `None` for the usual number.
    pub chunk: Option<usize>,
    /// How to search.
    pub search: SearchOptions,
    /// How deep to expand.
    pub depth: Depth,
    /// Worker threads of each rank.
    pub threads: usize,
    /// Stop at this many solutions.
    pub limit: Option<u64>,
    /// Stop at this moment.
    pub deadline: Option<Instant>,
    /// Keep a record of every unit.
    pub trace: bool,
    /// Keep the solutions of every unit.
    pub units: bool,
    /// Keep a journal.
    pub journal: Option<JournalPlan>,
}

impl CountPlan {
    /// The pool that this plan needs on so many ranks.
    pub(super) fn pool(&self, ranks: usize, keep_solved: bool) -> PoolPlan {
        let workers = ranks.saturating_mul(self.threads);
        let units = workers.saturating_mul(UNITS_PER_WORKER);
        PoolPlan { depth: self.depth, units, keep_solved, max_bytes: MAX_POOL_BYTES }
    }
}

/// What one rank did.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RankLine {
    /// Its number.
    pub rank: usize,
    /// The name of its host.
    pub host: String,
    /// Units of the pool that it counted to their end, parts that it gave away not included.
    pub units: u64,
    /// Parts of units, split off by itself or others, that it counted to their end.
    pub parts: u64,
    /// Parts of units that it split off.
    pub split: u64,
    /// Solutions it found.
    pub solutions: Solutions,
    /// Nodes it visited.
    pub nodes: u64,
    /// Seconds spent counting, as the mean over its workers.
    pub busy: f64,
    /// Seconds of the count phase not spent counting.
    pub wait: f64,
    /// Seconds of its longest unit.
    pub longest_unit: f64,
}

/// Seconds of the phases of a count, on rank 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Phases {
    /// Expanding the pool.
    pub expand: f64,
    /// Telling the others and scattering the pool.
    pub distribute: f64,
    /// Counting, until the last rank is done.
    pub count: f64,
    /// Reducing the tallies and gathering what each rank did.
    pub reduce: f64,
    /// All of it.
    pub total: f64,
}

/// What a count came to.
#[derive(Clone, Debug)]
pub struct Count {
    /// All solutions found, those above the depth included.
    pub solutions: Solutions,
    /// All nodes visited.
    pub nodes: u64,
    /// Whether every unit was counted to its end.
    pub complete: bool,
    /// Why the count was stopped, if it was.
    pub stopped: Option<StopReason>,
    /// Units of the pool.
    pub units: usize,
    /// Bytes of the pool.
    pub pool_bytes: usize,
    /// Solutions met above the depth.
    pub solutions_above: Solutions,
    /// Nodes visited above the depth.
    pub nodes_above: u64,
    /// The depth at which expansion ended.
    pub depth_reached: usize,
    /// How units were counted.
    pub method: MethodName,
    /// Why in this way, where that was not the user's choice.
    pub method_why: Option<&'static str>,
    /// How the pool was dealt out.
    pub deal: Deal,
    /// Why in this way, where that was not the user's choice.
    pub schedule_why: Option<&'static str>,
    /// What the reduce brought together.
    pub summary: Summary,
    /// What each rank did, in rank order.
    pub ranks: Vec<RankLine>,
    /// Where each rank ran.
    pub hosts: Vec<Host>,
    /// Where the time went.
    pub phases: Phases,
    /// What requests for blocks have cost; `None` if there were none.
    pub requests: Option<Requests>,
    /// What each unit has cost, in no order, if the plan asked for it.
    pub records: Option<Vec<UnitRecord>>,
    /// The solutions of each unit, if the plan asked for it and all were counted.
    pub tallies: Option<UnitTallies>,
    /// What runs before this one had finished, if it has taken up a journal.
    pub resumed_from: Option<ResumedFrom>,
}

/// The solutions of each unit of a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitTallies {
    /// How the pool is made again.
    pub pool: PoolRecipe,
    /// The solutions of each unit, in the order of the pool.
    pub solutions: Vec<u128>,
}

/// What requests for blocks have cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Requests {
    /// Requests that rank 0 answered.
    pub count: u64,
    /// Seconds from asking for blocks to having them, in the mean; `None` if none came.
    pub round_trip: Option<f64>,
    /// Seconds of rank 0's time for each.
    pub service: f64,
}

impl Requests {
    fn new(led: Led, rounds: Rounds) -> Option<Requests> {
        (led.requests > 0).then(|| Requests {
            count: led.requests,
            round_trip: rounds.mean(),
            service: led.serving / led.requests as f64,
        })
    }
}

/// Counts a puzzle with all ranks. Tells `resumed` what it takes over from a journal, if it does, and `watch` a few times a
/// second how far it is. Called on rank 0; the others take part in [`Cluster::follow`].
pub fn count(
    cluster: &Cluster,
    puzzle: &Puzzle,
    plan: &CountPlan,
    resumed: &mut dyn FnMut(&ResumedFrom, usize),
    watch: &mut Watch,
) -> Result<Count, Fault> {
    let link = &cluster.link;
    let _leading = link.lead();
    let stop = Stop { signals: cluster.signals(), deadline: plan.deadline };
    let start = link.seconds();
    let stopping = stop.clone();
    let stopped = stops(link, &stopping);
    let opened = plan.journal.as_ref().map(Opened::open).transpose()?;
    let begun = opened.as_ref().and_then(|journal| journal.choice(puzzle, plan, &stopped));
    let choice = begun.unwrap_or_else(|| auto::choose(puzzle, plan, link.size(), &stopped))?;
    let journal = match opened {
        // Of a pool that was not expanded to its end nothing can be kept, and it cannot be compared with one that was.
        Some(opened) if stopped() && !opened.is_of(&choice.pool) => match opened.is_new() {
            true => None,
            false => return Err(Fault::Stopped(stop.reason().unwrap_or(StopReason::Signal(SIGTERM)))),
        },
        // And of one that is empty there is nothing to keep.
        Some(opened) if choice.pool.units() > 0 => Some(link.stay_in_touch(|| opened.begin(puzzle, plan, &choice))?),
        _ => None,
    };
    let recipe = plan.units.then(|| PoolRecipe::of(puzzle, plan.search, &choice));
    let Choice { name, method, method_why, pool, schedule, schedule_why, .. } = choice;
    let (units, pool_bytes) = (pool.units(), pool.bytes.len());
    if plan.units && units > MAX_UNITS_KEPT {
        return Err(Fault::ManyUnits { units, most: MAX_UNITS_KEPT });
    }
    let resumed_from = journal.as_ref().and_then(Journal::resumed_from);
    if let Some(before) = &resumed_from {
        resumed(before, units);
    }
    let (nothing, replay) = (Replay::default(), journal.as_ref().map(|journal| &journal.replay));
    let before = replay.unwrap_or(&nothing);
    let (bytes, labels) = match before.runs {
        0 => (pool.bytes, None),
        _ => before.left(pool.bytes, pool.unit_bytes),
    };
    let expanded = link.seconds();

    // Solutions that are known count towards the limit.
    let known = pool.above.solutions.plus(before.solutions);
    let found = known.exact().unwrap_or(u128::MAX);
    let limit = plan.limit.map(|limit| limit.saturating_sub(found.try_into().unwrap_or(u64::MAX)));
    let todo = bytes.len() / pool.unit_bytes;
    let deal = Deal::new(schedule, plan.chunk, todo, link.size(), plan.threads);
    let mut job = Job::new(puzzle, name, plan.search, method.setup(), todo, deal, limit);
    job.trace = plan.trace || plan.units;
    job.journal = journal.as_ref().map(Journal::keep);
    job.labelled = labels.is_some();
    cluster.order(&Order::Count(job.clone()));
    let scribe = journal.as_ref().map(|journal| &journal.scribe);
    let part = take_part(cluster, &*method, (bytes, labels), &job, scribe, Some((stop, found, watch)));
    let phases = part.phases(start, expanded, link.seconds());

    let solutions = known.plus(part.summary.solutions);
    let lines = part.lines()?;
    let records = job.trace.then(|| collect_records(link, part.records, lines.iter().map(|line| line.records).sum()));
    // What rank 0 asks of itself goes no way.
    let rounds = lines.iter().skip(1).fold(Rounds::default(), |sum, line| sum.plus(line.rounds));
    let (ranks, hosts): (Vec<_>, Vec<_>) = lines.into_iter().map(|line| (line.rank, line.host)).unzip();
    check_sums(&part.summary, ranks.iter(), todo - before.rest.len(), before.rest.len())?;
    if part.summary.unfinished > 0 && part.led.stopped.is_none() && plan.limit.is_none() {
        return Err(Fault::Protocol("units were left unfinished, and nobody asked for that".into()));
    }
    let complete = part.summary.unfinished == 0;
    let tallies = recipe.filter(|_| complete).zip(records.as_ref()).map(|(pool, records)| {
        let sums = sums(records);
        let solutions = |unit| sums.get(&unit).map_or(0, |sum| sum.solutions);
        UnitTallies { pool, solutions: (0..units).map(solutions).collect() }
    });
    Ok(Count {
        solutions,
        nodes: pool.above.nodes.saturating_add(before.nodes).saturating_add(part.summary.nodes),
        complete,
        stopped: part.led.stopped,
        units,
        pool_bytes,
        solutions_above: pool.above.solutions,
        nodes_above: pool.above.nodes,
        depth_reached: pool.depth_reached,
        method: name,
        method_why,
        deal,
        schedule_why,
        summary: part.summary,
        ranks,
        hosts,
        phases,
        requests: Requests::new(part.led, rounds),
        records: records.filter(|_| plan.trace),
        tallies,
        resumed_from,
    })
}

/// A rank's part in a count, or a recount, that rank 0 has ordered.
pub(super) fn follow(cluster: &Cluster, job: &Job, aim: Aim) -> Result<(), Fault> {
    let method = cluster.link.stay_in_touch(|| job.method(aim))?;
    let (link, rank) = (&cluster.link, cluster.link.rank());
    let scribe = job.journal.as_ref().map(|keep| link.stay_in_touch(|| keep.begin(rank))).transpose()?;
    let part = take_part(cluster, &*method, Default::default(), job, scribe.as_ref(), None);
    send_records(&cluster.link, &part.records);
    Ok(())
}
