//! A comparison in words: a sentence, and tables for terminals, papers and programs.

use std::fmt::Write;

use crate::report::render::terminal::aligned;
use crate::report::sweep::csv;
use crate::report::sweep::markdown::escaped;
use crate::report::sweep::stats::CONFIDENCE;
use crate::report::sweep::table::seconds;
use crate::report::sweep::warnings::plural;

use super::{Comparison, Row, SMALL, Verdict};

impl Comparison {
    /// What comes of it, in one sentence.
    pub fn sentence(&self) -> String {
        let Some(overall) = self.overall() else { return "The two sweeps have no case in common.".into() };
        let count = |verdict| self.rows.iter().filter(|row| row.verdict == verdict).count();
        let mut parts = Vec::new();
        for verdict in [Verdict::Faster, Verdict::Slower, Verdict::Noise, Verdict::Same, Verdict::Unknown] {
            match (count(verdict), verdict) {
                (0, _) => {}
                (n, Verdict::Faster | Verdict::Slower) => parts.push(format!("{n} {}", verdict.word())),
                (n, Verdict::Noise) => parts.push(format!("{n} within the noise")),
                (n, Verdict::Same) => parts.push(format!("{n} the same to 1 %")),
                (n, Verdict::Unknown) => parts.push(format!("{n} with too few runs to tell")),
            }
        }
        let cases = plural(self.rows.len(), "case", "cases");
        format!(
            "{} takes {overall:.3} times as long as {} over {cases}: {}.",
            self.second,
            self.first,
            parts.join(", ")
        )
    }

    /// For eyes on a terminal.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for difference in &self.differences {
            let _ = writeln!(text, "{difference}");
        }
        if !self.differences.is_empty() {
            text.push('\n');
        }
        if !self.rows.is_empty() {
            let mut rows = vec![self.headings().to_vec()];
            rows.extend(self.rows.iter().map(|row| row.cells().to_vec()));
            text += &aligned(&rows);
            text.push('\n');
        }
        for warning in &self.warnings {
            let _ = writeln!(text, "note: {warning}");
        }
        let _ = writeln!(text, "{}", self.sentence());
        if let (a, b) = self.unmatched
            && a + b > 0
        {
            let _ = writeln!(
                text,
                "Only {} has {}, only {} {}.",
                self.first,
                plural(a, "case", "cases"),
                self.second,
                plural(b, "case", "cases")
            );
        }
        text
    }

    /// For papers.
    pub fn markdown(&self) -> String {
        let mut text = format!("# {} against {}\n\n", self.second, self.first);
        for difference in &self.differences {
            let _ = writeln!(text, "- {}", escaped(difference));
        }
        for warning in &self.warnings {
            let _ = writeln!(text, "- {}", escaped(warning));
        }
        let _ = writeln!(text, "\n{}\n", self.sentence());
        let headings = self.headings();
        let _ = writeln!(text, "| {} |\n|---|---|{}", headings.join(" | "), "---:|".repeat(headings.len() - 2));
        for row in &self.rows {
            let _ = writeln!(text, "| {} |", row.cells().map(|cell| escaped(&cell)).join(" | "));
        }
        let _ = writeln!(
            text,
            "\nRatios of geometric means with {:.0} % intervals (Welch, on logarithms). A difference is more than noise \
             if it stays so among all comparisons of the table (Benjamini and Hochberg), and worth a word from {:.0} % on.",
            CONFIDENCE * 100.0,
            SMALL * 100.0
        );
        text
    }

    /// For programs.
    pub fn csv(&self) -> String {
        let headings =
            "puzzle,way,workers,runs_a,median_a_s,runs_b,median_b_s,ratio_b_over_a,ratio_low,ratio_high,chance,verdict";
        let mut text = format!("{headings}\n");
        let number = |number: Option<f64>| number.map(|number| format!("{number:.6}")).unwrap_or_default();
        for row in &self.rows {
            let Row { first, second, ratio, .. } = row;
            let cells = [
                row.puzzle.clone(),
                row.way.clone(),
                row.workers.to_string(),
                first.runs.to_string(),
                number(Some(first.median)),
                second.runs.to_string(),
                number(Some(second.median)),
                number(Some(ratio.ratio)),
                number(ratio.interval.map(|(low, _)| low)),
                number(ratio.interval.map(|(_, high)| high)),
                number(ratio.chance),
                row.verdict.word().into(),
            ];
            text += &csv::line(cells.into_iter());
        }
        text
    }

    fn headings(&self) -> [String; 8] {
        let (a, b) = (format!("{} s", self.first), format!("{} s", self.second));
        let interval = format!("{:.0} %", CONFIDENCE * 100.0);
        ["puzzle".into(), "counted by".into(), "workers".into(), a, b, "ratio".into(), interval, "verdict".into()]
    }
}

impl Row {
    fn cells(&self) -> [String; 8] {
        let interval = self.ratio.interval.map_or("-".into(), |(low, high)| format!("{low:.3} to {high:.3}"));
        [
            self.puzzle.clone(),
            self.way.clone(),
            self.workers.to_string(),
            seconds(self.first.median),
            seconds(self.second.median),
            format!("{:.3}", self.ratio.ratio),
            interval,
            self.verdict.word().into(),
        ]
    }
}
