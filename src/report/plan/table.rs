//! A plan for eyes: what it is made from, a table of forecasts, and the advice.

use std::fmt::Write;

use crate::count::MethodName;
use crate::report::render::terminal::grouped;

use super::{Forecast, Plan};

/// The plan as text.
pub fn text(plan: &Plan) -> String {
    let mut text = head(plan);
    text.push('\n');
    text += &table(plan);
    text.push('\n');
    for advice in &plan.advice {
        let _ = writeln!(text, "{}", advice.sentence);
    }
    text
}

fn head(plan: &Plan) -> String {
    let mut text = String::new();
    let puzzle = plan.puzzle.name.as_ref().unwrap_or(&plan.puzzle.file);
    let _ = writeln!(text, "planning {puzzle}, method {}", plan.method);
    for trace in &plan.traces {
        let depth = trace.depth.map(|depth| format!(" at depth {depth}")).unwrap_or_default();
        let (units, work, longest) = (grouped(&trace.units.to_string()), span(trace.work), span(trace.longest_unit));
        let _ = write!(text, "{}: {units} units{depth}, {work} of counting, {longest} the longest", trace.file);
        let _ = writeln!(text, "; set-up {}", span(trace.set_up));
    }
    let (latency, request) = (plan.latency, plan.request);
    let _ = write!(text, "a message takes {} ({}), ", span(latency.seconds), latency.origin);
    let _ = writeln!(text, "a request takes {} of rank 0 ({})", span(request.seconds), request.origin);
    if plan.method == MethodName::Bands.to_string() {
        text += "bands: every rank builds tables of its own, which the trace books to units: for many ranks, this plan promises too much\n";
    }
    let workers = if plan.threads == 1 { "worker" } else { "workers" };
    let _ = writeln!(text, "each rank has {} {workers}", plan.threads);
    text
}

/// One line for each forecast, in groups of the same number of ranks; the advised ones are marked.
fn table(plan: &Plan) -> String {
    type Column = (&'static str, fn(&Forecast) -> String);
    let columns: [Column; 9] = [
        ("ranks", |forecast| forecast.ranks.to_string()),
        ("schedule", |forecast| forecast.schedule.to_string()),
        ("chunk", |forecast| forecast.chunk.map_or("-".into(), |chunk| chunk.to_string())),
        ("depth", |forecast| forecast.depth.map_or("-".into(), |depth| depth.to_string())),
        ("count", |forecast| span(forecast.count)),
        ("total", |forecast| span(forecast.total)),
        ("speed-up", |forecast| format!("{:.1}", forecast.speed_up)),
        ("efficiency", |forecast| format!("{:.3}", forecast.efficiency)),
        ("with set-up", |forecast| format!("{:.3}", forecast.efficiency_with_set_up)),
    ];
    let shown = |heading: &str| heading != "depth" || plan.traces.len() > 1;
    let columns: Vec<Column> = columns.into_iter().filter(|(heading, _)| shown(heading)).collect();
    let width = |(heading, cell): &Column| {
        plan.forecasts.iter().map(|forecast| cell(forecast).len()).max().unwrap_or(0).max(heading.len())
    };
    let widths: Vec<usize> = columns.iter().map(width).collect();
    let mut table = String::new();
    for ((heading, _), width) in columns.iter().zip(&widths) {
        let _ = write!(table, "  {heading:>width$}");
    }
    table.push('\n');
    let mut group = None;
    for (index, forecast) in plan.forecasts.iter().enumerate() {
        let is_first = group.replace(forecast.ranks) != Some(forecast.ranks);
        if is_first && index > 0 {
            table.push('\n');
        }
        for ((heading, cell), width) in columns.iter().zip(&widths) {
            let cell = if *heading == "ranks" && !is_first { String::new() } else { cell(forecast) };
            let _ = write!(table, "  {cell:>width$}");
        }
        let best = plan.advice.iter().any(|advice| advice.forecast == index);
        table += if best { "  best\n" } else { "\n" };
    }
    table
}

/// A duration as people read it, from microseconds up: `12 us`, `3.4 ms`, `1.234 s`.
pub fn span(seconds: f64) -> String {
    match seconds {
        s if s < 0.000_999_5 => format!("{:.0} us", s * 1e6),
        s if s < 0.099_95 => format!("{:.1} ms", s * 1e3),
        s if s < 99.95 => format!("{s:.3} s"),
        s if s < 9_999.5 => format!("{s:.1} s"),
        s => format!("{s:.0} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_digits_or_so_whatever_their_size() {
        let spans = [0.0, 12e-6, 0.0034, 0.25, 12.3456, 4321.0, 54321.0].map(span);
        assert_eq!(spans, ["0 us", "12 us", "3.4 ms", "0.250 s", "12.346 s", "4321.0 s", "54321 s"]);
        assert_eq!([0.000_999_9, 0.099_99].map(span), ["1.0 ms", "0.100 s"]);
    }
}
