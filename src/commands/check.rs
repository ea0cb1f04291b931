//! `census check`: is a grid free of conflicts?

use std::fmt::Write;

use crate::cli::CheckArgs;

use super::{Exit, Outcome, answer, read};

pub(super) fn run(args: &CheckArgs) -> Outcome {
    let (text, readings) = read(&args.file, args.read.options())?;
    let mut exit = Exit::Done;
    let mut lines = String::new();
    for reading in &readings {
        let line = reading.positions.first().map_or(1, |position| position.line);
        let prefix = if readings.len() > 1 { format!("{}:{line}: ", text.name) } else { String::new() };
        let conflicts = reading.puzzle.conflicts();
        for conflict in &conflicts {
            let _ = writeln!(lines, "{prefix}{conflict}");
        }
        let grid = &reading.puzzle.givens;
        let cells = grid.values().len();
        let _ = match conflicts.len() {
            0 if grid.is_full() => writeln!(lines, "{prefix}a solution: all {cells} cells filled, no conflict"),
            0 => writeln!(lines, "{prefix}no conflict: {} of {cells} cells filled", grid.filled()),
            1 => writeln!(lines, "{prefix}1 conflict"),
            several => writeln!(lines, "{prefix}{several} conflicts"),
        };
        if !conflicts.is_empty() {
            exit = Exit::No;
        }
    }
    answer(&lines)?;
    Ok(exit)
}
