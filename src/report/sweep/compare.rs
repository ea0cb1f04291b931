//! Two sweeps, case by case: how much longer does the second take, and is that more than chance?

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::report::stats::{CONFIDENCE, Ratio, Summary, are_real};
use crate::report::terminal::aligned;

use super::doubts::{Disagreement, agree, plural};
use super::study::{FIELDS, SEQUENTIAL, Way, label, rank_of, way};
use super::table::seconds;
use super::{Run, Scaling, Sweep};

/// Less than this is not worth a word, however sure it is.
const SMALL: f64 = 0.01;

/// Two sweeps, case by case.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The first sweep, which the second is held against.
    pub first: String,
    /// The second.
    pub second: String,
    /// What is not the same in the two, in words: other commits, another schedule.
    pub differences: Vec<String>,
    /// The cases that both have.
    pub rows: Vec<Row>,
    /// Cases that only one of them has.
    pub unmatched: (usize, usize),
}

/// One case of both sweeps.
#[derive(Clone, Debug)]
pub struct Row {
    /// The puzzle.
    pub puzzle: String,
    /// The way of counting, in both the same but for what the sweeps differ in as a whole.
    pub way: String,
    /// Ranks × threads.
    pub workers: usize,
    /// Seconds of the first.
    pub first: Summary,
    /// Seconds of the second.
    pub second: Summary,
    /// The second over the first.
    pub ratio: Ratio,
    /// What to think of it.
    pub verdict: Verdict,
}

/// What to think of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The second is faster, and that is not chance.
    Faster,
    /// The second is slower, and that is not chance.
    Slower,
    /// Chance may explain it.
    Noise,
    /// It is not chance, but too small to matter.
    Same,
    /// Too few repeats to tell.
    Unknown,
}

impl Verdict {
    /// In a word or two.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Faster => "faster",
            Verdict::Slower => "slower",
            Verdict::Noise => "noise",
            Verdict::Same => "the same",
            Verdict::Unknown => "too few runs",
        }
    }
}

/// What a case is known by in both sweeps.
type Key = (Scaling, String, (usize, Way), usize);

impl Comparison {
    /// The second sweep against the first; they may not differ in what they count.
    pub fn of(first: &Sweep, second: &Sweep) -> Result<Comparison, Disagreement> {
        let named = |sweep: &Sweep| {
            let name = sweep.name.clone();
            sweep.runs.clone().into_iter().map(move |run| Run { name: format!("{name}/{}", run.name), ..run })
        };
        agree(&Sweep { runs: named(first).chain(named(second)).collect(), ..first.clone() })?;
        let (dropped, mut differences) = whole_differences(first, second);
        differences.extend(fact_differences(first, second));
        let (a, mut b) = (cases(first, &dropped), cases(second, &dropped));
        let said = said(a.keys().chain(b.keys()), &dropped);
        let mut rows = Vec::new();
        let mut alone = 0;
        for (key, runs) in a {
            let Some(others) = b.remove(&key) else {
                alone += 1;
                continue;
            };
            rows.extend(Row::of(&key, &runs, &others, &said));
        }
        let real = are_real(&rows.iter().map(|row| row.ratio.chance).collect::<Vec<Option<f64>>>());
        for (row, real) in rows.iter_mut().zip(real) {
            row.verdict = match row.ratio {
                Ratio { chance: None, .. } => Verdict::Unknown,
                _ if !real => Verdict::Noise,
                Ratio { ratio, .. } if (ratio - 1.0).abs() < SMALL => Verdict::Same,
                Ratio { ratio, .. } if ratio < 1.0 => Verdict::Faster,
                _ => Verdict::Slower,
            };
        }
        let (first, second) = (first.name.clone(), second.name.clone());
        Ok(Comparison { first, second, differences, rows, unmatched: (alone, b.len()) })
    }

