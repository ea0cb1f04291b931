//! Where, when and by which program the runs were made.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::*;
use crate::report::sweep::{FailedRun, Sweep, frequencies};

type Property = (&'static str, fn(&Run) -> String);

const PROPERTIES: [Property; 14] = [
    ("census", |run| run.program().version.clone()),
    ("commit", |run| run.program().commit.clone()),
    ("sources", |run| run.program().sources.clone()),
    ("compiler", |run| run.program().rustc.clone()),
    ("build", |run| {
        let features = run.program().features.join(", ");
        format!("{}, features: {}", run.program().profile, if features.is_empty() { "none" } else { &features })
    }),
    ("MPI library", |run| or_none(&run.environment().mpi_library)),
    ("launcher", |run| or_none(&run.environment().launcher)),
    ("thread level", |run| or_none(&run.environment().thread_level)),
    ("clock resolution", |run| format!("{:.0} ns", run.environment().wtime_resolution * 1e9)),
    ("hosts", |run| {
        let hosts = run.environment().hosts.iter();
        hosts.map(|host| host.name.as_str()).collect::<Vec<&str>>().join(", ")
    }),
    ("processor", |run| {
        let hosts = run.environment().hosts.iter();
        let models: BTreeSet<&str> = hosts.map(|host| host.cpu.as_deref().unwrap_or("unknown")).collect();
        models.into_iter().collect::<Vec<&str>>().join("; ")
    }),
    ("cores available to ranks", |run| run.cores().to_string()),
    ("batch job", |run| or_none(&run.environment().job)),
    ("day", |run| run.report.provenance.started.get(..10).unwrap_or_default().to_owned()),
];

fn or_none(value: &Option<String>) -> String {
    value.as_deref().unwrap_or("none").into()
}

pub fn section(analysis: &Analysis) -> String {
    let Sweep { runs: all, failures, settings, .. } = analysis.sweep;
    let mut text = String::from("<section id=\"environment\"><h2>Environment</h2>\n<dl>");
    for (name, value) in PROPERTIES {
        let _ = write!(text, "<dt>{name}</dt>");
        for (value, runs) in frequencies(all, |run| Some(value(run))) {
            let count = format!(" <small>({runs} of {} runs)</small>", all.len());
            let some = if runs == all.len() { "" } else { &count };
            let _ = write!(text, "<dd>{}{some}</dd>", escaped(&value));
        }
    }
    text += "</dl>\n";
    if !failures.is_empty() {
        let item = |run: &FailedRun| format!("<li><code>{}</code>: {}</li>", escaped(&run.name), escaped(&run.why));
        let items: String = failures.iter().map(item).collect();
        let _ = writeln!(text, "<h3>Failed runs</h3><ul>{items}</ul>");
    }
    if let Some(settings) = settings {
        text += "<h3>Sweep file</h3><p><code>scripts/sweep FILE</code> repeats the sweep.</p>";
        let _ = writeln!(text, "<pre>{}</pre>", escaped(settings));
    }
    text + "</section>\n"
}
