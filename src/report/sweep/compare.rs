//! Two sweeps, case by case: the ratio of their times, and whether it is significant.

mod text;

use std::collections::BTreeMap;

use super::analysis::Analysis;
use super::stats::{Ratio, Sample, benjamini_hochberg};
use super::variant::{FIELDS, NAMES, SEQUENTIAL, Variant, label, shown, sort_key, variant};
use super::warnings::{Disagreement, agree, warnings};
use super::{PROPERTIES, Property, Run, Scaling, Sweep, frequencies};

/// A smaller difference is not reported, even if it is significant.
const SMALL: f64 = 0.01;

#[derive(Clone, Debug)]
pub struct Comparison {
    /// The name of the first sweep, the base of the ratios.
    pub first: String,
    pub second: String,
    /// What differs between all runs of the first and all of the second, such as `commit: A against B`.
    pub differences: Vec<String>,
    /// Each after the name of its sweep.
    pub warnings: Vec<String>,
    /// The cases that both have.
    pub rows: Vec<Row>,
    /// The number of cases that only the first, and only the second has.
    pub unmatched: (usize, usize),
}

#[derive(Clone, Debug)]
pub struct Row {
    pub puzzle: String,
    pub variant: String,
    pub workers: usize,
    /// In seconds.
    pub first: Sample,
    pub second: Sample,
    /// The second over the first.
    pub ratio: Ratio,
    pub verdict: Verdict,
}

/// What the second is, compared with the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Faster,
    Slower,
    /// Not significant.
    Noise,
    /// Significant, but smaller than 1 %.
    Same,
    Unknown,
}

impl Verdict {
    /// Each with its text in a table and in a sentence.
    const TEXTS: [(Verdict, &str, &str); 5] = [
        (Verdict::Faster, "faster", "faster"),
        (Verdict::Slower, "slower", "slower"),
        (Verdict::Noise, "noise", "within the noise"),
        (Verdict::Same, "the same", "the same to 1 %"),
        (Verdict::Unknown, "too few runs", "with too few runs to tell"),
    ];

    pub fn text(self) -> &'static str {
        Verdict::TEXTS[self as usize].1
    }
}

type Key = (Scaling, String, (usize, Variant), usize);

impl Comparison {
    /// Compares the second sweep with the first. They must agree on the counts.
    pub fn of(first: &Sweep, second: &Sweep) -> Result<Comparison, Disagreement> {
        let rename = |name: &str, run: &Run| Run { name: format!("{name}/{}", run.name), ..run.clone() };
        let named = |sweep: &Sweep| sweep.runs.iter().map(|run| rename(&sweep.name, run)).collect::<Vec<Run>>();
        agree(&Sweep { runs: named(first).into_iter().chain(named(second)).collect(), ..first.clone() })?;
        let (compared, mut differences) = compared_fields(first, second);
        differences.extend(property_differences(first, second));
        let warnings_of = |sweep: &Sweep| -> Vec<String> {
            warnings(&Analysis::of(sweep)).iter().map(|warning| format!("{}: {warning}", sweep.name)).collect()
        };
        let warnings = [first, second].map(warnings_of).concat();
        let (a, mut b) = (cases(first, &compared), cases(second, &compared));
        let variants = a.keys().chain(b.keys()).map(|(_, _, (_, variant), _)| variant);
        let shown = shown(variants.filter(|variant| variant[0] != SEQUENTIAL));
        let mut rows = Vec::new();
        let mut unmatched = 0;
        for (key, runs) in a {
            match b.remove(&key) {
                Some(others) => rows.extend(Row::of(&key, &runs, &others, &shown)),
                None => unmatched += 1,
            }
        }
        let significant = benjamini_hochberg(&rows.iter().map(|row| row.ratio.p_value).collect::<Vec<_>>());
        for (row, significant) in rows.iter_mut().zip(significant) {
            row.verdict = match row.ratio {
                Ratio { p_value: None, .. } => Verdict::Unknown,
                _ if !significant => Verdict::Noise,
                Ratio { ratio, .. } if (ratio - 1.0).abs() < SMALL => Verdict::Same,
                Ratio { ratio, .. } if ratio < 1.0 => Verdict::Faster,
                _ => Verdict::Slower,
            };
        }
        let (first, second) = (first.name.clone(), second.name.clone());
        Ok(Comparison { first, second, differences, warnings, rows, unmatched: (unmatched, b.len()) })
    }

