//! The prediction of `census plan` for larger machines, with the measured times.

use std::collections::BTreeSet;

use super::*;
use crate::cluster::Schedule;
use crate::report::plan::{Forecast, MAX_WORKERS, Plan, PlanOptions};
use crate::report::render::number::plural;

/// Numbers of ranks of the prediction, besides the measured ones.
const LARGER: [usize; 6] = [16, 64, 256, 1024, 2048, 4096];

/// Predicted lines and measured points; `None` without a complete trace.
pub fn figure(group: &Group, traces: &Traces) -> Option<Figure> {
    let (traced, run, trace) = traces.costs.as_ref()?;
    let threads = run.threads();
    // Only the schedule may differ from the traced run.
    let series: Vec<(&Series, Schedule)> = group
        .parallel()
        .filter(|series| series.variant[1..] == traced.variant[1..])
        .filter_map(|series| Some((series, Schedule::from_name(series.cases.first()?.runs.first()?.schedule())?)))
        .collect();
    let measured = series.iter().flat_map(|(series, _)| &series.cases).map(|case| case.workers / threads);
    let mut ranks: BTreeSet<usize> = measured.chain(LARGER).collect();
    ranks.retain(|ranks| (*ranks as u64).saturating_mul(threads as u64) <= MAX_WORKERS);
    let options = PlanOptions { ranks: ranks.iter().copied().collect(), threads, latency: None, request: None };
    let plan = Plan::new(&[(run.name.clone(), trace.clone())], &options).ok()?;
    let best = |schedule: Schedule, ranks: usize| -> Option<&Forecast> {
        let of = plan.forecasts.iter().filter(|forecast| forecast.schedule == schedule && forecast.ranks == ranks);
        of.min_by(|a, b| a.total.total_cmp(&b.total))
    };
    let measured = series.iter().flat_map(|(series, _)| series.cases.iter().map(|case| case.seconds.median));
    let predicted = plan.forecasts.iter().map(|forecast| forecast.total);
    let workers: BTreeSet<usize> = ranks.iter().map(|ranks| ranks * threads).collect();
    let name = if threads == 1 { "ranks" } else { "workers" };
    let mut plot =
        Plot::new(Axis::workers(&workers, name), Axis::log(measured.chain(predicted), "seconds", tick_duration));
    for (series, schedule) in &series {
        let points: Vec<(f64, f64)> =
            ranks.iter().filter_map(|&ranks| Some(((ranks * threads) as f64, best(*schedule, ranks)?.total))).collect();
        plot.line(&format!("predicted {}", class(series.style)), 0.0, &points);
        for case in &series.cases {
            plot.point(series.style, case.is_oversubscribed, 0.0, (case.workers as f64, case.seconds.median), None);
        }
    }
    let caption = caption(&series, &plan, threads, &best);
    Some(Figure::new("plan", &group.slug, "Prediction for larger machines", caption, plot.picture()))
}

/// The advice for 1,024 ranks, the time of `static` there, and the largest error of the prediction.
fn caption<'p>(
    series: &[(&Series, Schedule)],
    plan: &'p Plan,
    threads: usize,
    best: &dyn Fn(Schedule, usize) -> Option<&'p Forecast>,
) -> String {
    let mut text = String::new();
    if let Some(advice) = plan.advice.iter().find(|advice| advice.ranks == 1024)
        && let Some(forecast) = plan.forecasts.get(advice.forecast)
    {
        text = format!("On 1,024 ranks the predicted time of {} is {}", advice.schedule, duration(forecast.total));
        if let Some(plain) = best(Schedule::Static, 1024).filter(|_| advice.schedule != Schedule::Static) {
            text += &format!(", of static {}", duration(plain.total));
        }
        let set_up = percent((forecast.total - forecast.count) / forecast.total.max(1e-9));
        text += &format!("; expanding, distributing and reducing take {set_up} of it. ");
    }
    let errors = series.iter().flat_map(|(series, schedule)| {
        let cases = series.cases.iter().filter(|case| !case.is_oversubscribed);
        cases.filter_map(move |case| {
            let ranks = case.workers / threads;
            let error = best(*schedule, ranks)?.total / case.seconds.median.max(1e-9) - 1.0;
            Some((error, &series.label, plural(ranks, "rank", "ranks")))
        })
    });
    // Of equal errors, the first.
    let worst = errors.reduce(|worst, other| if other.0.abs() > worst.0.abs() { other } else { worst });
    if let Some((error, label, ranks)) = worst {
        let (by, how) = (percent(error.abs()), if error < 0.0 { "less" } else { "more" });
        text += &format!("Prediction and measurement differ by at most {by} ({label} on {ranks}, {how} predicted).");
    }
    text
}
