//! Journals of counts that never were: units and parts with known totals, counted by runs that end anywhere.

use std::fs;
use std::ops::Range;

use super::super::write::{Scribe, file_name};
use super::*;
use crate::count::{CacheUse, Counted};
use proptest::prelude::*;
use std::time::Duration;

const ID: &str = "0123456789abcdef";
/// A unit of these tests is the number of its solutions.
const UNIT_BYTES: usize = 8;

fn unit(total: u64) -> Vec<u8> {
    total.to_le_bytes().into()
}

fn total(unit: &[u8]) -> u128 {
    u64::from_le_bytes(unit.try_into().expect("a unit")).into()
}

/// A rank of one run: counts what it is given, splits it as chance decides, and writes it down.
struct Rank {
    scribe: Scribe,
    chance: fastrand::Rng,
    split: u64,
}

impl Rank {
    /// Counts something to its end, with all that it splits off from it, in this order or the other.
    fn count(&mut self, label: Label, total: u64) {
        let (mut own, mut parts) = (total, Vec::new());
        while self.chance.u8(..4) == 0 && own > 1 {
            self.split += 1;
            let given = self.chance.u64(1..own);
            own -= given;
            parts.push((self.scribe.part_name(self.split).expect("a name"), given));
        }
        let later = self.chance.bool();
        let took = Duration::from_micros(self.chance.u64(..2000));
        let counted =
            Counted { solutions: Solutions::new(own.into()), nodes: own, finished: true, cache: CacheUse::default() };
        let bytes = parts.iter().map(|&(name, given)| (name, unit(given))).collect();
        if !later {
            self.scribe.record(label, &counted, took, bytes);
            parts.into_iter().for_each(|(name, given)| self.count(label.of_part(name), given));
        } else {
            parts.into_iter().for_each(|(name, given)| self.count(label.of_part(name), given));
            self.scribe.record(label, &counted, took, bytes);
        }
    }
}

/// What is left to do, and its labels.
fn left(journal: &Replay, pool: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let (units, labels) = journal.left(pool.to_vec(), UNIT_BYTES);
    (units, labels.expect("labels"))
}

fn chop(path: &Path, share: f64) {
    let bytes = fs::read(path).expect("the file of a rank");
    fs::write(path, &bytes[..(share * (bytes.len() + 1) as f64) as usize]).expect("it can be cut");
}

proptest! {
    #[test]
    fn what_a_journal_has_and_what_it_leaves_is_always_all_there_is(
        totals in proptest::collection::vec(0u64..1000, 1..60),
        runs in proptest::collection::vec((1usize..4, 0.0..1.0f64, any::<u64>()), 0..5),
        forgetful: bool,
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let pool: Vec<u8> = totals.iter().flat_map(|&total| unit(total)).collect();
        let all: u128 = totals.iter().map(|&total| u128::from(total)).sum();
        for (run, &(ranks, share, seed)) in (1u64..).zip(&runs) {
            let before = replay(folder.path(), ID, totals.len(), UNIT_BYTES).expect("a journal");
            // A run that does not see the files of others counts everything again.
            let before = if forgetful { Replay { done: vec![false; totals.len()], ..Replay::default() } } else { before };
            let (units, labels) = left(&before, &pool);
            let mut crew: Vec<Rank> = (0..ranks)
                .map(|rank| Rank {
                    scribe: Scribe::begin(folder.path(), ID, run, rank).expect("a file"),
                    chance: fastrand::Rng::with_seed(seed + rank as u64),
                    split: 0,
                })
                .collect();
            for (at, (label, unit)) in Label::all_from(&labels).zip(units.chunks_exact(UNIT_BYTES)).enumerate() {
                crew[at % ranks].count(label, total(unit) as u64);
            }
            crew.iter().for_each(|rank| rank.scribe.close());
            for rank in 0..ranks {
                chop(&folder.path().join(file_name(run, rank)), (share + rank as f64 / 3.0).fract());
            }
        }
        let journal = replay(folder.path(), ID, totals.len(), UNIT_BYTES).expect("a journal");
        let (units, labels) = left(&journal, &pool);
        prop_assert_eq!(units.len() / UNIT_BYTES, labels.len() / Label::BYTES);
        let left: u128 = units.chunks_exact(UNIT_BYTES).map(total).sum();
        prop_assert_eq!(journal.solutions.exact(), Some(all - left));
        let whole = Label::all_from(&labels).filter(|label| label.part.is_none()).count();
        prop_assert_eq!(journal.units as usize + whole, totals.len());
    }

    #[test]
    fn nothing_that_stands_in_a_folder_breaks_the_reader(text: Vec<u8>, head: bool) {
        let folder = tempfile::tempdir().expect("a folder");
        let head = if head { format!("# {SCHEMA}\t{ID}\trun 1\trank 0\n") } else { String::new() };
        fs::write(folder.path().join("run-1.tsv"), [head.as_bytes(), &text].concat()).expect("a file");
        let journal = replay(folder.path(), ID, 5, UNIT_BYTES).expect("a journal");
        prop_assert_eq!(journal.solutions, Solutions::ZERO);
    }
}

