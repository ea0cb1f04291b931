//! A plan for terminals: its sources, a table of forecasts, and the advice.

use std::fmt::Write;

use crate::count::MethodName;
use crate::report::render::number::{duration, grouped, plural};
use crate::report::render::table::{Column, Table};

use super::{Assumption, Forecast, Origin, Plan};

pub fn text(plan: &Plan) -> String {
    let mut text = format!("{}\n{}\n", head(plan), table(plan));
    for advice in &plan.advice {
        let _ = writeln!(text, "{}", advice.sentence);
    }
    text
}

fn head(plan: &Plan) -> String {
    let puzzle = plan.puzzle.name.as_ref().unwrap_or(&plan.puzzle.file);
    let mut text = format!("planning {puzzle}, method {}\n", plan.method);
    for trace in &plan.traces {
        let depth = trace.depth.map(|depth| format!(" at depth {depth}")).unwrap_or_default();
        let _ = writeln!(
            text,
            "{}: {} units{depth}, {} of counting, {} the longest; set-up {}",
            trace.file,
            grouped(trace.units),
            duration(trace.work),
            duration(trace.longest_unit),
            duration(trace.set_up)
        );
    }
    let [latency, request] = [plan.latency, plan.request].map(|Assumption { seconds, origin }| {
        let origin = match origin {
            Origin::Given => "given",
            Origin::Measured => "measured in this run",
            Origin::Assumed => "assumed",
        };
        (duration(seconds), origin)
    });
    let _ = write!(text, "a message takes {} ({}), ", latency.0, latency.1);
    let _ = writeln!(text, "a request takes {} of rank 0 ({})", request.0, request.1);
    if MethodName::try_from(plan.method.clone()).is_ok_and(|method| !method.searches()) {
        let _ = writeln!(
            text,
            "{}: every rank builds its own tables, whose time the trace contains in the units: for many ranks, the real \
             efficiency is lower",
            plan.method
        );
    }
    let _ = writeln!(text, "each rank has {}", plural(plan.threads, "worker", "workers"));
    text
}

/// A line for each forecast, grouped by the number of ranks. The advised forecasts are marked as `best`.
fn table(plan: &Plan) -> String {
    let mut columns: Vec<Column<(&Forecast, bool)>> = vec![
        ("ranks", |(forecast, starts_group)| if starts_group { forecast.ranks.to_string() } else { String::new() }),
        ("schedule", |(forecast, _)| forecast.schedule.to_string()),
        ("chunk", |(forecast, _)| optional(forecast.chunk)),
        ("depth", |(forecast, _)| optional(forecast.depth)),
        ("count", |(forecast, _)| duration(forecast.count)),
        ("total", |(forecast, _)| duration(forecast.total)),
        ("speed-up", |(forecast, _)| format!("{:.1}", forecast.speed_up)),
        ("efficiency", |(forecast, _)| format!("{:.3}", forecast.efficiency)),
        ("with set-up", |(forecast, _)| format!("{:.3}", forecast.efficiency_with_set_up)),
    ];
    if plan.traces.len() == 1 {
        columns.retain(|(heading, _)| *heading != "depth");
    }
    let starts_group = |index: usize| index == 0 || plan.forecasts[index - 1].ranks != plan.forecasts[index].ranks;
    let forecasts = plan.forecasts.iter().enumerate().map(|(index, forecast)| (forecast, starts_group(index)));
    let table = Table::new(&columns, 0, forecasts).aligned();
    let (headings, lines) = table.split_once('\n').unwrap_or_default();
    let mut text = format!("{headings}\n");
    for (index, line) in lines.lines().enumerate() {
        let gap = if index > 0 && starts_group(index) { "\n" } else { "" };
        let best = if plan.advice.iter().any(|advice| advice.forecast == index) { "  best" } else { "" };
        let _ = writeln!(text, "{gap}{line}{best}");
    }
    text
}

fn optional(number: Option<usize>) -> String {
    number.map_or("-".into(), |number| number.to_string())
}