    /// The geometric mean of all ratios; nothing where there is none.
    pub fn overall(&self) -> Option<f64> {
        let logs: f64 = self.rows.iter().map(|row| row.ratio.ratio.ln()).sum();
        (!self.rows.is_empty()).then(|| (logs / self.rows.len() as f64).exp())
    }

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
            let _ = writeln!(text, "- {difference}");
        }
        let _ = writeln!(text, "\n{}\n", self.sentence());
        let headings = self.headings();
        let _ = writeln!(text, "| {} |\n|---|---|{}", headings.join(" | "), "---:|".repeat(headings.len() - 2));
        for row in &self.rows {
            let _ = writeln!(text, "| {} |", row.cells().map(|cell| cell.replace('|', "\\|")).join(" | "));
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
            text += &super::csv::line(cells.into_iter());
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
    fn of(key: &Key, first: &[&Run], second: &[&Run], said: &[bool; FIELDS]) -> Option<Row> {
        let times = |runs: &[&Run]| runs.iter().map(|run| run.seconds()).collect::<Vec<f64>>();
        let (a, b) = (times(first), times(second));
        let ratio = Ratio::of(&a, &b)?;
        let (_, _, (_, way), workers) = key;
        Some(Row {
            puzzle: first.first()?.stem().into(),
            way: label(way, said),
            workers: *workers,
            first: Summary::of(&a)?,
            second: Summary::of(&b)?,
            ratio,
            verdict: Verdict::Unknown,
        })
    }

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

/// The fields that tell the cases apart: the schedule, unless it is what is compared, and what else differs.
fn said<'k>(keys: impl Iterator<Item = &'k Key>, dropped: &[bool; FIELDS]) -> [bool; FIELDS] {
    let ways: Vec<&Way> = keys.map(|(_, _, (_, way), _)| way).filter(|way| way[0] != SEQUENTIAL).collect();
    std::array::from_fn(|field| !dropped[field] && (field == 0 || ways.iter().any(|way| way[field] != ways[0][field])))
}

/// The runs of each case, without the fields that the two sweeps differ in as a whole.
fn cases<'a>(sweep: &'a Sweep, dropped: &[bool; FIELDS]) -> BTreeMap<Key, Vec<&'a Run>> {
    let mut cases: BTreeMap<Key, Vec<&Run>> = BTreeMap::new();
    for run in &sweep.runs {
        let (place, mut way) = rank_of(&way(run));
        let is_sequential = run.is_sequential();
        for (field, word) in way.iter_mut().enumerate().filter(|(field, _)| dropped[*field]) {
            if field > 0 || !is_sequential {
                word.clear();
            }
        }
        let place = if dropped[0] && !is_sequential { 1 } else { place };
        let key = (run.scaling, run.report.puzzle.sha256.clone(), (place, way), run.workers());
        cases.entry(key).or_default().push(run);
    }
    cases
}

/// What all runs of a sweep have in common and none of the other has: that is what is compared, not what tells cases apart.
fn whole_differences(first: &Sweep, second: &Sweep) -> ([bool; FIELDS], Vec<String>) {
    const NAMES: [&str; FIELDS] = ["schedule", "method", "depth", "threads", "cells", "values", "cache", "limit"];
    let ways = |sweep: &Sweep| -> Vec<Way> { sweep.runs.iter().filter(|run| !run.is_sequential()).map(way).collect() };
    let (a, b) = (ways(first), ways(second));
    let only = |ways: &[Way], field: usize| -> Option<String> {
        let value = &ways.first()?[field];
        ways.iter().all(|way| way[field] == *value).then(|| value.clone())
    };
    let mut dropped = [false; FIELDS];
    let mut words = Vec::new();
    for (field, name) in NAMES.into_iter().enumerate() {
        if let (Some(a), Some(b)) = (only(&a, field), only(&b, field))
            && a != b
        {
            dropped[field] = true;
            words.push(format!("{name}: {a} against {b}"));
        }
    }
    (dropped, words)
}

/// Other programs or machines.
fn fact_differences(first: &Sweep, second: &Sweep) -> Vec<String> {
    type Fact = (&'static str, fn(&Run) -> String);
    let facts: [Fact; 4] = [
        ("commit", |run| run.report.provenance.program.commit.clone()),
        ("machine", |run| {
            let host = run.report.provenance.environment.hosts.first();
            host.map_or(String::new(), |host| format!("{} ({} cores)", host.cpu.as_deref().unwrap_or("?"), host.cores))
        }),
        ("MPI library", |run| {
            let library = run.report.provenance.environment.mpi_library.clone().unwrap_or_default();
            library.split(", package").next().unwrap_or_default().lines().next().unwrap_or_default().to_owned()
        }),
        ("compiler", |run| run.report.provenance.program.rustc.clone()),
    ];
    let all = |sweep: &Sweep, fact: fn(&Run) -> String| {
        let mut found: Vec<String> = sweep.runs.iter().map(fact).filter(|fact| !fact.is_empty()).collect();
        found.sort_unstable();
        found.dedup();
        found.join(" and ")
    };
    let told = facts.into_iter().map(|(name, fact)| (name, all(first, fact), all(second, fact)));
    told.filter(|(_, a, b)| a != b).map(|(name, a, b)| format!("{name}: {a} against {b}")).collect()
}
