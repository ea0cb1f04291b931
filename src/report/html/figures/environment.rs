//! Where, when and by which program the runs were made.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::report::render::html::escaped;
use crate::report::sweep::analysis::Analysis;
use crate::report::sweep::{Run, frequencies};

type Property = (&'static str, fn(&Run) -> String);

const PROPERTIES: [Property; 14] = [
    ("census", |run| run.program().version.clone()),
    ("commit", |run| run.program().commit.clone()),
    ("sources", |run| run.program().sources.clone()),
    ("compiler", |run| run.program().rustc.clone()),
    ("build", |run| {
        let program = run.program();
        format!(
            "{}, features: {}",
            program.profile,
            if program.features.is_empty() { "none".into() } else { program.features.join(", ") }
        )
    }),
    ("MPI library", |run| or_none(run.environment().mpi_library.as_ref())),
    ("launcher", |run| or_none(run.environment().launcher.as_ref())),
    ("thread level", |run| or_none(run.environment().thread_level.as_ref())),
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
    ("batch job", |run| or_none(run.environment().job.as_ref())),
    ("day", |run| run.report.provenance.started.get(..10).unwrap_or_default().to_owned()),
];

fn or_none(value: Option<&String>) -> String {
    value.map_or("none", String::as_str).into()
}

pub fn section(analysis: &Analysis) -> String {
    let mut text = String::from("<section id=\"environment\"><h2>Environment</h2>\n<dl>");
    let all = analysis.sweep.runs.len();
    for (name, value) in PROPERTIES {
        let _ = write!(text, "<dt>{name}</dt>");
        for (value, runs) in frequencies(&analysis.sweep.runs, |run| Some(value(run))) {
            let runs = if runs == all { String::new() } else { format!(" <small>({runs} of {all} runs)</small>") };
            let _ = write!(text, "<dd>{}{runs}</dd>", escaped(&value));
        }
    }
    text += "</dl>\n";
    if !analysis.sweep.failures.is_empty() {
        text += "<h3>Failed runs</h3><ul>";
        for failure in &analysis.sweep.failures {
            let _ = write!(text, "<li><code>{}</code>: {}</li>", escaped(&failure.name), escaped(&failure.why));
        }
        text += "</ul>\n";
    }
    if let Some(settings) = &analysis.sweep.settings {
        let _ = writeln!(
            text,
            "<h3>Sweep file</h3><p><code>scripts/sweep FILE</code> repeats the sweep.</p><pre>{}</pre>",
            escaped(settings)
        );
    }
    text + "</section>\n"
}
