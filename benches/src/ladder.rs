//! A ladder for weak scaling: for W workers, a plain 9×9 whose search tree has W times the nodes of that for one worker.
//!
//! Searching all random puzzles would take days. But the method `bands` counts solutions in milliseconds, and trees of random clues
//! have similar ratios of nodes to solutions. So clues are drawn until their number of solutions is about right; then nodes are
//! estimated from increasing samples of the tree's units; only puzzles that still fit are searched completely. The draws of a rung
//! depend only on the seed and its workers.

use std::fs;
use std::path::Path;

use census::count::{Control, Depth, PoolOptions, Tally};
use fastrand::Rng;

use crate::Outcome;
use crate::clues::random_clues;
use crate::options::Options;
use crate::ours::{self, count_by_bands, from_line};
use crate::page::{show, write_atomically};
use crate::table::grouped;

const WORKERS: [u64; 14] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128];
/// The nodes of the first rung: a second on one core
const NODES: f64 = 24e6;
/// Typical for random clues
const NODES_PER_SOLUTION: f64 = 2.3;
/// Tolerated relative errors in nodes: estimated from the solutions, estimated from an eighth of the units, and exact
const SOLUTIONS_TOLERANCE: f64 = 0.1;
const ESTIMATE_TOLERANCE: f64 = 0.01;
const TOLERANCE: f64 = 0.02;
/// Mean over maximum of the nodes of eight contiguous blocks, from an eighth of the units: irregular trees, similar on all rungs
const BALANCE: std::ops::Range<f64> = 0.6..0.8;
const BLOCKS: usize = 8;
/// The minimum of units in a pool
const UNITS: usize = 4096;

struct Rung {
    workers: u64,
    line: String,
    solutions: u128,
    nodes: u64,
}

/// Finds all rungs, and writes each as soon as it is found.
pub fn run(options: &Options) -> Outcome {
    let seed = options.number(1) as u64;
    let folder = options.results.join("ladder");
    fs::create_dir_all(&folder)?;
    let mut rungs: Vec<Rung> = Vec::new();
    for workers in WORKERS {
        let target = rungs.first().map_or(NODES, |first| (workers * first.nodes) as f64);
        let rung = find(workers, target, seed);
        show(&format!("{workers} workers: {} nodes, {} solutions, {}", rung.nodes, rung.solutions, rung.line));
        write_atomically(&folder.join(file(workers)), &text(&rung))?;
        rungs.push(rung);
        write_table(&folder, &rungs)?;
    }
    Ok(())
}

/// Draws clues until a tree has the target's nodes.
fn find(workers: u64, target: f64, seed: u64) -> Rung {
    let mut random = Rng::with_seed(seed << 16 | workers);
    let relative_error = |nodes: f64| (nodes / target - 1.0).abs();
    loop {
        let line = random_clues(random.usize(14..=19), &mut random);
        let solutions = count_by_bands(&from_line(&line));
        if relative_error(solutions as f64 * NODES_PER_SOLUTION) > SOLUTIONS_TOLERANCE {
            continue;
        }
        let tree = Tree::of(&line);
        // From a sixty-fourth of its units, an eighth, all.
        let fits = |step: usize, tolerance: f64| {
            let (nodes, balance) = tree.estimate(step, solutions);
            eprintln!("  {workers} workers, 1/{step}: {:.3} of the nodes, balance {balance:.2}", nodes / target);
            (relative_error(nodes) < tolerance && (step != 8 || BALANCE.contains(&balance))).then_some(nodes)
        };
        let found = fits(64, 2.0 * ESTIMATE_TOLERANCE)
            .and_then(|_| fits(8, ESTIMATE_TOLERANCE))
            .and_then(|_| fits(1, TOLERANCE));
        if let Some(nodes) = found {
            return Rung { workers, line, solutions, nodes: nodes as u64 };
        }
    }
}

/// A search tree, expanded into units
struct Tree {
    method: Box<dyn census::count::Method>,
    units: Vec<Vec<u8>>,
    above: Tally,
}

impl Tree {
    fn of(line: &str) -> Tree {
        let method = ours::method(&from_line(line));
        let options = PoolOptions { depth: Depth::Auto, units: UNITS, keep_solved: false, max_bytes: 1 << 28 };
        let pool = method.expand(&options, &|| false).expect("a pool that fits");
        let units = pool.bytes.chunks_exact(pool.unit_bytes).map(<[u8]>::to_vec).collect();
        Tree { method, units, above: pool.above }
    }

    /// Searches every `step`-th unit. Returns an estimate of the nodes for this number of solutions, and the balance of the blocks.
    fn estimate(&self, step: usize, solutions: u128) -> (f64, f64) {
        let mut counter = self.method.counter();
        let mut blocks = [0; BLOCKS];
        let mut found = 0;
        for at in (step / 2..self.units.len()).step_by(step) {
            let counted = counter.count(&self.units[at], &Control::new(None));
            blocks[at * BLOCKS / self.units.len()] += counted.nodes;
            found += counted.solutions.exact().expect("few enough");
        }
        let nodes: u64 = blocks.iter().sum();
        let largest = blocks.into_iter().max().unwrap_or(0);
        let balance = nodes as f64 / (BLOCKS as u64 * largest.max(1)) as f64;
        let above = self.above.solutions.exact().expect("few enough");
        if step == 1 {
            assert_eq!(found + above, solutions, "search and bands agree");
            return ((nodes + self.above.nodes) as f64, balance);
        }
        let nodes_per_solution = nodes as f64 / found.max(1) as f64;
        (self.above.nodes as f64 + nodes_per_solution * (solutions - above) as f64, balance)
    }
}

fn file(workers: u64) -> String {
    format!("ladder-{workers:03}.txt")
}

fn text(rung: &Rung) -> String {
    let Rung { workers, line, solutions, nodes } = rung;
    let (plural, solutions, nodes) =
        (if *workers == 1 { "" } else { "s" }, grouped(*solutions), grouped(u128::from(*nodes)));
    format!(
        "# name: Ladder, {workers} worker{plural}\n\
         # expected: {solutions}\n\
         # Irregular, a second for each of {workers} worker{plural}: {nodes} nodes. For weak scaling.\n\
         # source: counted by census by search and by bands, which agree\n\
         {line}\n"
    )
}

fn write_table(folder: &Path, rungs: &[Rung]) -> Outcome {
    let mut table = String::from("workers\tfile\tnodes\tsolutions\tnodes_per_worker\n");
    for rung in rungs {
        let Rung { workers, solutions, nodes, .. } = rung;
        table += &format!("{workers}\t{}\t{nodes}\t{solutions}\t{}\n", file(*workers), nodes / workers);
    }
    Ok(write_atomically(&folder.join("ladder.tsv"), &table)?)
}
