//! `census check`: whether grids are free of conflicts.

use std::fmt::Write;

use super::streams::print_stdout;
use super::{Exit, Outcome};
use crate::cli::CheckArgs;
use crate::puzzle::formats;
use crate::puzzle::input::source;

pub(super) fn run(args: &CheckArgs) -> Outcome {
    let text = source::load(&args.file, args.read.options())?;
    let grids = formats::read(&text)?;
    let mut exit = Exit::Done;
    let mut lines = String::new();
    for parsed in &grids {
        let prefix = if grids.len() > 1 { format!("{}:{}: ", text.name, parsed.line()) } else { String::new() };
        let conflicts = parsed.puzzle.conflicts();
        for conflict in &conflicts {
            let _ = writeln!(lines, "{prefix}{conflict}");
        }
        let grid = &parsed.puzzle.givens;
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
    print_stdout(&lines)?;
    Ok(exit)
}
