//! One line of a journal: what has become of a unit, of some short ones together, or of a part of one.
//!
//! ```text
//!   units     solutions  nodes  nanoseconds  parts              check
//!   17        1234       5678   91011121     -                  1f9a30c2
//!   18-40,42  22         61     800123       -                  …        short units share a line
//!   43        10         20     45000000     1.3.1=00050…,…     …        the rest of unit 43 is in these parts, run 1, rank 3
//!   1.3.1     5          9      30000000     -                  …        this is one of them
//! ```
//!
//! Columns have a tab between. The check is the beginning of the SHA-256 of all that stands before it, so that a line that
//! was not written to its end, or not kept well, is no line.

use std::fmt::Write as _;
use std::iter;
use std::ops::Range;

use sha2::{Digest, Sha256};

use crate::cluster::label::PartName;

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
    /// Parts that were split off and are counted elsewhere, each with the unit that it is.
    pub parts: Vec<Part>,
}

/// What an entry is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Units of the pool, by their places.
    Units(Vec<Range<usize>>),
    /// A part of a unit.
    Part(PartName),
}

impl What {
    /// One unit.
    pub(super) fn unit(place: usize) -> What {
        What::Units(iter::once(place..place + 1).collect())
    }
}

/// A part that was split off.
pub(in crate::cluster) type Part = (PartName, Vec<u8>);

impl Entry {
    /// The entry as a line, with its end.
    pub(super) fn to_line(&self) -> String {
        let mut line = match &self.what {
            What::Units(ranges) => ranges.iter().map(range_text).collect::<Vec<_>>().join(","),
            What::Part(name) => name.to_string(),
        };
        let _ = write!(line, "\t{}\t{}\t{}\t", self.solutions, self.nodes, self.nanoseconds);
        match self.parts.is_empty() {
            true => line.push('-'),
            false => {
                let parts = self.parts.iter().map(|(name, unit)| format!("{name}={}", hex(unit)));
                line.push_str(&parts.collect::<Vec<_>>().join(","));
            }
        }
        let check = check(&line);
        let _ = writeln!(line, "\t{check}");
        line
    }

    /// The entry of a line without its end, if it is whole.
    pub(super) fn from_line(line: &str) -> Option<Entry> {
        let (text, sum) = line.rsplit_once('\t')?;
        if sum != check(text) {
            return None;
        }
        let mut columns = text.split('\t');
        let what = columns.next()?;
        let what = match what.contains('.') {
            true => What::Part(what.parse().ok()?),
            false => What::Units(what.split(',').map(range_from).collect::<Option<_>>()?),
        };
        let entry = Entry {
            what,
            solutions: columns.next()?.parse().ok()?,
            nodes: columns.next()?.parse().ok()?,
            nanoseconds: columns.next()?.parse().ok()?,
            parts: match columns.next()? {
                "-" => Vec::new(),
                parts => parts.split(',').map(part_from).collect::<Option<_>>()?,
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

fn part_from(text: &str) -> Option<Part> {
    let (name, unit) = text.split_once('=')?;
    Some((name.parse().ok()?, unhex(unit)?))
}

fn check(text: &str) -> String {
    hex(&Sha256::digest(text)[..4])
}

/// Bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Bytes from hexadecimal digits.
pub(super) fn unhex(text: &str) -> Option<Vec<u8>> {
    let byte = |two: &[u8]| u8::from_str_radix(str::from_utf8(two).ok()?, 16).ok();
    text.len().is_multiple_of(2).then(|| text.as_bytes().chunks(2).map(byte).collect())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_name() -> impl Strategy<Value = PartName> {
        (0u64..9, 0u64..9, 1u64..99).prop_map(|(run, rank, number)| PartName::new(run, rank, number).expect("a name"))
    }

    fn any_entry() -> impl Strategy<Value = Entry> {
        let ranges = proptest::collection::vec((0usize..1000, 1usize..50), 1..5);
        let units =
            ranges.prop_map(|all| What::Units(all.into_iter().map(|(start, len)| start..start + len).collect()));
        let what = prop_oneof![units, any_name().prop_map(What::Part)];
        let parts = proptest::collection::vec((any_name(), any::<[u8; 5]>().prop_map(Vec::from)), 0..4);
        (what, any::<(u128, u64, u64)>(), parts).prop_map(|(what, (solutions, nodes, nanoseconds), parts)| Entry {
            what,
            solutions,
            nodes,
            nanoseconds,
            parts,
        })
    }

    proptest! {
        #[test]
        fn a_line_says_what_its_entry_says(entry in any_entry()) {
            let line = entry.to_line();
            prop_assert_eq!(Entry::from_line(line.strip_suffix('\n').expect("an end")), Some(entry));
        }

        #[test]
        fn no_part_of_a_line_is_a_line(entry in any_entry(), cut in 0.0..1.0f64) {
            let line = entry.to_line();
            let cut = (cut * (line.len() - 1) as f64) as usize;
            prop_assert_eq!(Entry::from_line(&line[..cut]), None);
        }

        #[test]
        fn a_line_with_another_character_in_it_is_no_line(entry in any_entry(), at in 0.0..1.0f64, other in b' '..b'~') {
            let mut line = entry.to_line().trim_end().to_owned().into_bytes();
            let at = (at * line.len() as f64) as usize;
            prop_assume!(line[at] != other);
            line[at] = other;
            prop_assert_eq!(Entry::from_line(str::from_utf8(&line).expect("ASCII")), None);
        }

        #[test]
        fn nothing_that_stands_in_a_file_breaks_the_reader(text in any::<String>()) {
            let _ = (Entry::from_line(&text), unhex(&text), part_from(&text), range_from(&text));
        }
    }
}
