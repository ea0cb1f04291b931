//! Journals of simulated counts: units and subtasks with known totals, counted by runs that end anywhere.

use std::fs;
use std::ops::Range;

use super::*;
use crate::cluster::journal::JournalHandle;
use crate::cluster::journal::writer::{JournalWriter, path_of};
use crate::count::{CacheStats, Counted};
use proptest::prelude::*;
use std::time::Duration;

const ID: &str = "0123456789abcdef";
/// A unit of these tests is a range of numbered solutions. Its subtasks are disjoint ranges within it.
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

fn handle(folder: &Path, run: u64, run_id: u32) -> JournalHandle {
    JournalHandle { folder: folder.into(), id: ID.into(), run, run_id: format!("{run_id:08x}") }
}

/// A rank of one run: counts entries, splits them at random, and records them.
struct Rank {
    writer: JournalWriter,
    random: fastrand::Rng,
}

impl Rank {
    /// Counts an entry to the end, and all that it splits off, before or after it is recorded.
    fn count(&mut self, id: UnitId, mut own: Range<u32>) {
        let bytes = unit(own.clone());
        let mut subtasks = Vec::new();
        while self.random.u8(..4) == 0 && own.len() > 1 {
            let at = self.random.u32(own.start + 1..own.end);
            subtasks.push(at..own.end);
            own.end = at;
        }
        let record_first = self.random.bool();
        let took = Duration::from_micros(self.random.u64(..2000));
        let (solutions, nodes) = (Solutions::new(own.len() as u128), own.len() as u64);
        let counted = Counted { solutions, nodes, finished: true, cache: CacheStats::default() };
        let bytes_of_subtasks = subtasks.iter().cloned().map(unit).collect();
        if record_first {
            self.writer.record(id, &bytes, &counted, took, bytes_of_subtasks);
            subtasks.into_iter().for_each(|subtask| self.count(id.subtask(), subtask));
        } else {
            subtasks.into_iter().for_each(|subtask| self.count(id.subtask(), subtask));
            self.writer.record(id, &bytes, &counted, took, bytes_of_subtasks);
        }
    }
}

/// The ids and bytes of what is left to count.
fn left(journal: &Recovery, pool: &[u8]) -> Vec<(UnitId, Vec<u8>)> {
    let Units { bytes, ids } = journal.remove_finished(Units { bytes: pool.to_vec(), ids: None }, UNIT_BYTES);
    let all = || (0..pool.len() / UNIT_BYTES).flat_map(|unit| UnitId::of_unit(unit).to_bytes()).collect();
    let ids = ids.unwrap_or_else(all);
    assert_eq!(bytes.len() / UNIT_BYTES, ids.len() / UnitId::BYTES);
    UnitId::all_from(&ids).zip(bytes.chunks_exact(UNIT_BYTES).map(Vec::from)).collect()
}

fn truncate(path: &Path, share: f64) {
    let bytes = fs::read(path).expect("the file of a rank");
    fs::write(path, &bytes[..(share * (bytes.len() + 1) as f64) as usize]).expect("it can be truncated");
}

/// A pool of units with these numbers of solutions.
fn pool_of(totals: &[u32]) -> Vec<u8> {
    let mut end = 0;
    let ranges = totals.iter().map(|total| {
        end += total;
        end - total..end
    });
    ranges.flat_map(unit).collect()
}

/// Counts what a journal leaves, on some ranks, in a run that ends anywhere.
fn run(folder: &Path, pool: &[u8], (ranks, share, seed): (usize, f64, u64), ignores_journal: bool) {
    let units = pool.len() / UNIT_BYTES;
    let before = recover(folder, ID, units, UNIT_BYTES).expect("a journal");
    // Copies of a journal have runs with the same number.
    let handle = handle(folder, before.last_run + 1, seed as u32);
    // A run that does not see the files of others counts everything again.
    let before = if ignores_journal { Recovery { done: vec![false; units], ..Recovery::default() } } else { before };
    let begin = |rank| Rank {
        writer: JournalWriter::begin(&handle, rank).expect("a file"),
        random: fastrand::Rng::with_seed(seed + rank as u64),
    };
    let mut all_ranks: Vec<Rank> = (0..ranks).map(begin).collect();
    for (at, (id, unit)) in left(&before, pool).into_iter().enumerate() {
        all_ranks[at % ranks].count(id, solutions(&unit));
    }
    all_ranks.iter().for_each(|rank| rank.writer.close());
    for rank in 0..ranks {
        truncate(&path_of(&handle, rank), (share + rank as f64 / 3.0).fract());
    }
}

