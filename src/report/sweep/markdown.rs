//! A sweep for papers: seconds and speed-up by puzzle, schedule and workers, then every case.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::report::render::markdown::{escaped, table};
use crate::report::render::number::{column_seconds, plural};

use super::Scaling;
use super::analysis::{Analysis, Case, Group, Series};
use super::table::rows;
use super::warnings::Warning;

/// The sweep as Markdown.
pub fn text(analysis: &Analysis, warnings: &[Warning]) -> String {
    let mut text = format!("# {}\n\n{}\n\n", escaped(&analysis.sweep.name), escaped(&provenance(analysis)));
    for warning in warnings {
        let _ = writeln!(text, "> {}\n", escaped(&warning.to_string()));
    }
    for (scaling, title) in [(Scaling::Strong, "Sequential against parallel"), (Scaling::Weak, "Weak scaling")] {
        let groups: Vec<&Group> = analysis.groups.iter().filter(|group| group.scaling == scaling).collect();
        if !groups.is_empty() {
            let _ = writeln!(
                text,
                "## {title}\n\nMedian seconds, and in brackets the speed-up over {}.\n\n{}",
                bases(&groups),
                overview(analysis, &groups)
            );
        }
    }
    text += "## Every case\n\n";
    for group in &analysis.groups {
        let _ = writeln!(text, "### {}\n\n{}", escaped(&group.title), table(&rows(analysis, group), 1));
    }
    text += "Spread: difference between the slowest and the fastest repeat, as a share of the median. Balance: mean over largest busy time of \
             the ranks; with more workers than cores, in nodes, and for `static` and `cyclic` only. Serial share: by Karp and Flatt, \
             in weak scaling by Gustafson.\n";
    text
}

/// Seconds and speed-up for each series and number of workers.
fn overview(analysis: &Analysis, groups: &[&Group]) -> String {
    let workers: BTreeSet<usize> = groups.iter().flat_map(|group| group.workers()).collect();
    let mut rows = vec![vec!["puzzle".to_owned(), "schedule".into()]];
    rows[0].extend(workers.iter().map(|workers| analysis.workers(*workers)));
    for group in groups {
        for series in &group.series {
            let mut row = vec![group.title.clone(), series.label.clone()];
            row.extend(
                workers.iter().map(|&workers| series.case(workers).map_or(String::new(), |case| cell(series, case))),
            );
            rows.push(row);
        }
    }
    table(&rows, 2)
}

fn cell(series: &Series, case: &Case) -> String {
    let speed_up = if series.is_sequential { String::new() } else { format!(" ({:.2})", series.speed_up(case)) };
    column_seconds(case.seconds.median) + &speed_up
}

/// The bases of the speed-ups.
fn bases(groups: &[&Group]) -> String {
    let mut bases: Vec<&str> = Vec::new();
    for series in groups.iter().flat_map(|group| &group.series) {
        if !bases.contains(&series.base.what.as_str()) {
            bases.push(&series.base.what);
        }
    }
    bases.join(" or ")
}

/// When, where and by which version the runs were made, in a sentence.
pub fn provenance(analysis: &Analysis) -> String {
    let Some(run) = analysis.sweep.runs.first() else { return String::new() };
    let program = &run.report.provenance.program;
    let cpu = run.environment().hosts.first().and_then(|host| host.cpu.as_deref()).unwrap_or("an unknown processor");
    let cores = analysis.sweep.runs.iter().map(|run| run.cores()).max().unwrap_or(1);
    let first = analysis.sweep.runs.iter().map(|run| run.report.provenance.started.as_str()).min().unwrap_or_default();
    format!(
        "{} runs of census {} ({}), from {} on, on {} of {cpu}.",
        analysis.sweep.runs.len(),
        program.version,
        program.commit,
        first.split('.').next().unwrap_or(first).replace('T', " "),
        plural(cores, "core", "cores"),
    )
}
