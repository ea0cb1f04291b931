//! The header of a journal, `journal.json`: what the journal belongs to. Rank 0 writes it once.

use serde::{Deserialize, Serialize};

use super::SCHEMA;
use crate::cluster::JobError;
use crate::cluster::jobs::count::CountOptions;
use crate::cluster::jobs::pool_recipe::PoolRecipe;
use crate::cluster::jobs::prepare::Prepared;
use crate::cluster::schedule::Schedule;
use crate::count::{Depth, MethodChoice, Pool};
use crate::puzzle::Puzzle;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JournalHeader {
    schema: String,
    /// Distinguishes journals, also of the same count.
    pub id: String,
    program: String,
    puzzle: String,
    #[serde(flatten)]
    pub pool: PoolRecipe,
}

impl JournalHeader {
    pub(crate) fn new(puzzle: &Puzzle, options: &CountOptions, prepared: &Prepared) -> JournalHeader {
        let (order, givens) = (puzzle.shape.order(), puzzle.givens.filled());
        let name = puzzle.name.as_deref().map_or(String::new(), |name| format!("{name}, "));
        JournalHeader {
            schema: SCHEMA.into(),
            id: format!("{:016x}", fastrand::u64(..)),
            program: concat!("census ", env!("CARGO_PKG_VERSION"), " ", env!("CENSUS_COMMIT")).into(),
            puzzle: format!("{name}{order}×{order}, {}, {givens} givens", puzzle.shape),
            pool: PoolRecipe::of(puzzle, options.search, prepared),
        }
    }

    pub(crate) fn from_json(text: &str) -> Result<JournalHeader, String> {
        let damaged = |error: serde_json::Error| format!("has a damaged header: {error}");
        let json: serde_json::Value = serde_json::from_str(text).map_err(damaged)?;
        match json["schema"].as_str() {
            Some(SCHEMA) => serde_json::from_value(json).map_err(damaged),
            Some(other) => Err(format!("is of another version: {other}; this version of census continues {SCHEMA}")),
            None => Err("has a header without a schema".into()),
        }
    }

    /// Whether a count of this puzzle with these options may resume the journal; if not, why.
    pub(crate) fn check(&self, puzzle: &Puzzle, options: &CountOptions) -> Result<(), String> {
        if !self.pool.is_of(puzzle) {
            return Err(format!("belongs to another puzzle, {}: use another folder", self.puzzle));
        }
        let searches = self.pool.method.searches();
        let theirs_of_depth = match self.pool.depth.as_str() {
            "auto" => format!("auto ({})", self.pool.depth_reached),
            depth => depth.into(),
        };
        let reached = searches && options.depth == Depth::Fixed(self.pool.depth_reached);
        let same_depth = options.depth == Depth::Auto || options.depth.to_string() == self.pool.depth || reached;
        let method = options.method.fixed().unwrap_or(self.pool.method);
        let (cells, values) = (options.search.cells.to_string(), options.search.values.to_string());
        for (option, same, theirs, ours) in [
            ("--method", method == self.pool.method, self.pool.method.to_string(), method.to_string()),
            ("--cells", !searches || cells == self.pool.cells, self.pool.cells.clone(), cells),
            ("--values", !searches || values == self.pool.values, self.pool.values.clone(), values),
            ("--depth", same_depth, theirs_of_depth, options.depth.to_string()),
        ] {
            if !same {
                return Err(format!(
                    "was begun with {option} {theirs}, not {ours}: pass the same value as the journal, or omit the option"
                ));
            }
        }
        Ok(())
    }

    pub(crate) fn prepare(
        &self,
        puzzle: &Puzzle,
        options: &CountOptions,
        stop: &dyn Fn() -> bool,
    ) -> Result<Prepared, JobError> {
        let (method, pool, pool_options) = self.pool.make(puzzle, options.search, stop)?;
        let schedule = options.schedule.or(Schedule::Steal);
        let schedule_reason = options.schedule.reason("the journal is resumed: work stealing balances what is left");
        let method_reason = matches!(options.method, MethodChoice::Auto).then_some("the journal was begun with it");
        let name = self.pool.method;
        Ok(Prepared { name, method, method_reason, pool, pool_options, schedule, schedule_reason })
    }

    /// Whether this is the journal's pool; if not, what to do.
    pub(crate) fn check_pool(&self, pool: &Pool) -> Result<(), String> {
        if self.pool.makes(pool) {
            return Ok(());
        }
        let program = &self.program;
        Err(format!("belongs to {program}, which divides this puzzle into other units: resume it with that version"))
    }
}
