//! Access to journals for `tests/library` and the properties in `tests/fuzz`. Used by tests only.
#![allow(missing_docs)]

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::header::JournalHeader;
use super::line::check;
use super::writer::{JournalWriter, path_of};
use super::{JournalError, JournalHandle, ResumedFrom, recovery};
use crate::cluster::jobs::count::CountOptions;
use crate::cluster::worker::unit_id::{UnitId, into_entries};
use crate::count::{CacheStats, Counted, Solutions};
use crate::puzzle::Puzzle;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    pub unit: usize,
    pub is_subtask: bool,
    pub bytes: Vec<u8>,
}

#[derive(Clone, Debug)]
pub struct Recovered {
    pub done: Vec<bool>,
    pub found: ResumedFrom,
    /// What is left, sorted.
    pub left: Vec<Entry>,
    pub last_run: u64,
}

/// What the journal in a folder leaves of a pool.
pub fn recover(folder: &Path, id: &str, pool: &[u8], unit_bytes: usize) -> Result<Recovered, JournalError> {
    let recovery = recovery::recover(folder, id, pool.len() / unit_bytes, unit_bytes)?;
    let entries = recovery.remove_finished(into_entries(pool.to_vec(), unit_bytes), unit_bytes);
    let entry = |entry: &[u8]| {
        let (id, bytes) = entry.split_first_chunk()?;
        let UnitId { unit, is_subtask } = UnitId::from_bytes(*id);
        Some(Entry { unit, is_subtask, bytes: bytes.to_vec() })
    };
    let mut left: Vec<Entry> = entries.chunks_exact(UnitId::BYTES + unit_bytes).filter_map(entry).collect();
    left.sort_unstable();
    Ok(Recovered { done: recovery.done, found: recovery.found, left, last_run: recovery.last_run })
}

/// An entry that was counted to the end: its solutions, the time it took, and what was split off.
pub type CountedEntry = (Entry, u128, Duration, Vec<Vec<u8>>);

/// Records what a rank has counted in a run. Returns its file.
pub fn record(
    folder: &Path,
    id: &str,
    (run, run_id): (u64, &str),
    rank: usize,
    counted: impl IntoIterator<Item = CountedEntry>,
) -> Result<PathBuf, JournalError> {
    let handle = JournalHandle { folder: folder.into(), id: id.into(), run, run_id: run_id.into() };
    let writer = JournalWriter::begin(&handle, rank)?;
    for (Entry { unit, is_subtask, bytes }, solutions, took, subtasks) in counted {
        let (solutions, cache) = (Solutions::new(solutions), CacheStats::default());
        let counted = Counted { solutions, nodes: 1, finished: true, cache };
        writer.record(UnitId { unit, is_subtask }, &bytes, &counted, took, subtasks);
    }
    writer.flush();
    Ok(path_of(&handle, rank))
}

pub fn checked_line(id: &str, text: &str) -> String {
    format!("{text}\t{}\n", check(id, text))
}

/// Reads `journal.json` and makes its pool again. Returns whether a count of the puzzle may continue the journal.
pub fn read_header(text: &str, puzzle: &Puzzle, options: &CountOptions) -> Result<(), String> {
    let header = JournalHeader::from_json(text)?;
    let same = header.check(puzzle, options);
    // A header that is wrong about its puzzle must not panic either.
    let prepared = header.prepare(puzzle, options, &|| false).map_err(|error| error.to_string())?;
    same.and(header.check_pool(&prepared.pool))
}
