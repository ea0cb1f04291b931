//! The phases of the runs, stacked, for each number of workers and each series.

use std::collections::BTreeMap;

use super::*;

/// Name, class and seconds of each phase, in the order of the stack.
type Phase = (&'static str, &'static str, fn(&Run) -> f64);
const PHASES: [Phase; 5] = [
    ("expand", "ph-expand", |run| run.report.phases.expand),
    ("distribute", "ph-distribute", |run| run.report.phases.distribute),
    ("count", "ph-count", |run| run.busy_and_wait().0),
    ("wait", "ph-wait", |run| run.busy_and_wait().1),
    ("reduce", "ph-reduce", |run| run.report.phases.reduce),
];

fn shares(run: &Run) -> [f64; PHASES.len()] {
    let seconds = PHASES.map(|(_, _, of)| of(run));
    let total = seconds.iter().sum::<f64>().max(run.seconds()).max(1e-9);
    seconds.map(|seconds| seconds / total)
}

/// A bar for the median run of each case with a core for each worker; without such a case, of every case.
pub fn figure(analysis: &Analysis, group: &Group) -> Figure {
    let proper = group.cases().any(|(_, case)| !case.is_oversubscribed);
    let mut columns: BTreeMap<usize, Vec<(&Series, &Case)>> = BTreeMap::new();
    for (series, case) in group.cases().filter(|(_, case)| !(proper && case.is_oversubscribed)) {
        columns.entry(case.workers).or_default().push((series, case));
    }
    // The numbers of workers stand below the bars instead of ticks.
    let mut x = Axis::linear(0.0, 1.0, analysis.unit(), tick_percent);
    x.ticks.clear();
    let mut plot = Plot::new(x, Axis::linear(0.0, 1.0, "share of the time", tick_percent));
    let (left, bottom) = (plot.x_of(0.0), plot.y_of(0.0));
    let width = (plot.x_of(1.0) - left) / columns.len().max(1) as f64;
    for (column, (number, cases)) in columns.iter().enumerate() {
        let start = left + width * column as f64 + width * 0.08;
        let bar = width * 0.84 / cases.len().max(1) as f64;
        for (index, (series, case)) in cases.iter().enumerate() {
            let x = start + bar * index as f64;
            let (from, to) = (x + bar * 0.06, x + bar * 0.94);
            let mut below = 0.0;
            for ((_, class, _), share) in PHASES.iter().zip(shares(case.middle_run())) {
                plot.bar(&format!("{class} s{}", series.style), (from, to), (below, below + share));
                below += share;
            }
            plot.rectangle(&format!("mark {}", class(series.style)), (from, to), (bottom + 2.0, bottom + 7.0));
        }
        plot.text(start + width * 0.42, bottom + 20.0, "mid", &number.to_string());
    }
    let caption = caption(analysis, group);
    let keys = PHASES.iter().map(|(name, class, _)| (*class, *name)).collect();
    Figure { keys, ..Figure::new("phases", &group.slug, "Where the time goes", caption, plot.picture()) }
}

fn caption(analysis: &Analysis, group: &Group) -> String {
    let cases = largest(group);
    let overhead = |(_, case): (&Series, &Case)| {
        let [expand, distribute, _, _, reduce] = shares(case.middle_run());
        expand + distribute + reduce
    };
    let Some((_, most)) = extremes(&cases, overhead) else { return String::new() };
    let other = match overhead(most) {
        share if share < 0.01 => "less than 1 %".to_owned(),
        share => format!("up to {} ({})", percent(share), most.0.label),
    };
    let on = analysis.workers(most.1.workers);
    let waits = contrast(&cases, |(_, case)| shares(case.middle_run())[3]);
    format!(
        "On {on}, the share of the time in which the mean rank waits: {waits}. Expanding, distributing and reducing take {other}."
    )
}
