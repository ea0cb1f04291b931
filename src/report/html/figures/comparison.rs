//! The page of two sweeps: every ratio with its interval, as a figure and as a table.

use std::fmt::Write;

use crate::report::html::document;
use crate::report::html::figure::{Figure, notes};
use crate::report::html::plot::Picture;
use crate::report::render::html::{cell, escaped, sortable_table};
use crate::report::render::number::column_seconds;
use crate::report::sweep::compare::{Comparison, Row, Verdict};

const WIDTH: f64 = 640.0;
const LEFT: f64 = 30.0;
const RIGHT: f64 = 30.0;
const ROW: f64 = 34.0;

pub fn of(comparison: &Comparison) -> String {
    let title = format!("{} against {}", comparison.second, comparison.first);
    let mut body = format!(
        "<header><h1>{}</h1><p class=\"lead\">{}</p></header>\n<main>\n",
        escaped(&title),
        escaped(&comparison.sentence())
    );
    body += &notes("Differences", &comparison.differences);
    body += &notes("Warnings", &comparison.warning_texts());
    body += "<section><div class=\"figures\">";
    body += &forest(comparison);
    body += "</div></section>\n";
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

/// A forest plot: the ratio of each case with its interval.
fn forest(comparison: &Comparison) -> String {
    let ends = |row: &Row| row.ratio.interval.unwrap_or((row.ratio.ratio, row.ratio.ratio));
    let far =
        comparison.rows.iter().map(|row| ends(row).1.max(1.0 / ends(row).0.max(1e-9))).fold(1.1, f64::max).min(16.0);
    let x =
        |ratio: f64| LEFT + ((ratio.max(1e-9).ln() / far.ln()).clamp(-1.0, 1.0) + 1.0) / 2.0 * (WIDTH - LEFT - RIGHT);
    let bottom = comparison.rows.len() as f64 * ROW + 8.0;
    let mut text = String::from("<g class=\"axis\">");
    for at in [1.0 / far, 1.0 / far.sqrt(), 1.0, far.sqrt(), far] {
        let _ = write!(
            text,
            "<path class=\"grid\" d=\"M{0:.1} 4V{bottom:.1}\"/><text class=\"mid\" x=\"{0:.1}\" y=\"{1:.1}\">{at:.2}</text>",
            x(at),
            bottom + 20.0
        );
    }
    let _ = write!(text, "</g><path class=\"line ideal\" d=\"M{0:.1} 4V{bottom:.1}\"/>", x(1.0));
    for (index, row) in comparison.rows.iter().enumerate() {
        let y = index as f64 * ROW + ROW - 6.0;
        let (low, high) = ends(row);
        let name: String = format!("{}, {}, {}", row.puzzle, row.variant, row.workers).chars().take(40).collect();
        let _ = write!(
            text,
            "<g class=\"ratio {}\"><text class=\"label\" x=\"4\" y=\"{:.1}\">{}</text><path d=\"M{:.1} {y:.1}H{:.1}\"/><circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"3.4\"/></g>",
            class(row.verdict),
            y - 9.0,
            escaped(&name),
            x(low),
            x(high),
            x(row.ratio.ratio)
        );
    }
    let caption = format!(
        "Left of 1, {} is faster. Lines are 95 % intervals. Grey is noise, less than 1 %, or too few runs.",
        comparison.second
    );
    let picture = Picture { width: WIDTH, height: bottom + 30.0, content: text };
    Figure::new("ratios", "comparison", "Ratio of the times, second over first", caption, picture).wide().html()
}

fn table(comparison: &Comparison) -> String {
    let headings =
        ["puzzle", "counted by", "workers", &comparison.first, &comparison.second, "ratio", "from", "to", "verdict"];
    let mut text = String::from("<section><h2>All cases</h2>");
    text += &sortable_table("All cases", "scroll", headings);
    text += "</tr></thead><tbody>\n";
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
        let _ = writeln!(text, r#"<tr>{}<td class="{class}">{verdict}</td></tr>"#, cells.concat());
    }
    text + "</tbody></table></div></section>\n"
}
