//! Recovery: what a journal says is done, and what is left to count. docs/protocol.md proves that they are a partition
//! of the pool.
//!
//! A unit that was split is done as far as its own line is there. Of the subtasks that the line names, those with a
//! line of their own are done, and so on recursively; those without are left to count. Lines of subtasks that no line
//! names are ignored: the unit that they were split off was not finished, and will be counted again as a whole.

use std::collections::{BTreeMap, HashMap, HashSet, hash_map};
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::iter;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::at;
use super::line::{JournalLine, LineOf, SubtaskId};
use super::{JournalError, SCHEMA};
use crate::atomic_file::open_regular;
use crate::cluster::worker::unit_id::UnitId;
use crate::count::Solutions;

#[derive(Debug, Default)]
pub(crate) struct Recovery {
    /// The units that are done, apart from `subtasks_left`.
    pub done: Vec<bool>,
    pub subtasks_left: Vec<(UnitId, Vec<u8>)>,
    /// The number of the last run; 0 if there is none.
    pub last_run: u64,
    pub found: ResumedFrom,
    /// Worker time of what is done.
    nanoseconds: u64,
    /// The solutions of units, by the first unit of each line.
    pub tallies: BTreeMap<usize, JournalTally>,
}

/// What a count has taken over from earlier runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResumedFrom {
    pub journal: String,
    /// Runs that have left a file.
    pub runs: u64,
    /// Units done.
    pub units: u64,
    pub subtasks: u64,
    /// Subtasks of these units that are left.
    pub subtasks_left: u64,
    /// Solutions and nodes of what is done, and seconds that workers have counted.
    pub solutions: Solutions,
    pub nodes: u64,
    pub seconds: f64,
    /// Lines that were torn or damaged, and were skipped.
    pub torn_lines: u64,
}

/// Units whose solutions are known as a sum: those of one line of a journal, or one unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalTally {
    pub units: Vec<Range<usize>>,
    pub solutions: Solutions,
}

impl JournalTally {
    pub fn unit(index: usize, solutions: u128) -> JournalTally {
        JournalTally { units: iter::once(index..index + 1).collect(), solutions: Solutions::new(solutions) }
    }
}

/// Reads the journal with this id in a folder. Its pool has `units` units of `unit_bytes` bytes.
pub(crate) fn recover(folder: &Path, id: &str, units: usize, unit_bytes: usize) -> Result<Recovery, JournalError> {
    let mut reader = Reader {
        recovery: Recovery { done: vec![false; units], ..Recovery::default() },
        unit_bytes,
        split: Vec::new(),
        subtasks: HashMap::new(),
    };
    let mut runs = HashSet::new();
    for path in files(folder).map_err(at(folder))? {
        let mut file = BufReader::new(open_regular(&path).map_err(at(&path))?);
        let Some(first) = next_line(&mut file).map_err(at(&path))? else { continue };
        let Some((theirs, run, run_id)) = first.as_deref().and_then(parse_first_line) else {
            reader.recovery.found.torn_lines += 1;
            continue;
        };
        if theirs != id {
            return Err(JournalError::ForeignFile(path));
        }
        runs.insert((run, run_id.to_owned()));
        reader.recovery.last_run = reader.recovery.last_run.max(run);
        while let Some(line) = next_line(&mut file).map_err(at(&path))? {
            match line {
                Some(line) if line.starts_with('#') => {}
                Some(line) => reader.add_line(JournalLine::parse(id, &line)),
                None => reader.add_line(None),
            }
        }
    }
    let mut recovery = reader.finish();
    let found = &mut recovery.found;
    (found.journal, found.runs) = (folder.display().to_string(), runs.len() as u64);
    found.subtasks_left = recovery.subtasks_left.len() as u64;
    found.seconds = recovery.nanoseconds as f64 / 1e9;
    Ok(recovery)
}

/// The files of all ranks, the oldest run first.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    files.retain(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("run-") && name.ends_with(".tsv")
    });
    files.sort();
    Ok(files)
}

/// The journal's id, the number and the id of the run.
fn parse_first_line(line: &str) -> Option<(&str, u64, &str)> {
    let mut columns = line.strip_prefix("# ")?.split('\t');
    let (schema, id) = (columns.next()?, columns.next()?);
    let (run, run_id) = columns.next()?.strip_prefix("run ")?.split_once(' ')?;
    (schema == SCHEMA).then_some((id, run.parse().ok()?, run_id))
}

