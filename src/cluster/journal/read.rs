//! Reading a journal: what is done, and what is left to do.
//!
//! Every line that is whole counts, wherever its file ends. A unit that was split is done as far as its own line is there;
//! of the parts that this line names, those with a line of their own are done, and so on, and those without are left to do.
//! Lines of parts that no line names are of no use: the unit that they were split off from was not finished, and will be
//! counted again with all that is in it. What was counted twice, because two runs did not know of each other, counts once:
//! in journals that were copied, taken up apart, and put together again, too, because a line says which subtree it counted.

use std::collections::{BTreeMap, HashMap, HashSet, hash_map};
use std::fs;
use std::io::{BufRead, BufReader};
use std::iter;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::cluster::label::Label;
use crate::count::Solutions;
use crate::whole::open_regular;

use super::entry::{Entry, PartId, What};
use super::{JournalError, SCHEMA};

/// What a journal says.
#[derive(Debug, Default)]
pub(in crate::cluster) struct Replay {
    /// Which units of the pool are done, but for parts that are left of them.
    pub done: Vec<bool>,
    /// Parts that are left to do.
    pub rest: Vec<(Label, Vec<u8>)>,
    /// The last run there is; 0 if there is none.
    pub last_run: u64,
    /// Runs that have left a file.
    pub runs: u64,
    /// Units done.
    pub units: u64,
    /// Parts done.
    pub parts: u64,
    /// Solutions in these.
    pub solutions: Solutions,
    /// Nodes visited for these.
    pub nodes: u64,
    /// Nanoseconds of workers for these.
    pub nanoseconds: u64,
    /// Lines that were not whole, and were passed over.
    pub torn: u64,
    /// What is known of units, by the first unit of each line.
    pub items: BTreeMap<usize, Item>,
}

/// Units whose solutions are known together: those of a line of a journal, or one unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Their places in the pool.
    pub units: Vec<Range<usize>>,
    /// Solutions of all of them together.
    pub solutions: Solutions,
}

impl Item {
    /// One unit.
    pub fn unit(place: usize, solutions: u128) -> Item {
        Item { units: iter::once(place..place + 1).collect(), solutions: Solutions::new(solutions) }
    }
}

/// Reads the journal in `folder` that is called `id`, of a pool of so many units of so many bytes.
pub(super) fn replay(folder: &Path, id: &str, units: usize, unit_bytes: usize) -> Result<Replay, JournalError> {
    let mut reader = Reader {
        replay: Replay { done: vec![false; units], ..Replay::default() },
        unit_bytes,
        split: Vec::new(),
        parts: HashMap::new(),
    };
    let mut runs = HashSet::new();
    for path in files(folder)? {
        let at = |error| JournalError::Io { path: path.clone(), error };
        let mut lines = Lines(BufReader::new(open_regular(&path).map_err(at)?));
        // A file without a head was not begun; there is nothing in it.
        let Some(head) = lines.next().map_err(at)? else { continue };
        let Some((theirs, run, run_id)) = head.as_deref().and_then(head_of) else {
            reader.replay.torn += 1;
            continue;
        };
        if theirs != id {
            return Err(JournalError::ForeignFile(path));
        }
        runs.insert((run, run_id.to_owned()));
        reader.replay.last_run = reader.replay.last_run.max(run);
        while let Some(line) = lines.next().map_err(at)? {
            match line {
                Some(line) if line.starts_with('#') => {}
                Some(line) => reader.take(Entry::from_line(id, &line)),
                None => reader.take(None),
            }
        }
    }
    reader.replay.runs = runs.len() as u64;
    Ok(reader.end())
}

