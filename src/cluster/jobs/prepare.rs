//! Preparation of a count on rank 0: chooses the method, expands the pool, chooses the schedule.
//!
//! With `auto`, rank 0 first searches alone for a moment: a *probe*. A tree that ends within it is not worth distributing, nor worth
//! another method. Otherwise nothing is known of the size of the tree or of its largest subtrees. The method `bands` does not
//! depend on them, where it applies. As for the schedule, the pool then gets a few units a worker, sent in shrinking blocks, and idle
//! ranks steal: that costs almost nothing where the tree is regular, and balances it where it is not.

use crate::cluster::JobError;
use crate::cluster::jobs::count::CountOptions;
use crate::cluster::schedule::{Schedule, ScheduleChoice};
use crate::count::{Control, Depth, Method, MethodChoice, MethodName, Pool, PoolOptions, Purpose};
use crate::puzzle::Puzzle;

/// Nodes of the probe that chooses a schedule: a few milliseconds.
const SCHEDULE_PROBE_NODES: u64 = 50_000;
/// Nodes of the probe that chooses a method on a 9×9: with about so many nodes, bands and search take equally long.
const METHOD_PROBE_NODES: u64 = 30_000;
/// Units per worker with work stealing. Fewer than with other schedules, because large units are split.
const UNITS_PER_WORKER: usize = 16;

/// A method, its pool and a schedule; and the reasons for those that the user has left open.
pub(crate) struct Prepared {
    pub name: MethodName,
    pub method: Box<dyn Method>,
    pub method_reason: Option<&'static str>,
    pub pool: Pool,
    /// What the pool was expanded with.
    pub pool_options: PoolOptions,
    pub schedule: Schedule,
    pub schedule_reason: Option<&'static str>,
}

/// A pool and its schedule, with the reason.
type Scheduled = (Pool, PoolOptions, Schedule, Option<&'static str>);

pub(crate) fn prepare(
    puzzle: &Puzzle,
    options: &CountOptions,
    ranks: usize,
    stop: &dyn Fn() -> bool,
) -> Result<Prepared, JobError> {
    let wanted = options.pool(ranks, false);
    let (name, method_reason) = match (options.method, MethodName::without_visiting(&puzzle.shape)) {
        (MethodChoice::Fixed(name), _) => (name, None),
        (MethodChoice::Auto, None) => (MethodName::Search, Some("bands needs a plain 9×9 with 3×3 boxes")),
        (MethodChoice::Auto, Some(without_visiting)) => {
            let method = MethodName::Search.of(puzzle, options.search, Purpose::Count, stop)?;
            if let Some((pool, pool_options, reason)) =
                probe(&*method, &wanted, METHOD_PROBE_NODES, options.limit, stop)?
            {
                let (schedule, schedule_reason) = match options.schedule {
                    ScheduleChoice::Fixed(schedule) => (schedule, None),
                    ScheduleChoice::Auto => (Schedule::Static, Some(reason)),
                };
                let (name, method_reason) = (MethodName::Search, Some(reason));
                return Ok(Prepared { name, method, method_reason, pool, pool_options, schedule, schedule_reason });
            }
            (without_visiting, Some("the tree is not small, and bands does not visit all of it"))
        }
    };
    let method = name.of(puzzle, options.search, Purpose::Count, stop)?;
    let (pool, pool_options, schedule, schedule_reason) = match options.schedule {
        ScheduleChoice::Fixed(schedule) => (method.expand(&wanted, stop)?, wanted, schedule, None),
        ScheduleChoice::Auto => {
            let workers = ranks.saturating_mul(options.threads);
            schedule_automatically(name, &*method, &wanted, workers, options.limit, stop)?
        }
    };
    Ok(Prepared { name, method, method_reason, pool, pool_options, schedule, schedule_reason })
}

/// `wanted` is the pool for a schedule that the user would have chosen.
fn schedule_automatically(
    name: MethodName,
    method: &dyn Method,
    wanted: &PoolOptions,
    workers: usize,
    limit: Option<u64>,
    stop: &dyn Fn() -> bool,
) -> Result<Scheduled, JobError> {
    if workers == 1 {
        return Ok((method.expand(wanted, stop)?, *wanted, Schedule::Static, Some("there is one worker")));
    }
    let without_probe = match wanted.depth {
        _ if !name.searches() => Some("bands needs no probe: work stealing balances its units"),
        Depth::Fixed(_) => Some("the depth was given: work stealing balances its units"),
        Depth::Auto => None,
    };
    if without_probe.is_some() {
        return Ok((method.expand(wanted, stop)?, *wanted, Schedule::Steal, without_probe));
    }
    if let Some((pool, pool_options, reason)) = probe(method, wanted, SCHEDULE_PROBE_NODES, limit, stop)? {
        return Ok((pool, pool_options, Schedule::Static, Some(reason)));
    }
    let pool_options = PoolOptions { units: workers.saturating_mul(UNITS_PER_WORKER), ..*wanted };
    let pool = method.expand(&pool_options, stop)?;
    Ok((pool, pool_options, Schedule::Steal, Some("the tree is not small: work stealing balances it")))
}

/// Searches from the root for so many nodes. Returns a pool, with the reason, if the tree need not be distributed: nothing is left to
/// count, or the limit is near.
fn probe(
    search: &dyn Method,
    wanted: &PoolOptions,
    nodes: u64,
    limit: Option<u64>,
    stop: &dyn Fn() -> bool,
) -> Result<Option<(Pool, PoolOptions, &'static str)>, JobError> {
    let pool_options = PoolOptions { depth: Depth::Fixed(0), ..*wanted };
    let mut pool = search.expand(&pool_options, stop)?;
    let control = Control::new(limit).with_budget(nodes);
    // The pool has one unit, or none if the puzzle needs no guess.
    let counted = pool.bytes.chunks_exact(pool.unit_bytes).next().map(|unit| search.counter().count(unit, &control));
    if let Some(counted) = counted {
        if !counted.finished {
            let is_near = limit.is_some_and(|limit| control.found() >= limit.into());
            return Ok(is_near.then_some((pool, pool_options, "the limit is near: rank 0 counts alone")));
        }
        pool.above.solutions = pool.above.solutions.plus(counted.solutions);
        pool.above.nodes = pool.above.nodes.saturating_add(counted.nodes);
        pool.bytes.clear();
    }
    Ok(Some((pool, pool_options, "the tree is small: rank 0 counted it alone")))
}
