//! When each worker was busy: a row for every worker, a bar for every unit. Imbalance shows as empty space on the right.

use std::fmt::Write;

use super::*;
use crate::report::trace::Trace;

const WIDTH: f64 = 700.0;
const LEFT: f64 = 8.0;
/// The approximate height of a panel.
const PANEL: f64 = 96.0;
/// The most rows of a panel. More workers are sampled.
const ROWS: usize = 96;
/// Units closer than this are drawn as one bar.
const SMALLEST: f64 = 1.1;

/// A panel for each traced series, on a common time axis; `None` without traces.
pub fn figure(analysis: &Analysis, group: &Group, traces: &Traces) -> Option<Figure> {
    let panels: Vec<Panel> = traces.largest.iter().map(|(series, _, trace)| Panel::of(series, trace)).collect();
    let end = panels.iter().map(|panel| panel.end).fold(0.0, f64::max);
    if end <= 0.0 {
        return None;
    }
    let scale = (WIDTH - 2.0 * LEFT) / end;
    let (mut text, mut top) = (String::new(), 0.0);
    for Panel { series, workers, end, .. } in &panels {
        let every = workers.len().div_ceil(ROWS);
        let rows = workers.len().div_ceil(every);
        let height = (PANEL / rows as f64).clamp(1.0, 12.0);
        let left_out = if every > 1 { format!(", one worker of {every}") } else { String::new() };
        let (style, label, on) = (series.style, escaped(&series.label), analysis.workers(workers.len()));
        let (y, end) = (top + 20.0, LEFT + end * scale);
        let label = format!(r#"<text class="label" x="{LEFT}" y="{y:.1}">{label}, {on}{left_out}</text>"#);
        let _ = write!(text, r#"<g class="s{style}">{label}"#);
        top += 26.0;
        for spans in workers.iter().step_by(every) {
            row(&mut text, spans, style, top, height, scale);
            top += height;
        }
        let _ = write!(text, r#"<path class="done" d="M{end:.1} {:.1}V{top:.1}"/></g>"#, top - height * rows as f64);
        top += 10.0;
    }
    let y = top + 10.0;
    for (at, anchor) in [(0.0, ""), (end / 2.0, " mid"), (end, " end")] {
        let (x, at) = (LEFT + at * scale, duration(at));
        let _ = write!(text, r#"<text class="label{anchor}" x="{x:.1}" y="{y:.1}">{at}</text>"#);
    }
    let caption = caption(analysis, traces, &panels);
    let picture = Picture { width: WIDTH, height: top + 26.0, content: text };
    let title = "Every worker, from the start of the count to its end";
    Some(Figure::new("timeline", &group.slug, title, caption, picture))
}

fn row(text: &mut String, spans: &[(f64, f64)], style: usize, top: f64, height: f64, scale: f64) {
    let mut bars: Vec<(f64, f64)> = Vec::new();
    for &(from, to) in spans {
        let (from, to) = (LEFT + from * scale, LEFT + to * scale);
        match bars.last_mut() {
            Some((start, end)) if to - *start < SMALLEST * 2.0 && from - *end < SMALLEST => *end = to.max(*end),
            _ => bars.push((from, to)),
        }
    }
    let (y, thick) = (top + height / 2.0, (height * 0.84).max(0.6));
    let _ = write!(text, r#"<path class="span {}" stroke-width="{thick:.1}" d=""#, class(style));
    for (from, to) in bars {
        // A gap between long bars.
        let width = to - from;
        let width = if width > 3.0 { width - 0.5 } else { width.max(0.3) };
        let _ = write!(text, "M{from:.1} {y:.1}h{width:.1}");
    }
    *text += "\"/>";
}

/// The workers of one traced run.
struct Panel<'a> {
    series: &'a Series<'a>,
    /// Start and end of the units of each worker, in seconds.
    workers: Vec<Vec<(f64, f64)>>,
    /// The end of the last unit, in seconds.
    end: f64,
    /// The share of the time until then in which the mean worker was idle.
    idle: f64,
}

impl Panel<'_> {
    fn of<'a>(series: &'a Series<'a>, trace: &Trace) -> Panel<'a> {
        let threads = trace.head.threads.max(1);
        let mut workers = vec![Vec::new(); trace.head.ranks * threads];
        for record in &trace.records {
            let (start, length) = (record.start as f64 * 1e-9, record.nanoseconds as f64 * 1e-9);
            if let Some(spans) = workers.get_mut(record.rank as usize * threads + record.worker as usize) {
                spans.push((start, start + length));
            }
        }
        for spans in &mut workers {
            spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        let end = workers.iter().flatten().map(|&(_, to)| to).fold(0.0, f64::max);
        let busy: f64 = workers.iter().flatten().map(|(from, to)| to - from).sum();
        let total = end * workers.len() as f64;
        let idle = if total > 0.0 { (1.0 - busy / total).clamp(0.0, 1.0) } else { 0.0 };
        Panel { series, workers, end, idle }
    }
}

fn caption(analysis: &Analysis, traces: &Traces, panels: &[Panel]) -> String {
    let all: Vec<&Panel> = panels.iter().collect();
    let Some((least, most)) = extremes(&all, |panel| panel.idle) else { return String::new() };
    let text = |panel: &Panel| {
        let (idle, end, on) = (percent(panel.idle), duration(panel.end), analysis.workers(panel.workers.len()));
        format!("idle for {idle} of {end} with {} on {on}", panel.series.label)
    };
    let other = if least.series.label == most.series.label { String::new() } else { format!("; {}", text(least)) };
    let is_over = traces.largest.iter().any(|(_, run, _)| run.is_oversubscribed());
    let over = if is_over { " With more workers than cores, a bar includes time without a core." } else { "" };
    format!("Until the last worker is done, the mean worker is {}{other}.{over}", text(most))
}
