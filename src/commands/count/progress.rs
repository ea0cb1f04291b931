//! Watches a count: shows how far it is, and says once if there is a better way.

use crate::cli::{CountArgs, When};
use crate::cluster::Progress;
use crate::count::{MethodChoice, MethodName, bands};
use crate::puzzle::{Puzzle, Shape};
use crate::report::render::progress::{Meter, Show};

use crate::commands::note;

/// What to say to whoever searches where there is a better way.
const HINT: &str = "hint: `census count --method bands` counts any plain 9×9 in seconds\n";
/// From so many solutions on, a search takes longer than bands ever does.
const MANY: f64 = 1e8;

/// The hint to whoever searches a puzzle of this shape with so many solutions, where there is a better way.
pub(in crate::commands) fn hint(shape: &Shape, solutions: f64) -> Option<&'static str> {
    (bands::applies(shape) && solutions > MANY).then_some(HINT)
}

/// The meter that these options ask for.
pub(in crate::commands) fn meter(progress: When, quiet: bool, launched: bool) -> Meter {
    let show = match progress {
        When::Off => Show::Off,
        When::On => Show::Often,
        When::Auto if quiet => Show::Off,
        When::Auto => Show::Sparse,
    };
    Meter::new(show, launched)
}

/// Watches all counts of a run.
pub(in crate::commands) struct Watcher {
    /// Shows how far a count is.
    pub meter: Meter,
    /// Whether the hint may still be given.
    hint_due: bool,
}

impl Watcher {
    /// A watcher for a run with these options.
    pub(in crate::commands) fn new(args: &CountArgs, launched: bool) -> Watcher {
        let searches = args.method == MethodChoice::Fixed(MethodName::Search);
        Watcher { meter: meter(args.progress, args.quiet, launched), hint_due: searches && !args.quiet }
    }

    /// Sees how far the count of a puzzle is.
    pub(in crate::commands) fn see(&mut self, puzzle: &Puzzle, progress: &Progress) {
        if let Some(hint) = self.hint_once(&puzzle.shape, progress.solutions) {
            self.meter.clear();
            note(hint);
        }
        self.meter.show(progress);
    }

    /// Sees that the count of a puzzle has been stopped before its end: a search of which nobody knows how long it would have
    /// taken.
    pub(in crate::commands) fn see_stopped(&mut self, puzzle: &Puzzle) {
        if bands::applies(&puzzle.shape) && self.hint_due {
            self.hint_due = false;
            note(HINT);
        }
    }

    fn hint_once(&mut self, shape: &Shape, solutions: u128) -> Option<&'static str> {
        let hint = hint(shape, solutions as f64).filter(|_| self.hint_due)?;
        self.hint_due = false;
        Some(hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use crate::puzzle::{Extras, Regions};
    use clap::Parser;

    fn watcher(options: &[&str]) -> Watcher {
        let cli = Cli::try_parse_from(["census", "count", "-"].iter().chain(options)).expect("options of count");
        let Command::Count(args) = cli.command else { panic!("this is count") };
        Watcher::new(&args, true)
    }

    fn plain() -> Shape {
        Shape::usual(9).expect("9×9 is a shape")
    }

    #[test]
    fn the_hint_is_given_once_a_run_when_a_search_passes_a_hundred_million() {
        for options in [&[][..], &["--method", "search"], &["--progress", "off"]] {
            let mut watcher = watcher(options);
            assert_eq!(watcher.hint_once(&plain(), 100_000_000), None);
            assert!(watcher.hint_once(&plain(), 100_000_001).is_some());
            assert_eq!(watcher.hint_once(&plain(), u128::MAX), None);
        }
    }

    #[test]
    fn no_hint_is_given_to_who_wants_quiet_or_chose_another_method() {
        for options in [&["--quiet"][..], &["--method", "bands"], &["--method", "auto"]] {
            assert_eq!(watcher(options).hint_once(&plain(), u128::MAX), None, "{options:?}");
        }
    }

    #[test]
    fn no_hint_is_given_where_bands_does_not_apply() {
        let hyper = Shape::new(9, Regions::usual(9), Extras { hyper: true, diagonals: false }).expect("a shape");
        let mut watcher = watcher(&[]);
        assert_eq!(watcher.hint_once(&hyper, u128::MAX), None);
        assert_eq!(watcher.hint_once(&Shape::usual(16).expect("a shape"), u128::MAX), None);
        assert!(watcher.hint_once(&plain(), u128::MAX).is_some(), "another puzzle of the run may need it");
    }
}
