//! Progress of a count, and a hint where another method is faster.

use crate::cli::{CountArgs, When};
use crate::cluster::Progress;
use crate::commands::streams::print_stderr;
use crate::count::MethodName;
use crate::puzzle::{Puzzle, Shape};
use crate::report::render::progress::{Meter, OFTEN, SPARSE};

const HINT: &str = "hint: `census count --method bands` counts any plain 9×9 in seconds\n";
/// With more solutions than this, a search takes longer than bands ever does.
const MANY: f64 = 1e8;

/// The hint for a search of a puzzle of this shape with so many solutions, if bands is faster.
pub(in crate::commands) fn hint(shape: &Shape, solutions: f64) -> Option<&'static str> {
    MethodName::without_visiting(shape).filter(|_| solutions > MANY).map(|_| HINT)
}

pub(in crate::commands) fn meter(progress: When, quiet: bool, launched: bool) -> Meter {
    let intervals = match progress {
        When::On => Some(OFTEN),
        When::Auto if !quiet => Some(SPARSE),
        When::Auto | When::Off => None,
    };
    Meter::new(intervals, launched)
}

/// Shows the progress of all counts of a run, and the hint at most once.
pub(super) struct ProgressDisplay {
    pub meter: Meter,
    hint_due: bool,
}

impl ProgressDisplay {
    pub(super) fn new(args: &CountArgs, launched: bool) -> ProgressDisplay {
        let searches = args.method.fixed().is_some_and(MethodName::searches);
        // A journal cannot change its method.
        let hint_due = searches && !args.quiet && args.journal.is_none();
        ProgressDisplay { meter: meter(args.progress, args.quiet, launched), hint_due }
    }

    pub(super) fn show(&mut self, puzzle: &Puzzle, progress: &Progress) {
        if let Some(hint) = self.hint_once(&puzzle.shape, progress.solutions as f64) {
            self.meter.clear();
            print_stderr(hint);
        }
        self.meter.show(progress);
    }

    /// Shows the hint after a count of so many solutions. A search that was stopped might have found any number of them.
    pub(super) fn show_hint(&mut self, puzzle: &Puzzle, solutions: f64) {
        print_stderr(self.hint_once(&puzzle.shape, solutions).unwrap_or_default());
    }

    fn hint_once(&mut self, shape: &Shape, solutions: f64) -> Option<&'static str> {
        let hint = hint(shape, solutions).filter(|_| self.hint_due)?;
        self.hint_due = false;
        Some(hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::{Extras, Regions};

    #[test]
    fn the_hint_is_for_a_plain_nine_of_more_than_a_hundred_million_solutions() {
        let plain = Shape::usual(9).expect("a shape");
        let hyper = Shape::new(9, Regions::usual(9), Extras { hyper: true, diagonals: false }).expect("a shape");
        for (shape, solutions, given) in [
            (&hyper, f64::INFINITY, false),
            (&Shape::usual(16).expect("a shape"), f64::INFINITY, false),
            (&plain, 100_000_000.0, false),
            (&plain, 100_000_001.0, true),
        ] {
            assert_eq!(hint(shape, solutions).is_some(), given, "{shape}, {solutions}");
        }
    }
}
