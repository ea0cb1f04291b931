//! What `puzzle` and `count` promise: formats read and written, counts against brute force and against each other, known totals,
//! and the files of `puzzles/`.

mod bands;
mod files;
mod formats;
mod layers;
mod oracle;
mod puzzles;
mod seeds;
mod splitting;
mod totals;
mod workers;

use proptest::test_runner::Config;

/// Whether as much is tried as `scripts/test --all` asks for.
fn thorough() -> bool {
    std::env::var("CENSUS_TESTS").is_ok_and(|tests| tests == "all")
}

/// So many random cases, or, if not everything is asked for, a quarter of them.
fn cases(all: u32) -> Config {
    Config::with_cases(all.div_ceil(sparse() as u32))
}

/// Of things that are alike, every how many-th is tried.
fn sparse() -> usize {
    if thorough() { 1 } else { 4 }
}
