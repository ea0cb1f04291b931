//! How far a count is, on standard error: a live bar for somebody who watches, a line now and then for a file.

use std::io::{self, IsTerminal, Write};
use std::mem;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::cluster::Progress;

use super::terminal::grouped;

/// When to show how far a count is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// Never.
    Off,
    /// When it takes long.
    Sparse,
    /// From the first second on.
    Often,
}

/// Shows how far a count is.
pub struct Meter {
    start: Instant,
    /// What is counted, where there is more than one.
    about: String,
    face: Face,
}

enum Face {
    Silent,
    /// A bar, and whether it is to be seen.
    Bar(ProgressBar, bool),
    Lines {
        next: Duration,
        gap: Duration,
        longest: Duration,
    },
}

/// Steps of the bar.
const STEPS: u64 = 1000;

impl Meter {
    /// A meter for standard error. Under a launcher that is a pipe to another machine, whatever it looks like: there it is
    /// lines.
    pub fn new(show: Show, launched: bool) -> Meter {
        let seconds = Duration::from_secs;
        let face = match show {
            Show::Off => Face::Silent,
            _ if !launched && io::stderr().is_terminal() => Face::Bar(bar(), false),
            Show::Sparse => Face::Lines { next: seconds(10), gap: seconds(10), longest: seconds(300) },
            Show::Often => Face::Lines { next: seconds(1), gap: seconds(1), longest: seconds(60) },
        };
        Meter { start: Instant::now(), about: String::new(), face }
    }

    /// Says what is counted from now on.
    pub fn about(&mut self, what: String) {
        self.about = what;
    }

    /// Shows how far the count is, if it is time to.
    pub fn show(&mut self, progress: &Progress) {
        self.say(progress.share, || words(progress));
    }

    /// Shows how far a collection is, if it is time to.
    pub fn show_puzzles(&mut self, paces: &BatchProgress) {
        self.say(paces.share, || paces.words());
    }

    fn say(&mut self, share: Option<f64>, words: impl FnOnce() -> String) {
        let elapsed = self.start.elapsed();
        match &mut self.face {
            Face::Silent => {}
            Face::Bar(bar, shown) => {
                if !mem::replace(shown, true) {
                    bar.reset();
                }
                bar.set_position((share.unwrap_or(0.0) * STEPS as f64) as u64);
                bar.set_message(self.about.clone() + &words());
            }
            Face::Lines { next, gap, longest } => {
                if elapsed >= *next {
                    *next = elapsed + *gap;
                    *gap = (*gap * 2).min(*longest);
                    let share = share.map(|share| format!("{:.0} % done, ", 100.0 * share)).unwrap_or_default();
                    let line = format!("{}{share}{}\n", self.about, words());
                    let _ = io::stderr().write_all(line.as_bytes());
                }
            }
        }
    }

    /// Makes room for what is printed next.
    pub fn clear(&mut self) {
        if let Face::Bar(bar, shown) = &mut self.face
            && mem::replace(shown, false)
        {
            bar.finish_and_clear();
        }
    }
}

/// How far a collection is.
#[derive(Clone, Copy, Debug)]
pub struct BatchProgress {
    /// Seconds since it was begun.
    pub seconds: f64,
    /// Puzzles done so far.
    pub puzzles: f64,
    /// The share of its bytes that these take; `None` where nobody knows how many there are.
    pub share: Option<f64>,
    /// Workers that count at this moment.
    pub active: u64,
    /// Workers there are.
    pub workers: usize,
}

impl BatchProgress {
    /// Everything but the share.
    fn words(&self) -> String {
        let BatchProgress { seconds, puzzles, active, workers, .. } = self;
        let left = self.share.filter(|&share| share > 0.0).map(|share| about(seconds * (1.0 - share) / share));
        let left = left.map(|left| format!("{left} left, ")).unwrap_or_default();
        let rate = if *seconds > 0.0 { rounded(puzzles / seconds) } else { "0".into() };
        let puzzles = grouped(&format!("{puzzles:.0}"));
        format!("{left}{puzzles} puzzles, {rate}/s, {active} of {workers} busy")
    }
}

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:14} {percent:>3} %  {wide_msg}");
    let bar = ProgressBar::new(STEPS);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// Everything but the share.
fn words(progress: &Progress) -> String {
    let a_second = |amount: f64| if progress.seconds > 0.0 { rounded(amount / progress.seconds) } else { "0".into() };
    // Where solutions are few and far between, nodes tell that something is going on.
    let rate = match progress.solutions - progress.known.min(progress.solutions) {
        0..1000 => format!("{} nodes/s", a_second(progress.nodes as f64)),
        solutions => format!("{}/s", a_second(solutions as f64)),
    };
    let left = match progress.left {
        Some(left) => format!("{} left", about(left)),
        None => "no unit done yet".into(),
    };
    let Progress { active, workers, .. } = progress;
    let solutions = grouped(&progress.solutions.to_string());
    format!("{left}, {solutions} solutions, {rate}, {active} of {workers} busy")
}

/// A rate as people read it: `830`, `41k`, `3.2M`, `6.7e21`.
fn rounded(rate: f64) -> String {
    match rate {
        r if r < 1e3 => format!("{r:.0}"),
        r if r < 1e6 => format!("{:.0}k", r / 1e3),
        r if r < 1e9 => format!("{:.1}M", r / 1e6),
        r => format!("{r:.1e}"),
    }
}

/// A duration as people say it: `40 s`, `12 min`, `3.5 h`, `9 days`.
fn about(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s if s < 48.0 * 3600.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.0} days", s / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(share: Option<f64>, left: Option<f64>) -> Progress {
        Progress { seconds: 2.0, share, left, solutions: 6_400_000, known: 0, nodes: 20_000_000, active: 7, workers: 8 }
    }

    #[test]
    fn it_says_solutions_rate_time_left_and_workers() {
        let expected = "12 min left, 6,400,000 solutions, 3.2M/s, 7 of 8 busy";
        assert_eq!(words(&progress(Some(0.25), Some(720.0))), expected);
        assert!(words(&progress(None, None)).starts_with("no unit done yet, "));
    }

    #[test]
    fn of_a_collection_it_says_puzzles_rate_time_left_and_workers() {
        let paces = BatchProgress { seconds: 10.0, puzzles: 2_000_000.0, share: Some(0.25), active: 2, workers: 2 };
        assert_eq!(paces.words(), "30 s left, 2,000,000 puzzles, 200k/s, 2 of 2 busy");
        assert!(BatchProgress { share: None, ..paces }.words().starts_with("2,000,000 puzzles"));
    }

    #[test]
    fn durations_and_rates_have_the_units_that_people_use() {
        assert_eq!([12.0, 600.0, 7200.0, 8.64e5].map(about), ["12 s", "10 min", "2.0 h", "10 days"]);
        assert_eq!([7.0, 41_000.0, 3.21e6, 6.67e21].map(rounded), ["7", "41k", "3.2M", "6.7e21"]);
    }
}
