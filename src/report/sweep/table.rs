//! A sweep for eyes on a terminal: a table for each subject, and what to know before believing it.

use std::fmt::Write;

use crate::puzzle::input::source::printable;
use crate::report::render::terminal::aligned;

use super::analysis::{Analysis, Case, Group, Series};

/// The headings of [`row`].
pub const HEADINGS: [&str; 9] =
    ["schedule", "", "runs", "median s", "spread", "speed-up", "efficiency", "balance", "serial share"];

/// What is told of a case, the same on terminals and in papers.
pub fn row(subject: &Group, series: &Series, case: &Case) -> [String; 9] {
    let share = series.serial_share(case, subject.scaling);
    let balance = case.median_if(|run| case.balance(run)).filter(|_| !series.is_sequential);
    [
        series.label.clone(),
        case.workers.to_string(),
        case.seconds.runs.to_string(),
        seconds(case.seconds.median),
        format!("{:.0} %", case.seconds.spread() * 100.0),
        format!("{:.2}", series.speed_up(case)),
        format!("{:.2}", series.efficiency(case)),
        balance.map_or("-".into(), |balance| format!("{balance:.2}")),
        share.map_or("-".into(), |share| format!("{:.1} %", share * 100.0)),
    ]
}

/// The headings, with what is counted in the second column.
pub fn headings(study: &Analysis) -> [&'static str; 9] {
    let mut headings = HEADINGS;
    headings[1] = study.unit();
    headings
}

/// The sweep as text.
pub fn text(study: &Analysis, warnings: &[String]) -> String {
    let mut text = String::new();
    for subject in &study.subjects {
        let _ = writeln!(text, "{}", printable(&subject.title));
        let mut rows = vec![headings(study).map(String::from).to_vec()];
        rows.extend(subject.cases().map(|(series, case)| row(subject, series, case).to_vec()));
        text += &aligned(&rows);
        text.push('\n');
    }
    for warning in warnings {
        let _ = writeln!(text, "note: {warning}");
    }
    text
}

/// Seconds with three digits that matter, or to the millisecond.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 10.0 => format!("{s:.3}"),
        s if s < 100.0 => format!("{s:.2}"),
        s => format!("{s:.1}"),
    }
}
