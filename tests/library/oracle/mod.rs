//! Counts against an oracle: brute force that is independent of planes, peers, pools and the library's houses.

mod batch;
mod borders;
mod brute;
mod cache;
mod estimates;
mod large;
mod pools;
mod puzzles;
mod recount;
mod search;
mod singles;
mod splits;

use census_count::Method;
use census_count::search::{CellOrder, SearchOptions, ValueOrder, search, search_with};
use census_puzzle::Puzzle;

/// All search options.
const ALL_OPTIONS: [SearchOptions; 4] = [
    SearchOptions { cells: CellOrder::Fewest, values: ValueOrder::Min, cache: 0 },
    SearchOptions { cells: CellOrder::Fewest, values: ValueOrder::Max, cache: 0 },
    SearchOptions { cells: CellOrder::First, values: ValueOrder::Min, cache: 0 },
    SearchOptions { cells: CellOrder::First, values: ValueOrder::Max, cache: 0 },
];

/// The config bytes of full and of cheap propagation: see [`Method::config_bytes`].
const CONFIGS: [&[u8]; 2] = [FULL, CHEAP];
const FULL: &[u8] = &[0];
const CHEAP: &[u8] = &[1];

/// The searches of a puzzle: with the propagation chosen for it, and with each of the two.
fn methods(puzzle: &Puzzle, options: SearchOptions) -> Vec<Box<dyn Method>> {
    let chosen = search(puzzle, options);
    assert!(CONFIGS.contains(&&*chosen.config_bytes()));
    let both = CONFIGS.map(|config| search_with(puzzle, options, Some(config), &|| false));
    assert_eq!(both.each_ref().map(|method| method.config_bytes()), CONFIGS);
    std::iter::once(chosen).chain(both).collect()
}
