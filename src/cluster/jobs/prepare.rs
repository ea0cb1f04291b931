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

/// A pool, what it was expanded with, and why.
type ReasonedPool = (Pool, PoolOptions, &'static str);

pub(crate) fn prepare(
    puzzle: &Puzzle,
    options: &CountOptions,
    ranks: usize,
    stop: &dyn Fn() -> bool,
) -> Result<Prepared, JobError> {
    // The pool for a schedule that the user has chosen.
    let wanted = options.pool(ranks, false);
    let mut name = MethodName::Search;
    let mut method_reason = None;
    match (options.method, MethodName::without_visiting(&puzzle.shape)) {
        (MethodChoice::Fixed(fixed), _) => name = fixed,
        (MethodChoice::Auto, None) => method_reason = Some("bands needs a plain 9×9 with 3×3 boxes"),
        (MethodChoice::Auto, Some(without_visiting)) => {
            let method = name.of(puzzle, options.search, Purpose::Count, None, stop)?;
            if let Some((pool, pool_options, reason)) =
                probe(&*method, &wanted, METHOD_PROBE_NODES, options.limit, stop)?
            {
                let (schedule, schedule_reason) =
                    (options.schedule.or(Schedule::Static), options.schedule.reason(reason));
                let method_reason = Some(reason);
                return Ok(Prepared { name, method, method_reason, pool, pool_options, schedule, schedule_reason });
            }
            (name, method_reason) =
                (without_visiting, Some("the tree is not small, and bands does not visit all of it"));
        }
    }
    let method = name.of(puzzle, options.search, Purpose::Count, None, stop)?;
    let workers = ranks.saturating_mul(options.threads);
    let mut pool_options = wanted;
    let (schedule, schedule_reason) = match options.schedule {
        ScheduleChoice::Fixed(schedule) => (schedule, None),
        ScheduleChoice::Auto if workers == 1 => (Schedule::Static, Some("there is one worker")),
        ScheduleChoice::Auto if !name.searches() => {
            (Schedule::Steal, Some("bands needs no probe: work stealing balances its units"))
        }
        ScheduleChoice::Auto if wanted.depth != Depth::Auto => {
            (Schedule::Steal, Some("the depth was given: work stealing balances its units"))
        }
        ScheduleChoice::Auto => {
            let probed = probe(&*method, &wanted, SCHEDULE_PROBE_NODES, options.limit, stop)?;
            if let Some((pool, pool_options, reason)) = probed {
                let (schedule, schedule_reason) = (Schedule::Static, Some(reason));
                return Ok(Prepared { name, method, method_reason, pool, pool_options, schedule, schedule_reason });
            }
            pool_options.units = workers.saturating_mul(UNITS_PER_WORKER);
            (Schedule::Steal, Some("the tree is not small: work stealing balances it"))
        }
    };
    let pool = method.expand(&pool_options, stop)?;
    Ok(Prepared { name, method, method_reason, pool, pool_options, schedule, schedule_reason })
}

/// Searches from the root for so many nodes. Returns a pool, with the reason, if the tree need not be distributed: nothing is left to
/// count, or the limit is near.
fn probe(
    search: &dyn Method,
    wanted: &PoolOptions,
    nodes: u64,
    limit: Option<u64>,
    stop: &dyn Fn() -> bool,
) -> Result<Option<ReasonedPool>, JobError> {
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
