//! Counting a puzzle with all ranks: expand, scatter, count, reduce.
//!
//! ```text
//!   rank 0   expand breadth-first ─▶ pool ─┐ scatter                          ┌─▶ reduce ─▶ the count
//!   rank 0                                 ├─▶ block 0 ─▶ count depth-first ──┤
//!   rank 1                                 ├─▶ block 1 ─▶ count depth-first ──┤
//!     ⋮                                    ├─▶    ⋮                           │
//!   rank R−1                               └─▶ block R−1 ─▶ … ────────────────┘
//! ```

use serde::{Deserialize, Serialize};

use crate::count::search::{SearchOptions, search};
use crate::count::{Control, Depth, Method, MethodName, PoolPlan, Solutions};
use crate::puzzle::Puzzle;

use super::exchange::Exchange;
use super::host::Host;
use super::link::Link;
use super::order::{Job, Order};
use super::schedule::{Schedule, contiguous_blocks};
use super::wire::Summary;
use super::workers::count_units;
use super::{Cluster, Fault};

/// Units a worker should have at least when the depth is `auto`: enough for the long ones to even out.
const UNITS_PER_WORKER: usize = 64;
/// The most bytes a pool may take on rank 0.
const MAX_POOL_BYTES: usize = 1 << 30;

/// How to count.
#[derive(Clone, Copy, Debug)]
pub struct CountPlan {
    /// How a unit is counted.
    pub method: MethodName,
    /// Who gets which units.
    pub schedule: Schedule,
    /// How to search.
    pub search: SearchOptions,
    /// How deep to expand.
    pub depth: Depth,
    /// Worker threads of each rank.
    pub threads: usize,
    /// Stop at this many solutions.
    pub limit: Option<u64>,
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
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RankLine {
    /// Its number.
    pub rank: usize,
    /// The name of its host.
    pub host: String,
    /// Units it counted to their end.
    pub units: u64,
    /// Solutions it found, as a decimal number.
    pub solutions: String,
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
    /// What the reduce brought together.
    pub summary: Summary,
    /// What each rank did, in rank order.
    pub ranks: Vec<RankLine>,
    /// Where each rank ran.
    pub hosts: Vec<Host>,
    /// Where the time went.
    pub phases: Phases,
}

/// Counts a puzzle with all ranks. Called on rank 0; the others take part in [`Cluster::follow`].
pub fn count(cluster: &Cluster, puzzle: &Puzzle, plan: &CountPlan) -> Result<Count, Fault> {
    let link = &cluster.link;
    let start = link.seconds();
    let method = search(puzzle, plan.search);
    let pool = method.expand(&plan.pool(link.size(), false))?;
    let expanded = link.seconds();

    let (units, pool_bytes) = (pool.units(), pool.bytes.len());
    // Solutions met above the depth count towards the limit.
    let above = pool.above.solutions.exact().and_then(|above| above.try_into().ok()).unwrap_or(u64::MAX);
    let limit = plan.limit.map(|limit| limit.saturating_sub(above));
    let job = Job::new(puzzle, plan.search, units, plan.threads, limit);
    cluster.order(&Order::Count(job.clone()));
    let part = take_part(link, &*method, pool.bytes, &job);
    let end = link.seconds();

    let solutions = pool.above.solutions.plus(part.summary.solutions);
    let lines: Result<Vec<(RankLine, Host)>, _> = part.lines.iter().map(|line| serde_json::from_slice(line)).collect();
    let (ranks, hosts): (Vec<_>, Vec<_>) =
        lines.map_err(|error| Fault::Protocol(error.to_string()))?.into_iter().unzip();
    check_sum(&part.summary, &ranks)?;
    Ok(Count {
        solutions,
        nodes: pool.above.nodes.saturating_add(part.summary.nodes),
        complete: part.summary.unfinished == 0,
        units,
        pool_bytes,
        solutions_above: pool.above.solutions,
        nodes_above: pool.above.nodes,
        depth_reached: pool.depth_reached,
        summary: part.summary,
        ranks,
        hosts,
        phases: Phases {
            expand: expanded - start,
            distribute: part.received - expanded,
            count: part.counted - part.received,
            reduce: end - part.counted,
            total: end - start,
        },
    })
}

/// A rank's part in a count that rank 0 has ordered.
pub(super) fn follow(link: &Link, job: &Job) -> Result<(), Fault> {
    let puzzle = job.puzzle().ok_or_else(|| Fault::Protocol("the puzzle did not arrive whole".into()))?;
    let method = search(&puzzle, job.search);
    take_part(link, &*method, Vec::new(), job);
    Ok(())
}

/// What comes out of a rank's part; whole on rank 0.
struct Part {
    summary: Summary,
    lines: Vec<Vec<u8>>,
    received: f64,
    counted: f64,
}

/// The same on every rank: gets its block of `units` (which only rank 0 has), counts it, merges what came of it.
fn take_part(link: &Link, method: &dyn Method, units: Vec<u8>, job: &Job) -> Part {
    let start = link.seconds();
    let blocks = contiguous_blocks(job.units, link.size());
    let block = link.scatter(units, method.unit_bytes(), &blocks);
    let received = link.seconds();

    let control = Control::new(job.limit);
    let mut exchange = Exchange::new(link, &control, job.limit);
    let work = count_units(method, &block, job.threads, &control, || exchange.talk());
    exchange.finish();
    let counted = link.seconds();

    let tally = work.tally;
    let busy = tally.seconds / job.threads as f64;
    let wait = (counted - received - busy).max(0.0);
    let summary = link.reduce(Summary::new(&tally, work.unfinished, received - start, busy, wait));
    let host = Host::here();
    let line = RankLine {
        rank: link.rank(),
        host: host.name.clone(),
        units: tally.units,
        solutions: tally.solutions.to_string(),
        nodes: tally.nodes,
        busy,
        wait,
        longest_unit: tally.longest,
    };
    let lines = link.gather(&serde_json::to_vec(&(line, host)).unwrap_or_default());
    Part { summary, lines, received, counted }
}

/// The reduced total and what the ranks say one by one went two ways; they must agree.
fn check_sum(summary: &Summary, ranks: &[RankLine]) -> Result<(), Fault> {
    let each = ranks.iter().map(|line| line.solutions.parse().map_or(Solutions::OVERFLOW, Solutions::new));
    let sum = each.fold(Solutions::ZERO, Solutions::plus);
    if sum == summary.solutions {
        return Ok(());
    }
    Err(Fault::Protocol(format!("the reduce gave {} solutions, the ranks one by one {sum}", summary.solutions)))
}
