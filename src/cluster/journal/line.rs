//! One line of a journal: a unit, some short units together, or a subtask, each counted to the end. docs/checkpoints.md
//! has examples.
//!
//! A subtask is identified by its content, not by who split it off when: a line means the same in every copy of its
//! journal. The check is the beginning of the SHA-256 of the journal's id and the rest of the line, so that a line that
//! is torn, damaged or of another journal is rejected ([`JournalLine::parse`]), and skipped by the recovery.

use std::fmt::Write as _;
use std::iter;
use std::ops::Range;

use sha2::{Digest, Sha256};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JournalLine {
    pub of: LineOf,
    pub solutions: u128,
    pub nodes: u64,
    /// Time of a worker.
    pub nanoseconds: u64,
    /// The partial grids of subtasks that were split off, which are counted elsewhere.
    pub subtasks: Vec<Vec<u8>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LineOf {
    /// Units, by index in the pool.
    Units(Vec<Range<usize>>),
    Subtask(SubtaskId),
}

/// A subtask: its unit, and the beginning of the SHA-256 of its bytes. Subtasks of a unit are disjoint subtrees, so no two
/// have the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SubtaskId {
    pub unit: usize,
    hash: [u8; 16],
}

impl SubtaskId {
    pub(crate) fn of(unit: usize, subtask: &[u8]) -> SubtaskId {
        let mut hash = [0; 16];
        hash.copy_from_slice(&Sha256::digest(subtask)[..16]);
        SubtaskId { unit, hash }
    }
}

impl LineOf {
    pub(crate) fn unit(index: usize) -> LineOf {
        LineOf::Units(iter::once(index..index + 1).collect())
    }

    fn parse(text: &str) -> Option<LineOf> {
        Some(match text.split_once('/') {
            Some((unit, hash)) => {
                LineOf::Subtask(SubtaskId { unit: unit.parse().ok()?, hash: hex::decode(hash).ok()?.try_into().ok()? })
            }
            None => LineOf::Units(text.split(',').map(parse_range).collect::<Option<_>>()?),
        })
    }
}

impl JournalLine {
    /// The line as text, with its line end.
    pub(crate) fn to_text(&self, journal: &str) -> String {
        let mut line = match &self.of {
            LineOf::Units(ranges) => ranges.iter().map(range_text).collect::<Vec<_>>().join(","),
            LineOf::Subtask(id) => format!("{}/{}", id.unit, hex::encode(id.hash)),
        };
        let _ = write!(line, "\t{}\t{}\t{}\t", self.solutions, self.nodes, self.nanoseconds);
        match self.subtasks.is_empty() {
            true => line.push('-'),
            false => line.push_str(&self.subtasks.iter().map(hex::encode).collect::<Vec<_>>().join(",")),
        }
        let check = check(journal, &line);
        let _ = writeln!(line, "\t{check}");
        line
    }

    /// The line of a text without its line end, if it is intact.
    pub(crate) fn parse(journal: &str, line: &str) -> Option<JournalLine> {
        let (text, sum) = line.rsplit_once('\t')?;
        if sum != check(journal, text) {
            return None;
        }
        let mut columns = text.split('\t');
        let line = JournalLine {
            of: LineOf::parse(columns.next()?)?,
            solutions: columns.next()?.parse().ok()?,
            nodes: columns.next()?.parse().ok()?,
            nanoseconds: columns.next()?.parse().ok()?,
            subtasks: match columns.next()? {
                "-" => Vec::new(),
                subtasks => subtasks.split(',').map(hex::decode).collect::<Result<_, _>>().ok()?,
            },
        };
        columns.next().is_none().then_some(line)
    }
}

fn range_text(range: &Range<usize>) -> String {
    match range.len() {
        1 => range.start.to_string(),
        _ => format!("{}-{}", range.start, range.end.saturating_sub(1)),
    }
}

fn parse_range(text: &str) -> Option<Range<usize>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let range = first.parse().ok()?..last.parse::<usize>().ok()?.checked_add(1)?;
    (!range.is_empty()).then_some(range)
}

pub(crate) fn check(journal: &str, text: &str) -> String {
    hex::encode(&Sha256::new().chain_update(journal).chain_update(text).finalize()[..4])
}
