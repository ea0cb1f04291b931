//! Rounds: every side runs once in each, in turns, and the ratios are those of runs that stood side by side.

use std::time::Instant;

use serde::{Serialize, Serializer};

/// One run of one side.
#[derive(Clone, Copy, Serialize)]
pub struct Run {
    /// What it took.
    pub seconds: f64,
    /// What it found.
    #[serde(serialize_with = "as_text")]
    pub solutions: u128,
    /// Whether it came to its end.
    pub complete: bool,
}

/// Times a count that comes to its end.
pub fn timed(count: impl FnOnce() -> u128) -> Run {
    let start = Instant::now();
    let solutions = count();
    Run { seconds: start.elapsed().as_secs_f64(), solutions, complete: true }
}

/// The mean of several runs, for what is over in less time than a clock and its interruptions allow.
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
    // A run that was cut off is not a short one, and stands for itself.
    let seconds = if last.complete { (sum + last.seconds) / passes as f64 } else { last.seconds };
    Run { seconds, ..last }
}

/// One of those that are compared.
pub struct Side<'a> {
    /// Its name in the raw numbers.
    pub name: &'static str,
    /// Runs once.
    pub run: Box<dyn FnMut() -> Run + 'a>,
}

impl<'a> Side<'a> {
    /// A side that times itself.
    pub fn new(name: &'static str, run: impl FnMut() -> Run + 'a) -> Side<'a> {
        Side { name, run: Box::new(run) }
    }
}

/// All the runs of one side.
#[derive(Serialize)]
pub struct Series {
    /// Whose they are.
    pub side: &'static str,
    /// What each round took, in the order of the rounds.
    pub seconds: Vec<f64>,
    /// The one run that was cut off, of a side that does not come to its end in time.
    pub cut_off: Option<Run>,
}

impl Series {
    /// The seconds of the round in the middle.
    pub fn median(&self) -> f64 {
        median(&self.seconds)
    }
}

/// Runs all sides so many times, in turns, and checks what they find. Who was first in one round is last in the next, so
/// that nobody always finds the caches that the same neighbour has left. One round more goes ahead to warm up and is not
/// kept; a side that is cut off there runs no more.
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
    // Back in the order that they came in.
    if rounds.is_multiple_of(2) {
        sides.reverse();
    }
    sides.into_iter().map(|(series, _)| series).collect()
}

/// What a table has to say about its rounds.
pub fn in_words(rounds: usize) -> String {
    match rounds {
        1 => "One round only.".into(),
        _ => format!("Medians of {rounds} rounds that alternate, with the lowest and the highest round."),
    }
}

/// How many times as fast one side is as the other: over 1, it is the faster one.
pub struct SpeedUp {
    /// In the round in the middle.
    pub median: f64,
    /// In the round with the least.
    pub lowest: f64,
    /// In the round with the most.
    pub highest: f64,
}

impl SpeedUp {
    /// Round by round.
    pub fn of(ours: &Series, theirs: &Series) -> SpeedUp {
        let ratios: Vec<f64> = ours.seconds.iter().zip(&theirs.seconds).map(|(ours, theirs)| theirs / ours).collect();
        SpeedUp {
            median: median(&ratios),
            lowest: ratios.iter().copied().fold(f64::INFINITY, f64::min),
            highest: ratios.iter().copied().fold(0.0, f64::max),
        }
    }
}

/// The number in the middle, or the mean of the two there.
pub fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) { (sorted[middle - 1] + sorted[middle]) / 2.0 } else { sorted[middle] }
}

/// Counts are strings in JSON, whose numbers end at 2⁵³ in most readers.
fn as_text<S: Serializer>(count: &u128, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(count)
}
