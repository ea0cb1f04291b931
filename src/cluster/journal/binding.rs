//! What a journal is of: the file `journal.json`, which rank 0 writes when it begins one.
//!
//! A unit is known by its place in the pool, so a journal means nothing without the pool. Whoever takes it up makes the
//! same pool again, from what stands here and not from what the new run would choose, and compares.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::cluster::Fault;
use crate::cluster::auto::Choice;
use crate::cluster::count::CountPlan;
use crate::cluster::schedule::{Schedule, ScheduleChoice};
use crate::count::{Aim, Depth, MethodChoice, MethodName, Pool, PoolPlan};
use crate::puzzle::Puzzle;

use super::SCHEMA;
use super::entry::{hex, unhex};

/// What a journal is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Binding {
    schema: String,
    /// Tells journals apart, even those of the same count.
    pub id: String,
    /// The program that began it.
    program: String,
    /// The puzzle in words.
    puzzle: String,
    /// A hash of its shape and givens.
    puzzle_sha256: String,
    method: MethodName,
    /// How the method was set up, in hexadecimal digits.
    setup: String,
    /// Which cell was guessed next, and which value.
    cells: String,
    values: String,
    /// The depth that was asked for, and the one reached.
    depth: String,
    depth_reached: usize,
    /// The units that were asked for, where the depth is `auto`.
    units_wanted: usize,
    /// The pool: units, their size, and a hash of them all.
    units: usize,
    unit_bytes: usize,
    pool_sha256: String,
}

impl Binding {
    /// What a journal of this choice is of.
    pub(super) fn of(puzzle: &Puzzle, plan: &CountPlan, choice: &Choice) -> Binding {
        let Choice { name, method, pool, pool_plan, .. } = choice;
        Binding {
            schema: SCHEMA.into(),
            id: format!("{:016x}", fastrand::u64(..)),
            program: concat!("census ", env!("CARGO_PKG_VERSION"), " ", env!("CENSUS_COMMIT")).into(),
            puzzle: words(puzzle),
            puzzle_sha256: puzzle_hash(puzzle),
            method: *name,
            setup: hex(&method.setup()),
            cells: plan.search.cells.to_string(),
            values: plan.search.values.to_string(),
            depth: pool_plan.depth.to_string(),
            depth_reached: pool.depth_reached,
            units_wanted: pool_plan.units,
            units: pool.units(),
            unit_bytes: pool.unit_bytes,
            pool_sha256: pool_hash(pool),
        }
    }

    /// Reads what stands in `journal.json`.
    pub(super) fn from_json(text: &str) -> Result<Binding, String> {
        let damaged = |error: serde_json::Error| format!("has a head that is damaged: {error}");
        let json: serde_json::Value = serde_json::from_str(text).map_err(damaged)?;
        match json["schema"].as_str() {
            Some(SCHEMA) => serde_json::from_value(json).map_err(damaged),
            Some(other) => Err(format!("is of another version of census: {other}, and this one knows {SCHEMA}")),
            None => Err("is not the head of a journal".into()),
        }
    }

    pub(super) fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Whether a run with this puzzle and plan may take the journal up; if not, why.
    pub(super) fn check(&self, puzzle: &Puzzle, plan: &CountPlan) -> Result<(), String> {
        if self.puzzle_sha256 != puzzle_hash(puzzle) {
            return Err(format!("is of another puzzle, {}: another one needs another folder", self.puzzle));
        }
        let differs = |option: &str, theirs: &str, ours: &str| {
            Err(format!(
                "was begun with {option} {theirs}, and cannot go on with {ours}: say the same again, or nothing"
            ))
        };
        if let MethodChoice::Fixed(method) = plan.method
            && method != self.method
        {
            return differs("--method", &self.method.to_string(), &method.to_string());
        }
        let (cells, values) = (plan.search.cells.to_string(), plan.search.values.to_string());
        if self.method == MethodName::Search && cells != self.cells {
            return differs("--cells", &self.cells, &cells);
        }
        if self.method == MethodName::Search && values != self.values {
            return differs("--values", &self.values, &values);
        }
        let reached = self.method == MethodName::Search && plan.depth == Depth::Fixed(self.depth_reached);
        if plan.depth != Depth::Auto && plan.depth.to_string() != self.depth && !reached {
            let theirs = match self.depth.as_str() {
                "auto" => format!("auto ({})", self.depth_reached),
                depth => depth.into(),
            };
            return differs("--depth", &theirs, &plan.depth.to_string());
        }
        Ok(())
    }

    /// The method and the pool that the journal is of, made again.
    pub(super) fn again(&self, puzzle: &Puzzle, plan: &CountPlan, stop: &dyn Fn() -> bool) -> Result<Choice, Fault> {
        let setup = unhex(&self.setup).unwrap_or_default();
        let method = self.method.again(puzzle, plan.search, Aim::Count, &setup)?;
        let depth = self.depth.parse().map_or(Depth::Auto, Depth::Fixed);
        let pool_plan = PoolPlan { depth, units: self.units_wanted, ..plan.pool(1, false) };
        let pool = method.expand(&pool_plan, stop)?;
        let (schedule, schedule_why) = match plan.schedule {
            ScheduleChoice::Fixed(schedule) => (schedule, None),
            ScheduleChoice::Auto => {
                (Schedule::Steal, Some("of what is left, blocks shrink, and the busy give to the idle"))
            }
        };
        let method_why = matches!(plan.method, MethodChoice::Auto).then_some("the journal was begun with it");
        Ok(Choice { name: self.method, method, method_why, pool, pool_plan, schedule, schedule_why })
    }

    /// Whether this is the pool that the journal is of; if not, what to do.
    pub(super) fn check_pool(&self, pool: &Pool) -> Result<(), String> {
        let size = (self.units, self.unit_bytes) == (pool.units(), pool.unit_bytes);
        if size && self.pool_sha256 == pool_hash(pool) {
            return Ok(());
        }
        Err(format!(
            "is of {}, which cuts this puzzle into other units: only that version can go on with it",
            self.program
        ))
    }
}

fn words(puzzle: &Puzzle) -> String {
    let (order, givens) = (puzzle.shape.order(), puzzle.givens.filled());
    let name = puzzle.name.as_deref().map_or(String::new(), |name| format!("{name}, "));
    format!("{name}{order}×{order}, {}, {givens} givens", puzzle.shape)
}

/// A hash of all that decides how many solutions a puzzle has.
fn puzzle_hash(puzzle: &Puzzle) -> String {
    let shape = &puzzle.shape;
    let facts = (shape.order(), shape.regions(), shape.extras(), puzzle.givens.values());
    format!("{:x}", Sha256::digest(serde_json::to_vec(&facts).unwrap_or_default()))
}

fn pool_hash(pool: &Pool) -> String {
    format!("{:x}", Sha256::digest(&pool.bytes))
}
