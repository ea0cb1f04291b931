//! Tests of the layers from outside: formats, counts against brute force and of the methods against each other, known totals, the
//! files of `puzzles/`, the arithmetic of schedules, the recovery from journals, and what a sweep of runs becomes.

mod bands;
mod control;
mod drawings;
mod files;
mod formats;
mod journal;
mod layers;
mod methods;
mod options;
mod oracle;
mod puzzles;
mod report;
mod schedules;
mod seeds;
mod shapes;
mod splitting;
mod totals;
mod verify;
mod workers;
mod writes;

use proptest::test_runner::Config;

/// `scripts/test --all`
fn thorough() -> bool {
    std::env::var("CENSUS_TESTS").is_ok_and(|tests| tests == "all")
}

/// This number of random cases, or a quarter of it without `--all`.
fn cases(all: u32) -> Config {
    Config::with_cases(all.div_ceil(stride() as u32))
}

/// For sampling similar cases.
fn stride() -> usize {
    if thorough() { 1 } else { 4 }
}
