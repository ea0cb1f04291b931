//! A way into recovery from outside, for the properties in `tests/fuzz`, which hold for any bytes. Nobody else calls it.

use std::path::Path;
use std::time::Duration;

use crate::cluster::count::CountPlan;
use crate::cluster::label::Label;
use crate::cluster::schedule::{Schedule, ScheduleChoice};
use crate::count::search::SearchOptions;
use crate::count::{CacheUse, Counted, Depth, MethodChoice, MethodName, Solutions};
use crate::puzzle::Puzzle;

use super::binding::Binding;
use super::entry::check;
use super::read::replay;
use super::{JournalError, Keep, Scribe};

/// What recovery finds in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// Which units of the pool are done, but for parts that are left of them.
    pub done: Vec<bool>,
    /// Units and parts done.
    pub counted: (u64, u64),
    /// Solutions in these; nothing if they are too many.
    pub solutions: Option<u128>,
    /// What is left to do: places in the pool, whether it is a part, and bytes; sorted.
    pub left: Vec<(usize, bool, Vec<u8>)>,
    /// The last run there is.
    last_run: u64,
}

/// What the journal in a folder leaves to do of a pool.
pub fn recover(folder: &Path, id: &str, pool: &[u8], unit_bytes: usize) -> Result<Recovered, JournalError> {
    let replay = replay(folder, id, pool.len() / unit_bytes, unit_bytes)?;
    let (units, labels) = replay.left(pool.to_vec(), unit_bytes);
    let labels = labels.unwrap_or_default();
    let labels = labels.as_chunks().0.iter().map(|&label| Label::from_bytes(label));
    let units = units.chunks_exact(unit_bytes).map(Vec::from);
    let mut left: Vec<_> = labels.zip(units).map(|(label, unit)| (label.unit, label.part, unit)).collect();
    left.sort_unstable();
    let counted = (replay.units, replay.parts);
    Ok(Recovered { done: replay.done, counted, solutions: replay.solutions.exact(), left, last_run: replay.last_run })
}

/// Writes down that all that was left has been counted, in a run of its own, with so many solutions each.
pub fn finish(folder: &Path, id: &str, before: &Recovered, solutions: u128) -> Result<(), JournalError> {
    let run = before.last_run.saturating_add(1);
    let keep = Keep { folder: folder.into(), id: id.into(), run, run_id: "finish".into() };
    let scribe = Scribe::begin(&keep, 0)?;
    let counted =
        Counted { solutions: Solutions::new(solutions), nodes: 1, finished: true, cache: CacheUse::default() };
    for (unit, part, bytes) in &before.left {
        let label = Label { unit: *unit, part: *part };
        // Long ones have a line each, short ones share one.
        let took = Duration::from_micros(if unit % 2 == 0 { 2000 } else { 2 });
        scribe.record(label, bytes, &counted, took, Vec::new());
    }
    scribe.flush();
    Ok(())
}

/// A line of a journal with its check behind it.
pub fn checked_line(id: &str, text: &str) -> String {
    format!("{text}\t{}\n", check(id, text))
}

/// Reads `journal.json` and makes its pool again; whether a count of the puzzle may go on with it.
pub fn read_head(text: &str, puzzle: &Puzzle) -> Result<(), String> {
    let plan = CountPlan {
        method: MethodChoice::Fixed(MethodName::Search),
        schedule: ScheduleChoice::Fixed(Schedule::Static),
        chunk: None,
        search: SearchOptions::default(),
        depth: Depth::Auto,
        threads: 1,
        limit: None,
        deadline: None,
        trace: false,
        units: false,
        journal: None,
    };
    let binding = Binding::from_json(text)?;
    let same = binding.check(puzzle, &plan);
    // A head that lies about its puzzle must do no harm either.
    let choice = binding.again(puzzle, &plan, &|| false).map_err(|fault| fault.to_string())?;
    same.and(binding.check_pool(&choice.pool))
}
