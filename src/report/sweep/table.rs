//! A sweep for terminals: a table for each group, and the warnings.

use std::fmt::Write;

use crate::puzzle::input::source::printable;
use crate::report::render::number::column_seconds;
use crate::report::render::table::{Column, Table};

use super::analysis::{Analysis, Case, Group, Series};
use super::warnings::Warning;

/// A row for each case, on terminals and in papers.
pub fn table(analysis: &Analysis, group: &Group) -> Table {
    let columns: [Column<(&Group, &Series, &Case)>; 9] = [
        ("schedule", |(_, series, _)| series.label.clone()),
        (analysis.unit(), |(_, _, case)| case.workers.to_string()),
        ("runs", |(_, _, case)| case.seconds.runs.to_string()),
        ("median s", |(_, _, case)| column_seconds(case.seconds.median)),
        ("spread", |(_, _, case)| format!("{:.0} %", case.seconds.spread() * 100.0)),
        ("speed-up", |(_, series, case)| format!("{:.2}", series.speed_up(case))),
        ("efficiency", |(_, series, case)| format!("{:.2}", series.efficiency(case))),
        ("balance", |(_, series, case)| {
            let balance = case.median_if(|run| case.balance(run)).filter(|_| !series.is_sequential);
            balance.map_or("-".into(), |balance| format!("{balance:.2}"))
        }),
        ("serial share", |(group, series, case)| {
            let share = series.serial_share(case, group.scaling);
            share.map_or("-".into(), |share| format!("{:.1} %", share * 100.0))
        }),
    ];
    Table::new(&columns, 1, group.cases().map(|(series, case)| (group, series, case)))
}

pub fn text(analysis: &Analysis, warnings: &[Warning]) -> String {
    let mut text = String::new();
    for group in &analysis.groups {
        let _ = writeln!(text, "{}\n{}", printable(&group.title), table(analysis, group).aligned());
    }
    for warning in warnings {
        let _ = writeln!(text, "note: {warning}");
    }
    text
}