/// What a journal has counted and what it leaves add up to the pool.
fn adds_up(folder: &Path, pool: &[u8]) -> Result<(), TestCaseError> {
    let journal = recover(folder, ID, pool.len() / UNIT_BYTES, UNIT_BYTES).expect("a journal");
    let entries = left(&journal, pool);
    let left: u128 = entries.iter().map(|(_, unit)| total(unit)).sum();
    let all: u128 = pool.chunks_exact(UNIT_BYTES).map(total).sum();
    prop_assert_eq!(journal.solutions.exact(), Some(all - left));
    let units_left = entries.iter().filter(|(id, _)| !id.is_subtask).count();
    prop_assert_eq!(journal.units as usize + units_left, pool.len() / UNIT_BYTES);
    Ok(())
}

/// What happens to journals that are copied.
#[derive(Clone, Debug)]
enum Step {
    /// One of them is resumed: ranks, share of each file that is kept, seed.
    Run(usize, (usize, f64, u64)),
    /// One of them is copied.
    Fork(usize),
    /// Every n-th file of one is copied to another.
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
    fn what_a_journal_has_and_what_it_leaves_always_add_up(
        totals in proptest::collection::vec(0u32..1000, 1..60),
        runs in proptest::collection::vec(any_run(), 0..5),
        ignores_journal: bool,
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let pool = pool_of(&totals);
        runs.into_iter().for_each(|one| run(folder.path(), &pool, one, ignores_journal));
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
    fn any_bytes_in_a_file_are_read_without_a_panic(text: Vec<u8>, has_first_line: bool) {
        let folder = tempfile::tempdir().expect("a folder");
        let first = if has_first_line { first_line(ID, 1) } else { String::new() };
        fs::write(folder.path().join("run-1.tsv"), [first.as_bytes(), &text].concat()).expect("a file");
        let journal = recover(folder.path(), ID, 5, UNIT_BYTES).expect("a journal");
        prop_assert_eq!(journal.solutions, Solutions::ZERO);
    }
}

fn journal(files: &[(&str, &str)]) -> Result<Recovery, JournalError> {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    recover(folder.path(), ID, 5, UNIT_BYTES)
}

fn line(of: LineOf, solutions: u128, subtasks: Vec<Vec<u8>>) -> String {
    JournalLine { of, solutions, nodes: 1, nanoseconds: 1, subtasks }.to_text(ID)
}

fn first_line(id: &str, run: u64) -> String {
    format!("# {SCHEMA}\t{id}\trun {run} 1c5e90d2\trank 0\n")
}

#[test]
fn of_lines_that_share_a_unit_one_counts() {
    let both = |one: Range<usize>, other: Range<usize>| LineOf::Units(vec![one, other]);
    let first = first_line(ID, 1) + &line(both(0..1, 1..2), 10, vec![]) + &line(LineOf::unit(3), 5, vec![]);
    let second = first_line(ID, 2) + &line(both(1..2, 3..5), 100, vec![]) + &line(LineOf::unit(4), 7, vec![]);
    let recovery = journal(&[("run-1.tsv", &first), ("run-2.tsv", &second)]).expect("a journal");
    assert_eq!((recovery.solutions.exact(), recovery.units, recovery.torn_lines), (Some(22), 4, 0));
    assert_eq!(recovery.done, [true, true, false, true, true]);
}

#[test]
fn a_subtask_is_done_only_if_the_unit_it_was_split_off_is() {
    let subtask = |solutions: Range<u32>| LineOf::Subtask(SubtaskId::of(2, &unit(solutions)));
    let without_unit = first_line(ID, 1) + &line(subtask(10..23), 4, vec![unit(14..23)]);
    let recovery = journal(&[("run-1.tsv", &without_unit)]).expect("a journal");
    assert_eq!((recovery.solutions.exact(), recovery.subtasks), (Some(0), 0));
    // Unit 2 was split: 10 solutions, 10..23 and 23..31. Of the second, 4 are counted and 14..23 was split off again. A later
    // line of the same subtask, and one of an equal subtask of another unit, are ignored.
    let of_other_unit = LineOf::Subtask(SubtaskId::of(1, &unit(23..31)));
    let text = without_unit
        + &line(LineOf::unit(2), 10, vec![unit(10..23), unit(23..31)])
        + &line(subtask(10..23), 400, vec![])
        + &line(of_other_unit, 8, vec![]);
    let recovery = journal(&[("run-1.tsv", &text)]).expect("a journal");
    assert_eq!((recovery.solutions.exact(), recovery.units, recovery.subtasks), (Some(14), 1, 1));
    let mut left: Vec<(usize, Vec<u8>)> =
        recovery.subtasks_left.iter().map(|(id, subtask)| (id.unit, subtask.clone())).collect();
    left.sort_unstable();
    assert_eq!(left, [(2, unit(14..23)), (2, unit(23..31))]);
}

#[test]
fn a_subtask_that_is_named_twice_is_left_and_counted_once() {
    let subtask = |solutions: Range<u32>| LineOf::Subtask(SubtaskId::of(2, &unit(solutions)));
    let text = first_line(ID, 1)
        + &line(LineOf::unit(2), 10, vec![unit(10..23), unit(23..31), unit(23..31)])
        + &line(subtask(10..23), 13, vec![unit(10..23), unit(23..31)]);
    let recovery = journal(&[("run-1.tsv", &text)]).expect("a journal");
    assert_eq!((recovery.solutions.exact(), recovery.subtasks), (Some(23), 1));
    assert_eq!(recovery.subtasks_left.iter().map(|(_, subtask)| subtask.clone()).collect::<Vec<_>>(), [unit(23..31)]);
}

#[test]
fn invalid_lines_are_skipped() {
    let both = |one: Range<usize>, other: Range<usize>| LineOf::Units(vec![one, other]);
    let text = first_line(ID, 1)
        + &line(both(3..4, 4..6), 1, vec![]) // beyond the pool
        + &line(both(1..3, 2..4), 1, vec![]) // a unit twice
        + &line(both(0..1, 1..2), 1, vec![unit(0..1)]) // subtasks of which unit?
        + &line(LineOf::unit(0), 1, vec![vec![1]]) // not a unit
        + &line(LineOf::unit(0), 3, vec![])
        + "0\t0";
    let recovery = journal(&[("run-1.tsv", &text)]).expect("a journal");
    assert_eq!((recovery.solutions.exact(), recovery.units, recovery.torn_lines), (Some(3), 1, 5));
}

#[test]
fn files_of_another_journal_are_refused() {
    let error = |files: &[(&str, &str)]| journal(files).map(drop).map_err(|error| error.to_string());
    let refused = error(&[("run-1.tsv", &first_line("another", 1))]).expect_err("of another journal");
    assert!(refused.ends_with("run-1.tsv: this file belongs to another journal: move it away"), "{refused}");
    // Files without a first line, or with another name, are ignored.
    assert_eq!(error(&[("run-1.tsv", ""), ("notes.txt", "run"), ("run-2.tsv", "# census")]), Ok(()));
}

#[test]
fn a_file_and_its_copy_count_once() {
    let text = first_line(ID, 1) + &line(LineOf::unit(3), 5, vec![]);
    let recovery = journal(&[("run-1.tsv", &text), ("run-1 copy.tsv", &text)]).expect("a journal");
    assert_eq!((recovery.solutions.exact(), recovery.units, recovery.runs), (Some(5), 1, 1));
}

#[test]
fn a_closed_file_has_every_unit_that_was_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let writer = JournalWriter::begin(&handle(folder.path(), 1, 1), 0).expect("a file");
    // Units that take less than a millisecond wait for others.
    let one = Counted { solutions: Solutions::new(1), nodes: 1, finished: true, cache: CacheStats::default() };
    for number in 0..3 {
        writer.record(UnitId::of_unit(number), &unit(0..1), &one, Duration::from_micros(1), Vec::new());
    }
    writer.close();
    let journal = recover(folder.path(), ID, 3, UNIT_BYTES).expect("a journal");
    assert_eq!((journal.units, journal.solutions), (3, Solutions::new(3)));
}
