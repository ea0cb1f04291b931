//! Recovery from a journal: with any content of its folder, it does not panic, and each unit is either done or left, once.
//!
//! The input is a folder (`folder.rs`). A question mark as the checksum of a line is replaced by the right one, which no fuzzer
//! would guess.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use census::cluster::journal_fuzz::{Recovered, checked_line, read_header, record, recover};
use census::cluster::{CountOptions, Schedule, ScheduleChoice};
use census::count::search::{CellOrder, SearchOptions, ValueOrder};
use census::count::{Depth, MethodChoice, MethodName, Solutions};
use census::puzzle::{Extras, Grid, Puzzle, Regions, Shape};

use super::folder;

const ID: &str = "0123456789abcdef";
/// Units of the pool
const UNITS: usize = 12;
const UNIT_BYTES: usize = 2;
/// Solutions of each unit or subtask that recovery has left
const SOLUTIONS_LEFT: u128 = 1000;

const OPTIONS: CountOptions = CountOptions {
    method: MethodChoice::Fixed(MethodName::Search),
    schedule: ScheduleChoice::Fixed(Schedule::Static),
    chunk: None,
    search: SearchOptions { cells: CellOrder::Fewest, values: ValueOrder::Min, cache: 0 },
    depth: Depth::Auto,
    threads: 1,
    limit: None,
    deadline: None,
    trace: false,
    units: false,
    journal: None,
};

pub fn check(data: &[u8]) {
    let mut files = folder::files(data);
    for (name, content) in &mut files {
        if name == "journal.json" {
            let _ = read_header(&String::from_utf8_lossy(content), &small_puzzle(), &OPTIONS);
        } else {
            *content = with_checks(content);
        }
    }
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let at = temporary.path();
    folder::fill(at, &files);
    let pool: Vec<u8> = (0..UNITS as u8).flat_map(|unit| [unit, 0xFF]).collect();
    let recovered = || recover(at, ID, &pool, UNIT_BYTES);
    // A file of another journal is refused.
    let Ok(before) = recovered() else { return };
    is_consistent(&before);

    // Copies of files count once. Their names sort behind those of the originals.
    for (name, content) in files.iter().filter(|(name, _)| name.starts_with("run-")) {
        fs::write(at.join(format!("run-~{name}")), content).expect("a copy");
    }
    let copied = recovered().expect("as before");
    let content = |recovered: &Recovered| {
        let Recovered { done, found, left, .. } = recovered.clone();
        (done, left, found.units, found.subtasks, found.solutions)
    };
    assert_eq!(content(&copied), content(&before));

    let rest = SOLUTIONS_LEFT * before.left.len() as u128;
    // Long units have a line each, short ones share one.
    let took = |unit: usize| Duration::from_micros(if unit.is_multiple_of(2) { 2000 } else { 2 });
    let counted = before.left.into_iter().map(|entry| (entry.clone(), SOLUTIONS_LEFT, took(entry.unit), Vec::new()));
    record(at, ID, (before.last_run.saturating_add(1), "finish"), 0, counted).expect("a run file");
    let after = recovered().expect("as before");
    is_consistent(&after);
    assert_eq!(after.left, []);
    assert_eq!(after.found.solutions, before.found.solutions.plus(Solutions::new(rest)));
}

fn is_consistent(recovered: &Recovered) {
    let Recovered { done, left, found, .. } = recovered;
    let done_units = done.iter().filter(|&&done| done).count();
    let units_left = left.iter().filter(|entry| !entry.is_subtask).count();
    assert_eq!((found.units as usize, done_units + units_left), (done_units, UNITS));
    assert!(left.iter().all(|entry| done[entry.unit] == entry.is_subtask), "a unit is done and left: {left:?}");
    assert!(left.is_sorted_by(|one, next| one < next), "something is left twice: {left:?}");
}

fn with_checks(content: &[u8]) -> Vec<u8> {
    let line = |line: &[u8]| match line.strip_suffix(b"\t?\n").map(str::from_utf8) {
        Some(Ok(text)) => checked_line(ID, text).into_bytes(),
        _ => line.to_vec(),
    };
    content.split_inclusive(|&byte| byte == b'\n').flat_map(line).collect()
}

/// 288 solutions: the pool is small, whatever depth the head of a journal has.
fn small_puzzle() -> Puzzle {
    let shape = Shape::new(4, Regions::usual(4), Extras::default()).expect("a shape");
    Puzzle::new(Arc::new(shape), Grid::empty(16))
}
