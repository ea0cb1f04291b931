//! Every run, to sort and to filter, each with the command that makes it again.

use std::fmt::Write;

use crate::report::render::terminal::grouped;
use crate::report::sweep::Run;
use crate::report::sweep::analysis::{Analysis, Group, Series};

use crate::report::html::figure::escaped;

/// A column: its heading, its name in filters if it has one, and what it says of a run, with what it is sorted by if that is
/// a number.
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

/// The table with its filters.
pub fn table(study: &Analysis) -> String {
    let mut text = String::from("<section id=\"all-runs\"><h2>All runs</h2>\n<div class=\"filters\">");
    text += "<label>Find <input id=\"filter\" type=\"search\" autocomplete=\"off\"></label>";
    for (index, (heading, filter, cell)) in COLUMNS.iter().enumerate() {
        if let Some(name) = filter {
            filter_box(&mut text, study, index, heading, name, cell);
        }
    }
    let all = study.sweep.runs.len();
    let _ = writeln!(text, "<output id=\"shown\">{all} of {all} runs</output></div>");
    text += "<div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"All runs\"><table id=\"runs\"><thead><tr>";
    for (heading, _, _) in COLUMNS {
        let _ = write!(text, "<th scope=\"col\" aria-sort=\"none\"><button type=\"button\">{heading}</button></th>");
    }
    text += "<th scope=\"col\">command</th></tr></thead><tbody>\n";
    for subject in &study.subjects {
        for (series, case) in subject.cases() {
            for run in &case.runs {
                row(&mut text, subject, series, run);
            }
        }
    }
    text + "</tbody></table></div></section>\n"
}

fn row(text: &mut String, subject: &Group, series: &Series, run: &Run) {
    let _ = write!(text, "<tr data-run=\"{}\" tabindex=\"-1\">", escaped(&run.name));
    for (_, _, cell) in COLUMNS {
        let _ = match cell(subject, series, run) {
            (told, Some(number)) => write!(text, "<td class=\"number\" data-n=\"{number:.6}\">{told}</td>"),
            (told, None) => write!(text, "<td>{}</td>", escaped(&told)),
        };
    }
    let command = escaped(&run.command);
    let _ = writeln!(text, "<td><details><summary>show</summary><code>{command}</code></details></td></tr>");
}

fn filter_box(
    text: &mut String,
    study: &Analysis,
    index: usize,
    heading: &str,
    name: &str,
    cell: &fn(&Group, &Series, &Run) -> (String, Option<f64>),
) {
    let mut values: Vec<(String, Option<f64>)> = Vec::new();
    for subject in &study.subjects {
        for (series, case) in subject.cases() {
            let value = cell(subject, series, case.runs[0]);
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
