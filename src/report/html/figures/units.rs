//! What units cost: a histogram, on a logarithmic axis, of units and of the work in them.

use crate::report::render::terminal::grouped;
use crate::report::sweep::analysis::{Analysis, Group};
use crate::report::sweep::stats::quantile;

use super::traces::Traces;
use crate::report::html::figure::Figure;
use crate::report::html::plot::{Axis, Plot, percent, seconds};
use crate::report::html::text::{share, span};

/// The histogram; nothing without a trace of all units.
pub fn figure(study: &Analysis, subject: &Group, traces: &Traces) -> Option<Figure> {
    let (series, run, trace) = traces.costs.as_ref()?;
    let costs = trace.unit_costs().ok()?;
    // A clock that ticks in nanoseconds may see no time pass.
    let costs: Vec<f64> = costs.into_iter().map(|cost| cost.max(1e-9)).collect();
    if costs.is_empty() {
        return None;
    }
    let work: f64 = costs.iter().sum();
    let x = Axis::log(costs.iter().copied(), "seconds of a unit", seconds);
    let (low, high) = x.ends();
    let bins = 24;
    let bin = |cost: f64| (((cost / low).ln() / (high / low).ln() * bins as f64) as usize).min(bins - 1);
    let (mut units_in, mut work_in) = (vec![0.0; bins], vec![0.0; bins]);
    for &cost in &costs {
        units_in[bin(cost)] += 1.0 / costs.len() as f64;
        work_in[bin(cost)] += cost / work;
    }
    let most = units_in.iter().chain(&work_in).copied().fold(0.01, f64::max);
    let mut plot = Plot::new(x, Axis::linear(0.0, most * 1.08, "share", percent));
    for index in 0..bins {
        let at = |place: f64| low * (high / low).powf(place / bins as f64);
        let (left, right) = (plot.x_of(at(index as f64)), plot.x_of(at(index as f64 + 1.0)));
        let middle = f64::midpoint(left, right);
        plot.bar("units", (left + 0.8, middle), (0.0, units_in[index]));
        plot.bar("work", (middle, right - 0.8), (0.0, work_in[index]));
    }
    let sentence = words(study, &series.label, run.workers(), &costs, work);
    let figure = Figure::new("units", &subject.slug, "What units cost", sentence, plot.picture());
    Some(figure.with_keys(vec![("units", "share of the units"), ("work", "share of the work")]))
}

fn words(study: &Analysis, label: &str, recorded_on: usize, costs: &[f64], work: f64) -> String {
    let mut sorted = costs.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let tenth: f64 = sorted.iter().take(sorted.len().div_ceil(10)).sum();
    let longest = sorted.first().copied().unwrap_or(0.0);
    // One unit is counted by one worker, unless it is cut: on more workers than this, the longest alone decides.
    let limit = match (work / longest.max(1e-9)).floor() {
        1.0 => "1 worker".to_owned(),
        workers => format!("{} workers", grouped(&format!("{workers:.0}"))),
    };
    format!(
        "{} units (recorded with {label} on {}), the middle one {}, the longest {}; the largest tenth holds {} of the work. Without cutting \
         units, no schedule could use more than {limit} fully.",
        grouped(&costs.len().to_string()),
        study.workers(recorded_on),
        span(quantile(costs, 0.5).unwrap_or(0.0)),
        span(longest),
        share(tenth / work)
    )
}
