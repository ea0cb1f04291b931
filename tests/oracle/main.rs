//! The engine against an oracle: brute force that knows nothing of planes, peers, pools or of how the library builds
//! its houses.

mod borders;
mod brute;
mod estimates;
mod large;
mod parts;
mod pools;
mod puzzles;
mod search;
mod singles;

use census::count::search::{CellOrder, SearchOptions, ValueOrder};

/// Every way to search.
const ALL_OPTIONS: [SearchOptions; 4] = [
    SearchOptions { cells: CellOrder::Fewest, values: ValueOrder::Min },
    SearchOptions { cells: CellOrder::Fewest, values: ValueOrder::Max },
    SearchOptions { cells: CellOrder::First, values: ValueOrder::Min },
    SearchOptions { cells: CellOrder::First, values: ValueOrder::Max },
];
