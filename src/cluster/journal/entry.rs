//! One line of a journal: what has become of a unit, of some short ones together, or of a part of one.
//!
//! ```text
//!   units         solutions  nodes  nanoseconds  parts          check
//!   17            1234       5678   91011121     -              1f9a30c2
//!   18-40,42      22         61     800123       -              …        short units share a line
//!   43            10         20     45000000     00050…,00070…  …        the rest of unit 43 is in these parts
//!   43/9f3c2e11…  5          9      30000000     -              …        this is one of them, by a hash of its bytes
//! ```
//!
//! Columns have a tab between. A part is known by the subtree that it is, and not by who split it off when: a line means
//! the same in every copy of its journal. The check is the beginning of the SHA-256 of the journal's name and all that
//! stands before it, so that a line that was not written to its end, or not kept well, or of another journal, is no line.

use std::fmt::Write as _;
use std::iter;
use std::ops::Range;

use sha2::{Digest, Sha256};

use crate::cluster::hex::{hex, unhex};

/// What has become of some units, or of a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// What was counted to its end, the parts that were split off not included.
    pub what: What,
    /// Solutions found.
    pub solutions: u128,
    /// Nodes visited.
    pub nodes: u64,
    /// Nanoseconds of a worker.
    pub nanoseconds: u64,
    /// Parts that were split off and are counted elsewhere, as units.
    pub parts: Vec<Vec<u8>>,
}

/// What an entry is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Units of the pool, by their places.
    Units(Vec<Range<usize>>),
    /// A part of a unit.
    Part(PartId),
}

/// A part of a unit: the unit's place, and the beginning of the SHA-256 of the part's bytes. Parts of a unit are disjoint
/// subtrees, so no two have the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct PartId {
    pub unit: usize,
    hash: [u8; 16],
}

impl PartId {
    /// The part of a unit that has these bytes.
    pub(super) fn of(unit: usize, part: &[u8]) -> PartId {
        let mut hash = [0; 16];
        hash.copy_from_slice(&Sha256::digest(part)[..16]);
        PartId { unit, hash }
    }
}

impl What {
    /// One unit.
    pub(super) fn unit(place: usize) -> What {
        What::Units(iter::once(place..place + 1).collect())
    }

    fn from_text(text: &str) -> Option<What> {
        Some(match text.split_once('/') {
            Some((unit, hash)) => What::Part(PartId { unit: unit.parse().ok()?, hash: unhex(hash)?.try_into().ok()? }),
            None => What::Units(text.split(',').map(range_from).collect::<Option<_>>()?),
        })
    }
}

impl Entry {
    /// The entry as a line of a journal, with its end.
    pub(super) fn to_line(&self, journal: &str) -> String {
        let mut line = match &self.what {
            What::Units(ranges) => ranges.iter().map(range_text).collect::<Vec<_>>().join(","),
            What::Part(id) => format!("{}/{}", id.unit, hex(&id.hash)),
        };
        let _ = write!(line, "\t{}\t{}\t{}\t", self.solutions, self.nodes, self.nanoseconds);
        match self.parts.is_empty() {
            true => line.push('-'),
            false => line.push_str(&self.parts.iter().map(|part| hex(part)).collect::<Vec<_>>().join(",")),
        }
        let check = check(journal, &line);
        let _ = writeln!(line, "\t{check}");
        line
    }

    /// The entry of a line of a journal without its end, if it is whole.
    pub(super) fn from_line(journal: &str, line: &str) -> Option<Entry> {
        let (text, sum) = line.rsplit_once('\t')?;
        if sum != check(journal, text) {
            return None;
        }
        let mut columns = text.split('\t');
        let entry = Entry {
            what: What::from_text(columns.next()?)?,
            solutions: columns.next()?.parse().ok()?,
            nodes: columns.next()?.parse().ok()?,
            nanoseconds: columns.next()?.parse().ok()?,
            parts: match columns.next()? {
                "-" => Vec::new(),
                parts => parts.split(',').map(unhex).collect::<Option<_>>()?,
            },
        };
        columns.next().is_none().then_some(entry)
    }
}

fn range_text(range: &Range<usize>) -> String {
    match range.len() {
        1 => range.start.to_string(),
        _ => format!("{}-{}", range.start, range.end.saturating_sub(1)),
    }
}

fn range_from(text: &str) -> Option<Range<usize>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let range = first.parse().ok()?..last.parse::<usize>().ok()?.checked_add(1)?;
    (!range.is_empty()).then_some(range)
}

/// The check of a line.
pub(super) fn check(journal: &str, text: &str) -> String {
    hex(&Sha256::new().chain_update(journal).chain_update(text).finalize()[..4])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ID: &str = "0123456789abcdef";

    fn any_entry() -> impl Strategy<Value = Entry> {
        let ranges = proptest::collection::vec((0usize..1000, 1usize..50), 1..5);
        let units =
            ranges.prop_map(|all| What::Units(all.into_iter().map(|(start, len)| start..start + len).collect()));
        let part = (0usize..1000, any::<[u8; 5]>()).prop_map(|(unit, part)| What::Part(PartId::of(unit, &part)));
        let parts = proptest::collection::vec(any::<[u8; 5]>().prop_map(Vec::from), 0..4);
        (prop_oneof![units, part], any::<(u128, u64, u64)>(), parts).prop_map(
            |(what, (solutions, nodes, nanoseconds), parts)| Entry { what, solutions, nodes, nanoseconds, parts },
        )
    }

    proptest! {
        #[test]
        fn a_line_says_what_its_entry_says(entry in any_entry()) {
            let line = entry.to_line(ID);
            prop_assert_eq!(Entry::from_line(ID, line.strip_suffix('\n').expect("an end")), Some(entry));
        }

        #[test]
        fn a_line_of_another_journal_is_no_line(entry in any_entry()) {
            prop_assert_eq!(Entry::from_line("another", entry.to_line(ID).trim_end()), None);
        }

        #[test]
        fn no_part_of_a_line_is_a_line(entry in any_entry(), cut in 0.0..1.0f64) {
            let line = entry.to_line(ID);
            let cut = (cut * (line.len() - 1) as f64) as usize;
            prop_assert_eq!(Entry::from_line(ID, &line[..cut]), None);
        }

        #[test]
        fn a_line_with_another_character_in_it_is_no_line(entry in any_entry(), at in 0.0..1.0f64, other in b' '..b'~') {
            let mut line = entry.to_line(ID).trim_end().to_owned().into_bytes();
            let at = (at * line.len() as f64) as usize;
            prop_assume!(line[at] != other);
            line[at] = other;
            prop_assert_eq!(Entry::from_line(ID, str::from_utf8(&line).expect("ASCII")), None);
        }

        #[test]
        fn nothing_that_stands_in_a_file_breaks_the_reader(text in any::<String>()) {
            let _ = (Entry::from_line(ID, &text), unhex(&text), What::from_text(&text));
        }
    }
}
