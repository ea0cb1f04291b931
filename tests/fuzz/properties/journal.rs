//! Recovery from a journal: with any content of its folder, it does not panic, and each unit is either done or left, once.
//!
//! The input is a folder (`folder.rs`). A question mark as the checksum of a line is replaced by the right one, which no fuzzer
//! would guess.

use std::fs;
use std::sync::Arc;

use census::cluster::journal_fuzz::{Recovered, checked_line, finish, read_header, recover};
use census::puzzle::{Extras, Grid, Puzzle, Regions, Shape};

use super::folder;

const ID: &str = "0123456789abcdef";
/// Units of the pool
const UNITS: usize = 12;
const UNIT_BYTES: usize = 2;
/// Solutions of each unit or subtask that recovery has left
const SOLUTIONS_LEFT: u128 = 1000;

pub fn check(data: &[u8]) {
    let mut files = folder::files(data);
    for (name, content) in &mut files {
        if name == "journal.json" {
            let _ = read_header(&String::from_utf8_lossy(content), &small_puzzle());
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
    assert_eq!(recovered().expect("as before"), before);

    finish(at, ID, &before, SOLUTIONS_LEFT).expect("a run file");
    let after = recovered().expect("as before");
    is_consistent(&after);
    assert_eq!(after.left, []);
    let rest = SOLUTIONS_LEFT * before.left.len() as u128;
    assert_eq!(after.solutions, before.solutions.and_then(|solutions| solutions.checked_add(rest)));
}

fn is_consistent(recovered: &Recovered) {
    let (units, _) = recovered.counted;
    let done = recovered.done.iter().filter(|&&done| done).count();
    let units_left: Vec<usize> =
        recovered.left.iter().filter(|(_, is_subtask, _)| !is_subtask).map(|(unit, ..)| *unit).collect();
    assert_eq!((units as usize, done + units_left.len()), (done, UNITS));
    assert!(units_left.iter().all(|&unit| !recovered.done[unit]), "a unit is done and left");
    assert!(recovered.left.iter().filter(|(_, is_subtask, _)| *is_subtask).all(|(unit, ..)| recovered.done[*unit]));
    assert!(recovered.left.is_sorted_by(|one, next| one < next), "something is left twice: {:?}", recovered.left);
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
