//! A sweep for papers: the classic table of seconds and speed-up over workers, then every case, in Markdown.

use std::fmt::Write;

use super::Scaling;
use super::analysis::{Analysis, Case, Group, Series};
use super::table::{headings, row, seconds};
use super::warnings::plural;

/// The sweep as Markdown.
pub fn text(study: &Analysis, warnings: &[String]) -> String {
    let mut text = format!("# {}\n\n", escaped(&study.sweep.name));
    let _ = writeln!(text, "{}\n", escaped(&provenance(study)));
    for warning in warnings {
        let _ = writeln!(text, "> {}\n", escaped(warning));
    }
    for scaling in [Scaling::Strong, Scaling::Weak] {
        let subjects: Vec<&Group> = study.subjects.iter().filter(|subject| subject.scaling == scaling).collect();
        if !subjects.is_empty() {
            classic(&mut text, study, &subjects, scaling);
        }
    }
    let _ = writeln!(text, "## Every case\n");
    for subject in &study.subjects {
        let _ = writeln!(text, "### {}\n", escaped(&subject.title));
        let headings = headings(study).map(String::from);
        table_head(&mut text, &headings, 1);
        for (series, case) in subject.cases() {
            let cells = row(subject, series, case).map(|cell| escaped(&cell));
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
        text.push('\n');
    }
    text += "Spread: from the fastest to the slowest repeat, as a share of the median. Balance: mean over largest busy time of the \
             ranks; in nodes, and for `static` and `cyclic` only, where there are more workers than cores. Serial share: of Karp and Flatt, in weak scaling of Gustafson.\n";
    text
}

/// Seconds, and in brackets the speed-up, for each way of counting and number of workers.
fn classic(text: &mut String, study: &Analysis, subjects: &[&Group], scaling: Scaling) {
    let mut workers: Vec<usize> = subjects.iter().flat_map(|subject| subject.workers()).collect();
    workers.sort_unstable();
    workers.dedup();
    let title = match scaling {
        Scaling::Strong => "Sequential against parallel",
        Scaling::Weak => "Work that grows with the workers",
    };
    let _ = writeln!(text, "## {title}\n\nMedian seconds, and in brackets the speed-up over {}.\n", bases(subjects));
    let mut heads = vec!["puzzle".to_owned(), "schedule".into()];
    heads.extend(workers.iter().map(|workers| study.workers(*workers)));
    table_head(text, &heads, 2);
    for subject in subjects {
        for series in &subject.series {
            let cell = |workers: &usize| {
                let case = series.cases.iter().find(|case| case.workers == *workers);
                case.map_or(String::new(), |case| told(series, case))
            };
            let cells: Vec<String> = workers.iter().map(cell).collect();
            let _ =
                writeln!(text, "| {} | {} | {} |", escaped(&subject.title), escaped(&series.label), cells.join(" | "));
        }
    }
    text.push('\n');
}

fn told(series: &Series, case: &Case) -> String {
    let speed_up = if series.is_sequential { String::new() } else { format!(" ({:.2})", series.speed_up(case)) };
    seconds(case.seconds.median) + &speed_up
}

/// What the speed-ups are over.
fn bases(subjects: &[&Group]) -> String {
    let mut bases: Vec<&str> = Vec::new();
    for series in subjects.iter().flat_map(|subject| &subject.series) {
        if !bases.contains(&series.base.what.as_str()) {
            bases.push(&series.base.what);
        }
    }
    bases.join(" or ")
}

/// Where and with what the runs were made, in a sentence.
pub fn provenance(study: &Analysis) -> String {
    let Some(run) = study.sweep.runs.first() else { return String::new() };
    let (program, environment) = (&run.report.provenance.program, &run.report.provenance.environment);
    let cpu = environment.hosts.first().and_then(|host| host.cpu.as_deref()).unwrap_or("a processor without a name");
    let cores = study.sweep.runs.iter().map(|run| run.cores()).max().unwrap_or(1);
    let first = study.sweep.runs.iter().map(|run| run.report.provenance.started.as_str()).min().unwrap_or_default();
    format!(
        "{} runs of census {} ({}), from {} on, on {} of {cpu}.",
        study.sweep.runs.len(),
        program.version,
        program.commit,
        first.split('.').next().unwrap_or(first).replace('T', " "),
        plural(cores, "core", "cores"),
    )
}

/// The head of a table whose first columns are words and whose others are numbers.
fn table_head(text: &mut String, headings: &[String], words: usize) {
    let rule = |index: usize| if index < words { "---" } else { "---:" };
    let rules: Vec<&str> = (0..headings.len()).map(rule).collect();
    let _ = writeln!(text, "| {} |\n|{}|", headings.join(" | "), rules.join("|"));
}

/// Text that Markdown leaves alone.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\`*_{}[]<>#|".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
