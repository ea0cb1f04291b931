//! A comparison as text, Markdown and CSV.

use std::fmt::Write;

use crate::report::render::number::{column_seconds, plural};
use crate::report::render::table::{Column, Table, escaped_markdown as escaped};
use crate::report::sweep::stats::CONFIDENCE;

use super::{Comparison, Row, SMALL, Verdict};

impl Comparison {
    pub fn sentence(&self) -> String {
        let Some(overall) = self.overall() else { return "The two sweeps have no case in common.".into() };
        let count = |verdict| self.rows.iter().filter(|row| row.verdict == verdict).count();
        let counts = Verdict::TEXTS.map(|(verdict, _, text)| (count(verdict), text));
        let counts = counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, text)| format!("{count} {text}"));
        format!(
            "{} takes {overall:.3} times as long as {} over {}: {}.",
            self.second,
            self.first,
            plural(self.rows.len(), "case", "cases"),
            counts.collect::<Vec<String>>().join(", ")
        )
    }

    pub fn text(&self) -> String {
        let mut text: String = self.differences.iter().map(|difference| format!("{difference}\n")).collect();
        if !text.is_empty() {
            text.push('\n');
        }
        if !self.rows.is_empty() {
            let _ = writeln!(text, "{}", self.table(1).aligned());
        }
        for warning in &self.warnings {
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

    pub fn markdown(&self) -> String {
        let mut text = format!("# {} against {}\n\n", escaped(&self.second), escaped(&self.first));
        for line in self.differences.iter().chain(&self.warnings) {
            let _ = writeln!(text, "- {}", escaped(line));
        }
        let _ = writeln!(
            text,
            "\n{}\n\n{}\nRatios of geometric means with {:.0} % intervals (Welch, on logarithms). A difference is significant if it is so \
             among all comparisons of the table (Benjamini and Hochberg), and reported from {:.0} % on.",
            escaped(&self.sentence()),
            self.table(2).markdown(),
            CONFIDENCE * 100.0,
            SMALL * 100.0
        );
        text
    }

    pub fn csv(&self) -> String {
        let columns: [Column<&Row>; 12] = [
            ("puzzle", |row| row.puzzle.clone()),
            ("configuration", |row| row.variant.clone()),
            ("workers", |row| row.workers.to_string()),
            ("runs_a", |row| row.first.runs.to_string()),
            ("median_a_s", |row| number(row.first.median)),
            ("runs_b", |row| row.second.runs.to_string()),
            ("median_b_s", |row| number(row.second.median)),
            ("ratio_b_over_a", |row| number(row.ratio.ratio)),
            ("ratio_low", |row| optional(row.ratio.interval.map(|(low, _)| low))),
            ("ratio_high", |row| optional(row.ratio.interval.map(|(_, high)| high))),
            ("p_value", |row| optional(row.ratio.p_value)),
            ("verdict", |row| row.verdict.text().into()),
        ];
        Table::new(&columns, 0, &self.rows).csv()
    }

    fn table(&self, text_columns: usize) -> Table {
        let [a, b] = [&self.first, &self.second].map(|name| format!("{name} s"));
        let interval = format!("{:.0} %", CONFIDENCE * 100.0);
        let columns: [Column<&Row>; 8] = [
            ("puzzle", |row| row.puzzle.clone()),
            ("counted by", |row| row.variant.clone()),
            ("workers", |row| row.workers.to_string()),
            (&a, |row| column_seconds(row.first.median)),
            (&b, |row| column_seconds(row.second.median)),
            ("ratio", |row| format!("{:.3}", row.ratio.ratio)),
            (&interval, |row| row.ratio.interval.map_or("-".into(), |(low, high)| format!("{low:.3} to {high:.3}"))),
            ("verdict", |row| row.verdict.text().into()),
        ];
        Table::new(&columns, text_columns, &self.rows)
    }
}

fn number(number: f64) -> String {
    format!("{number:.6}")
}

fn optional(value: Option<f64>) -> String {
    value.map(number).unwrap_or_default()
}
