//! The table of all runs, with filters and the command that repeats each.

use std::fmt::Write;

use crate::report::render::html::{escaped, number_cell, sortable_table};
use crate::report::render::number::grouped;
use crate::report::sweep::Run;
use crate::report::sweep::analysis::{Analysis, Group, Series};

/// The heading, the name of the filter if there is one, the text of a run and the number by which it is sorted.
type Column = (&'static str, Option<&'static str>, fn(&Group, &Series, &Run) -> (String, Option<f64>));

const COLUMNS: [Column; 14] = [
    ("run", None, |_, _, run| (run.name.clone(), None)),
    ("puzzle", Some("puzzle"), |_, _, run| (run.stem().into(), None)),
    ("counted by", Some("series"), |_, series, _| (series.label.clone(), None)),
    ("ranks", Some("ranks"), |_, _, run| (run.ranks().to_string(), Some(run.ranks() as f64))),
    ("threads", None, |_, _, run| (run.threads().to_string(), Some(run.threads() as f64))),
    ("units", None, |_, _, run| (grouped(&run.report.pool.units.to_string()), Some(run.report.pool.units as f64))),
    ("seconds", None, |_, _, run| (format!("{:.4}", run.seconds()), Some(run.seconds()))),
    ("speed-up", None, |_, series, run| number(series.speed_up_of(run))),
    ("efficiency", None, |_, series, run| number(series.speed_up_of(run) / run.workers() as f64)),
    ("balance", None, |_, _, run| number(run.report.efficiency.load_balance)),
    ("balance, nodes", None, |_, _, run| number(run.report.efficiency.load_balance_nodes)),
    ("communication", None, |_, _, run| number(run.report.efficiency.communication)),
    ("nodes/s", None, |_, _, run| {
        let rate = run.report.efficiency.nodes_per_second;
        (grouped(&format!("{rate:.0}")), Some(rate))
    }),
    ("started", None, |_, _, run| {
        let started = &run.report.provenance.started;
        (started.get(..19).unwrap_or(started).replace('T', " "), None)
    }),
];

fn number(number: f64) -> (String, Option<f64>) {
    (format!("{number:.3}"), Some(number))
}

pub fn table(analysis: &Analysis) -> String {
    let mut text = String::from("<section id=\"all-runs\"><h2>All runs</h2>\n<div class=\"filters\">");
    text += "<label>Find <input id=\"filter\" type=\"search\" autocomplete=\"off\"></label>";
    for (index, (heading, filter, cell)) in COLUMNS.iter().enumerate() {
        if let Some(name) = filter {
            filter_box(&mut text, analysis, index, heading, name, cell);
        }
    }
    let all = analysis.sweep.runs.len();
    let _ = writeln!(text, "<output id=\"shown\">{all} of {all} runs</output></div>");
    text += &sortable_table("All runs", "scroll tall", COLUMNS.iter().map(|(heading, _, _)| *heading));
    text += "<th scope=\"col\">command</th></tr></thead><tbody>\n";
    for group in &analysis.groups {
        for (series, case) in group.cases() {
            for run in &case.runs {
                row(&mut text, group, series, run);
            }
        }
    }
    text + "</tbody></table></div></section>\n"
}

fn row(text: &mut String, group: &Group, series: &Series, run: &Run) {
    let _ = write!(text, "<tr data-run=\"{}\" tabindex=\"-1\">", escaped(&run.name));
    for (_, _, cell) in COLUMNS {
        *text += &match cell(group, series, run) {
            (cell, Some(number)) => number_cell(number, &cell),
            (cell, None) => format!("<td>{}</td>", escaped(&cell)),
        };
    }
    let command = escaped(&run.command);
    let _ = writeln!(text, "<td><details><summary>show</summary><code>{command}</code></details></td></tr>");
}

fn filter_box(
    text: &mut String,
    analysis: &Analysis,
    index: usize,
    heading: &str,
    name: &str,
    cell: &fn(&Group, &Series, &Run) -> (String, Option<f64>),
) {
    let mut values: Vec<(String, Option<f64>)> = Vec::new();
    for group in &analysis.groups {
        for (series, case) in group.cases() {
            let value = cell(group, series, case.runs[0]);
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    values.sort_by(|(a, x), (b, y)| x.unwrap_or(0.0).total_cmp(&y.unwrap_or(0.0)).then_with(|| a.cmp(b)));
    let _ = write!(
        text,
        "<label>{heading} <select data-column=\"{name}\" data-index=\"{index}\"><option value=\"\">all</option>"
    );
    for (value, _) in values {
        let _ = write!(text, "<option>{}</option>", escaped(&value));
    }
    *text += "</select></label>";
}
