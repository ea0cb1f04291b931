//! The serial share of each speed-up, and Amdahl's law.

use std::collections::BTreeSet;

use super::scaling::shift;
use super::*;
use crate::report::render::number::factor;
use crate::report::sweep::scaling::Amdahl;

/// The serial share at each number of workers; `None` without cases that have a core for each of several workers.
pub fn figure(analysis: &Analysis, group: &Group) -> Option<Figure> {
    let shares: Vec<(&Series, Vec<(f64, f64)>)> = group
        .parallel()
        .map(|series| {
            let share = |case: &Case| Some((case.workers as f64, series.serial_share(case, group.scaling)?));
            (series, series.cases.iter().filter_map(share).collect::<Vec<(f64, f64)>>())
        })
        .filter(|(_, points)| !points.is_empty())
        .collect();
    if shares.is_empty() {
        return None;
    }
    let points = || shares.iter().flat_map(|(_, points)| points);
    let low = points().map(|(_, share)| *share).fold(0.0, f64::min).max(-1.0);
    let high = points().map(|(_, share)| *share).fold(0.01, f64::max).min(1.5) * 1.15;
    let workers: BTreeSet<usize> = points().map(|(workers, _)| *workers as usize).collect();
    let x = Axis::workers(&workers, analysis.unit());
    let mut plot = Plot::new(x, Axis::linear(low * 1.1, high, "serial share", tick_percent));
    for (index, (series, points)) in shares.iter().enumerate() {
        plot.line(&class(series.style), shift(group, index), points);
        for &point in points {
            plot.point(series.style, false, shift(group, index), point, None);
        }
    }
    let title = match group.scaling {
        Scaling::Strong => "Serial share (Karp–Flatt)",
        Scaling::Weak => "Serial share (Gustafson)",
    };
    Some(Figure::new("serial", &group.slug, title, caption(analysis, group, &shares), plot.picture()))
}

/// Whether the share grows (overhead or imbalance) or is constant (a serial part), and Amdahl's law with its limit.
fn caption(analysis: &Analysis, group: &Group, shares: &[(&Series, Vec<(f64, f64)>)]) -> String {
    let mut parts = Vec::new();
    let ordered: Vec<&(&Series, Vec<(f64, f64)>)> = shares.iter().collect();
    if let Some((least, most)) = extremes(&ordered, |(_, points)| points.last().map_or(0.0, |(_, share)| *share)) {
        for (series, points) in if least.0.label == most.0.label { vec![most] } else { vec![most, least] } {
            let ends = points.first().zip(points.last());
            parts.extend(ends.map(|(&first, &last)| sentence(analysis, series, first, last)));
        }
    }
    let laws: Vec<(&Series, Amdahl)> = group.parallel().filter_map(|series| Some((series, series.law?))).collect();
    if let Some(((series, law), _)) = extremes(&laws, |(_, law)| law.serial_share()) {
        let share = law.serial_share();
        let limit = match share < 1e-4 {
            true => "no limit in sight".to_owned(),
            false => {
                format!("no number of workers would make it more than {} times as fast as one", factor(1.0 / share))
            }
        };
        let points = if law.points == 2 { " (through two points only, so unreliable)" } else { "" };
        let (label, share) = (&series.label, percent(share));
        parts.push(format!("Amdahl's law fits {label} with a serial share of {share}{points}: {limit}."));
    }
    parts.join(" ")
}

fn sentence(analysis: &Analysis, series: &Series, first: (f64, f64), last: (f64, f64)) -> String {
    let text = |(workers, share): (f64, f64)| format!("{} on {}", percent(share), analysis.workers(workers as usize));
    let (label, start, end) = (&series.label, text(first), text(last));
    let is_trend = last.0 > first.0 && series.base.workers == 1;
    match (is_trend, last.1 - first.1) {
        _ if last.1 < 0.0 => format!("With {label} it is {end}, below 0: the base was slowed down, or this is noise."),
        _ if last.1 > 1.0 => format!("With {label} it is {end}: slower than the base."),
        (true, change) if change > 0.01 => {
            format!("With {label} it grows from {start} to {end}: overhead or imbalance rather than a serial part.")
        }
        (true, change) if change < -0.01 => {
            format!("With {label} it falls from {start} to {end}: the overhead does not grow with the workers.")
        }
        (true, _) => format!("With {label} it is constant up to {end}: a serial part."),
        (false, _) => format!("With {label} it is {end}."),
    }
}
