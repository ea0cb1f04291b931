//! What a journal is of: the file `journal.json`, which rank 0 writes when it begins one.

use serde::{Deserialize, Serialize};

use crate::cluster::Fault;
use crate::cluster::auto::Choice;
use crate::cluster::count::CountPlan;
use crate::cluster::recipe::PoolRecipe;
use crate::cluster::schedule::{Schedule, ScheduleChoice};
use crate::count::{Depth, MethodChoice, MethodName, Pool};
use crate::puzzle::Puzzle;

use super::SCHEMA;

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
    #[serde(flatten)]
    pub pool: PoolRecipe,
}

impl Binding {
    /// What a journal of this choice is of.
    pub(super) fn of(puzzle: &Puzzle, plan: &CountPlan, choice: &Choice) -> Binding {
        Binding {
            schema: SCHEMA.into(),
            id: format!("{:016x}", fastrand::u64(..)),
            program: concat!("census ", env!("CARGO_PKG_VERSION"), " ", env!("CENSUS_COMMIT")).into(),
            puzzle: words(puzzle),
            pool: PoolRecipe::of(puzzle, plan.search, choice),
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
        if !self.pool.is_of(puzzle) {
            return Err(format!("is of another puzzle, {}: another one needs another folder", self.puzzle));
        }
        let differs = |option: &str, theirs: &str, ours: &str| {
            Err(format!(
                "was begun with {option} {theirs}, and cannot go on with {ours}: say the same again, or nothing"
            ))
        };
        if let MethodChoice::Fixed(method) = plan.method
            && method != self.pool.method
        {
            return differs("--method", &self.pool.method.to_string(), &method.to_string());
        }
        let (cells, values) = (plan.search.cells.to_string(), plan.search.values.to_string());
        if self.pool.method == MethodName::Search && cells != self.pool.cells {
            return differs("--cells", &self.pool.cells, &cells);
        }
        if self.pool.method == MethodName::Search && values != self.pool.values {
            return differs("--values", &self.pool.values, &values);
        }
        let reached = self.pool.method == MethodName::Search && plan.depth == Depth::Fixed(self.pool.depth_reached);
        if plan.depth != Depth::Auto && plan.depth.to_string() != self.pool.depth && !reached {
            let theirs = match self.pool.depth.as_str() {
                "auto" => format!("auto ({})", self.pool.depth_reached),
                depth => depth.into(),
            };
            return differs("--depth", &theirs, &plan.depth.to_string());
        }
        Ok(())
    }

    /// The method and the pool that the journal is of, made again.
    pub(super) fn again(&self, puzzle: &Puzzle, plan: &CountPlan, stop: &dyn Fn() -> bool) -> Result<Choice, Fault> {
        let (method, pool, pool_plan) = self.pool.make(puzzle, plan.search, stop)?;
        let (schedule, schedule_why) = match plan.schedule {
            ScheduleChoice::Fixed(schedule) => (schedule, None),
            ScheduleChoice::Auto => {
                (Schedule::Steal, Some("of what is left, blocks shrink, and the busy give to the idle"))
            }
        };
        let method_why = matches!(plan.method, MethodChoice::Auto).then_some("the journal was begun with it");
        Ok(Choice { name: self.pool.method, method, method_why, pool, pool_plan, schedule, schedule_why })
    }

    /// Whether this is the pool that the journal is of; if not, what to do.
    pub(super) fn check_pool(&self, pool: &Pool) -> Result<(), String> {
        if self.pool.makes(pool) {
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
