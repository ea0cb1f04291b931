//! `census estimate`: estimates solutions, nodes and seconds of a count from random probes.

use std::thread;
use std::time::{Duration, Instant};

use super::count::progress::hint;
use super::one_puzzle::OnePuzzle;
use super::streams::{AnswerLines, print_stderr, print_stdout};
use super::{Exit, Outcome};
use crate::cli::EstimateArgs;
use crate::count::search::{Budget, Mean, estimate, search_with};
use crate::count::{Control, Method, MethodName};
use crate::puzzle::Puzzle;

/// How long to count nodes to measure the time of one.
const CALIBRATION: Duration = Duration::from_millis(300);

pub(super) fn run(args: &EstimateArgs) -> Outcome {
    let puzzle = OnePuzzle::read(&args.puzzle, MethodName::Search)?.puzzle;
    let options = args.search.options();
    let budget = match args.probes {
        Some(probes) => Budget { probes, time: None },
        None => Budget { probes: 100_000, time: Some(Duration::from_secs(2)) },
    };
    let start = Instant::now();
    let method = search_with(&puzzle, options, None, &|| budget.time.is_some_and(|time| start.elapsed() >= time));
    let estimate = estimate(&puzzle, options, &method.config_bytes(), budget, args.seed);
    let cost = seconds_per_node(&*method, &puzzle);
    let solutions = match estimate.hits {
        0 if estimate.nodes.mean > 1.0 => "none found by the probes: use count".into(),
        _ => with_error(estimate.solutions),
    };
    let time = Mean { mean: estimate.nodes.mean * cost, error: estimate.nodes.error * cost };
    let years = time.mean / (365.25 * 86400.0);
    let years = if years < 1.0 || !years.is_finite() { String::new() } else { format!(", about {years:.0} years") };
    let lines = AnswerLines::default()
        .add("solutions", solutions)
        .add("nodes", with_error(estimate.nodes))
        .add("seconds", format!("{}{years} on one core{}", with_error(time), shortcut_text(&puzzle)))
        .add("probes", format!("{}, of which {} found a solution", estimate.probes, estimate.hits));
    print_stdout(&lines.0)?;
    print_stderr(hint(&puzzle.shape, estimate.solutions.mean).unwrap_or_default());
    Ok(Exit::Done)
}

/// Why a count may be faster than the estimate, which is for the complete tree.
fn shortcut_text(puzzle: &Puzzle) -> &'static str {
    match puzzle.shape.order() {
        _ if puzzle.shape.is_plain_nine() => "",
        0..=16 => ", or less with a cache",
        _ => ", or less if the puzzle falls into parts",
    }
}

/// The time of a node in a count. Probes cannot measure it: they spend most of their time near the root, but nearly all nodes of
/// a tree are near its leaves.
fn seconds_per_node(method: &dyn Method, puzzle: &Puzzle) -> f64 {
    let control = Control::new(None);
    let start = Instant::now();
    thread::scope(|scope| {
        let counting = scope.spawn(|| {
            let nodes = method.counter().count(puzzle.givens.values(), &control).nodes;
            start.elapsed().as_secs_f64() / nodes.max(1) as f64
        });
        while !counting.is_finished() && start.elapsed() < CALIBRATION {
            thread::sleep(Duration::from_millis(1));
        }
        control.stop();
        counting.join().unwrap_or(0.0)
    })
}

/// A mean with its error; large ones as powers of ten.
fn with_error(Mean { mean, error }: Mean) -> String {
    match mean.max(error) {
        _ if !(mean.is_finite() && error.is_finite()) => "more than 1e308".into(),
        ..10.0 => format!("{mean:.3} ± {error:.3}"),
        ..1e6 => format!("{mean:.1} ± {error:.1}"),
        larger => {
            let exponent = larger.log10().floor();
            let scale = 10f64.powf(exponent);
            format!("({:.3} ± {:.3})e{exponent}", mean / scale, error / scale)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_print_with_their_error_on_the_same_scale() {
        assert_eq!(with_error(Mean { mean: 288.0, error: 0.25 }), "288.0 ± 0.2");
        assert_eq!(with_error(Mean { mean: 6.67e21, error: 1.2e20 }), "(6.670 ± 0.120)e21");
    }
}
