//! The page of two sweeps: every ratio with its interval, as a figure and as a table.

use std::fmt::Write;

use super::*;
use crate::report::html::document;
use crate::report::sweep::compare::{Comparison, Row, Verdict};

const WIDTH: f64 = 640.0;
const LEFT: f64 = 30.0;
const RIGHT: f64 = 30.0;
const ROW: f64 = 34.0;

pub fn of(comparison: &Comparison) -> String {
    let title = format!("{} against {}", comparison.second, comparison.first);
    let (heading, sentence) = (escaped(&title), escaped(&comparison.sentence()));
    let mut body = format!("<header><h1>{heading}</h1><p class=\"lead\">{sentence}</p></header>\n<main>\n");
    body += &notes("Differences", &comparison.differences);
    body += &notes("Warnings", &comparison.warnings);
    let _ = writeln!(body, r#"<section><div class="figures">{}</div></section>"#, forest(comparison).html());
    body += &table(comparison);
    document(&format!("{title} – Sudoku Census"), &body)
}

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "faster",
        Verdict::Slower => "slower",
        Verdict::Noise | Verdict::Same | Verdict::Unknown => "noise",
    }
}

fn forest(comparison: &Comparison) -> Figure {
    let ends = |row: &Row| row.ratio.interval.unwrap_or((row.ratio.ratio, row.ratio.ratio));
    let distance = |row: &Row| ends(row).1.max(1.0 / ends(row).0.max(1e-9));
    let far = comparison.rows.iter().map(distance).fold(1.1, f64::max).min(16.0);
    let x =
        |ratio: f64| LEFT + ((ratio.max(1e-9).ln() / far.ln()).clamp(-1.0, 1.0) + 1.0) / 2.0 * (WIDTH - LEFT - RIGHT);
    let bottom = comparison.rows.len() as f64 * ROW + 8.0;
    let mut text = String::from(r#"<g class="axis">"#);
    for at in [1.0 / far, 1.0 / far.sqrt(), 1.0, far.sqrt(), far] {
        let (x, y) = (x(at), bottom + 20.0);
        let _ = write!(
            text,
            r#"<path class="grid" d="M{x:.1} 4V{bottom:.1}"/><text class="mid" x="{x:.1}" y="{y:.1}">{at:.2}</text>"#
        );
    }
    let _ = write!(text, r#"</g><path class="line ideal" d="M{:.1} 4V{bottom:.1}"/>"#, x(1.0));
    for (index, row) in comparison.rows.iter().enumerate() {
        let y = (index + 1) as f64 * ROW - 6.0;
        let (above, class, (low, high)) = (y - 9.0, class(row.verdict), ends(row));
        let (low, high, ratio) = (x(low), x(high), x(row.ratio.ratio));
        let name: String = format!("{}, {}, {}", row.puzzle, row.variant, row.workers).chars().take(40).collect();
        let name = escaped(&name);
        let _ = write!(text, r#"<g class="ratio {class}"><text class="label" x="4" y="{above:.1}">{name}</text>"#);
        let _ = write!(text, r#"<path d="M{low:.1} {y:.1}H{high:.1}"/>"#);
        let _ = write!(text, r#"<circle cx="{ratio:.1}" cy="{y:.1}" r="3.4"/></g>"#);
    }
    let caption = format!(
        "Left of 1, {} is faster. Lines are 95 % intervals. Grey is noise, less than 1 %, or too few runs.",
        comparison.second
    );
    let picture = Picture { width: WIDTH, height: bottom + 30.0, content: text };
    Figure::new("ratios", "comparison", "Ratio of the times, second over first", caption, picture)
}

fn table(comparison: &Comparison) -> String {
    let headings =
        ["puzzle", "counted by", "workers", &comparison.first, &comparison.second, "ratio", "from", "to", "verdict"];
    let mut rows = String::new();
    for row in &comparison.rows {
        let seconds = |seconds: f64| cell(&column_seconds(seconds), Some(seconds));
        let ratio = |ratio: Option<f64>| cell(&ratio.map_or(String::new(), |ratio| format!("{ratio:.3}")), ratio);
        let interval = row.ratio.interval;
        let cells = [
            cell(&row.puzzle, None),
            cell(&row.variant, None),
            cell(&row.workers.to_string(), Some(row.workers as f64)),
            seconds(row.first.median),
            seconds(row.second.median),
            ratio(Some(row.ratio.ratio)),
            ratio(interval.map(|(low, _)| low)),
            ratio(interval.map(|(_, high)| high)),
        ];
        let (class, verdict) = (class(row.verdict), row.verdict.text());
        let _ = writeln!(rows, r#"<tr>{}<td class="{class}">{verdict}</td></tr>"#, cells.concat());
    }
    let table = sortable_table("All cases", "scroll", &headings, "", &rows);
    format!("<section><h2>All cases</h2>{table}</section>\n")
}
