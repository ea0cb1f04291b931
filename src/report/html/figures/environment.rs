//! Where, when and with what the runs were made, in full.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::report::sweep::Run;
use crate::report::sweep::analysis::Analysis;

use crate::report::html::figure::escaped;

type Fact = (&'static str, fn(&Run) -> String);

const FACTS: [Fact; 14] = [
    ("census", |run| run.report.provenance.program.version.clone()),
    ("commit", |run| run.report.provenance.program.commit.clone()),
    ("sources", |run| run.report.provenance.program.sources.clone()),
    ("compiler", |run| run.report.provenance.program.rustc.clone()),
    ("build", |run| {
        let program = &run.report.provenance.program;
        format!(
            "{}, features: {}",
            program.profile,
            if program.features.is_empty() { "none".into() } else { program.features.join(", ") }
        )
    }),
    ("MPI library", |run| run.report.provenance.environment.mpi_library.clone().unwrap_or_else(|| "none".into())),
    ("launcher", |run| run.report.provenance.environment.launcher.clone().unwrap_or_else(|| "none".into())),
    ("thread level", |run| run.report.provenance.environment.thread_level.clone().unwrap_or_else(|| "none".into())),
    ("clock resolution", |run| format!("{:.0} ns", run.report.provenance.environment.wtime_resolution * 1e9)),
    ("hosts", |run| {
        let hosts = run.report.provenance.environment.hosts.iter();
        hosts.map(|host| host.name.as_str()).collect::<Vec<&str>>().join(", ")
    }),
    ("processor", |run| {
        let hosts = run.report.provenance.environment.hosts.iter();
        let mut kinds: Vec<String> = hosts.map(|host| host.cpu.clone().unwrap_or_else(|| "unknown".into())).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds.join("; ")
    }),
    ("cores that ranks might use", |run| run.cores().to_string()),
    ("batch job", |run| run.report.provenance.environment.job.clone().unwrap_or_else(|| "none".into())),
    ("day", |run| run.report.provenance.started.get(..10).unwrap_or_default().to_owned()),
];

/// The section.
pub fn section(study: &Analysis) -> String {
    let mut text = String::from("<section id=\"environment\"><h2>Environment</h2>\n<dl>");
    let all = study.sweep.runs.len();
    for (name, fact) in FACTS {
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        for run in &study.sweep.runs {
            *found.entry(fact(run)).or_default() += 1;
        }
        let _ = write!(text, "<dt>{name}</dt>");
        for (fact, runs) in found {
            let runs = if runs == all { String::new() } else { format!(" <small>({runs} of {all} runs)</small>") };
            let _ = write!(text, "<dd>{}{runs}</dd>", escaped(&fact));
        }
    }
    text += "</dl>\n";
    if !study.sweep.failures.is_empty() {
        text += "<h3>Runs that failed</h3><ul>";
        for failure in &study.sweep.failures {
            let _ = write!(text, "<li><code>{}</code>: {}</li>", escaped(&failure.name), escaped(&failure.why));
        }
        text += "</ul>\n";
    }
    if let Some(settings) = &study.sweep.settings {
        let _ = writeln!(
            text,
            "<h3>The sweep</h3><p>This is its sweep file; <code>scripts/sweep FILE</code> makes it again.</p><pre>{}</pre>",
            escaped(settings)
        );
    }
    text + "</section>\n"
}
