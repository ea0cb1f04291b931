//! Access to recovery for the fuzz properties in `tests/fuzz`. Used by tests only.
#![allow(missing_docs)]

use std::path::Path;
use std::time::Duration;

use super::header::JournalHeader;
use super::line::check;
use super::{JournalError, JournalHandle, JournalWriter, recovery};
use crate::cluster::jobs::count::CountOptions;
use crate::cluster::jobs::run_rank::Units;
use crate::cluster::schedule::{Schedule, ScheduleChoice};
use crate::cluster::worker::unit_id::UnitId;
use crate::count::search::SearchOptions;
use crate::count::{CacheStats, Counted, Depth, MethodChoice, MethodName, Solutions};
use crate::puzzle::Puzzle;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    pub done: Vec<bool>,
    /// Units and subtasks done.
    pub counted: (u64, u64),
    /// `None` for an overflow.
    pub solutions: Option<u128>,
    /// What is left, sorted: unit, whether it is a subtask, bytes.
    pub left: Vec<(usize, bool, Vec<u8>)>,
    last_run: u64,
}

/// What the journal in a folder leaves of a pool.
pub fn recover(folder: &Path, id: &str, pool: &[u8], unit_bytes: usize) -> Result<Recovered, JournalError> {
    let units = pool.len() / unit_bytes;
    let recovery = recovery::recover(folder, id, units, unit_bytes)?;
    let Units { bytes, ids } = recovery.remove_finished(Units { bytes: pool.to_vec(), ids: None }, unit_bytes);
    let all = || (0..units).flat_map(|unit| UnitId::of_unit(unit).to_bytes()).collect();
    let ids = ids.unwrap_or_else(all);
    let ids = ids.as_chunks().0.iter().map(|&id| UnitId::from_bytes(id));
    let entries = ids.zip(bytes.chunks_exact(unit_bytes));
    let mut left: Vec<_> = entries.map(|(id, unit)| (id.unit, id.is_subtask, unit.to_vec())).collect();
    left.sort_unstable();
    let counted = (recovery.units, recovery.subtasks);
    let solutions = recovery.solutions.exact();
    Ok(Recovered { done: recovery.done, counted, solutions, left, last_run: recovery.last_run })
}

/// Records everything that is left as counted, with so many solutions each, in a run of its own.
pub fn finish(folder: &Path, id: &str, before: &Recovered, solutions: u128) -> Result<(), JournalError> {
    let run = before.last_run.saturating_add(1);
    let handle = JournalHandle { folder: folder.into(), id: id.into(), run, run_id: "finish".into() };
    let writer = JournalWriter::begin(&handle, 0)?;
    let counted =
        Counted { solutions: Solutions::new(solutions), nodes: 1, finished: true, cache: CacheStats::default() };
    for &(unit, is_subtask, ref bytes) in &before.left {
        // Long units have a line each, short ones share one.
        let took = Duration::from_micros(if unit % 2 == 0 { 2000 } else { 2 });
        writer.record(UnitId { unit, is_subtask }, bytes, &counted, took, Vec::new());
    }
    writer.flush();
    Ok(())
}

/// A line with its check.
pub fn checked_line(id: &str, text: &str) -> String {
    format!("{text}\t{}\n", check(id, text))
}

/// Reads `journal.json` and makes its pool again. Returns whether a count of the puzzle may continue the journal.
pub fn read_header(text: &str, puzzle: &Puzzle) -> Result<(), String> {
    let options = CountOptions {
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
    let header = JournalHeader::from_json(text)?;
    let same = header.check(puzzle, &options);
    // A header that is wrong about its puzzle must not panic either.
    let prepared = header.prepare(puzzle, &options, &|| false).map_err(|error| error.to_string())?;
    same.and(header.check_pool(&prepared.pool))
}
