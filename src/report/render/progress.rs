//! Progress of a count on standard error: a bar on a terminal, otherwise a line at growing intervals.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::cluster::Progress;

use super::number::{grouped, rate, rough_duration};

/// Seconds until the first line, and the longest interval between two.
pub type Intervals = (u64, u64);
pub const SPARSE: Intervals = (10, 300);
pub const OFTEN: Intervals = (1, 60);

pub struct Meter {
    start: Instant,
    /// Which of several puzzles is counted.
    label: String,
    display: Display,
}

enum Display {
    Off,
    /// `None` while it is not visible.
    Bar(Option<ProgressBar>),
    Lines {
        next: Duration,
        interval: Duration,
        longest: Duration,
    },
}

const STEPS: u64 = 1000;

impl Meter {
    /// Under a launcher, standard error is forwarded from another machine, even if it is a terminal: then there is no bar.
    pub fn new(lines: Option<Intervals>, launched: bool) -> Meter {
        let display = match lines.map(|(first, longest)| (Duration::from_secs(first), Duration::from_secs(longest))) {
            None => Display::Off,
            Some(_) if !launched && io::stderr().is_terminal() => Display::Bar(None),
            Some((first, longest)) => Display::Lines { next: first, interval: first, longest },
        };
        Meter { start: Instant::now(), label: String::new(), display }
    }

    pub fn about(&mut self, label: String) {
        self.label = label;
    }

    pub fn show(&mut self, progress: &Progress) {
        self.update(progress.share, &count_text(progress));
    }

    pub fn show_puzzles(&mut self, progress: &BatchProgress) {
        self.update(progress.share, &progress.text());
    }

    fn update(&mut self, share: Option<f64>, text: &str) {
        let elapsed = self.start.elapsed();
        match &mut self.display {
            Display::Bar(bar) => {
                let bar = bar.get_or_insert_with(|| {
                    let style = ProgressStyle::with_template("{bar:14} {percent:>3} %  {wide_msg}");
                    ProgressBar::new(STEPS).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
                });
                bar.set_position((share.unwrap_or(0.0) * STEPS as f64) as u64);
                bar.set_message(self.label.clone() + text);
            }
            Display::Lines { next, interval, longest } if elapsed >= *next => {
                *next = elapsed + *interval;
                *interval = (*interval * 2).min(*longest);
                let share = share.map(|share| format!("{:.0} % done, ", 100.0 * share)).unwrap_or_default();
                let _ = io::stderr().write_all(format!("{}{share}{text}\n", self.label).as_bytes());
            }
            Display::Off | Display::Lines { .. } => {}
        }
    }

    /// Removes the bar before something else is printed.
    pub fn clear(&mut self) {
        if let Display::Bar(bar) = &mut self.display
            && let Some(bar) = bar.take()
        {
            bar.finish_and_clear();
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct BatchProgress {
    /// Seconds since the start.
    pub seconds: f64,
    pub puzzles: f64,
    /// Their share of the input bytes; `None` if the size of the input is unknown.
    pub share: Option<f64>,
    /// Workers that count at this moment.
    pub active: u64,
    pub workers: usize,
}

impl BatchProgress {
    /// Everything but the share.
    fn text(&self) -> String {
        let BatchProgress { seconds, puzzles, active, workers, .. } = self;
        let left = self.share.filter(|&share| share > 0.0).map(|share| rough_duration(seconds * (1.0 - share) / share));
        let left = left.map(|left| format!("{left} left, ")).unwrap_or_default();
        let rate = rate_of(*puzzles, *seconds);
        let puzzles = grouped(format!("{puzzles:.0}"));
        format!("{left}{puzzles} puzzles, {rate}/s, {active} of {workers} busy")
    }
}

fn count_text(progress: &Progress) -> String {
    if let Some(what) = progress.preparing {
        return format!("{what}, {} so far", rough_duration(progress.seconds));
    }
    // While there are few solutions, the rate of nodes shows that the count advances.
    let rate = match progress.solutions - progress.known.min(progress.solutions) {
        0..1000 => format!("{} nodes/s", rate_of(progress.nodes as f64, progress.seconds)),
        solutions => format!("{}/s", rate_of(solutions as f64, progress.seconds)),
    };
    let left = progress.left.map_or("no unit done yet".into(), |left| format!("{} left", rough_duration(left)));
    let Progress { active, workers, .. } = progress;
    let solutions = grouped(progress.solutions);
    format!("{left}, {solutions} solutions, {rate}, {active} of {workers} busy")
}

fn rate_of(amount: f64, seconds: f64) -> String {
    rate(if seconds > 0.0 { amount / seconds } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_has_solutions_rate_time_left_and_workers() {
        let solutions = 6_400_000;
        let progress =
            Progress { seconds: 2.0, left: Some(720.0), solutions, active: 7, workers: 8, ..Progress::default() };
        assert_eq!(count_text(&progress), "12 min left, 6,400,000 solutions, 3.2M/s, 7 of 8 busy");
        assert!(count_text(&Progress { left: None, ..progress }).starts_with("no unit done yet, "));
        let preparing = Progress { preparing: Some("building tables"), seconds: 12.0, ..Progress::default() };
        assert_eq!(count_text(&preparing), "building tables, 12 s so far");
    }

    #[test]
    fn the_text_of_a_collection_has_puzzles_rate_time_left_and_workers() {
        let progress = BatchProgress { seconds: 10.0, puzzles: 2_000_000.0, share: Some(0.25), active: 2, workers: 2 };
        assert_eq!(progress.text(), "30 s left, 2,000,000 puzzles, 200k/s, 2 of 2 busy");
        assert!(BatchProgress { share: None, ..progress }.text().starts_with("2,000,000 puzzles"));
    }
}
