//! What becomes of a count on more workers: time, speed-up and efficiency, and the three efficiencies of POP.

use crate::report::sweep::analysis::{Analysis, Base, Case, Group, Series};
use crate::report::sweep::{Run, Scaling};

use crate::report::html::figure::Figure;
use crate::report::html::plot::{Axis, Plot, Stroke, ratio, seconds};
use crate::report::html::text::{extremes, largest, share, span};

/// Time, speed-up and efficiency against workers.
pub fn figures(study: &Analysis, subject: &Group) -> Vec<Figure> {
    vec![time(study, subject), speed_up(study, subject), efficiency(study, subject)]
}

/// Load balance, communication and parallel efficiency against workers.
pub fn pop_figures(study: &Analysis, subject: &Group) -> Vec<Figure> {
    if subject.parallel().next().is_none() {
        return Vec::new();
    }
    vec![
        shares(study, subject, "load-balance", "Load balance", |case, run| case.balance(run), balance_words),
        shares(
            study,
            subject,
            "communication",
            "Communication efficiency",
            |case, run| proper(case, run.report.efficiency.communication),
            communication_words,
        ),
        shares(
            study,
            subject,
            "parallel",
            "Parallel efficiency",
            |case, run| proper(case, run.report.efficiency.parallel),
            parallel_words,
        ),
    ]
}

/// What is of seconds in which ranks were busy: without a core of its own, a rank is busy for longer than it works.
fn proper(case: &Case, share: f64) -> Option<f64> {
    (!case.is_oversubscribed).then_some(share)
}

/// How far the points of a series stand aside, so that those of others can be seen.
pub(in crate::report::html) fn shift(subject: &Group, index: usize) -> f64 {
    (index as f64 - (subject.series.len() as f64 - 1.0) / 2.0) * 3.0
}

fn axis(study: &Analysis, subject: &Group) -> Axis {
    let name = if study.has_threads { "workers (ranks × threads)" } else { "ranks" };
    Axis::workers(&subject.workers(), name)
}

/// All runs as points, a line through the medians, and the spread of the repeats; without those of which nothing can be told.
fn draw(
    plot: &mut Plot,
    subject: &Group,
    of: impl Fn(&Series, &Case, &Run) -> Option<f64>,
    of_case: impl Fn(&Series, &Case) -> Option<f64>,
) {
    for (index, series) in subject.series.iter().enumerate() {
        let point = |case: &Case| Some((case.workers as f64, of_case(series, case)?));
        let points: Vec<(f64, f64)> = series.cases.iter().filter_map(point).collect();
        plot.line(Stroke::Series(series.style), shift(subject, index), &points);
    }
    for (index, series) in subject.series.iter().enumerate() {
        let shift = shift(subject, index);
        for case in &series.cases {
            let x = case.workers as f64;
            let values = case.runs.iter().filter_map(|run| of(series, case, run));
            let (low, high) =
                values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
            if low <= high {
                plot.spread(series.style, shift, x, low, high);
            }
            for run in &case.runs {
                if let Some(y) = of(series, case, run) {
                    plot.point(series.style, case.is_oversubscribed, shift, (x, y), Some(&run.name));
                }
            }
        }
    }
}

/// The most cores that any run had: what is beyond them cannot be had here.
fn cores(subject: &Group) -> Option<f64> {
    if !subject.cases().any(|(_, case)| case.is_oversubscribed) {
        return None;
    }
    let runs = subject.cases().flat_map(|(_, case)| &case.runs);
    runs.map(|run| run.cores()).max().map(|cores| cores as f64)
}

fn time(study: &Analysis, subject: &Group) -> Figure {
    // Several methods or depths have several ideals: then none is drawn.
    let mut bases = subject.series.iter().map(|series| &series.base);
    let base = bases.next().filter(|first| bases.all(|base| base == *first));
    let cores = cores(subject).unwrap_or(f64::INFINITY);
    // More workers than cores cannot be faster than the cores are.
    let ideal = |base: &Base, workers: f64| match subject.scaling {
        Scaling::Strong => base.seconds * base.workers as f64 / workers.min(cores),
        Scaling::Weak => base.seconds * (workers / cores).max(1.0),
    };
    let workers = subject.workers().into_iter().map(|workers| workers as f64);
    let ideal: Vec<(f64, f64)> = workers.filter_map(|workers| Some((workers, ideal(base?, workers)))).collect();
    let runs = subject.cases().flat_map(|(_, case)| case.runs.iter().map(|run| run.seconds().max(1e-6)));
    let numbers = runs.chain(ideal.iter().map(|(_, seconds)| *seconds));
    let mut plot = Plot::new(axis(study, subject), Axis::log(numbers, "seconds", seconds));
    plot.line(Stroke::Ideal, 0.0, &ideal);
    draw(&mut plot, subject, |_, _, run| Some(run.seconds().max(1e-6)), |_, case| Some(case.seconds.median.max(1e-6)));
    Figure::new("time", &subject.slug, "Time", time_words(study, subject), plot.picture())
}

