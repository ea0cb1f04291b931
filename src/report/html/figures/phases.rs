//! Where the time goes: the phases of the runs, stacked, for each number of workers and each way of counting.

use crate::report::sweep::Run;
use crate::report::sweep::analysis::{Analysis, Case, Group, Series};

use crate::report::html::figure::Figure;
use crate::report::html::plot::{Axis, Plot, percent};
use crate::report::html::text::{extremes, largest, share};

/// The phases in the order in which they are stacked, each with its class and what it is of a run.
type Phase = (&'static str, &'static str, fn(&Run) -> f64);
const PHASES: [Phase; 5] = [
    ("expand", "ph-expand", |run| run.report.phases.expand),
    ("distribute", "ph-distribute", |run| run.report.phases.distribute),
    ("count", "ph-count", |run| run.busy_and_wait().0),
    ("wait", "ph-wait", |run| run.busy_and_wait().1),
    ("reduce", "ph-reduce", |run| run.report.phases.reduce),
];

/// The shares of a run's time.
fn parts(run: &Run) -> [f64; PHASES.len()] {
    let parts = PHASES.map(|(_, _, of)| of(run));
    let sum: f64 = parts.iter().sum();
    let whole = sum.max(run.seconds()).max(1e-9);
    parts.map(|part| part / whole)
}

/// Stacked bars: one for each case that had a core for each worker, if there is any, by the run in its middle.
pub fn figure(study: &Analysis, subject: &Group) -> Figure {
    let proper = subject.cases().any(|(_, case)| !case.is_oversubscribed);
    let shown = |case: &Case| !(proper && case.is_oversubscribed);
    let mut groups = subject.workers();
    groups.retain(|workers| subject.cases().any(|(_, case)| case.workers == *workers && shown(case)));
    let mut plot = Plot::new(
        Axis::linear(0.0, 1.0, study.unit(), percent).without_ticks(),
        Axis::linear(0.0, 1.0, "share of the time", percent),
    );
    let (left, right) = plot.sides();
    let width = (right - left) / groups.len().max(1) as f64;
    let bottom = plot.bottom();
    for (place, &number) in groups.iter().enumerate() {
        let cases: Vec<(&Series, &Case)> =
            subject.cases().filter(|(_, case)| case.workers == number && shown(case)).collect();
        let start = left + width * place as f64 + width * 0.08;
        let bar = width * 0.84 / cases.len().max(1) as f64;
        for (index, (series, case)) in cases.iter().enumerate() {
            let x = start + bar * index as f64;
            let (from, to) = (x + bar * 0.06, x + bar * 0.94);
            let mut below = 0.0;
            for ((_, class, _), part) in PHASES.iter().zip(parts(case.middle_run())) {
                plot.bar(&format!("{class} s{}", series.style), (from, to), (below, below + part));
                below += part;
            }
            plot.strip(series.style, (from, to), (bottom + 2.0, bottom + 7.0));
        }
        plot.word(start + width * 0.42, bottom + 20.0, "mid", &number.to_string());
    }
    let sentence = words(study, subject);
    let figure = Figure::new("phases", &subject.slug, "Where the time goes", sentence, plot.picture());
    figure.with_keys(PHASES.iter().map(|(name, class, _)| (*class, *name)).collect())
}

fn words(study: &Analysis, subject: &Group) -> String {
    let cases = largest(subject);
    let waiting = |(_, case): (&Series, &Case)| parts(case.middle_run())[3];
    let Some((least, most)) = extremes(&cases, waiting) else { return String::new() };
    let on = study.workers(most.1.workers);
    // What is neither counting nor waiting, where it is most.
    let set_up = |(_, case): (&Series, &Case)| {
        let parts = parts(case.middle_run());
        parts[0] + parts[1] + parts[4]
    };
    let Some((_, heavy)) = extremes(&cases, set_up) else { return String::new() };
    let other = match set_up(heavy) {
        share_ if share_ < 0.01 => "expanding, distributing and reducing take less than 1 %".to_owned(),
        share_ => format!("expanding, distributing and reducing take up to {} ({})", share(share_), heavy.0.label),
    };
    let waits = if least.0.label == most.0.label {
        format!("ranks wait for {} of the time", share(waiting(most)))
    } else {
        format!(
            "ranks wait for {} of the time with {}, for {} with {}",
            share(waiting(most)),
            most.0.label,
            share(waiting(least)),
            least.0.label
        )
    };
    format!("On {on}, {waits}; {other}.")
}
