//! What `census plan` foretells for larger machines, beside what was measured.

use crate::cluster::Schedule;
use crate::report::plan::{Forecast, MAX_WORKERS, Plan, Question};
use crate::report::sweep::analysis::{Group, Series};

use super::traces::Traces;
use crate::report::html::figure::Figure;
use crate::report::html::plot::{Axis, Plot, Stroke, seconds};
use crate::report::html::text::{share, span};

/// Numbers of ranks that it is foretold for, besides those that were measured.
const LARGER: [usize; 6] = [16, 64, 256, 1024, 2048, 4096];

/// Predicted lines and measured points; nothing without a trace of all units.
pub fn figure(subject: &Group, traces: &Traces) -> Option<Figure> {
    let (traced, run, trace) = traces.costs.as_ref()?;
    let threads = run.threads();
    // Predicted for ranks that count like those of the trace: only the schedule may differ.
    let series: Vec<(&Series, Schedule)> = subject
        .parallel()
        .filter(|series| series.way[1..] == traced.way[1..])
        .filter_map(|series| Some((series, schedule_of(series)?)))
        .collect();
    let mut ranks: Vec<usize> =
        series.iter().flat_map(|(series, _)| &series.cases).map(|case| case.workers / threads).collect();
    ranks.extend(LARGER);
    ranks.sort_unstable();
    ranks.dedup();
    ranks.retain(|ranks| (*ranks as u64).saturating_mul(threads as u64) <= MAX_WORKERS);
    let question = Question { ranks: ranks.clone(), threads, latency: None, request: None };
    let plan = Plan::new(&[(run.name.clone(), trace.clone())], &question).ok()?;
    let best = |schedule: Schedule, ranks: usize| -> Option<&Forecast> {
        let of = plan.forecasts.iter().filter(|forecast| forecast.schedule == schedule && forecast.ranks == ranks);
        of.min_by(|a, b| a.total.total_cmp(&b.total))
    };
    let measured = series.iter().flat_map(|(series, _)| series.cases.iter().map(|case| case.seconds.median));
    let foretold = plan.forecasts.iter().map(|forecast| forecast.total);
    let workers: Vec<usize> = ranks.iter().map(|ranks| ranks * threads).collect();
    let name = if threads == 1 { "ranks" } else { "workers" };
    let mut plot = Plot::new(Axis::workers(&workers, name), Axis::log(measured.chain(foretold), "seconds", seconds));
    for (series, schedule) in &series {
        let points: Vec<(f64, f64)> =
            ranks.iter().filter_map(|&ranks| Some(((ranks * threads) as f64, best(*schedule, ranks)?.total))).collect();
        plot.line(Stroke::Predicted(series.style), 0.0, &points);
        for case in &series.cases {
            plot.point(series.style, case.is_oversubscribed, 0.0, (case.workers as f64, case.seconds.median), None);
        }
    }
    let sentence = words(&series, &plan, threads, &best);
    Some(Figure::new("plan", &subject.slug, "Predicted for larger machines", sentence, plot.picture()))
}

fn schedule_of(series: &Series) -> Option<Schedule> {
    let asked = series.cases.first()?.runs.first()?.schedule();
    Schedule::from_name(asked)
}

/// What is advised on a thousand ranks, how long a static run would take there, and how far foretold and measured seconds are apart.
fn words<'p>(
    series: &[(&Series, Schedule)],
    plan: &'p Plan,
    threads: usize,
    best: &dyn Fn(Schedule, usize) -> Option<&'p Forecast>,
) -> String {
    let mut text = String::new();
    if let Some(advice) = plan.advice.iter().find(|advice| advice.ranks == 1024)
        && let Some(forecast) = plan.forecasts.get(advice.forecast)
    {
        text = format!("On 1,024 ranks {} is foretold to take {}", advice.schedule, span(forecast.total));
        if let Some(plain) = best(Schedule::Static, 1024).filter(|_| advice.schedule != Schedule::Static) {
            text += &format!(", static {}", span(plain.total));
        }
        text += &format!(
            "; setting up takes {} of it. ",
            share((forecast.total - forecast.count) / forecast.total.max(1e-9))
        );
    }
    let mut worst: Option<(f64, &str, usize)> = None;
    for (series, schedule) in series {
        for case in series.cases.iter().filter(|case| !case.is_oversubscribed) {
            if let Some(forecast) = best(*schedule, case.workers / threads) {
                let off = forecast.total / case.seconds.median.max(1e-9) - 1.0;
                if worst.is_none_or(|(most, _, _)| off.abs() > most.abs()) {
                    worst = Some((off, &series.label, case.workers / threads));
                }
            }
        }
    }
    if let Some((off, label, ranks)) = worst {
        let (by, how) = (share(off.abs()), if off < 0.0 { "less" } else { "more" });
        let ranks = if ranks == 1 { "1 rank".into() } else { format!("{ranks} ranks") };
        text += &format!(
            "Where it can be checked, foretold and measured are at most {by} apart ({label} on {ranks}, {how} foretold)."
        );
    }
    text
}
