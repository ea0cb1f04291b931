//! The engine against an oracle: brute force that knows nothing of planes, peers, pools or of how the library builds
//! its houses.

mod borders;
mod brute;
mod cache;
mod each;
mod estimates;
mod large;
mod parts;
mod pools;
mod puzzles;
mod recount;
mod search;
mod singles;

use census_count::Method;
use census_count::search::{CellOrder, SearchOptions, ValueOrder, search, search_from_config};
use census_puzzle::Puzzle;

/// Every way to search.
const ALL_OPTIONS: [SearchOptions; 4] = [
    SearchOptions { cells: CellOrder::Fewest, values: ValueOrder::Min, cache: 0 },
    SearchOptions { cells: CellOrder::Fewest, values: ValueOrder::Max, cache: 0 },
    SearchOptions { cells: CellOrder::First, values: ValueOrder::Min, cache: 0 },
    SearchOptions { cells: CellOrder::First, values: ValueOrder::Max, cache: 0 },
];

/// How a lean tree and a bushy one are asked for: see [`Method::setup`].
const SETUPS: [&[u8]; 2] = [LEAN, BUSHY];
const LEAN: &[u8] = &[0];
const BUSHY: &[u8] = &[1];

/// The trees of a puzzle: the one that is chosen for it, and both that there are.
fn methods(puzzle: &Puzzle, options: SearchOptions) -> Vec<Box<dyn Method>> {
    let chosen = search(puzzle, options);
    assert!(SETUPS.contains(&&*chosen.config_bytes()));
    let both = SETUPS.map(|setup| search_from_config(puzzle, options, setup));
    assert_eq!(both.each_ref().map(|method| method.config_bytes()), SETUPS);
    std::iter::once(chosen).chain(both).collect()
}