/// The next line without its line end; `Some(None)` for a torn one, without a line end or not UTF-8.
fn next_line(file: &mut impl BufRead) -> io::Result<Option<Option<String>>> {
    let mut bytes = Vec::new();
    if file.read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    Ok(Some(bytes.pop_if(|end| *end == b'\n').and_then(|_| String::from_utf8(bytes).ok())))
}

struct Reader {
    recovery: Recovery,
    unit_bytes: usize,
    /// Subtasks that were split off units that are done.
    split: Vec<(usize, Vec<u8>)>,
    subtasks: HashMap<SubtaskId, JournalLine>,
}

impl Reader {
    /// Adds a line; skips and counts a torn one (`None`) and an invalid one.
    fn add_line(&mut self, line: Option<JournalLine>) {
        let Some(line) = line.filter(|line| self.is_valid(line)) else {
            self.recovery.found.torn_lines += 1;
            return;
        };
        match &line.of {
            LineOf::Subtask(id) => {
                if let hash_map::Entry::Vacant(vacant) = self.subtasks.entry(*id) {
                    vacant.insert(line);
                }
            }
            LineOf::Units(ranges) => {
                // Of lines that share a unit, only the first counts.
                if ranges.iter().any(|range| self.recovery.done[range.clone()].contains(&true)) {
                    return;
                }
                for range in ranges {
                    self.recovery.done[range.clone()].fill(true);
                    self.recovery.found.units += range.len() as u64;
                }
                self.recovery.add(&line);
                let unit = ranges[0].start;
                let tally = JournalTally { units: ranges.clone(), solutions: Solutions::new(line.solutions) };
                self.recovery.tallies.insert(unit, tally);
                self.split.extend(line.subtasks.into_iter().map(|subtask| (unit, subtask)));
            }
        }
    }

    /// The units are in the pool and distinct, and subtasks have the size of a unit and belong to one unit.
    fn is_valid(&self, line: &JournalLine) -> bool {
        let sizes = line.subtasks.iter().all(|subtask| subtask.len() == self.unit_bytes);
        let LineOf::Units(units) = &line.of else { return sizes };
        let disjoint = units.is_sorted_by(|one, next| one.end <= next.start);
        let in_pool = units.last().is_some_and(|last| last.end <= self.recovery.done.len());
        let is_one = units.len() == 1 && units[0].len() == 1;
        sizes && disjoint && in_pool && (is_one || line.subtasks.is_empty())
    }

    /// Follows the subtasks of all units that are done. Subtasks are disjoint: one that is named twice is there once.
    fn finish(mut self) -> Recovery {
        let mut named = HashSet::new();
        while let Some((unit, bytes)) = self.split.pop() {
            let id = SubtaskId::of(unit, &bytes);
            if !named.insert(id) {
                continue;
            }
            match self.subtasks.remove(&id) {
                Some(line) => {
                    self.recovery.found.subtasks += 1;
                    self.recovery.add(&line);
                    if let Some(tally) = self.recovery.tallies.get_mut(&unit) {
                        tally.solutions = tally.solutions.plus(Solutions::new(line.solutions));
                    }
                    self.split.extend(line.subtasks.into_iter().map(|subtask| (unit, subtask)));
                }
                None => self.recovery.subtasks_left.push((UnitId::of_unit(unit).subtask(), bytes)),
            }
        }
        self.recovery
    }
}

impl Recovery {
    fn add(&mut self, line: &JournalLine) {
        self.found.solutions = self.found.solutions.plus(Solutions::new(line.solutions));
        self.found.nodes = self.found.nodes.saturating_add(line.nodes);
        self.nanoseconds = self.nanoseconds.saturating_add(line.nanoseconds);
    }

    /// What is left to count of a pool: units in its order, then subtasks.
    pub(crate) fn remove_finished(&self, mut entries: Vec<u8>, unit_bytes: usize) -> Vec<u8> {
        let entry = UnitId::BYTES + unit_bytes;
        let mut end = 0;
        for unit in (0..self.done.len()).filter(|&unit| !self.done[unit]) {
            entries.copy_within(unit * entry..(unit + 1) * entry, end);
            end += entry;
        }
        entries.truncate(end);
        for (id, subtask) in &self.subtasks_left {
            entries.extend(id.to_bytes());
            entries.extend_from_slice(subtask);
        }
        entries
    }
}
