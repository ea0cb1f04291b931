//! The join of bands: what it takes for any number of clues, against the crate `sudoku` where that comes to an end, and a
//! hunt for clues with which it takes longest.

use std::fs;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use census::count::bands::{bands, expected_seconds};
use census::count::search::{SearchOptions, search};
use census::count::{Control, Depth, PoolPlan};
use census::puzzle::Puzzle;
use fastrand::Rng;

use crate::{count_theirs, from_line, median};

/// Solutions of the empty grid.
const EMPTY: u128 = 6_670_903_752_021_072_936_960;

/// Prints what the join takes for `sets` random sets of clues of each size, and against its peer.
pub fn run(sets: usize) {
    let mut random = Rng::with_seed(9);
    let empty = from_line(&".".repeat(81));
    let mut seconds: Vec<f64> = (0..5).map(|_| crate::timed(EMPTY, || count(&empty))).collect();
    println!("The empty grid, {EMPTY}: {:.3} s (median of 5)\n", median(&mut seconds));

    println!("| clues | sets | median | slowest | fewest solutions | most solutions | slowest set |");
    println!("|---|---:|---:|---:|---:|---:|---|");
    for clues in 1..=24 {
        let lines = (0..sets).map(|_| random_clues(clues, &mut random)).collect::<Vec<_>>();
        print_row(&clues.to_string(), &lines);
    }
    for digits in 5..=9 {
        let lines = (0..sets).map(|_| one_per_box(digits, &mut random)).collect::<Vec<_>>();
        print_row(&format!("{digits} different, each in a box of its own"), &lines);
    }
    println!("\nMost memory so far: {} MiB\n", peak_mebibytes());
    against_peer(sets, &mut random);
}

/// Climbs from random sets of clues to ones with a higher estimate, for so many minutes, and times what it finds.
pub fn hunt(minutes: usize) {
    let end = Instant::now() + Duration::from_secs(60 * minutes as u64);
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
        let (seconds, solutions) = timed_count(&from_line(&clues));
        if seconds > slowest && solutions > 0 {
            slowest = seconds;
            println!("{seconds:.2} s (estimate {estimate:.2}), {solutions} solutions: {clues}");
        }
    }
}

/// Moves, renames, adds or takes away a clue.
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

fn print_row(name: &str, lines: &[String]) {
    let mut slowest = (0.0, "");
    let (mut all, mut fewest, mut most) = (Vec::new(), u128::MAX, 0);
    for line in lines {
        let (seconds, solutions) = timed_count(&from_line(line));
        all.push(seconds);
        (fewest, most) = (fewest.min(solutions), most.max(solutions));
        if seconds > slowest.0 {
            slowest = (seconds, line);
        }
    }
    let (median, sets) = (median(&mut all), lines.len());
    println!("| {name} | {sets} | {median:.4} s | {:.4} s | {fewest:.1e} | {most:.1e} | `{}` |", slowest.0, slowest.1);
}

/// Random clues with a number of solutions that the peer can visit.
fn against_peer(sets: usize, random: &mut Rng) {
    println!("| clues | solutions | census bands | `sudoku` 0.8 | `sudoku` / census |");
    println!("|---|---:|---:|---:|---:|");
    let mut ratios = Vec::new();
    for clues in 17..=20 {
        let mut done = 0;
        while done < sets.div_ceil(4) {
            let line = random_clues(clues, random);
            let puzzle = from_line(&line);
            let (_, solutions) = timed_count(&puzzle);
            if !(100_000..=30_000_000).contains(&solutions) {
                continue;
            }
            let mut ours: Vec<f64> = (0..5).map(|_| timed_count(&puzzle).0).collect();
            let theirs = crate::timed(solutions, || count_theirs(&line));
            let ours = median(&mut ours);
            ratios.push(theirs / ours);
            println!("| {clues} | {solutions} | {ours:.5} s | {theirs:.4} s | {:.0} |", theirs / ours);
            done += 1;
        }
    }
    let middle = median(&mut ratios);
    println!("\n`sudoku` takes {middle:.0} times as long in the median, {:.0} times at the least.", ratios[0]);
}

fn timed_count(puzzle: &Puzzle) -> (f64, u128) {
    let start = Instant::now();
    let solutions = count(puzzle);
    (start.elapsed().as_secs_f64(), solutions)
}

/// Everything that a count takes on one core, from the puzzle on.
fn count(puzzle: &Puzzle) -> u128 {
    let method = bands(puzzle);
    let plan = PoolPlan { depth: Depth::Fixed(0), units: 1, keep_solved: false, max_bytes: 1 << 30 };
    let pool = method.expand(&plan, &|| false).expect("one unit fits");
    let mut counter = method.counter();
    let units = pool.bytes.chunks_exact(pool.unit_bytes);
    units.map(|unit| counter.count(unit, &Control::new(None)).solutions.exact().expect("few enough")).sum()
}

/// Some values of a random solution.
fn random_clues(clues: usize, random: &mut Rng) -> String {
    let solution = random_solution(random);
    let mut cells: Vec<usize> = (0..81).collect();
    random.shuffle(&mut cells);
    let mut line = [b'.'; 81];
    cells[..clues].iter().for_each(|&cell| line[cell] = solution[cell]);
    String::from_utf8_lossy(&line).into()
}

/// Different digits, each in a box of its own.
fn one_per_box(digits: usize, random: &mut Rng) -> String {
    let (mut names, mut boxes) = (b"123456789".to_vec(), (0..9).collect::<Vec<usize>>());
    random.shuffle(&mut names);
    random.shuffle(&mut boxes);
    let mut line = [b'.'; 81];
    for (name, b) in names.into_iter().zip(boxes).take(digits) {
        line[(b / 3 * 3 + random.usize(0..3)) * 9 + b % 3 * 3 + random.usize(0..3)] = name;
    }
    String::from_utf8_lossy(&line).into()
}

/// A random solution in characters: the boxes of the diagonal at will, the first completion, and all of it turned around.
fn random_solution(random: &mut Rng) -> Vec<u8> {
    let mut line = [b'.'; 81];
    for b in 0..3 {
        let mut digits = b"123456789".to_vec();
        random.shuffle(&mut digits);
        (0..9).for_each(|at| line[(b * 3 + at / 3) * 9 + b * 3 + at % 3] = digits[at]);
    }
    let puzzle = from_line(&String::from_utf8_lossy(&line));
    let mut solution = Vec::new();
    search(&puzzle, SearchOptions::default()).counter().visit(
        puzzle.givens.values(),
        &Control::new(None),
        &mut |grid| {
            solution = grid.to_vec();
            ControlFlow::Break(())
        },
    );
    let mut lines = || {
        let mut bands = [0, 3, 6];
        random.shuffle(&mut bands);
        bands.map(|band| {
            let mut lines = [band, band + 1, band + 2];
            random.shuffle(&mut lines);
            lines
        })
    };
    let (rows, columns) = (lines().concat(), lines().concat());
    (0..81).map(|cell| b'0' + solution[rows[cell / 9] * 9 + columns[cell % 9]]).collect()
}

/// The most memory that this process has had.
fn peak_mebibytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kibibytes.unwrap_or(0) / 1024
}
