//! Two sweeps, case by case: how much longer does the second take, and is that more than chance?

mod text;

use std::collections::BTreeMap;

use crate::report::sweep::stats::{Ratio, Summary, benjamini_hochberg};

use super::analysis::Analysis;
use super::variant::{FIELDS, SEQUENTIAL, Way, differs, label, rank_of, way};
use super::warnings::{Disagreement, agree, library, warnings};
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
    /// What to know before believing either of them.
    pub warnings: Vec<String>,
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
        let (compared, mut differences) = whole_differences(first, second);
        let dropped = compared.each_ref().map(Option::is_some);
        differences.extend(fact_differences(first, second));
        let told = |sweep: &Sweep| -> Vec<String> {
            warnings(&Analysis::of(sweep)).into_iter().map(|warning| format!("{}: {warning}", sweep.name)).collect()
        };
        let warnings: Vec<String> = [first, second].map(told).concat();
        let (a, mut b) = (cases(first, &dropped), cases(second, &dropped));
        let said = said(a.keys().chain(b.keys()), &dropped);
        let mut rows = Vec::new();
        let mut alone = 0;
        for (key, runs) in a {
            let Some(others) = b.remove(&key) else {
                alone += 1;
                continue;
            };
            rows.extend(Row::of(&key, &runs, &others, &said, &compared));
        }
        let real = benjamini_hochberg(&rows.iter().map(|row| row.ratio.chance).collect::<Vec<Option<f64>>>());
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
        Ok(Comparison { first, second, differences, warnings, rows, unmatched: (alone, b.len()) })
    }

    /// The geometric mean of all ratios; nothing where there is none.
    pub fn overall(&self) -> Option<f64> {
        let logs: f64 = self.rows.iter().map(|row| row.ratio.ratio.ln()).sum();
        (!self.rows.is_empty()).then(|| (logs / self.rows.len() as f64).exp())
    }
}

impl Row {
    fn of(key: &Key, first: &[&Run], second: &[&Run], said: &[bool; FIELDS], compared: &Compared) -> Option<Row> {
        let times = |runs: &[&Run]| runs.iter().map(|run| run.seconds()).collect::<Vec<f64>>();
        let (a, b) = (times(first), times(second));
        let ratio = Ratio::of(&a, &b)?;
        let (_, _, (_, way), workers) = key;
        // What is compared as a whole tells no cases apart, but a row should say what it is about.
        let mut way = way.clone();
        let mut said = *said;
        if way[0].is_empty()
            && let Some(schedules) = &compared[0]
        {
            way[0].clone_from(schedules);
        }
        said[0] = true;
        Some(Row {
            puzzle: first.first()?.stem().into(),
            way: label(&way, &said),
            workers: *workers,
            first: Summary::of(&a)?,
            second: Summary::of(&b)?,
            ratio,
            verdict: Verdict::Unknown,
        })
    }
}

/// The fields that tell the cases apart: the schedule, unless it is what is compared, and what else differs.
fn said<'k>(keys: impl Iterator<Item = &'k Key>, dropped: &[bool; FIELDS]) -> [bool; FIELDS] {
    let ways: Vec<&Way> = keys.map(|(_, _, (_, way), _)| way).filter(|way| way[0] != SEQUENTIAL).collect();
    std::array::from_fn(|field| !dropped[field] && (field == 0 || differs(ways.iter().copied(), field)))
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

/// For each field what all runs of the first sweep have in it and all of the second, where these differ: `static against steal`.
type Compared = [Option<String>; FIELDS];

/// What all runs of a sweep have in common and none of the other has: that is what is compared, not what tells cases apart.
fn whole_differences(first: &Sweep, second: &Sweep) -> (Compared, Vec<String>) {
    const NAMES: [&str; FIELDS] = ["schedule", "method", "depth", "threads", "cells", "values", "cache", "limit"];
    let ways = |sweep: &Sweep| -> Vec<Way> { sweep.runs.iter().filter(|run| !run.is_sequential()).map(way).collect() };
    let (a, b) = (ways(first), ways(second));
    let only = |ways: &[Way], field: usize| -> Option<String> {
        let value = &ways.first()?[field];
        ways.iter().all(|way| way[field] == *value).then(|| value.clone())
    };
    let mut compared = Compared::default();
    let mut words = Vec::new();
    for (field, name) in NAMES.into_iter().enumerate() {
        if let (Some(a), Some(b)) = (only(&a, field), only(&b, field))
            && a != b
        {
            // What does not apply to one of them is no choice of the other.
            if !a.is_empty() && !b.is_empty() {
                words.push(format!("{name}: {a} against {b}"));
            }
            compared[field] = Some(format!("{a} against {b}"));
        }
    }
    (compared, words)
}

/// Other programs or machines.
fn fact_differences(first: &Sweep, second: &Sweep) -> Vec<String> {
    type Fact = (&'static str, fn(&Run) -> String);
    let facts: [Fact; 6] = [
        ("commit", |run| run.report.provenance.program.commit.clone()),
        ("machine", |run| {
            run.report.provenance.environment.hosts.first().and_then(|host| host.cpu.clone()).unwrap_or_default()
        }),
        ("MPI library", |run| library(run).unwrap_or_default()),
        ("sources", |run| run.report.provenance.program.sources.clone()),
        ("build", |run| run.report.provenance.program.profile.clone()),
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
