//! Journals of counts that never were: units and parts with known totals, counted by runs that end anywhere.

use std::fs;
use std::ops::Range;

use super::super::write::{Scribe, file_of};
use super::super::{Keep, entry::PartId};
use super::*;
use crate::count::{CacheUse, Counted};
use proptest::prelude::*;
use std::time::Duration;

const ID: &str = "0123456789abcdef";
/// A unit of these tests is a range of solutions, by their numbers. Parts of it are ranges within it that are disjoint.
const UNIT_BYTES: usize = 8;

fn unit(solutions: Range<u32>) -> Vec<u8> {
    [solutions.start.to_le_bytes(), solutions.end.to_le_bytes()].concat()
}

fn solutions(unit: &[u8]) -> Range<u32> {
    let word = |at: usize| u32::from_le_bytes(unit[at..][..4].try_into().expect("a word"));
    word(0)..word(4)
}

fn total(unit: &[u8]) -> u128 {
    solutions(unit).len() as u128
}

fn keep(folder: &Path, run: u64, run_id: u32) -> Keep {
    Keep { folder: folder.into(), id: ID.into(), run, run_id: format!("{run_id:08x}") }
}

/// A rank of one run: counts what it is given, splits it as chance decides, and writes it down.
struct Rank {
    scribe: Scribe,
    chance: fastrand::Rng,
}