fn time_words(study: &Analysis, subject: &Group) -> String {
    let cases = largest(subject);
    let Some((fast, slow)) = extremes(&cases, |(_, case)| case.seconds.median) else { return String::new() };
    let (seconds, most) = (fast.1.seconds.median, study.workers(fast.1.workers));
    let mut text = match subject.scaling {
        Scaling::Strong => {
            let base = &fast.0.base;
            format!(
                "On {most}, {} takes {}, where {} takes {}",
                fast.0.label,
                span(seconds),
                base.what,
                span(base.seconds)
            )
        }
        Scaling::Weak => format!("With the same work for each, {most} take {} ({})", span(seconds), fast.0.label),
    };
    let slowest = slow.1.seconds.median / seconds.max(1e-9);
    if slow.0.label != fast.0.label {
        text += &format!("; {} takes {slowest:.2} times as long as {}", slow.0.label, fast.0.label);
    }
    // The best may be on fewer.
    let all: Vec<(&Series, &Case)> = subject.cases().collect();
    if let Some((best, _)) = extremes(&all, |(_, case)| case.seconds.median)
        && subject.scaling == Scaling::Strong
        && best.1.seconds.median < 0.95 * seconds
    {
        text += &format!(
            ". The shortest of all is {} by {} on {}",
            span(best.1.seconds.median),
            best.0.label,
            study.workers(best.1.workers)
        );
    }
    text + "."
}

fn speed_up(study: &Analysis, subject: &Group) -> Figure {
    let numbers = subject.cases().flat_map(|(series, case)| {
        let runs = case.runs.iter().map(|run| series.speed_up_of(run));
        runs.chain([case.workers as f64])
    });
    let mut plot = Plot::new(axis(study, subject), Axis::log(numbers, "speed-up", ratio));
    let all: Vec<f64> = subject.workers().into_iter().map(|workers| workers as f64).collect();
    plot.line(Stroke::Ideal, 0.0, &all.iter().map(|&workers| (workers, workers)).collect::<Vec<_>>());
    if let Some(cores) = cores(subject)
        && let (Some(first), Some(last)) = (all.first(), all.last())
    {
        plot.line(Stroke::Limit, 0.0, &[(cores.max(*first), cores), (*last, cores)]);
    }
    draw(
        &mut plot,
        subject,
        |series, _, run| Some(series.speed_up_of(run)),
        |series, case| Some(series.speed_up(case)),
    );
    let sentence = speed_up_words(study, subject);
    Figure::new("speedup", &subject.slug, "Speed-up", sentence, plot.picture())
}

fn speed_up_words(study: &Analysis, subject: &Group) -> String {
    let parallel: Vec<(&Series, &Case)> = subject.cases().filter(|(series, _)| !series.is_sequential).collect();
    let Some((_, best)) = extremes(&parallel, |(series, case)| series.speed_up(case)) else {
        return "There are only sequential runs: nothing to speed up.".into();
    };
    let (series, case) = best;
    let speed_up = series.speed_up(case);
    let mut text = format!(
        "The highest is {speed_up:.2}, by {} on {}, over {}",
        series.label,
        study.workers(case.workers),
        series.base.what
    );
    match cores(subject) {
        Some(cores) if (case.workers as f64) > cores => {
            text += &format!(": {} of what {cores:.0} cores allow", share(speed_up / cores));
        }
        _ => text += &format!(": {} of the ideal", share(speed_up / case.workers as f64)),
    }
    let there: Vec<(&Series, &Case)> =
        parallel.into_iter().filter(|(_, other)| other.workers == case.workers).collect();
    if let Some((least, _)) = extremes(&there, |(series, case)| series.speed_up(case))
        && least.0.label != series.label
    {
        text += &format!("; {} reaches {:.2} there", least.0.label, least.0.speed_up(least.1));
    }
    text + "."
}

fn efficiency(study: &Analysis, subject: &Group) -> Figure {
    let of_run = |series: &Series, case: &Case, run: &Run| series.speed_up_of(run) / case.workers as f64;
    let most = subject.cases().flat_map(|(series, case)| case.runs.iter().map(move |run| of_run(series, case, run)));
    let high = most.fold(1.0_f64, f64::max).min(4.0) * 1.06;
    let mut plot = Plot::new(axis(study, subject), Axis::linear(0.0, high, "efficiency", ratio));
    let all: Vec<f64> = subject.workers().into_iter().map(|workers| workers as f64).collect();
    plot.line(Stroke::Ideal, 0.0, &all.iter().map(|&workers| (workers, 1.0)).collect::<Vec<_>>());
    if let Some(cores) = cores(subject) {
        let beyond = all.iter().copied().filter(|&workers| workers > cores);
        let points: Vec<(f64, f64)> = std::iter::once(cores).chain(beyond).map(|w| (w, cores / w)).collect();
        plot.line(Stroke::Limit, 0.0, &points);
    }
    draw(
        &mut plot,
        subject,
        |series, case, run| Some(of_run(series, case, run)),
        |series, case| Some(series.efficiency(case)),
    );
    let sentence = efficiency_words(study, subject);
    Figure::new("efficiency", &subject.slug, "Efficiency", sentence, plot.picture())
}

