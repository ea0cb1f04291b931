//! The method `bands`: its time for any number of clues, also against the crate `sudoku` where that ends in time, and a search for
//! clues that are slow.

use std::fs;
use std::time::{Duration, Instant};

use census::count::bands::expected_seconds;
use census::puzzle::Puzzle;
use fastrand::Rng;
use serde_json::json;

use crate::Outcome;
use crate::clues::{one_per_box, random_clues};
use crate::options::Options;
use crate::ours::{count_by_bands, from_line};
use crate::page::Page;
use crate::peers::{sudoku, versioned};
use crate::rounds::{Run, median, timed};

/// Solutions of the empty grid
const EMPTY: u128 = 6_670_903_752_021_072_936_960;

/// Prints the times for random sets of clues of each size, and against the peer.
pub fn run(options: &Options) -> Outcome {
    let sets = options.number(20);
    let mut page = Page::new("bands", options);
    let mut random = Rng::with_seed(9);
    let empty = from_line(&".".repeat(81));
    let runs: Vec<Run> = (0..5).map(|_| timed_count(&empty)).collect();
    assert!(runs.iter().all(|run| run.solutions == EMPTY));
    let seconds: Vec<f64> = runs.iter().map(|run| run.seconds).collect();
    page.say(format!("The empty grid, {EMPTY}: {:.3} s (median of 5)\n", median(&seconds)));
    page.record("the empty grid", &runs)?;

    page.head(1, &["clues", "sets", "median", "slowest", "fewest solutions", "most solutions", "slowest set"]);
    for clues in 1..=24 {
        let lines = (0..sets).map(|_| random_clues(clues, &mut random)).collect::<Vec<_>>();
        add_row(&mut page, &clues.to_string(), &lines)?;
    }
    for digits in 5..=9 {
        let lines = (0..sets).map(|_| one_per_box(digits, &mut random)).collect::<Vec<_>>();
        add_row(&mut page, &format!("{digits} different, each in a box of its own"), &lines)?;
    }
    page.say(format!("\nPeak memory so far: {} MiB\n", peak_mebibytes()));
    against_peer(&mut page, sets, &mut random)?;
    Ok(page.save()?)
}

/// Hill climbing from random sets of clues to higher estimates, for some minutes. Times the results.
pub fn hunt(options: &Options) -> Outcome {
    let mut page = Page::new("hunt", options);
    page.head(1, &["slowest so far", "seconds", "estimate", "solutions"]);
    let end = Instant::now() + Duration::from_secs(60 * options.number(5) as u64);
    let mut random = Rng::with_seed(std::process::id().into());
    let mut slowest = 0.0;
    while Instant::now() < end {
        let mut clues = if random.bool() {
            one_per_box(random.usize(5..=9), &mut random)
        } else {
            random_clues(random.usize(5..=12), &mut random)
        };
        let mut estimate = expected_seconds(&from_line(&clues));
        let mut failures = 0;
        while failures < 150 && Instant::now() < end {
            let changed = change(&clues, &mut random);
            let puzzle = from_line(&changed);
            let higher = if puzzle.conflicts().is_empty() { expected_seconds(&puzzle) } else { 0.0 };
            if higher > estimate {
                (clues, estimate, failures) = (changed, higher, 0);
            } else {
                failures += 1;
            }
        }
        let run = timed_count(&from_line(&clues));
        if run.seconds > slowest && run.solutions > 0 {
            slowest = run.seconds;
            let numbers = [format!("{slowest:.2}"), format!("{estimate:.2}"), run.solutions.to_string()];
            page.row(&[&[format!("`{clues}`")], &numbers[..]].concat());
            page.record(&clues, run)?;
        }
    }
    Ok(page.save()?)
}

/// Moves, changes, adds or removes a clue.
fn change(clues: &str, random: &mut Rng) -> String {
    let mut cells: Vec<u8> = clues.bytes().collect();
    let given: Vec<usize> = (0..81).filter(|&cell| cells[cell] != b'.').collect();
    let digit = random.u8(b'1'..=b'9');
    let target = random.usize(0..81);
    match random.u8(0..6) {
        0 => cells[target] = digit,
        1 => cells[given[random.usize(..given.len())]] = b'.',
        2 => cells[given[random.usize(..given.len())]] = digit,
        _ => cells.swap(given[random.usize(..given.len())], target),
    }
    if cells.iter().all(|&cell| cell == b'.') { clues.into() } else { String::from_utf8_lossy(&cells).into() }
}

fn add_row(page: &mut Page, name: &str, lines: &[String]) -> Outcome {
    let runs: Vec<Run> = lines.iter().map(|line| timed_count(&from_line(line))).collect();
    let seconds: Vec<f64> = runs.iter().map(|run| run.seconds).collect();
    let solutions = || runs.iter().map(|run| run.solutions);
    let slowest = (0..lines.len()).max_by(|&a, &b| seconds[a].total_cmp(&seconds[b])).unwrap_or(0);
    page.row(&[
        name.into(),
        lines.len().to_string(),
        format!("{:.4} s", median(&seconds)),
        format!("{:.4} s", seconds[slowest]),
        format!("{:.1e}", solutions().min().unwrap_or(0)),
        format!("{:.1e}", solutions().max().unwrap_or(0)),
        format!("`{}`", lines[slowest]),
    ]);
    Ok(page.record(name, &runs)?)
}

/// Random clues with a number of solutions that the peer can visit.
fn against_peer(page: &mut Page, sets: usize, random: &mut Rng) -> Outcome {
    page.head(1, &["clues", "solutions", "census bands", &versioned("sudoku"), "speed-up"]);
    let mut ratios = Vec::new();
    for clues in 17..=20 {
        let mut done = 0;
        while done < sets.div_ceil(4) {
            let line = random_clues(clues, random);
            let puzzle = from_line(&line);
            let solutions = count_by_bands(&puzzle);
            if !(100_000..=30_000_000).contains(&solutions) {
                continue;
            }
            let ours: Vec<f64> = (0..5).map(|_| timed_count(&puzzle).seconds).collect();
            let theirs = timed(|| sudoku::count(&puzzle));
            assert_eq!(theirs.solutions, solutions);
            let (middle, theirs) = (median(&ours), theirs.seconds);
            ratios.push(theirs / middle);
            page.row(&[
                clues.to_string(),
                solutions.to_string(),
                format!("{middle:.5} s"),
                format!("{theirs:.4} s"),
                format!("{:.0}", theirs / middle),
            ]);
            page.record(&line, json!({ "census": ours, "sudoku": theirs }))?;
            done += 1;
        }
    }
    let (middle, least) = (median(&ratios), ratios.iter().copied().fold(f64::INFINITY, f64::min));
    page.say(format!("\n`sudoku` takes {middle:.0} times as long in the median, and at least {least:.0} times."));
    Ok(())
}

fn timed_count(puzzle: &Puzzle) -> Run {
    timed(|| count_by_bands(puzzle))
}

/// The peak memory of this process.
fn peak_mebibytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kibibytes.unwrap_or(0) / 1024
}
