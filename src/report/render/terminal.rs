//! Text for terminals: the heading and the answer of a count, and its ranks.

use std::env;
use std::io::{self, IsTerminal};

use crate::puzzle::Puzzle;
use crate::report::run::{CountOutcome, RankReport};

use super::number::{column_seconds, duration, grouped, plural};
use super::table::{Column, Table};

pub fn heading(name: &str, puzzle: &Puzzle, ranks: usize, threads: usize) -> String {
    let (order, givens) = (puzzle.shape.order(), plural(puzzle.givens.filled(), "given", "givens"));
    let (ranks, threads) = (plural(ranks, "rank", "ranks"), plural(threads, "thread", "threads"));
    format!("counting {name} ({order}×{order}, {}, {givens}) on {ranks} of {threads}\n", puzzle.shape)
}

pub fn answer(outcome: CountOutcome, seconds: f64) -> String {
    let number = grouped(outcome.solutions);
    let noun = if number == "1" { "solution" } else { "solutions" };
    let at_least = if outcome.complete { "" } else { "at least " };
    // NO_COLOR: see no-color.org.
    let is_styled = io::stderr().is_terminal() && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let (bold, end) = if is_styled { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    format!("{bold}{at_least}{number} {noun} in {}{end}\n", duration(seconds))
}

pub fn rank_table(ranks: &[RankReport]) -> String {
    let mut columns: Vec<Column<&RankReport>> = vec![
        ("rank", |rank| rank.rank.to_string()),
        ("host", |rank| rank.host.clone()),
        ("units", |rank| rank.units.to_string()),
        ("subtasks", |rank| rank.subtasks.to_string()),
        ("solutions", |rank| grouped(rank.solutions)),
        ("nodes", |rank| grouped(rank.nodes)),
        ("busy", |rank| column_seconds(rank.busy) + " s"),
        ("wait", |rank| column_seconds(rank.wait) + " s"),
    ];
    if ranks.iter().all(|rank| rank.subtasks == 0) {
        columns.retain(|(heading, _)| *heading != "subtasks");
    }
    Table::new(&columns, 0, ranks).aligned()
}