/// The files of ranks, the oldest run first.
fn files(folder: &Path) -> Result<Vec<PathBuf>, JournalError> {
    let at = |error| JournalError::Io { path: folder.into(), error };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(at)? {
        let path = entry.map_err(at)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with("run-") && name.ends_with(".tsv") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The journal, the run and its name of the first line of a file.
fn head_of(line: &str) -> Option<(&str, u64, &str)> {
    let mut columns = line.strip_prefix("# ")?.split('\t');
    let (schema, id) = (columns.next()?, columns.next()?);
    let (run, run_id) = columns.next()?.strip_prefix("run ")?.split_once(' ')?;
    (schema == SCHEMA).then_some((id, run.parse().ok()?, run_id))
}

/// Lines that may not be text, or not whole.
struct Lines<R>(R);

impl<R: BufRead> Lines<R> {
    /// The next line without its end, `Some(None)` for one that is no text or has no end, nothing after the last.
    fn next(&mut self) -> std::io::Result<Option<Option<String>>> {
        let mut bytes = Vec::new();
        if self.0.read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        Ok(Some(bytes.pop_if(|end| *end == b'\n').and_then(|_| String::from_utf8(bytes).ok())))
    }
}

struct Reader {
    replay: Replay,
    unit_bytes: usize,
    /// Parts that were split off from units that are done.
    split: Vec<(usize, Vec<u8>)>,
    /// What is known of parts.
    parts: HashMap<PartId, Entry>,
}

impl Reader {
    fn take(&mut self, entry: Option<Entry>) {
        let Some(entry) = entry.filter(|entry| self.makes_sense(entry)) else {
            self.replay.torn += 1;
            return;
        };
        match &entry.what {
            What::Part(id) => {
                if let hash_map::Entry::Vacant(place) = self.parts.entry(*id) {
                    place.insert(entry);
                }
            }
            What::Units(ranges) => {
                // Of lines that have a unit in common, the first one counts, and the others not at all.
                if ranges.iter().any(|range| self.replay.done[range.clone()].contains(&true)) {
                    return;
                }
                for range in ranges {
                    self.replay.done[range.clone()].fill(true);
                    self.replay.units += range.len() as u64;
                }
                self.replay.add(&entry);
                let unit = ranges[0].start;
                let item = Item { units: ranges.clone(), solutions: Solutions::new(entry.solutions) };
                self.replay.items.insert(unit, item);
                self.split.extend(entry.parts.into_iter().map(|part| (unit, part)));
            }
        }
    }

    /// Whether this is about units of the pool, each of them once, and its parts are units.
    fn makes_sense(&self, entry: &Entry) -> bool {
        let sizes = entry.parts.iter().all(|part| part.len() == self.unit_bytes);
        let units = match &entry.what {
            What::Part(_) => return sizes,
            What::Units(ranges) => ranges,
        };
        let apart = units.is_sorted_by(|one, next| one.end <= next.start);
        let inside = units.last().is_some_and(|last| last.end <= self.replay.done.len());
        let one = units.len() == 1 && units[0].len() == 1;
        sizes && apart && inside && (one || entry.parts.is_empty())
    }

    /// Follows the parts of all units that are done. Parts are disjoint: one that is named again is not there again.
    fn end(mut self) -> Replay {
        let mut named = HashSet::new();
        while let Some((unit, bytes)) = self.split.pop() {
            let id = PartId::of(unit, &bytes);
            if !named.insert(id) {
                continue;
            }
            match self.parts.remove(&id) {
                Some(entry) => {
                    self.replay.parts += 1;
                    self.replay.add(&entry);
                    if let Some(item) = self.replay.items.get_mut(&unit) {
                        item.solutions = item.solutions.plus(Solutions::new(entry.solutions));
                    }
                    self.split.extend(entry.parts.into_iter().map(|part| (unit, part)));
                }
                None => self.replay.rest.push((Label::whole(unit).of_part(), bytes)),
            }
        }
        self.replay
    }
}

impl Replay {
    fn add(&mut self, entry: &Entry) {
        self.solutions = self.solutions.plus(Solutions::new(entry.solutions));
        self.nodes = self.nodes.saturating_add(entry.nodes);
        self.nanoseconds = self.nanoseconds.saturating_add(entry.nanoseconds);
    }

    /// What is left to do of a pool, in its order, and parts behind that: units, and their labels.
    pub(in crate::cluster) fn left(&self, mut units: Vec<u8>, unit_bytes: usize) -> (Vec<u8>, Option<Vec<u8>>) {
        let mut labels = Vec::new();
        let mut end = 0;
        for place in (0..self.done.len()).filter(|&place| !self.done[place]) {
            labels.extend(Label::whole(place).to_bytes());
            units.copy_within(place * unit_bytes..(place + 1) * unit_bytes, end);
            end += unit_bytes;
        }
        units.truncate(end);
        for (label, unit) in &self.rest {
            labels.extend(label.to_bytes());
            units.extend_from_slice(unit);
        }
        (units, Some(labels))
    }
}

#[cfg(test)]
mod tests;
