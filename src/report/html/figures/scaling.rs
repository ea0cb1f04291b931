//! Time, speed-up, efficiency and the three efficiencies of POP against workers.

use std::iter;

use super::*;

/// A plot of a share from 0 to 1: its name, title and meaning, and the share of a run, if it has one.
type Share = (&'static str, &'static str, &'static str, fn(&Case, &Run) -> Option<f64>);

const POP: [Share; 3] = [
    ("load-balance", "Load balance", "the work of the mean rank over that of the busiest", |case, run| {
        case.balance(run)
    }),
    (
        "communication",
        "Communication efficiency",
        "the share of the count phase in which the busiest rank counts",
        |case, run| if_cores(case, run.report.efficiency.communication),
    ),
    ("parallel", "Parallel efficiency", "the share of the count phase in which the mean rank counts", |case, run| {
        if_cores(case, run.report.efficiency.parallel)
    }),
];

/// Busy seconds are meaningful only with a core for each worker.
fn if_cores(case: &Case, share: f64) -> Option<f64> {
    (!case.is_oversubscribed).then_some(share)
}

pub fn pop_figures(analysis: &Analysis, group: &Group) -> Vec<Figure> {
    let parallel = group.parallel().next().map(|_| POP.map(|share| pop_figure(analysis, group, share)));
    parallel.into_iter().flatten().collect()
}

fn pop_figure(analysis: &Analysis, group: &Group, (name, title, meaning, of): Share) -> Figure {
    let mut plot = Plot::new(axis(analysis, group), Axis::linear(0.0, 1.04, &title.to_lowercase(), tick));
    let of_case = |case: &Case| case.median_if(|run| of(case, run));
    draw(&mut plot, group, |_, case, run| of(case, run), |_, case| of_case(case));
    let known: Vec<(&Series, &Case)> = largest(group).into_iter().filter(|(_, case)| of_case(case).is_some()).collect();
    let caption = match known.first() {
        None => "Not available: there were more workers than cores.".into(),
        Some((_, case)) => {
            let shares = contrast(&known, |(_, case)| of_case(case).unwrap_or(0.0));
            format!("On {}, {meaning}: {shares}.", analysis.workers(case.workers))
        }
    };
    Figure::new(name, &group.slug, title, caption, plot.picture())
}

/// The horizontal shift of the points of a series, so that series do not cover each other.
pub fn shift(group: &Group, index: usize) -> f64 {
    (index as f64 - (group.series.len() as f64 - 1.0) / 2.0) * 3.0
}

fn axis(analysis: &Analysis, group: &Group) -> Axis {
    let name = if analysis.has_threads { "workers (ranks × threads)" } else { "ranks" };
    Axis::workers(&group.workers(), name)
}

/// All runs as points, a line through the medians, and the range of the repeats, without runs and cases that have no value.
fn draw(
    plot: &mut Plot,
    group: &Group,
    of_run: impl Fn(&Series, &Case, &Run) -> Option<f64>,
    of_case: impl Fn(&Series, &Case) -> Option<f64>,
) {
    for (index, series) in group.series.iter().enumerate() {
        let point = |case: &Case| Some((case.workers as f64, of_case(series, case)?));
        let points: Vec<(f64, f64)> = series.cases.iter().filter_map(point).collect();
        plot.line(&class(series.style), shift(group, index), &points);
    }
    for (index, series) in group.series.iter().enumerate() {
        let shift = shift(group, index);
        for case in &series.cases {
            let x = case.workers as f64;
            let value = |run: &&Run| Some((run.name.clone(), of_run(series, case, run)?));
            let values: Vec<(String, f64)> = case.runs.iter().filter_map(value).collect();
            let numbers = || values.iter().map(|(_, y)| *y);
            if let Some((low, high)) = numbers().reduce(f64::min).zip(numbers().reduce(f64::max)) {
                plot.spread(series.style, shift, x, low, high);
            }
            for (run, y) in &values {
                plot.point(series.style, case.is_oversubscribed, shift, (x, *y), Some(run));
            }
        }
    }
}

fn workers(group: &Group) -> Vec<f64> {
    group.workers().into_iter().map(|workers| workers as f64).collect()
}

/// The most cores of any run, if there is a run with more workers than cores.
fn cores(group: &Group) -> Option<f64> {
    let most = group.cases().flat_map(|(_, case)| &case.runs).map(|run| run.cores()).max();
    most.filter(|_| group.cases().any(|(_, case)| case.is_oversubscribed)).map(|cores| cores as f64)
}

pub fn time(analysis: &Analysis, group: &Group) -> Figure {
    // No ideal is drawn if series have different bases.
    let mut bases = group.series.iter().map(|series| &series.base);
    let base = bases.next().filter(|first| bases.all(|base| base == *first));
    let cores = cores(group).unwrap_or(f64::INFINITY);
    // More workers than cores are no faster than the cores.
    let ideal = |base: &Base, workers: f64| match group.scaling {
        Scaling::Strong => base.seconds * base.workers as f64 / workers.min(cores),
        Scaling::Weak => base.seconds * (workers / cores).max(1.0),
    };
    let ideal: Vec<(f64, f64)> =
        workers(group).into_iter().filter_map(|workers| Some((workers, ideal(base?, workers)))).collect();
    let runs = group.cases().flat_map(|(_, case)| case.runs.iter().map(|run| run.seconds().max(1e-6)));
    let numbers = runs.chain(ideal.iter().map(|(_, seconds)| *seconds));
    let mut plot = Plot::new(axis(analysis, group), Axis::log(numbers, "seconds", tick_duration));
    plot.line("ideal", 0.0, &ideal);
    draw(&mut plot, group, |_, _, run| Some(run.seconds().max(1e-6)), |_, case| Some(case.seconds.median.max(1e-6)));
    Figure::new("time", &group.slug, "Time", time_caption(analysis, group), plot.picture())
}

fn time_caption(analysis: &Analysis, group: &Group) -> String {
    let cases = largest(group);
    let Some(((series, case), slow)) = extremes(&cases, |(_, case)| case.seconds.median) else { return String::new() };
    let (label, most, seconds) = (&series.label, analysis.workers(case.workers), case.seconds.median);
    let takes = duration(seconds);
    let mut text = match group.scaling {
        Scaling::Strong => {
            let (base, seconds) = (&series.base.what, duration(series.base.seconds));
            format!("On {most}, {label} takes {takes}, where {base} takes {seconds}")
        }
        Scaling::Weak => format!("With the same work for each, {most} take {takes} ({label})"),
    };
    if slow.0.label != *label {
        let slowest = slow.1.seconds.median / seconds.max(1e-9);
        text += &format!("; {} takes {slowest:.2} times as long as {label}", slow.0.label);
    }
    // The shortest time may be on fewer workers.
    let all: Vec<(&Series, &Case)> = group.cases().collect();
    if let Some(((series, case), _)) = extremes(&all, |(_, case)| case.seconds.median)
        && group.scaling == Scaling::Strong
        && case.seconds.median < 0.95 * seconds
    {
        let (shortest, on) = (duration(case.seconds.median), analysis.workers(case.workers));
        text += &format!(". The shortest time is {shortest} by {} on {on}", series.label);
    }
    text + "."
}

pub fn speed_up(analysis: &Analysis, group: &Group) -> Figure {
    let numbers = group.cases().flat_map(|(series, case)| {
        let runs = case.runs.iter().map(|run| series.speed_up_of(run));
        runs.chain([case.workers as f64])
    });
    let mut plot = Plot::new(axis(analysis, group), Axis::log(numbers, "speed-up", tick));
    let all = workers(group);
    plot.line("ideal", 0.0, &all.iter().map(|&workers| (workers, workers)).collect::<Vec<_>>());
    if let Some(cores) = cores(group) {
        plot.line("limit", 0.0, &[(cores.max(all[0]), cores), (all[all.len() - 1], cores)]);
    }
    draw(&mut plot, group, |series, _, run| Some(series.speed_up_of(run)), |series, case| Some(series.speed_up(case)));
    Figure::new("speedup", &group.slug, "Speed-up", speed_up_caption(analysis, group), plot.picture())
}

fn speed_up_caption(analysis: &Analysis, group: &Group) -> String {
    let mut cases: Vec<(&Series, &Case)> = group.parallel_cases().collect();
    let Some((_, (series, best))) = extremes(&cases, |(series, case)| series.speed_up(case)) else {
        return "There are only sequential runs.".into();
    };
    let (speed_up, label, on) = (series.speed_up(best), &series.label, analysis.workers(best.workers));
    let workers = best.workers as f64;
    let share = match cores(group) {
        Some(cores) if workers > cores => format!("{} of what {cores:.0} cores allow", percent(speed_up / cores)),
        _ => format!("{} of the ideal", percent(speed_up / workers)),
    };
    let mut text = format!("The highest is {speed_up:.2}, by {label} on {on}, over {}: {share}", series.base.what);
    cases.retain(|(_, case)| case.workers == best.workers);
    if let Some(((series, case), _)) = extremes(&cases, |(series, case)| series.speed_up(case))
        && series.label != *label
    {
        text += &format!("; {} reaches {:.2} there", series.label, series.speed_up(case));
    }
    text + "."
}

pub fn efficiency(analysis: &Analysis, group: &Group) -> Figure {
    let of_run = |series: &Series, case: &Case, run: &Run| series.speed_up_of(run) / case.workers as f64;
    let most = group.cases().flat_map(|(series, case)| case.runs.iter().map(move |run| of_run(series, case, run)));
    let high = most.fold(1.0_f64, f64::max).min(4.0) * 1.06;
    let mut plot = Plot::new(axis(analysis, group), Axis::linear(0.0, high, "efficiency", tick));
    let all = workers(group);
    plot.line("ideal", 0.0, &all.iter().map(|&workers| (workers, 1.0)).collect::<Vec<_>>());
    if let Some(cores) = cores(group) {
        let beyond = all.into_iter().filter(|&workers| workers > cores);
        let points: Vec<(f64, f64)> =
            iter::once(cores).chain(beyond).map(|workers| (workers, cores / workers)).collect();
        plot.line("limit", 0.0, &points);
    }
    let efficiency = |series: &Series, case: &Case| Some(series.efficiency(case));
    draw(&mut plot, group, |series, case, run| Some(of_run(series, case, run)), efficiency);
    Figure::new("efficiency", &group.slug, "Efficiency", efficiency_caption(analysis, group), plot.picture())
}

fn efficiency_caption(analysis: &Analysis, group: &Group) -> String {
    if group.parallel().next().is_none() {
        return "There are only sequential runs.".into();
    }
    let mut cases: Vec<(&Series, &Case)> = group.parallel_cases().filter(|(_, case)| !case.is_oversubscribed).collect();
    let Some(most) = cases.iter().map(|(_, case)| case.workers).max() else {
        return "Every run had more workers than cores: efficiency does not predict larger machines.".into();
    };
    cases.retain(|(_, case)| case.workers == most);
    let beyond = if cores(group).is_some() { ", the most with a core for each" } else { "" };
    let efficiencies = contrast(&cases, |(series, case)| series.efficiency(case));
    format!("On {}{beyond}: {efficiencies}.", analysis.workers(most))
}