fn journal(files: &[(&str, &str)]) -> Result<Replay, JournalError> {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    replay(folder.path(), ID, 5, UNIT_BYTES)
}

fn line(what: What, solutions: u128, parts: Vec<Part>) -> String {
    Entry { what, solutions, nodes: 1, nanoseconds: 1, parts }.to_line()
}

fn head(id: &str, run: u64) -> String {
    format!("# {SCHEMA}\t{id}\trun {run}\trank 0\n")
}

#[test]
fn lines_that_have_a_unit_in_common_count_once() {
    let both = |one: Range<usize>, other: Range<usize>| What::Units(vec![one, other]);
    let first = head(ID, 1) + &line(both(0..1, 1..2), 10, vec![]) + &line(What::unit(3), 5, vec![]);
    let second = head(ID, 2) + &line(both(1..2, 3..5), 100, vec![]) + &line(What::unit(4), 7, vec![]);
    let replay = journal(&[("run-1.tsv", &first), ("run-2.tsv", &second)]).expect("a journal");
    assert_eq!((replay.solutions.exact(), replay.units, replay.torn), (Some(22), 4, 0));
    assert_eq!(replay.done, [true, true, false, true, true]);
}

#[test]
fn a_part_is_done_only_if_what_it_was_split_off_from_is() {
    let name = |number| PartName::new(1, 0, number).expect("a name");
    let orphan = head(ID, 1) + &line(What::Part(name(1)), 4, vec![]);
    let replay = journal(&[("run-1.tsv", &orphan)]).expect("a journal");
    assert_eq!((replay.solutions.exact(), replay.parts), (Some(0), 0));
    // Unit 2 gave away parts 1 and 2; part 1 gave away part 3; part 1 is done, parts 2 and 3 are not.
    let text = orphan.clone()
        + &line(What::unit(2), 10, vec![(name(1), unit(4 + 9)), (name(2), unit(8))])
        + &line(What::Part(name(1)), 400, vec![]);
    let text = text.replacen(
        &line(What::Part(name(1)), 4, vec![]),
        &line(What::Part(name(1)), 4, vec![(name(3), unit(9))]),
        1,
    );
    let replay = journal(&[("run-1.tsv", &text)]).expect("a journal");
    assert_eq!((replay.solutions.exact(), replay.units, replay.parts), (Some(14), 1, 1));
    let mut left: Vec<u128> = replay.rest.iter().map(|(label, unit)| total(unit) * 10 + label.unit as u128).collect();
    left.sort_unstable();
    assert_eq!(left, [82, 92]);
}

#[test]
fn what_makes_no_sense_is_passed_over() {
    let both = |one: Range<usize>, other: Range<usize>| What::Units(vec![one, other]);
    let name = PartName::new(1, 0, 1).expect("a name");
    let text = head(ID, 1)
        + &line(both(3..4, 4..6), 1, vec![]) // beyond the pool
        + &line(both(1..3, 2..4), 1, vec![]) // a unit twice
        + &line(both(0..1, 1..2), 1, vec![(name, unit(1))]) // parts of which unit?
        + &line(What::unit(0), 1, vec![(name, vec![1])]) // not a unit
        + &line(What::unit(0), 3, vec![])
        + "0\t0";
    let replay = journal(&[("run-1.tsv", &text)]).expect("a journal");
    assert_eq!((replay.solutions.exact(), replay.units, replay.torn), (Some(3), 1, 5));
}

#[test]
fn files_that_do_not_belong_here_are_refused() {
    let error = |files: &[(&str, &str)]| journal(files).map(drop).map_err(|error| error.to_string());
    let (mine, other) = (head(ID, 1), head("another", 1));
    let refused = error(&[("run-1.tsv", &other)]).expect_err("of another journal");
    assert!(refused.ends_with("run-1.tsv: belongs to another journal"), "{refused}");
    let refused = error(&[("run-1.tsv", &mine), ("run-1 copy.tsv", &mine)]).expect_err("a copy");
    assert!(refused.ends_with("are of the same rank and run: one of them is a copy"), "{refused}");
    // What has no head, or another name, is none of a journal's files.
    assert_eq!(error(&[("run-1.tsv", ""), ("notes.txt", "run"), ("run-2.tsv", "# census")]), Ok(()));
}

#[test]
fn a_file_that_is_closed_has_every_unit_that_was_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let scribe = Scribe::begin(folder.path(), ID, 1, 0).expect("a file");
    // Units that take less than a millisecond wait for others.
    let one = Counted { solutions: Solutions::new(1), nodes: 1, finished: true, cache: CacheUse::default() };
    for unit in 0..3 {
        scribe.record(Label::whole(unit), &one, Duration::from_micros(1), Vec::new());
    }
    scribe.close();
    let journal = replay(folder.path(), ID, 3, UNIT_BYTES).expect("a journal");
    assert_eq!((journal.units, journal.solutions), (3, Solutions::new(3)));
}
