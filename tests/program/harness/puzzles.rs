//! Puzzles that several tests count, and the schedules.

use std::path::PathBuf;
use std::sync::LazyLock;

use census::cluster::Schedule;

use super::folder::names;

/// All values of `--schedule`.
pub static SCHEDULES: LazyLock<Vec<&str>> =
    LazyLock::new(|| Schedule::all().map(Schedule::name).chain(["auto"]).collect());

/// 288 solutions
pub const EMPTY4: &str = "................";
/// 1,734 solutions
pub const INKALA20: &str = "8..........3.......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";

/// 6,670,903,752,021,072,936,960 solutions: a search that does not end.
pub fn empty9() -> String {
    ".".repeat(81)
}

/// The puzzle files in a folder of `tests/golden`, whose headers have the expected counts.
pub fn golden(folder: &str) -> Vec<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(folder);
    let path = |name: String| folder.join(name).to_str().expect("a printable path").to_owned();
    names(&folder).into_iter().map(path).collect()
}

/// The nodes of a puzzle of `tests/golden/shapes` in a report, as far as they do not depend on ranks and threads: 0 beyond 16×16, where
/// they depend on which parts of the puzzle are multiplied.
pub fn nodes_of_shape(puzzle: &serde_json::Value) -> u64 {
    let nodes = puzzle["nodes"].as_u64().expect("a number of nodes");
    let large = ["boxes5x5", "boxes8x8", "latin37"].map(Some).contains(&puzzle["name"].as_str());
    if large { 0 } else { nodes }
}

/// A large solvable puzzle with boxes and this share of givens, hard with about half.
pub fn half_filled(order: usize, given: f64, seed: u64) -> String {
    let side = order.isqrt();
    let mut random = fastrand::Rng::with_seed(seed);
    let mut shuffled = || {
        let mut bands: Vec<Vec<usize>> = (0..side).map(|band| (band * side..(band + 1) * side).collect()).collect();
        bands.iter_mut().for_each(|band| random.shuffle(band));
        random.shuffle(&mut bands);
        bands.concat()
    };
    let (rows, columns, values) = (shuffled(), shuffled(), shuffled());
    let value = |row: usize, column: usize| values[(row % side * side + row / side + column) % order] + 1;
    let mut cell = |row, column| if random.f64() < given { format!(" {}", value(row, column)) } else { " 0".into() };
    rows.iter().map(|&row| columns.iter().map(|&column| cell(row, column)).collect::<String>() + "\n").collect()
}
