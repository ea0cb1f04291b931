//! A histogram of the cost of units, by number and by work.

use super::*;
use crate::report::sweep::stats::median;

/// `None` without a complete trace.
pub fn figure(analysis: &Analysis, group: &Group, traces: &Traces) -> Option<Figure> {
    let (series, run, trace) = traces.costs.as_ref()?;
    let costs = trace.unit_costs().ok()?;
    // A unit may take less than the resolution of the clock.
    let costs: Vec<f64> = costs.into_iter().map(|cost| cost.max(1e-9)).collect();
    if costs.is_empty() {
        return None;
    }
    let work: f64 = costs.iter().sum();
    let x = Axis::log(costs.iter().copied(), "seconds of a unit", tick_duration);
    let (low, high) = (x.low, x.high);
    let bins = 24;
    let bin = |cost: f64| (((cost / low).ln() / (high / low).ln() * bins as f64) as usize).min(bins - 1);
    let (mut units_in, mut work_in) = (vec![0.0; bins], vec![0.0; bins]);
    for &cost in &costs {
        units_in[bin(cost)] += 1.0 / costs.len() as f64;
        work_in[bin(cost)] += cost / work;
    }
    let most = units_in.iter().chain(&work_in).copied().fold(0.01, f64::max);
    let mut plot = Plot::new(x, Axis::linear(0.0, most * 1.08, "share", tick_percent));
    for index in 0..bins {
        let at = |bin: f64| low * (high / low).powf(bin / bins as f64);
        let (left, right) = (plot.x_of(at(index as f64)), plot.x_of(at(index as f64 + 1.0)));
        let middle = f64::midpoint(left, right);
        plot.bar("units", (left + 0.8, middle), (0.0, units_in[index]));
        plot.bar("work", (middle, right - 0.8), (0.0, work_in[index]));
    }
    let caption = caption(analysis, &series.label, run.workers(), &costs, work);
    let keys = vec![("units", "share of the units"), ("work", "share of the work")];
    Some(Figure { keys, ..Figure::new("units", &group.slug, "Cost of units", caption, plot.picture()) })
}

fn caption(analysis: &Analysis, label: &str, recorded_on: usize, costs: &[f64], work: f64) -> String {
    let mut sorted = costs.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let tenth: f64 = sorted.iter().take(sorted.len().div_ceil(10)).sum();
    let longest = sorted.first().copied().unwrap_or(0.0);
    // Without splitting, the longest unit is a lower bound of the time.
    let limit = match (work / longest.max(1e-9)).floor() {
        1.0 => "1 worker".to_owned(),
        workers => format!("{} workers", grouped(format!("{workers:.0}"))),
    };
    let (units, on, median) = (grouped(costs.len()), analysis.workers(recorded_on), median(costs).unwrap_or(0.0));
    let (median, longest, tenth) = (duration(median), duration(longest), percent(tenth / work));
    format!(
        "{units} units (recorded with {label} on {on}), median {median}, longest {longest}; the longest tenth contains {tenth} of the \
         work. Without splitting units, no schedule can use more than {limit} fully."
    )
}
