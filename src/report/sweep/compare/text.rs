//! A comparison as text, Markdown and CSV.

use std::fmt::Write;

use crate::report::render::csv;
use crate::report::render::markdown::{escaped, table};
use crate::report::render::number::{column_seconds, plural};
use crate::report::render::terminal::aligned;
use crate::report::sweep::stats::CONFIDENCE;

use super::{Comparison, Row, SMALL, Verdict};

impl Comparison {
    /// The result in one sentence.
    pub fn sentence(&self) -> String {
        let Some(overall) = self.overall() else { return "The two sweeps have no case in common.".into() };
        let verdicts = [
            (Verdict::Faster, "faster"),
            (Verdict::Slower, "slower"),
            (Verdict::Noise, "within the noise"),
            (Verdict::Same, "the same to 1 %"),
            (Verdict::Unknown, "with too few runs to tell"),
        ];
        let count = |verdict| self.rows.iter().filter(|row| row.verdict == verdict).count();
        let counts = verdicts.into_iter().map(|(verdict, text)| (count(verdict), text)).filter(|(count, _)| *count > 0);
        format!(
            "{} takes {overall:.3} times as long as {} over {}: {}.",
            self.second,
            self.first,
            plural(self.rows.len(), "case", "cases"),
            counts.map(|(count, text)| format!("{count} {text}")).collect::<Vec<String>>().join(", ")
        )
    }

    /// The warnings, each after the name of its sweep.
    pub fn warning_texts(&self) -> Vec<String> {
        self.warnings.iter().map(|(sweep, warning)| format!("{sweep}: {warning}")).collect()
    }

    /// For terminals.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for difference in &self.differences {
            let _ = writeln!(text, "{difference}");
        }
        if !self.differences.is_empty() {
            text.push('\n');
        }
        if !self.rows.is_empty() {
            let _ = writeln!(text, "{}", aligned(&self.table(), 1));
        }
        for warning in self.warning_texts() {
            let _ = writeln!(text, "note: {warning}");
        }
        let _ = writeln!(text, "{}", self.sentence());
        if let (a, b) = self.unmatched
            && a + b > 0
        {
            let (a, b) = (plural(a, "case", "cases"), plural(b, "case", "cases"));
            let _ = writeln!(text, "Only {} has {a}, only {} {b}.", self.first, self.second);
        }
        text
    }

    /// For papers.
    pub fn markdown(&self) -> String {
        let mut text = format!("# {} against {}\n\n", escaped(&self.second), escaped(&self.first));
        for line in self.differences.iter().chain(&self.warning_texts()) {
            let _ = writeln!(text, "- {}", escaped(line));
        }
        let _ = writeln!(
            text,
            "\n{}\n\n{}\nRatios of geometric means with {:.0} % intervals (Welch, on logarithms). A difference is significant if it is so \
             among all comparisons of the table (Benjamini and Hochberg), and reported from {:.0} % on.",
            escaped(&self.sentence()),
            table(&self.table(), 2),
            CONFIDENCE * 100.0,
            SMALL * 100.0
        );
        text
    }

    /// For programs.
    pub fn csv(&self) -> String {
        let headings = "puzzle,configuration,workers,runs_a,median_a_s,runs_b,median_b_s,ratio_b_over_a,ratio_low,ratio_high,p_value,verdict";
        let mut text = format!("{headings}\n");
        let number = |number: f64| format!("{number:.6}");
        let optional = |value: Option<f64>| value.map(number).unwrap_or_default();
        for row in &self.rows {
            let Row { first, second, ratio, .. } = row;
            let cells = [
                row.puzzle.clone(),
                row.variant.clone(),
                row.workers.to_string(),
                first.runs.to_string(),
                number(first.median),
                second.runs.to_string(),
                number(second.median),
                number(ratio.ratio),
                optional(ratio.interval.map(|(low, _)| low)),
                optional(ratio.interval.map(|(_, high)| high)),
                optional(ratio.p_value),
                row.verdict.text().into(),
            ];
            text += &csv::line(cells.into_iter());
        }
        text
    }

    fn table(&self) -> Vec<[String; 8]> {
        let (a, b) = (format!("{} s", self.first), format!("{} s", self.second));
        let interval = format!("{:.0} %", CONFIDENCE * 100.0);
        let mut rows = vec![[
            "puzzle".into(),
            "counted by".into(),
            "workers".into(),
            a,
            b,
            "ratio".into(),
            interval,
            "verdict".into(),
        ]];
        rows.extend(self.rows.iter().map(|row| {
            let interval = row.ratio.interval.map_or("-".into(), |(low, high)| format!("{low:.3} to {high:.3}"));
            [
                row.puzzle.clone(),
                row.variant.clone(),
                row.workers.to_string(),
                column_seconds(row.first.median),
                column_seconds(row.second.median),
                format!("{:.3}", row.ratio.ratio),
                interval,
                row.verdict.text().into(),
            ]
        }));
        rows
    }
}
