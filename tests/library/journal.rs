//! Journals of simulated counts: units and subtasks with known totals, counted by runs that end anywhere.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use census::cluster::JournalError;
use census::cluster::journal_fuzz::{CountedEntry, Entry, Recovered, checked_line, record, recover};
use census::count::Solutions;
use proptest::prelude::*;
use sha2::{Digest, Sha256};

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

/// Counts an entry to the end, and all that it splits off at random, which is recorded before or after it.
fn count(entry: Entry, random: &mut fastrand::Rng, counted: &mut Vec<CountedEntry>) {
    let mut own = solutions(&entry.bytes);
    let mut subtasks = Vec::new();
    while random.u8(..4) == 0 && own.len() > 1 {
        let at = random.u32(own.start + 1..own.end);
        subtasks.push(unit(at..own.end));
        own.end = at;
    }
    let took = Duration::from_micros(random.u64(..2000));
    let unit = entry.unit;
    let line = (entry, own.len() as u128, took, subtasks.clone());
    let is_first = random.bool();
    if is_first {
        counted.push(line.clone());
    }
    for bytes in subtasks {
        count(Entry { unit, is_subtask: true, bytes }, random, counted);
    }
    if !is_first {
        counted.push(line);
    }
}

/// Counts what a journal leaves, on some ranks, in a run that ends anywhere: a part of each file is kept.
fn run(folder: &Path, pool: &[u8], (ranks, share, seed): (usize, f64, u64), ignores_journal: bool) {
    let before = recovered(folder, pool);
    // Copies of a journal have runs with the same number.
    let run = (before.last_run + 1, &*format!("{:08x}", seed as u32));
    // A run that does not see the files of others counts everything again.
    let empty = tempfile::tempdir().expect("a folder");
    let left = if ignores_journal { recovered(empty.path(), pool).left } else { before.left };
    let mut counted = vec![Vec::new(); ranks];
    let mut random = fastrand::Rng::with_seed(seed);
    for (at, entry) in left.into_iter().enumerate() {
        count(entry, &mut random, &mut counted[at % ranks]);
    }
    for (rank, counted) in counted.into_iter().enumerate() {
        let file = record(folder, ID, run, rank, counted).expect("a file");
        let bytes = fs::read(&file).expect("the file of a rank");
        let kept = (share + rank as f64 / 3.0).fract() * (bytes.len() + 1) as f64;
        fs::write(file, &bytes[..kept as usize]).expect("it can be truncated");
    }
}

