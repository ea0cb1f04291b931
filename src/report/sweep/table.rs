//! A sweep for terminals: a table for each group, and the warnings.

use std::fmt::Write;

use crate::puzzle::input::source::printable;
use crate::report::render::number::column_seconds;
use crate::report::render::terminal::aligned;

use super::analysis::{Analysis, Case, Group, Series};
use super::warnings::Warning;

const COLUMNS: usize = 9;

/// The headings and a row for each case, on terminals and in papers.
pub fn rows(analysis: &Analysis, group: &Group) -> Vec<[String; COLUMNS]> {
    let headings = [
        "schedule",
        analysis.unit(),
        "runs",
        "median s",
        "spread",
        "speed-up",
        "efficiency",
        "balance",
        "serial share",
    ];
    let mut rows = vec![headings.map(String::from)];
    rows.extend(group.cases().map(|(series, case)| row(group, series, case)));
    rows
}

fn row(group: &Group, series: &Series, case: &Case) -> [String; COLUMNS] {
    let serial = series.serial_share(case, group.scaling);
    let balance = case.median_if(|run| case.balance(run)).filter(|_| !series.is_sequential);
    [
        series.label.clone(),
        case.workers.to_string(),
        case.seconds.runs.to_string(),
        column_seconds(case.seconds.median),
        format!("{:.0} %", case.seconds.spread() * 100.0),
        format!("{:.2}", series.speed_up(case)),
        format!("{:.2}", series.efficiency(case)),
        balance.map_or("-".into(), |balance| format!("{balance:.2}")),
        serial.map_or("-".into(), |share| format!("{:.1} %", share * 100.0)),
    ]
}

pub fn text(analysis: &Analysis, warnings: &[Warning]) -> String {
    let mut text = String::new();
    for group in &analysis.groups {
        let _ = writeln!(text, "{}\n{}", printable(&group.title), aligned(&rows(analysis, group), 1));
    }
    for warning in warnings {
        let _ = writeln!(text, "note: {warning}");
    }
    text
}
