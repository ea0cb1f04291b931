//! What cannot be shared: the serial share behind each speed-up, and Amdahl's law in words.

use crate::report::render::terminal::grouped;
use crate::report::sweep::Scaling;
use crate::report::sweep::analysis::{Analysis, Case, Group, Series};

use super::scaling::shift;
use crate::report::html::figure::Figure;
use crate::report::html::plot::{Axis, Plot, Stroke, percent};
use crate::report::html::text::{extremes, share};

/// The share of the work that cannot be shared, as each number of workers shows it; nothing where none has a core for each
/// of several workers.
pub fn figure(study: &Analysis, subject: &Group) -> Option<Figure> {
    let told: Vec<(&Series, Vec<(f64, f64)>)> = subject
        .parallel()
        .map(|series| {
            let proper = series.cases.iter().filter(|case| !case.is_oversubscribed);
            let share = |case: &Case| Some((case.workers as f64, series.serial_share(case, subject.scaling)?));
            (series, proper.filter_map(share).collect::<Vec<(f64, f64)>>())
        })
        .filter(|(_, points)| !points.is_empty())
        .collect();
    let all = || told.iter().flat_map(|(_, points)| points.iter().map(|(_, share)| *share));
    if told.is_empty() {
        return None;
    }
    let low = all().fold(0.0, f64::min).max(-1.0);
    let high = all().fold(0.01, f64::max).min(1.5) * 1.15;
    let mut on: Vec<usize> =
        told.iter().flat_map(|(_, points)| points.iter().map(|(workers, _)| *workers as usize)).collect();
    on.sort_unstable();
    on.dedup();
    let x = Axis::workers(&on, study.unit());
    let mut plot = Plot::new(x, Axis::linear(low * 1.1, high, "serial share", percent));
    for (index, (series, points)) in told.iter().enumerate() {
        plot.line(Stroke::Series(series.style), shift(subject, index), points);
        for &point in points {
            plot.point(series.style, false, shift(subject, index), point, None);
        }
    }
    let title = match subject.scaling {
        Scaling::Strong => "Serial share (Karp–Flatt)",
        Scaling::Weak => "Serial share (Gustafson)",
    };
    let sentence = serial_words(study, subject, &told);
    Some(Figure::new("serial", &subject.slug, title, sentence, plot.picture()))
}

/// A factor in a sentence: `1.4`, `32`, `4,200`.
fn times(factor: f64) -> String {
    if factor < 9.95 { format!("{factor:.1}") } else { grouped(&format!("{factor:.0}")) }
}

/// Whether the share grows (overhead, imbalance) or stays (a serial part), and Amdahl's law with its limit.
fn serial_words(study: &Analysis, subject: &Group, told: &[(&Series, Vec<(f64, f64)>)]) -> String {
    let mut parts = Vec::new();
    let last = |points: &[(f64, f64)]| points.last().map_or(0.0, |(_, share)| *share);
    let ordered: Vec<&(&Series, Vec<(f64, f64)>)> = told.iter().collect();
    if let Some((least, most)) = extremes(&ordered, |(_, points)| last(points)) {
        for (series, points) in if least.0.label == most.0.label { vec![most] } else { vec![most, least] } {
            let (Some(&(from, first)), Some(&(to, at_last))) = (points.first(), points.last()) else { continue };
            let on = |workers_: f64| study.workers(workers_ as usize);
            let (label, base) = (&series.label, series.base.workers);
            parts.push(match (points.len() > 1 && base == 1, at_last - first) {
                _ if at_last < 0.0 => format!(
                    "With {label} it is {} on {}, less than nothing: the base is slower than it should be, or that is noise.",
                    share(at_last),
                    on(to)
                ),
                _ if at_last > 1.0 => format!("With {label}, {} are slower than the base.", on(to)),
                (true, change) if change > 0.01 => format!(
                    "With {label} the share grows from {} on {} to {} on {}: overhead or imbalance rather than a serial part.",
                    share(first),
                    on(from),
                    share(at_last),
                    on(to)
                ),
                (true, change) if change < -0.01 => format!(
                    "With {label} the share falls from {} on {} to {} on {}: what is lost does not grow with the workers.",
                    share(first),
                    on(from),
                    share(at_last),
                    on(to)
                ),
                (true, _) => {
                    format!("With {label} the share stays at {} up to {}: a part that is not shared.", share(at_last), on(to))
                }
                (false, _) => format!("With {label} it is {} on {}.", share(at_last), on(to)),
            });
        }
    }
    let laws: Vec<&Series> = subject.parallel().filter(|series| series.law.is_some()).collect();
    let serial_share = |series: &Series| series.law.map_or(0.0, |law| law.serial_share());
    if let Some((best, _)) = extremes(&laws, serial_share)
        && let Some(law) = best.law
    {
        let limit = match law.serial_share() {
            s if s < 1e-4 => "no limit in sight".to_owned(),
            s => format!("no number of workers would make it more than {} times as fast as one", times(1.0 / s)),
        };
        let points = if law.points == 2 { " (through two points only, so little to rely on)" } else { "" };
        parts.push(format!(
            "Amdahl's law fits {} with a serial share of {}{points}: {limit}.",
            best.label,
            share(law.serial_share())
        ));
    }
    parts.join(" ")
}