fn recovered(folder: &Path, pool: &[u8]) -> Recovered {
    recover(folder, ID, pool, UNIT_BYTES).expect("a journal")
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

/// What a journal has counted and what it leaves add up to the pool.
fn adds_up(folder: &Path, pool: &[u8]) -> Result<(), TestCaseError> {
    let Recovered { found, left, .. } = recovered(folder, pool);
    let solutions_left: u128 = left.iter().map(|entry| total(&entry.bytes)).sum();
    let all: u128 = pool.chunks_exact(UNIT_BYTES).map(total).sum();
    prop_assert_eq!(found.solutions.exact(), Some(all - solutions_left));
    let units_left = left.iter().filter(|entry| !entry.is_subtask).count();
    prop_assert_eq!(found.units as usize + units_left, pool.len() / UNIT_BYTES);
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
    let files = fs::read_dir(from).expect("a folder").map(|file| file.expect("a file").path());
    let mut files: Vec<_> = files.collect();
    files.sort();
    for file in files.iter().step_by(every) {
        fs::copy(file, to.join(file.file_name().expect("a name"))).expect("a copy");
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
    fn everything_that_was_recorded_is_recovered(totals in proptest::collection::vec(any::<u128>(), 1..30), seed: u64) {
        let folder = tempfile::tempdir().expect("a folder");
        let pool = pool_of(&vec![1; totals.len()]);
        let mut random = fastrand::Rng::with_seed(seed);
        // Units that take less than a millisecond wait for others.
        let counted = recovered(folder.path(), &pool).left.into_iter().zip(&totals).map(|(entry, &total)| {
            (entry, total, Duration::from_micros(random.u64(..2000)), Vec::new())
        });
        record(folder.path(), ID, (1, "1c5e90d2"), 0, counted).expect("a file");
        let Recovered { found, left, .. } = recovered(folder.path(), &pool);
        let sum = totals.iter().fold(Solutions::ZERO, |sum, &total| sum.plus(Solutions::new(total)));
        prop_assert_eq!((found.solutions, found.torn_lines, left), (sum, 0, vec![]));
        prop_assert_eq!((found.units, found.nodes), (totals.len() as u64, totals.len() as u64));
    }

    #[test]
    fn a_line_that_is_torn_or_changed_is_skipped(cut: prop::sample::Index, other in b' '..b'~') {
        let line = line("43", 10, &[unit(0..5), unit(5..7)]);
        let cut = cut.index(line.len() - 1);
        let torn = journal(&[("run-1.tsv", &(first_line(ID, 1) + &line[..cut]))]).expect("a journal");
        prop_assert_eq!((torn.found.solutions, torn.found.torn_lines), (Solutions::ZERO, u64::from(cut > 0)));
        prop_assume!(line.as_bytes()[cut] != other);
        let changed = format!("{}{}{}", &line[..cut], char::from(other), &line[cut + 1..]);
        let changed = journal(&[("run-1.tsv", &(first_line(ID, 1) + &changed))]).expect("a journal");
        prop_assert_eq!((changed.found.solutions, changed.found.units), (Solutions::ZERO, 0));
    }

    #[test]
    fn any_content_of_a_file_is_read_without_a_panic(bytes: Vec<u8>, text: String, has_first_line: bool) {
        let folder = tempfile::tempdir().expect("a folder");
        let first = if has_first_line { first_line(ID, 1) } else { String::new() };
        let content = [first.as_bytes(), checked_line(ID, &text).as_bytes(), &bytes].concat();
        fs::write(folder.path().join("run-1.tsv"), content).expect("a file");
        prop_assert_eq!(recovered(folder.path(), &pool_of(&[1; 5])).found.solutions, Solutions::ZERO);
    }
}

/// What is recovered from these files, for a pool of 50 units.
fn journal(files: &[(&str, &str)]) -> Result<Recovered, JournalError> {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    recover(folder.path(), ID, &pool_of(&[1; 50]), UNIT_BYTES)
}

fn line(units: &str, solutions: u128, subtasks: &[Vec<u8>]) -> String {
    let parts: Vec<String> = subtasks.iter().map(hex::encode).collect();
    let parts = if parts.is_empty() { "-".into() } else { parts.join(",") };
    checked_line(ID, &format!("{units}\t{solutions}\t1\t1\t{parts}"))
}

/// The first column of the line of a subtask.
fn subtask(unit: usize, bytes: &[u8]) -> String {
    format!("{unit}/{}", hex::encode(&Sha256::digest(bytes)[..16]))
}

fn first_line(id: &str, run: u64) -> String {
    format!("# census-journal/2\t{id}\trun {run} 1c5e90d2\trank 0\n")
}

#[test]
fn of_lines_that_share_a_unit_one_counts() {
    let first = first_line(ID, 1) + &line("0,1", 10, &[]) + &line("3", 5, &[]);
    let second = first_line(ID, 2) + &line("1,3-4", 100, &[]) + &line("4", 7, &[]);
    let Recovered { done, found, .. } = journal(&[("run-1.tsv", &first), ("run-2.tsv", &second)]).expect("a journal");
    assert_eq!((found.solutions.exact(), found.units, found.torn_lines), (Some(22), 4, 0));
    assert_eq!(done[..6], [true, true, false, true, true, false]);
}

/// The units and bytes of the subtasks that are left.
fn subtasks_left(recovered: &Recovered) -> Vec<(usize, &[u8])> {
    recovered.left.iter().filter(|entry| entry.is_subtask).map(|entry| (entry.unit, &*entry.bytes)).collect()
}

#[test]
fn a_subtask_is_done_only_if_the_unit_it_was_split_off_is() {
    let (whole, rest, other) = (unit(10..23), unit(14..23), unit(23..31));
    let without_unit = first_line(ID, 1) + &line(&subtask(2, &whole), 4, std::slice::from_ref(&rest));
    let recovered = journal(&[("run-1.tsv", &without_unit)]).expect("a journal");
    assert_eq!((recovered.found.solutions.exact(), recovered.found.subtasks), (Some(0), 0));
    // Unit 2 was split: 10 solutions, 10..23 and 23..31. Of the second, 4 are counted and 14..23 was split off again. A later
    // line of the same subtask, and one of an equal subtask of another unit, are ignored.
    let text = without_unit
        + &line("2", 10, &[whole.clone(), other.clone()])
        + &line(&subtask(2, &whole), 400, &[])
        + &line(&subtask(1, &other), 8, &[]);
    let recovered = journal(&[("run-1.tsv", &text)]).expect("a journal");
    let found = &recovered.found;
    assert_eq!((found.solutions.exact(), found.units, found.subtasks, found.subtasks_left), (Some(14), 1, 1, 2));
    assert_eq!(subtasks_left(&recovered), [(2, &rest[..]), (2, &other)]);
}

#[test]
fn a_subtask_that_is_named_twice_is_left_and_counted_once() {
    let (one, other) = (unit(10..23), unit(23..31));
    let text = first_line(ID, 1)
        + &line("2", 10, &[one.clone(), other.clone(), other.clone()])
        + &line(&subtask(2, &one), 13, &[one.clone(), other.clone()]);
    let recovered = journal(&[("run-1.tsv", &text)]).expect("a journal");
    assert_eq!((recovered.found.solutions.exact(), recovered.found.subtasks), (Some(23), 1));
    assert_eq!(subtasks_left(&recovered), [(2, &other[..])]);
}

#[test]
fn invalid_lines_are_skipped() {
    let text = first_line(ID, 1)
        + &line("3,49-50", 1, &[]) // beyond the pool
        + &line("1-2,2-3", 1, &[]) // a unit twice
        + &line("0,1", 1, &[unit(0..1)]) // subtasks of which unit?
        + &line("0", 1, &[vec![1]]) // not a unit
        + &checked_line("another", "0\t1\t1\t1\t-") // of another journal
        + &line("0", 3, &[])
        + "0\t0";
    let Recovered { found, .. } = journal(&[("run-1.tsv", &text)]).expect("a journal");
    assert_eq!((found.solutions.exact(), found.units, found.torn_lines), (Some(3), 1, 6));
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
    let text = first_line(ID, 1) + &line("3", 5, &[]);
    let Recovered { found, .. } = journal(&[("run-1.tsv", &text), ("run-1 copy.tsv", &text)]).expect("a journal");
    assert_eq!((found.solutions.exact(), found.units, found.runs), (Some(5), 1, 1));
}
