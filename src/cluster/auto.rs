//! What `--schedule auto` does: it looks at the tree, and then decides how deep to cut it and who gets what.
//!
//! Rank 0 counts alone for a moment. A tree that ends within that moment is not worth sharing. Of any other, nobody can
//! tell from outside how large it is or where its large parts are; so it is cut into a few units a worker, which go out
//! in shrinking blocks, and whoever has nothing left gets a part of what others are at. That costs next to nothing where
//! the tree is regular, and keeps everybody busy where it is not.

use crate::count::{Control, Depth, Method, Pool, PoolPlan};

use super::Fault;
use super::schedule::Schedule;

/// How long the look is: a few milliseconds.
const LOOK_NODES: u64 = 50_000;
/// Units a worker gets at least. Fewer than with other schedules: what is too large will be split.
const UNITS_PER_WORKER: usize = 16;

/// A pool, who gets what of it, and why.
pub(super) struct Choice {
    pub pool: Pool,
    pub schedule: Schedule,
    pub why: &'static str,
}

/// Chooses for so many workers. `plan` is for a schedule that the user would have chosen.
pub(super) fn choose(
    method: &dyn Method,
    plan: &PoolPlan,
    workers: usize,
    limit: Option<u64>,
    stop: &dyn Fn() -> bool,
) -> Result<Choice, Fault> {
    if workers == 1 {
        let why = "one worker has nobody to share with";
        return Ok(Choice { pool: method.expand(plan, stop)?, schedule: Schedule::Static, why });
    }
    if plan.depth != Depth::Auto {
        let why = "the depth was given: blocks shrink, and the busy give to the idle";
        return Ok(Choice { pool: method.expand(plan, stop)?, schedule: Schedule::Steal, why });
    }
    let mut root = method.expand(&PoolPlan { depth: Depth::Fixed(0), ..*plan }, stop)?;
    let control = Control::new(limit).with_budget(LOOK_NODES);
    // There is one unit at depth 0, or none, if the puzzle needs no guess.
    let counted = root.bytes.chunks_exact(root.unit_bytes).next().map(|unit| method.counter().count(unit, &control));
    let Some(counted) = counted else {
        return Ok(Choice { pool: root, schedule: Schedule::Static, why: "there is nothing to share" });
    };
    if counted.finished {
        root.above.solutions = root.above.solutions.plus(counted.solutions);
        root.above.nodes = root.above.nodes.saturating_add(counted.nodes);
        root.bytes.clear();
        return Ok(Choice {
            pool: root,
            schedule: Schedule::Static,
            why: "the tree is small: rank 0 counted it alone",
        });
    }
    if limit.is_some_and(|limit| control.found() >= limit.into()) {
        return Ok(Choice { pool: root, schedule: Schedule::Static, why: "the limit is near: rank 0 counts alone" });
    }
    let pool = method.expand(&PoolPlan { units: workers.saturating_mul(UNITS_PER_WORKER), ..*plan }, stop)?;
    let why = "the tree is not small: blocks shrink, and the busy give to the idle";
    Ok(Choice { pool, schedule: Schedule::Steal, why })
}
