//! A sweep for papers: seconds and speed-up by puzzle, schedule and workers, then every case.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::report::render::number::{column_seconds, plural};
use crate::report::render::table::{Table, escaped_markdown as escaped};

use super::analysis::{Analysis, Group};
use super::table::table;
use super::warnings::Warning;
use super::{Run, Scaling};

pub fn text(analysis: &Analysis, warnings: &[Warning]) -> String {
    let mut text = format!("# {}\n\n{}\n\n", escaped(&analysis.sweep.name), escaped(&provenance(analysis)));
    for warning in warnings {
        let _ = writeln!(text, "> {}\n", escaped(&warning.to_string()));
    }
    for (scaling, title) in [(Scaling::Strong, "Sequential against parallel"), (Scaling::Weak, "Weak scaling")] {
        let groups: Vec<&Group> = analysis.groups.iter().filter(|group| group.scaling == scaling).collect();
        if !groups.is_empty() {
            let (bases, table) = (bases(&groups), overview(analysis, &groups).markdown());
            let _ =
                writeln!(text, "## {title}\n\nMedian seconds, and in brackets the speed-up over {bases}.\n\n{table}");
        }
    }
    text += "## Every case\n\n";
    for group in &analysis.groups {
        let _ = writeln!(text, "### {}\n\n{}", escaped(&group.title), table(analysis, group).markdown());
    }
    text += "Spread: difference between the slowest and the fastest repeat, as a share of the median. Balance: mean over largest busy time of \
             the ranks; with more workers than cores, in nodes, and for `static` and `cyclic` only. Serial share: by Karp and Flatt, \
             in weak scaling by Gustafson.\n";
    text
}

fn overview(analysis: &Analysis, groups: &[&Group]) -> Table {
    let workers: BTreeSet<usize> = groups.iter().flat_map(|group| group.workers()).collect();
    let mut rows = vec![vec!["puzzle".to_owned(), "schedule".into()]];
    rows[0].extend(workers.iter().map(|workers| analysis.workers(*workers)));
    for group in groups {
        rows.extend(group.series.iter().map(|series| {
            let cells = workers.iter().map(|&workers| {
                let Some(case) = series.case(workers) else { return String::new() };
                let seconds = column_seconds(case.seconds.median);
                if series.is_sequential { seconds } else { format!("{seconds} ({:.2})", series.speed_up(case)) }
            });
            [group.title.clone(), series.label.clone()].into_iter().chain(cells).collect()
        }));
    }
    Table { rows, text_columns: 2 }
}

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
    let runs = &analysis.sweep.runs;
    let Some(run) = runs.first() else { return String::new() };
    let (version, commit) = (&run.program().version, &run.program().commit);
    let cpu = run.environment().hosts.first().and_then(|host| host.cpu.as_deref()).unwrap_or("an unknown processor");
    let cores = plural(runs.iter().map(Run::cores).max().unwrap_or(1), "core", "cores");
    let first = runs.iter().map(|run| run.report.provenance.started.as_str()).min().unwrap_or_default();
    let first = first.split('.').next().unwrap_or(first).replace('T', " ");
    format!("{} runs of census {version} ({commit}), from {first} on, on {cores} of {cpu}.", runs.len())
}
