//! Knuth's estimate of the size of a search tree from random probes: see "Estimating a tree" in `docs/search.md`.

use std::time::{Duration, Instant};

use census_puzzle::Puzzle;

use super::boards::generic::{GenericBoard, bits};
use super::boards::large::LargeSearch;
use super::boards::nine::NineBoard;
use super::engine::{Engine, Propagation, PropagationResult, Tree};
use super::{LARGE, SearchOptions, with_board_for, with_engine_for};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    pub mean: f64,
    /// The standard error: about two of three estimates are within this of the truth, if the weights are not too skewed.
    pub error: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub probes: u64,
    /// Probes that ended in a solution.
    pub hits: u64,
    pub solutions: Mean,
    pub nodes: Mean,
}

#[derive(Clone, Copy, Debug)]
pub struct Budget {
    pub probes: u64,
    /// The time limit, if the number of probes may depend on the machine. Ten probes are made in any case.
    pub time: Option<Duration>,
}

const MIN_PROBES: u64 = 10;

/// Estimates solutions and nodes of the tree that [`search`](super::search) visits, given its
/// [`Method::config_bytes`](crate::Method::config_bytes), without the memo table and without multiplying components.
/// Deterministic for a seed, unless the time limit ends it.
pub fn estimate(puzzle: &Puzzle, options: SearchOptions, config: &[u8], budget: Budget, seed: u64) -> Estimate {
    fn run(engine: &impl Engine, tree: Tree, puzzle: &Puzzle, budget: Budget, seed: u64) -> Estimate {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut root = engine.blank();
        engine.load(puzzle.givens.values(), &mut root);
        let outcome = engine.propagate(tree, &mut root);
        let (mut solutions, mut nodes) = (Moments::default(), Moments::default());
        let (mut here, mut child) = (root.clone(), root.clone());
        let (mut probes, mut hits) = (0, 0);
        let start = Instant::now();
        let in_time = || budget.time.is_none_or(|time| start.elapsed() < time);
        while probes < budget.probes && (probes < MIN_PROBES || in_time()) {
            probes += 1;
            here.clone_from(&root);
            let (mut outcome, mut weight, mut size) = (outcome, 1.0, 1.0);
            while let PropagationResult::Branch(cell) = outcome {
                let candidates = engine.candidates(&here, cell);
                let branches = candidates.count_ones();
                let chosen = random.u32(0..branches) as usize;
                let value = bits(candidates).nth(chosen).unwrap_or(0);
                outcome = engine.guess(tree, &here, &mut child, cell, value);
                std::mem::swap(&mut here, &mut child);
                weight *= f64::from(branches);
                size += weight;
            }
            let solved = outcome == PropagationResult::Solved;
            hits += u64::from(solved);
            solutions.add(if solved { weight } else { 0.0 });
            nodes.add(size);
        }
        Estimate { probes, hits, solutions: solutions.mean(), nodes: nodes.mean() }
    }
    if puzzle.shape.order() >= LARGE {
        let large = LargeSearch::from_config(puzzle, options, config);
        let (board, tree) = large.tree();
        return run(board, tree, puzzle, budget, seed);
    }
    let tree = Tree { cells: options.cells, propagation: Propagation::from_config_bytes(config) };
    with_engine_for!(&puzzle.shape, |engine| run(&engine, tree, puzzle, budget, seed))
}

/// Mean and variance of a stream of numbers, by Welford's algorithm.
#[derive(Default)]
struct Moments {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, x: f64) {
        self.count += 1.0;
        let from_mean = x - self.mean;
        self.mean += from_mean / self.count;
        self.squares += from_mean * (x - self.mean);
    }

    fn mean(&self) -> Mean {
        let variance = if self.count > 1.0 { self.squares / (self.count - 1.0) } else { 0.0 };
        Mean { mean: self.mean, error: (variance / self.count.max(1.0)).sqrt() }
    }
}
