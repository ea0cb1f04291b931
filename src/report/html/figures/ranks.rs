//! The busy time of every rank, on the most ranks, for each series.

use std::fmt::Write;

use super::*;

const WIDTH: f64 = 700.0;
const LEFT: f64 = 8.0;
const ROW: f64 = 70.0;
const BARS: f64 = 40.0;
/// More ranks than this are drawn without a gap between them.
const GAPS: usize = 80;

/// A row of bars for each series; `None` if no run had several ranks.
pub fn figure(analysis: &Analysis, group: &Group) -> Option<Figure> {
    let cases: Vec<(&Series, &Case)> =
        largest(group).into_iter().filter(|(_, case)| case.middle_run().report.ranks.len() > 1).collect();
    if cases.is_empty() {
        return None;
    }
    let width = WIDTH - 2.0 * LEFT;
    let mut text = String::new();
    for (row, (series, case)) in cases.iter().enumerate() {
        let run = case.middle_run();
        let ranks = &run.report.ranks;
        let phase = run.report.phases.count.max(1e-9);
        let column = width / ranks.len() as f64;
        let gap = if ranks.len() > GAPS { 0.0 } else { (column * 0.12).min(3.0) };
        let bar = column - gap;
        let top = row as f64 * ROW + 26.0;
        let (right, above, below) = (WIDTH - LEFT, top - 5.0, top + BARS);
        let (style, label, seconds) = (series.style, escaped(&series.label), duration(phase));
        let _ = write!(text, r#"<g class="s{style}"><text class="label" x="{LEFT}" y="{above:.1}">{label}</text>"#);
        let _ = write!(text, r#"<text class="label end" x="{right:.1}" y="{above:.1}">count phase {seconds}</text>"#);
        let _ = write!(text, r#"<path class="waiting" d="M{LEFT} {top}h{width:.1}v{BARS}h-{width:.1}z"/>"#);
        let _ = write!(text, r#"<path class="busy {}" d=""#, class(style));
        for (index, rank) in ranks.iter().enumerate() {
            let x = LEFT + index as f64 * column + gap / 2.0;
            let height = (rank.busy / phase).clamp(0.0, 1.0) * BARS;
            let _ = write!(text, "M{x:.1} {below:.1}h{bar:.1}v-{height:.1}h-{bar:.1}z");
        }
        text += "\"/></g>";
    }
    let title = format!("Busy time of every rank, on {}", analysis.workers(cases[0].1.workers));
    let picture = Picture { width: WIDTH, height: cases.len() as f64 * ROW + 4.0, content: text };
    Some(Figure::new("ranks", &group.slug, &title, caption(&cases), picture))
}

fn caption(cases: &[(&Series, &Case)]) -> String {
    let shares = contrast(cases, |(_, case)| {
        let busy = case.middle_run().report.rank_statistics.busy;
        if busy.max > 0.0 { busy.min / busy.max } else { 1.0 }
    });
    format!(
        "Busy time of the least busy rank, as a share of the busiest one: {shares}. A column is as high as the count phase."
    )
}
