//! What `auto` does, as `--method` and as `--schedule`: it looks at the tree, and then decides how to count, how deep to
//! cut and who gets what.
//!
//! Rank 0 searches alone for a moment. A tree that ends within that moment is not worth sharing, nor worth another
//! method. Of any other, nobody can tell from outside how large it is or where its large parts are. As a method, bands
//! does not care, where it applies. As a schedule, the tree is cut into a few units a worker, which go out in shrinking
//! blocks, and whoever has nothing left gets a part of what others are at. That costs next to nothing where the tree is
//! regular, and keeps everybody busy where it is not.

use crate::count::bands;
use crate::count::{Aim, Control, Depth, Method, MethodChoice, MethodName, Pool, PoolPlan};
use crate::puzzle::Puzzle;

use super::Fault;
use super::count::CountPlan;
use super::schedule::{Schedule, ScheduleChoice};

/// How long the look is that chooses a schedule: a few milliseconds.
const LOOK_NODES: u64 = 50_000;
/// How long the look is that chooses a method, on a 9×9: some milliseconds. With so many nodes or a few more to visit,
/// bands and search take equally long.
const METHOD_LOOK_NODES: u64 = 30_000;
/// Units a worker gets at least. Fewer than with other schedules: what is too large will be split.
const UNITS_PER_WORKER: usize = 16;

/// A method, its pool and who gets what of it; and why, where the user did not choose.
pub(super) struct Choice {
    pub name: MethodName,
    pub method: Box<dyn Method>,
    pub method_why: Option<&'static str>,
    pub pool: Pool,
    /// What the pool was expanded by.
    pub pool_plan: PoolPlan,
    pub schedule: Schedule,
    pub schedule_why: Option<&'static str>,
}

/// Chooses what the plan leaves open, for so many ranks.
pub(super) fn choose(
    puzzle: &Puzzle,
    plan: &CountPlan,
    ranks: usize,
    stop: &dyn Fn() -> bool,
) -> Result<Choice, Fault> {
    let wanted = plan.pool(ranks, false);
    let (name, method_why) = match plan.method {
        MethodChoice::Fixed(name) => (name, None),
        MethodChoice::Auto if !bands::applies(&puzzle.shape) => {
            (MethodName::Search, Some("bands needs a plain 9×9 with 3×3 boxes"))
        }
        MethodChoice::Auto => {
            let method = MethodName::Search.of(puzzle, plan.search, Aim::Count, stop)?;
            if let Some((pool, pool_plan, why)) = look(&*method, &wanted, METHOD_LOOK_NODES, plan.limit, stop)? {
                let (schedule, schedule_why) = match plan.schedule {
                    ScheduleChoice::Fixed(schedule) => (schedule, None),
                    ScheduleChoice::Auto => (Schedule::Static, Some(why)),
                };
                let name = MethodName::Search;
                return Ok(Choice { name, method, method_why: Some(why), pool, pool_plan, schedule, schedule_why });
            }
            (MethodName::Bands, Some("the tree is not small, and bands does not visit all of it"))
        }
    };
    let method = name.of(puzzle, plan.search, Aim::Count, stop)?;
    let (pool, pool_plan, schedule, schedule_why) = match plan.schedule {
        ScheduleChoice::Fixed(schedule) => (method.expand(&wanted, stop)?, wanted, schedule, None),
        ScheduleChoice::Auto => {
            let workers = ranks.saturating_mul(plan.threads);
            let (pool, pool_plan, schedule, why) = cut(name, &*method, &wanted, workers, plan.limit, stop)?;
            (pool, pool_plan, schedule, Some(why))
        }
    };
    Ok(Choice { name, method, method_why, pool, pool_plan, schedule, schedule_why })
}

/// A pool for so many workers, who gets what of it, and why. `plan` is for a schedule that the user would have chosen.
fn cut(
    name: MethodName,
    method: &dyn Method,
    plan: &PoolPlan,
    workers: usize,
    limit: Option<u64>,
    stop: &dyn Fn() -> bool,
) -> Result<(Pool, PoolPlan, Schedule, &'static str), Fault> {
    if workers == 1 {
        return Ok((method.expand(plan, stop)?, *plan, Schedule::Static, "one worker has nobody to share with"));
    }
    let known = match (name, plan.depth) {
        (MethodName::Bands, _) => Some("bands needs no look: blocks shrink, and the busy give to the idle"),
        (_, Depth::Fixed(_)) => Some("the depth was given: blocks shrink, and the busy give to the idle"),
        _ => None,
    };
    if let Some(why) = known {
        return Ok((method.expand(plan, stop)?, *plan, Schedule::Steal, why));
    }
    if let Some((pool, plan, why)) = look(method, plan, LOOK_NODES, limit, stop)? {
        return Ok((pool, plan, Schedule::Static, why));
    }
    let plan = PoolPlan { units: workers.saturating_mul(UNITS_PER_WORKER), ..*plan };
    let pool = method.expand(&plan, stop)?;
    Ok((pool, plan, Schedule::Steal, "the tree is not small: blocks shrink, and the busy give to the idle"))
}

/// Rank 0 searches from the root, for so many nodes. If it need not be shared, that is the pool, and why: nothing is left
/// to count, or it will not be long until the limit.
fn look(
    search: &dyn Method,
    plan: &PoolPlan,
    nodes: u64,
    limit: Option<u64>,
    stop: &dyn Fn() -> bool,
) -> Result<Option<(Pool, PoolPlan, &'static str)>, Fault> {
    let plan = PoolPlan { depth: Depth::Fixed(0), ..*plan };
    let mut root = search.expand(&plan, stop)?;
    let control = Control::new(limit).with_budget(nodes);
    // There is one unit at depth 0, or none, if the puzzle needs no guess.
    let counted = root.bytes.chunks_exact(root.unit_bytes).next().map(|unit| search.counter().count(unit, &control));
    if let Some(counted) = counted {
        if !counted.finished {
            let enough = limit.is_some_and(|limit| control.found() >= limit.into());
            return Ok(enough.then_some((root, plan, "the limit is near: rank 0 counts alone")));
        }
        root.above.solutions = root.above.solutions.plus(counted.solutions);
        root.above.nodes = root.above.nodes.saturating_add(counted.nodes);
        root.bytes.clear();
    }
    Ok(Some((root, plan, "the tree is small: rank 0 counted it alone")))
}