/// Efficiency on as many workers as there are cores is what can be promised; beyond, it cannot be had.
fn efficiency_words(study: &Analysis, subject: &Group) -> String {
    let proper = subject.parallel().flat_map(|series| series.cases.iter().map(move |case| (series, case)));
    let proper: Vec<(&Series, &Case)> = proper.filter(|(_, case)| !case.is_oversubscribed).collect();
    if subject.parallel().next().is_none() {
        return "There are only sequential runs: their one worker is all that there is.".into();
    }
    let Some(most) = proper.iter().map(|(_, case)| case.workers).max() else {
        return "Every run had more workers than cores: its efficiency says nothing about larger machines.".into();
    };
    let there: Vec<(&Series, &Case)> = proper.iter().copied().filter(|(_, case)| case.workers == most).collect();
    let Some((least, best)) = extremes(&there, |(series, case)| series.efficiency(case)) else { return String::new() };
    let beyond = if cores(subject).is_some() { ", the most that were measured with a core for each" } else { "" };
    let on = study.workers(most);
    if least.0.label == best.0.label {
        return format!("{} uses {} of {on}{beyond}.", best.0.label, share(best.0.efficiency(best.1)));
    }
    format!(
        "On {on}{beyond}, {} uses {} of them and {} {}.",
        best.0.label,
        share(best.0.efficiency(best.1)),
        least.0.label,
        share(least.0.efficiency(least.1))
    )
}

type Share = fn(&Case, &Run) -> Option<f64>;
type Words = fn(&Analysis, &[(&Series, &Case)], &dyn Fn(&Case) -> f64) -> String;

/// A plot of something between 0 and 1, of those runs of which it can be told.
fn shares(study: &Analysis, subject: &Group, name: &'static str, title: &str, of: Share, words: Words) -> Figure {
    let mut plot = Plot::new(axis(study, subject), Axis::linear(0.0, 1.04, &title.to_lowercase(), ratio));
    let of_case = |case: &Case| case.median_if(|run| of(case, run));
    draw(&mut plot, subject, |_, case, run| of(case, run), |_, case| of_case(case));
    let told: Vec<(&Series, &Case)> =
        largest(subject).into_iter().filter(|(_, case)| of_case(case).is_some()).collect();
    let sentence = match told.is_empty() {
        true => "It cannot be told here: there were more workers than cores.".into(),
        false => words(study, &told, &|case| of_case(case).unwrap_or(0.0)),
    };
    Figure::new(name, &subject.slug, title, sentence, plot.picture())
}

fn balance_words(study: &Analysis, cases: &[(&Series, &Case)], of: &dyn Fn(&Case) -> f64) -> String {
    let Some((least, most)) = extremes(cases, |(_, case)| of(case)) else { return String::new() };
    let (low, high) = (of(least.1), of(most.1));
    let on = study.workers(least.1.workers);
    if least.0.label == most.0.label || high - low < 0.01 {
        return format!("On {on} the mean rank has {} of the work of the busiest one ({}).", share(low), least.0.label);
    }
    format!(
        "On {on} the mean rank has {} of the work of the busiest one with {}, and {} with {}.",
        share(low),
        least.0.label,
        share(high),
        most.0.label
    )
}

fn communication_words(study: &Analysis, cases: &[(&Series, &Case)], of: &dyn Fn(&Case) -> f64) -> String {
    let Some((least, _)) = extremes(cases, |(_, case)| of(case)) else { return String::new() };
    let lost = 1.0 - of(least.1);
    let on = study.workers(least.1.workers);
    match lost {
        lost if lost < 0.01 => {
            format!("On {on} the busiest rank waits for less than 1\u{a0}% of the count phase.")
        }
        lost => format!(
            "On {on}, even the busiest rank waits for {} of the count phase with {}.",
            share(lost),
            least.0.label
        ),
    }
}

fn parallel_words(study: &Analysis, cases: &[(&Series, &Case)], of: &dyn Fn(&Case) -> f64) -> String {
    let Some((least, most)) = extremes(cases, |(_, case)| of(case)) else { return String::new() };
    let on = study.workers(least.1.workers);
    let (low, high) = (share(of(least.1)), share(of(most.1)));
    if least.0.label == most.0.label {
        return format!("On {on}, ranks count for {low} of the count phase ({}).", least.0.label);
    }
    format!(
        "On {on}, ranks count for {high} of the count phase with {}, for {low} with {}.",
        most.0.label, least.0.label
    )
}