    /// The geometric mean of all ratios; `None` without a common case.
    pub fn overall(&self) -> Option<f64> {
        let logs: f64 = self.rows.iter().map(|row| row.ratio.ratio.ln()).sum();
        (!self.rows.is_empty()).then(|| (logs / self.rows.len() as f64).exp())
    }
}

impl Row {
    fn of((_, _, (_, variant), workers): &Key, first: &[&Run], second: &[&Run], shown: &[bool; FIELDS]) -> Option<Row> {
        let times = |runs: &[&Run]| runs.iter().map(|run| run.seconds()).collect::<Vec<f64>>();
        let (a, b) = (times(first), times(second));
        Some(Row {
            puzzle: first.first()?.stem().into(),
            variant: label(variant, shown),
            workers: *workers,
            first: Sample::of(&a)?,
            second: Sample::of(&b)?,
            ratio: Ratio::of(&a, &b)?,
            verdict: Verdict::Unknown,
        })
    }
}

fn cases<'a>(sweep: &'a Sweep, compared: &Compared) -> BTreeMap<Key, Vec<&'a Run>> {
    let mut cases: BTreeMap<Key, Vec<&Run>> = BTreeMap::new();
    for run in &sweep.runs {
        let mut variant = variant(run);
        for (field, both) in compared.iter().enumerate().filter(|(field, _)| *field > 0 || !run.is_sequential()) {
            if let Some(both) = both {
                variant[field].clone_from(both);
            }
        }
        let key = (run.scaling, run.report.puzzle.sha256.clone(), sort_key(&variant), run.workers());
        cases.entry(key).or_default().push(run);
    }
    cases
}

/// For each field that has one value in the first sweep and another one in the second: `static against steal`. This stands for the
/// field in the cases of both: they do not differ in what is compared.
type Compared = [Option<String>; FIELDS];

fn compared_fields(first: &Sweep, second: &Sweep) -> (Compared, Vec<String>) {
    let variants =
        |sweep: &Sweep| -> Vec<Variant> { sweep.runs.iter().filter(|run| !run.is_sequential()).map(variant).collect() };
    let (a, b) = (variants(first), variants(second));
    let common = |variants: &[Variant], field: usize| -> Option<String> {
        let value = &variants.first()?[field];
        variants.iter().all(|variant| variant[field] == *value).then(|| value.clone())
    };
    let mut compared = Compared::default();
    let mut differences = Vec::new();
    for (field, name) in NAMES.into_iter().enumerate() {
        if let (Some(a), Some(b)) = (common(&a, field), common(&b, field))
            && a != b
        {
            // An empty field does not apply to its method.
            if !a.is_empty() && !b.is_empty() {
                differences.push(format!("{name}: {a} against {b}"));
            }
            compared[field] = Some(format!("{a} against {b}"));
        }
    }
    (compared, differences)
}

/// Different programs or machines.
fn property_differences(first: &Sweep, second: &Sweep) -> impl Iterator<Item = String> {
    const BUILD: Property = ("build", "builds", |run| Some(run.program().profile.clone()));
    PROPERTIES.into_iter().chain([BUILD]).filter_map(move |(name, _, value)| {
        let all = |sweep: &Sweep| {
            let values = frequencies(&sweep.runs, value).into_keys().filter(|value| !value.is_empty());
            values.collect::<Vec<String>>().join(" and ")
        };
        let (a, b) = (all(first), all(second));
        (a != b).then(|| format!("{name}: {a} against {b}"))
    })
}