impl Rank {
    /// Counts something to its end, with all that it splits off from it, in this order or the other.
    fn count(&mut self, label: Label, mut own: Range<u32>) {
        let bytes = unit(own.clone());
        let mut parts = Vec::new();
        while self.chance.u8(..4) == 0 && own.len() > 1 {
            let at = self.chance.u32(own.start + 1..own.end);
            parts.push(at..own.end);
            own.end = at;
        }
        let later = self.chance.bool();
        let took = Duration::from_micros(self.chance.u64(..2000));
        let (solutions, nodes) = (Solutions::new(own.len() as u128), own.len() as u64);
        let counted = Counted { solutions, nodes, finished: true, cache: CacheUse::default() };
        let units = parts.iter().cloned().map(unit).collect();
        if !later {
            self.scribe.record(label, &bytes, &counted, took, units);
            parts.into_iter().for_each(|part| self.count(label.of_part(), part));
        } else {
            parts.into_iter().for_each(|part| self.count(label.of_part(), part));
            self.scribe.record(label, &bytes, &counted, took, units);
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

/// The pool of units with so many solutions each.
fn pool_of(totals: &[u32]) -> Vec<u8> {
    let mut end = 0;
    let ranges = totals.iter().map(|total| {
        end += total;
        end - total..end
    });
    ranges.flat_map(unit).collect()
}

/// Counts what a journal leaves with some ranks, in a run that ends anywhere.
fn run(folder: &Path, pool: &[u8], (ranks, share, seed): (usize, f64, u64), forgetful: bool) {
    let units = pool.len() / UNIT_BYTES;
    let before = replay(folder, ID, units, UNIT_BYTES).expect("a journal");
    // Copies of a journal have runs of the same number.
    let keep = keep(folder, before.last_run + 1, seed as u32);
    // A run that does not see the files of others counts everything again.
    let before = if forgetful { Replay { done: vec![false; units], ..Replay::default() } } else { before };
    let (units, labels) = left(&before, pool);
    let begin = |rank| Rank {
        scribe: Scribe::begin(&keep, rank).expect("a file"),
        chance: fastrand::Rng::with_seed(seed + rank as u64),
    };
    let mut crew: Vec<Rank> = (0..ranks).map(begin).collect();
    for (at, (label, unit)) in Label::all_from(&labels).zip(units.chunks_exact(UNIT_BYTES)).enumerate() {
        crew[at % ranks].count(label, solutions(unit));
    }
    crew.iter().for_each(|rank| rank.scribe.close());
    for rank in 0..ranks {
        chop(&file_of(&keep, rank), (share + rank as f64 / 3.0).fract());
    }
}

/// What a journal has, and what it leaves, is all there is.
fn adds_up(folder: &Path, pool: &[u8]) -> Result<(), TestCaseError> {
    let journal = replay(folder, ID, pool.len() / UNIT_BYTES, UNIT_BYTES).expect("a journal");
    let (units, labels) = left(&journal, pool);
    prop_assert_eq!(units.len() / UNIT_BYTES, labels.len() / Label::BYTES);
    let left: u128 = units.chunks_exact(UNIT_BYTES).map(total).sum();
    let all: u128 = pool.chunks_exact(UNIT_BYTES).map(total).sum();
    prop_assert_eq!(journal.solutions.exact(), Some(all - left));
    let whole = Label::all_from(&labels).filter(|label| !label.part).count();
    prop_assert_eq!(journal.units as usize + whole, pool.len() / UNIT_BYTES);
    Ok(())
}

/// What happens to journals that are copied.
#[derive(Clone, Debug)]
enum Step {
    /// One of them is taken up, by so many ranks, for a share of what is left.
    Run(usize, (usize, f64, u64)),
    /// One of them is copied.
    Fork(usize),
    /// Every so many-th file of one is copied to another.
    Merge(usize, usize, usize),
}

fn any_run() -> impl Strategy<Value = (usize, f64, u64)> {
    (1usize..4, 0.0..1.0f64, 0u64..1 << 60)
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (any::<usize>(), any_run()).prop_map(|(journal, run)| Step::Run(journal, run)),
        1 => any::<usize>().prop_map(Step::Fork),
        2 => (any::<usize>(), any::<usize>(), 1usize..4).prop_map(|(from, to, every)| Step::Merge(from, to, every)),
    ]
}

fn copy(from: &Path, to: &Path, every: usize) {
    for file in files(from).expect("a folder").into_iter().step_by(every) {
        fs::copy(&file, to.join(file.file_name().expect("a name"))).expect("a copy");
    }
}

proptest! {
    #[test]
    fn what_a_journal_has_and_what_it_leaves_is_always_all_there_is(
        totals in proptest::collection::vec(0u32..1000, 1..60),
        runs in proptest::collection::vec(any_run(), 0..5),
        forgetful: bool,
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let pool = pool_of(&totals);
        runs.into_iter().for_each(|one| run(folder.path(), &pool, one, forgetful));
        adds_up(folder.path(), &pool)?;
    }

    #[test]
    fn journals_that_fork_and_merge_count_every_solution_once(
        totals in proptest::collection::vec(0u32..1000, 1..10),
        steps in proptest::collection::vec(any_step(), 1..16),
    ) {
        let pool = pool_of(&totals);
        let mut journals = vec![tempfile::tempdir().expect("a folder")];
        for step in steps {
            let at = |number: usize| journals[number % journals.len()].path();
            match step {
                Step::Run(journal, one) => run(at(journal), &pool, one, false),
                Step::Merge(from, to, every) if at(from) != at(to) => copy(at(from), at(to), every),
                Step::Merge(..) => {}
                Step::Fork(journal) => {
                    let folder = tempfile::tempdir().expect("a folder");
                    copy(at(journal), folder.path(), 1);
                    journals.push(folder);
                }
            }
        }
        for journal in &journals {
            adds_up(journal.path(), &pool)?;
        }
    }

    #[test]
    fn nothing_that_stands_in_a_folder_breaks_the_reader(text: Vec<u8>, begun: bool) {
        let folder = tempfile::tempdir().expect("a folder");
        let head = if begun { head(ID, 1) } else { String::new() };
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

fn line(what: What, solutions: u128, parts: Vec<Vec<u8>>) -> String {
    Entry { what, solutions, nodes: 1, nanoseconds: 1, parts }.to_line(ID)
}

fn head(id: &str, run: u64) -> String {
    format!("# {SCHEMA}\t{id}\trun {run} 1c5e90d2\trank 0\n")
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
    let part = |solutions: Range<u32>| What::Part(PartId::of(2, &unit(solutions)));
    let orphan = head(ID, 1) + &line(part(10..23), 4, vec![unit(14..23)]);
    let replay = journal(&[("run-1.tsv", &orphan)]).expect("a journal");
    assert_eq!((replay.solutions.exact(), replay.parts), (Some(0), 0));
    // Unit 2 was split: 10 solutions, 10..23 and 23..31. Of the second, 4 are counted and 14..23 was split off again. A later
    // line of the same part, and one of such a part of another unit, count for nothing.
    let elsewhere = What::Part(PartId::of(1, &unit(23..31)));
    let text = orphan
        + &line(What::unit(2), 10, vec![unit(10..23), unit(23..31)])
        + &line(part(10..23), 400, vec![])
        + &line(elsewhere, 8, vec![]);
    let replay = journal(&[("run-1.tsv", &text)]).expect("a journal");
    assert_eq!((replay.solutions.exact(), replay.units, replay.parts), (Some(14), 1, 1));
    let mut left: Vec<(usize, Vec<u8>)> = replay.rest.iter().map(|(label, part)| (label.unit, part.clone())).collect();
    left.sort_unstable();
    assert_eq!(left, [(2, unit(14..23)), (2, unit(23..31))]);
}

#[test]
fn a_part_that_is_named_again_is_neither_left_nor_counted_again() {
    let part = |solutions: Range<u32>| What::Part(PartId::of(2, &unit(solutions)));
    let text = head(ID, 1)
        + &line(What::unit(2), 10, vec![unit(10..23), unit(23..31), unit(23..31)])
        + &line(part(10..23), 13, vec![unit(10..23), unit(23..31)]);
    let replay = journal(&[("run-1.tsv", &text)]).expect("a journal");
    assert_eq!((replay.solutions.exact(), replay.parts), (Some(23), 1));
    assert_eq!(replay.rest.iter().map(|(_, part)| part.clone()).collect::<Vec<_>>(), [unit(23..31)]);
}

#[test]
fn what_makes_no_sense_is_passed_over() {
    let both = |one: Range<usize>, other: Range<usize>| What::Units(vec![one, other]);
    let text = head(ID, 1)
        + &line(both(3..4, 4..6), 1, vec![]) // beyond the pool
        + &line(both(1..3, 2..4), 1, vec![]) // a unit twice
        + &line(both(0..1, 1..2), 1, vec![unit(0..1)]) // parts of which unit?
        + &line(What::unit(0), 1, vec![vec![1]]) // not a unit
        + &line(What::unit(0), 3, vec![])
        + "0\t0";
    let replay = journal(&[("run-1.tsv", &text)]).expect("a journal");
    assert_eq!((replay.solutions.exact(), replay.units, replay.torn), (Some(3), 1, 5));
}

#[test]
fn files_that_do_not_belong_here_are_refused() {
    let error = |files: &[(&str, &str)]| journal(files).map(drop).map_err(|error| error.to_string());
    let refused = error(&[("run-1.tsv", &head("another", 1))]).expect_err("of another journal");
    assert!(refused.ends_with("run-1.tsv: belongs to another journal"), "{refused}");
    // What has no head, or another name, is none of a journal's files.
    assert_eq!(error(&[("run-1.tsv", ""), ("notes.txt", "run"), ("run-2.tsv", "# census")]), Ok(()));
}

#[test]
fn a_file_that_is_there_twice_counts_once() {
    let text = head(ID, 1) + &line(What::unit(3), 5, vec![]);
    let replay = journal(&[("run-1.tsv", &text), ("run-1 copy.tsv", &text)]).expect("a journal");
    assert_eq!((replay.solutions.exact(), replay.units, replay.runs), (Some(5), 1, 1));
}

#[test]
fn a_file_that_is_closed_has_every_unit_that_was_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let scribe = Scribe::begin(&keep(folder.path(), 1, 1), 0).expect("a file");
    // Units that take less than a millisecond wait for others.
    let one = Counted { solutions: Solutions::new(1), nodes: 1, finished: true, cache: CacheUse::default() };
    for number in 0..3 {
        scribe.record(Label::whole(number), &unit(0..1), &one, Duration::from_micros(1), Vec::new());
    }
    scribe.close();
    let journal = replay(folder.path(), ID, 3, UNIT_BYTES).expect("a journal");
    assert_eq!((journal.units, journal.solutions), (3, Solutions::new(3)));
}
