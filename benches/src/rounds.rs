//! Rounds: every side runs once in each round, and ratios are of runs in the same round.

use std::time::Instant;

use serde::{Serialize, Serializer};

/// One run of one side
#[derive(Clone, Copy, Serialize)]
pub struct Run {
    pub seconds: f64,
    #[serde(serialize_with = "as_text")]
    pub solutions: u128,
    pub complete: bool,
}

/// Times a count without a time limit.
pub fn timed(count: impl FnOnce() -> u128) -> Run {
    let start = Instant::now();
    let solutions = count();
    Run { seconds: start.elapsed().as_secs_f64(), solutions, complete: true }
}

/// The mean of several runs, for counts that are too short to time.
pub fn mean(passes: usize, mut run: impl FnMut() -> Run) -> Run {
    let mut sum = 0.0;
    let mut last = run();
    for _ in 1..passes {
        if !last.complete {
            break;
        }
        sum += last.seconds;
        last = run();
    }
    // A run that was cut off is not averaged.
    let seconds = if last.complete { (sum + last.seconds) / passes as f64 } else { last.seconds };
    Run { seconds, ..last }
}

/// One of the programs that are compared
pub struct Side<'a> {
    /// Its name in the raw numbers
    pub name: &'static str,
    pub run: Box<dyn FnMut() -> Run + 'a>,
}

impl<'a> Side<'a> {
    pub fn new(name: &'static str, run: impl FnMut() -> Run + 'a) -> Side<'a> {
        Side { name, run: Box::new(run) }
    }
}

/// All runs of one side
#[derive(Serialize)]
pub struct Series {
    pub side: &'static str,
    /// Of each round
    pub seconds: Vec<f64>,
    /// The only run, of a side that has reached the time limit
    pub cut_off: Option<Run>,
}

impl Series {
    pub fn median(&self) -> f64 {
        median(&self.seconds)
    }
}

/// Runs all sides in alternation, and checks their counts. The order is reversed after each round, so that no side always finds the
/// processor's caches as the same other side has left them. An additional first round, a warm-up, is not recorded; a side that is cut
/// off in it does not run again.
pub fn alternate(rounds: usize, expected: u128, sides: Vec<Side>) -> Vec<Series> {
    let series = |side| Series { side, seconds: Vec::new(), cut_off: None };
    let mut sides: Vec<_> = sides.into_iter().map(|side| (series(side.name), side.run)).collect();
    for round in 0..=rounds {
        for (series, run) in &mut sides {
            if series.cut_off.is_some() {
                continue;
            }
            let run = run();
            let right = if run.complete { run.solutions == expected } else { run.solutions <= expected };
            assert!(right, "{} has found {} solutions of {expected}", series.side, run.solutions);
            match run.complete {
                false => series.cut_off = Some(run),
                true if round > 0 => series.seconds.push(run.seconds),
                true => {}
            }
        }
        sides.reverse();
    }
    // Back to the original order
    if rounds.is_multiple_of(2) {
        sides.reverse();
    }
    sides.into_iter().map(|(series, _)| series).collect()
}

/// A sentence about the rounds of a table.
pub fn about_rounds(rounds: usize) -> String {
    match rounds {
        1 => "One round only.".into(),
        _ => format!("Medians of {rounds} rounds that alternate, with the lowest and the highest round."),
    }
}

/// The ratios of times over all rounds: above 1, `ours` is faster.
pub struct SpeedUp {
    pub median: f64,
    pub lowest: f64,
    pub highest: f64,
}

impl SpeedUp {
    pub fn of(ours: &Series, theirs: &Series) -> SpeedUp {
        let ratios: Vec<f64> = ours.seconds.iter().zip(&theirs.seconds).map(|(ours, theirs)| theirs / ours).collect();
        SpeedUp {
            median: median(&ratios),
            lowest: ratios.iter().copied().fold(f64::INFINITY, f64::min),
            highest: ratios.iter().copied().fold(0.0, f64::max),
        }
    }
}

pub fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) { (sorted[middle - 1] + sorted[middle]) / 2.0 } else { sorted[middle] }
}

/// Counts are strings in JSON, because most readers have numbers only up to 2⁵³.
fn as_text<S: Serializer>(count: &u128, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(count)
}
