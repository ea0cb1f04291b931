//! When each worker was busy: a bar for every unit, a row for every worker. Imbalance is what is empty on the right.

use std::fmt::Write;

use crate::report::sweep::analysis::{Analysis, Group};
use crate::report::trace::Trace;

use super::traces::Traces;
use crate::report::html::figure::{Figure, escaped};
use crate::report::html::plot::{Picture, class};
use crate::report::html::text::{extremes, share, span};

const WIDTH: f64 = 700.0;
const LEFT: f64 = 8.0;
/// The height of all rows of a panel together, more or less.
const PANEL: f64 = 96.0;
/// The most rows of a panel: of more workers, some are left out.
const ROWS: usize = 96;
/// Units closer than this are drawn as one bar: nobody could tell them apart.
const SMALLEST: f64 = 1.1;

/// A panel for each traced series, all on the same axis of time; nothing without traces.
pub fn figure(study: &Analysis, subject: &Group, traces: &Traces) -> Option<Figure> {
    let panels: Vec<(&str, usize, Busy)> = traces
        .largest
        .iter()
        .map(|(series, _, trace)| (series.label.as_str(), series.style, Busy::of(trace)))
        .collect();
    let end = panels.iter().map(|(_, _, busy)| busy.end).fold(0.0, f64::max);
    if end <= 0.0 {
        return None;
    }
    let scale = (WIDTH - 2.0 * LEFT) / end;
    let (mut text, mut top) = (String::new(), 0.0);
    for (label, style, busy) in &panels {
        let every = busy.workers.len().div_ceil(ROWS);
        let rows = busy.workers.len().div_ceil(every);
        let height = (PANEL / rows as f64).clamp(1.0, 12.0);
        let left_out = if every > 1 { format!(", one worker of {every}") } else { String::new() };
        let _ = write!(
            text,
            "<g class=\"s{style}\"><text class=\"label\" x=\"{LEFT}\" y=\"{:.1}\">{}, {}{left_out}</text>",
            top + 20.0,
            escaped(label),
            study.workers(busy.workers.len())
        );
        top += 26.0;
        for spans in busy.workers.iter().step_by(every) {
            row(&mut text, spans, *style, top, height, scale);
            top += height;
        }
        let x = LEFT + busy.end * scale;
        let _ = write!(text, "<path class=\"done\" d=\"M{x:.1} {:.1}V{:.1}\"/></g>", top - height * rows as f64, top);
        top += 10.0;
    }
    for (at, anchor) in [(0.0, ""), (end / 2.0, " mid"), (end, " end")] {
        let _ = write!(
            text,
            "<text class=\"label{anchor}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            LEFT + at * scale,
            top + 10.0,
            span(at)
        );
    }
    let sentence = words(study, traces, &panels);
    let picture = Picture { width: WIDTH, height: top + 26.0, content: text };
    let title = "Every worker, from the start of the count to its end";
    Some(Figure::new("timeline", &subject.slug, title, sentence, picture).wide())
}

/// The bars of one worker.
fn row(text: &mut String, spans: &[(f64, f64)], style: usize, top: f64, height: f64, scale: f64) {
    let y = top + height / 2.0;
    let thick = (height * 0.84).max(0.6);
    let _ = write!(text, "<path class=\"span {}\" stroke-width=\"{thick:.1}\" d=\"", class(style));
    let mut open: Option<(f64, f64)> = None;
    let mut draw = |(from, to): (f64, f64)| {
        // A hair's breadth between long ones, so that they can be told apart.
        let width = to - from;
        let width = if width > 3.0 { width - 0.5 } else { width.max(0.3) };
        let _ = write!(text, "M{from:.1} {y:.1}h{width:.1}");
    };
    for &(from, to) in spans {
        let (from, to) = (LEFT + from * scale, LEFT + to * scale);
        match open {
            Some((start, end)) if to - start < SMALLEST * 2.0 && from - end < SMALLEST => {
                open = Some((start, to.max(end)))
            }
            Some(bar) => {
                draw(bar);
                open = Some((from, to));
            }
            None => open = Some((from, to)),
        }
    }
    if let Some(bar) = open {
        draw(bar);
    }
    *text += "\"/>";
}

/// When workers were busy.
struct Busy {
    /// For each worker, from when to when, in seconds.
    workers: Vec<Vec<(f64, f64)>>,
    /// When the last of them was done.
    end: f64,
    /// The share of that time in which the mean worker was idle.
    idle: f64,
}

impl Busy {
    fn of(trace: &Trace) -> Busy {
        let threads = trace.head.threads.max(1);
        let mut workers = vec![Vec::new(); trace.head.ranks * threads];
        for record in &trace.records {
            let (start, length) = (record.start as f64 * 1e-9, record.nanoseconds as f64 * 1e-9);
            if let Some(spans) = workers.get_mut(record.rank * threads + record.worker) {
                spans.push((start, start + length));
            }
        }
        for spans in &mut workers {
            spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        let end = workers.iter().flatten().map(|&(_, to)| to).fold(0.0, f64::max);
        let busy: f64 = workers.iter().flatten().map(|(from, to)| to - from).sum();
        let whole = end * workers.len() as f64;
        let idle = if whole > 0.0 { (1.0 - busy / whole).clamp(0.0, 1.0) } else { 0.0 };
        Busy { workers, end, idle }
    }
}

fn words(study: &Analysis, traces: &Traces, panels: &[(&str, usize, Busy)]) -> String {
    let all: Vec<&(&str, usize, Busy)> = panels.iter().collect();
    let Some((least, most)) = extremes(&all, |(_, _, busy)| busy.idle) else { return String::new() };
    let over = traces.largest.iter().any(|(_, run, _)| run.is_oversubscribed());
    let over = if over { " (with more workers than cores, a bar has pauses in it that it does not show)" } else { "" };
    let on = study.workers(most.2.workers.len());
    if least.0 == most.0 {
        return format!(
            "Until the last of {on} is done, after {}, the mean worker is idle for {} of the time{over}.",
            span(most.2.end),
            share(most.2.idle)
        );
    }
    format!(
        "With {}, the last of {on} is done after {}, and the mean worker has been idle for {} of that; with {} on {} after {}, idle for {}{over}.",
        most.0,
        span(most.2.end),
        share(most.2.idle),
        least.0,
        study.workers(least.2.workers.len()),
        span(least.2.end),
        share(least.2.idle)
    )
}
