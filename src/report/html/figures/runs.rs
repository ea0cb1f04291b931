//! The table of all runs, with filters and the command that repeats each.

use std::fmt::Write;

use super::*;

/// The heading, the name of the filter if there is one, and of a run the text and the number by which it is sorted.
type Column = (&'static str, Option<&'static str>, fn(&Group, &Series, &Run) -> (String, Option<f64>));

const COLUMNS: [Column; 14] = [
    ("run", None, |_, _, run| (run.name.clone(), None)),
    ("puzzle", Some("puzzle"), |_, _, run| (run.stem().into(), None)),
    ("counted by", Some("series"), |_, series, _| (series.label.clone(), None)),
    ("ranks", Some("ranks"), |_, _, run| (run.ranks().to_string(), Some(run.ranks() as f64))),
    ("threads", None, |_, _, run| (run.threads().to_string(), Some(run.threads() as f64))),
    ("units", None, |_, _, run| (grouped(run.report.pool.units), Some(run.report.pool.units as f64))),
    ("seconds", None, |_, _, run| (format!("{:.4}", run.seconds()), Some(run.seconds()))),
    ("speed-up", None, |_, series, run| number(series.speed_up_of(run))),
    ("efficiency", None, |_, series, run| number(series.speed_up_of(run) / run.workers() as f64)),
    ("balance", None, |_, _, run| number(run.report.efficiency.load_balance)),
    ("balance, nodes", None, |_, _, run| number(run.report.efficiency.load_balance_nodes)),
    ("communication", None, |_, _, run| number(run.report.efficiency.communication)),
    ("nodes/s", None, |_, _, run| {
        let rate = run.report.efficiency.nodes_per_second;
        (grouped(format!("{rate:.0}")), Some(rate))
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
    text += &COLUMNS.iter().enumerate().map(|(index, column)| filter_box(analysis, index, column)).collect::<String>();
    let all = analysis.sweep.runs.len();
    let _ = writeln!(text, "<output id=\"shown\">{all} of {all} runs</output></div>");
    let mut rows = String::new();
    for (group, series, run) in analysis.runs() {
        let cells = COLUMNS.map(|(_, _, value)| {
            let (text, number) = value(group, series, run);
            cell(&text, number)
        });
        let (name, cells, command) = (escaped(&run.name), cells.concat(), escaped(&run.command));
        let _ = writeln!(
            rows,
            r#"<tr data-run="{name}" tabindex="-1">{cells}<td><details><summary>show</summary><code>{command}</code></details></td></tr>"#
        );
    }
    let headings = COLUMNS.map(|(heading, ..)| heading);
    text += &sortable_table("All runs", "scroll tall", &headings, r#"<th scope="col">command</th>"#, &rows);
    text + "</section>\n"
}

fn filter_box(analysis: &Analysis, index: usize, (heading, filter, value): &Column) -> String {
    let Some(name) = filter else { return String::new() };
    let mut values: Vec<(String, Option<f64>)> = Vec::new();
    for (group, series, run) in analysis.runs() {
        let value = value(group, series, run);
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values.sort_by(|(a, x), (b, y)| x.unwrap_or(0.0).total_cmp(&y.unwrap_or(0.0)).then_with(|| a.cmp(b)));
    let options: String = values.iter().map(|(value, _)| format!("<option>{}</option>", escaped(value))).collect();
    format!(
        r#"<label>{heading} <select data-column="{name}" data-index="{index}"><option value="">all</option>{options}</select></label>"#
    )
}
