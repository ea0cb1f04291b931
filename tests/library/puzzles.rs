//! The files of `puzzles/`: all can be read, all match the table of the README, and the quick ones are counted.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use census_count::MethodName;
use census_count::search::{DEFAULT_CACHE, SearchOptions};
use census_puzzle::Puzzle;

use crate::files::{puzzles_of, root};
use crate::{thorough, workers};

/// Files that take longer on one core are read, but not counted.
fn max_seconds() -> f64 {
    if thorough() { 1.5 } else { 0.5 }
}

fn folder() -> PathBuf {
    root().join("puzzles")
}

/// A row of the table in `puzzles/README.md`.
struct Row {
    givens: String,
    expected: String,
    seconds: f64,
}

/// The table in `puzzles/README.md`, by file.
fn table() -> BTreeMap<String, Row> {
    let readme = std::fs::read_to_string(folder().join("README.md")).expect("puzzles/README.md");
    let plain = |text: &str| text.replace([',', '≈'], "").trim().to_owned();
    let mut rows = BTreeMap::new();
    for line in readme.lines().filter(|line| line.starts_with("| [")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [file, _shape, _format, givens, expected, seconds, _tree, _note] = cells[..] else {
            panic!("a row of {} cells: {line}", cells.len())
        };
        let (file, link) = file.trim_matches(['[', ')']).split_once("](").expect("a link");
        assert_eq!(file, link, "the link of a row leads to its file");
        let (seconds, _without_cache) = seconds.split_once('(').unwrap_or((seconds, ""));
        let seconds =
            plain(seconds).parse().unwrap_or_else(|_| panic!("{file}: '{seconds}' is not a number of seconds"));
        let row = Row { givens: plain(givens), expected: plain(expected), seconds };
        assert!(rows.insert(file.to_owned(), row).is_none(), "{file} has two rows");
    }
    rows
}

fn puzzles(file: &str) -> Vec<Puzzle> {
    puzzles_of(&folder().join(file))
}

/// The numbers of solutions and nodes, counted on all cores.
fn count(puzzle: &Puzzle, method: MethodName) -> (u128, u64) {
    workers::count(puzzle, method, SearchOptions { cache: DEFAULT_CACHE, ..SearchOptions::default() })
}

/// A row of `puzzles/ladder/ladder.tsv`, with its puzzle.
struct Rung {
    workers: u64,
    puzzle: Puzzle,
    nodes: u64,
}

fn ladder() -> Vec<Rung> {
    let table = std::fs::read_to_string(folder().join("ladder/ladder.tsv")).expect("ladder.tsv");
    let (head, lines) = table.split_once('\n').expect("a heading");
    assert_eq!(head, "workers\tfile\tnodes\tsolutions\tnodes_per_worker");
    let rung = |line: &str| {
        let [workers, file, nodes, solutions, each] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("not five columns: {line}")
        };
        let number = |text: &str| text.parse::<u64>().unwrap_or_else(|_| panic!("'{text}' in {line}"));
        let (workers, nodes) = (number(workers), number(nodes));
        assert_eq!(file, format!("ladder-{workers:03}.txt"));
        assert_eq!(number(each), nodes / workers, "{line}");
        let puzzle = puzzles(&format!("ladder/{file}")).remove(0);
        assert_eq!(puzzle.expected.map(|count| count.to_string()).as_deref(), Some(solutions), "{file}");
        assert!(puzzle.name.is_some() && puzzle.shape.is_plain_nine(), "{file}");
        Rung { workers, puzzle, nodes }
    };
    lines.lines().map(rung).collect()
}

#[test]
fn the_table_lists_every_file_and_no_other() {
    let mut files: Vec<String> = std::fs::read_dir(folder())
        .expect("puzzles/")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a printable name"))
        .filter(|file| file != "README.md" && file != "ladder")
        .collect();
    files.sort();
    assert_eq!(table().into_keys().collect::<Vec<_>>(), files);
}

#[test]
fn every_file_has_a_name_and_a_count_and_no_conflicts_and_matches_the_table() {
    for (file, row) in table() {
        let puzzles = puzzles(&file);
        for puzzle in &puzzles {
            assert!(puzzle.name.is_some(), "{file}: a puzzle without a name");
            assert!(puzzle.expected.is_some(), "{file}: a puzzle without an expected count");
        }
        if let [puzzle] = &puzzles[..] {
            assert_eq!(puzzle.expected.map(|count| count.to_string()), Some(row.expected), "{file}: expected");
            assert_eq!(puzzle.givens.filled().to_string(), row.givens, "{file}: givens");
        } else {
            assert!(file.ends_with(".sdm"), "{file}: holds {} puzzles", puzzles.len());
        }
    }
}

#[test]
fn the_counts_of_quick_files_are_as_stated() {
    let (quick, slow): (Vec<_>, Vec<_>) = table().into_iter().partition(|(_, row)| row.seconds < max_seconds());
    let left_out: Vec<&str> = slow.iter().map(|(file, _)| file.as_str()).collect();
    // Not with `eprintln!`, which is captured: the files that were not counted must be visible.
    let _ = writeln!(io::stderr(), "read but not counted, since they take too long: {}", left_out.join(", "));
    assert!(quick.len() > slow.len(), "most files should be counted here");
    for (file, _) in quick {
        for puzzle in puzzles(&file) {
            let name = puzzle.name.as_deref().unwrap_or_default();
            assert_eq!(Some(count(&puzzle, MethodName::Search).0), puzzle.expected, "{file}: {name}");
        }
    }
}

#[test]
fn the_counts_of_all_plain_nine_by_nines_are_as_stated() {
    let mut counted = 0;
    for file in table().into_keys().filter(|file| thorough() || file != "nine-boxes.txt") {
        for puzzle in puzzles(&file).into_iter().filter(|puzzle| puzzle.shape.is_plain_nine()) {
            assert_eq!(Some(count(&puzzle, MethodName::Bands).0), puzzle.expected, "{file}");
            counted += 1;
        }
    }
    assert!(counted > 20, "{counted} puzzles were counted");
}

#[test]
fn the_ladder_lists_all_its_files_with_equal_nodes_per_worker() {
    let rungs = ladder();
    let files = std::fs::read_dir(folder().join("ladder")).expect("a folder");
    let names = files.map(|file| file.expect("a file").file_name().into_string().expect("a printable name"));
    assert_eq!(names.filter(|name| name.ends_with(".txt")).count(), rungs.len());
    assert!(rungs.is_sorted_by(|one, next| one.workers < next.workers) && rungs[0].workers == 1);
    for rung in &rungs {
        let ratio = rung.nodes as f64 / (rung.workers * rungs[0].nodes) as f64;
        assert!((0.98..=1.02).contains(&ratio), "{} workers: {ratio}", rung.workers);
    }
}

#[test]
fn the_counts_of_all_rungs_and_the_nodes_of_the_first_are_as_stated() {
    for Rung { workers, puzzle, nodes } in ladder() {
        assert_eq!(Some(count(&puzzle, MethodName::Bands).0), puzzle.expected, "{workers} workers");
        if workers <= if thorough() { 3 } else { 1 } {
            let (solutions, searched) = count(&puzzle, MethodName::Search);
            assert_eq!((Some(solutions), searched), (puzzle.expected, nodes), "{workers} workers");
        }
    }
}
