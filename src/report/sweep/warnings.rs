//! What is wrong with a sweep: what forbids any comparison, and what to know before believing one.

use std::collections::{BTreeMap, BTreeSet};

use crate::report::render::terminal::grouped;
use crate::report::sweep::stats::outliers;

use super::analysis::Analysis;
use super::{Run, Sweep};

/// Counts shorter than this measure the start of a job rather than the count.
const SHORT: f64 = 0.1;
/// Repeats that differ by more than this share of their median say little about anything smaller.
const WIDE: f64 = 0.25;
/// Fewer repeats do not tell how much is chance.
const FEW: usize = 3;
/// At most so many runs are named: as an example, and where they are the matter.
const NAMED: usize = 4;
const ACCUSED: usize = 20;

/// Runs of one puzzle that do not agree on the number of its solutions: nothing can be said about such a sweep.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{puzzle} was counted as {}", .counts.join(" and as "))]
pub struct Disagreement {
    /// The puzzle.
    pub puzzle: String,
    /// Each count, with the runs that came to it.
    pub counts: Vec<String>,
}

/// Whether all runs of each puzzle agree; those that ended at a limit have not counted all.
pub fn agree(sweep: &Sweep) -> Result<(), Disagreement> {
    let mut counts: BTreeMap<&str, BTreeMap<String, Vec<&Run>>> = BTreeMap::new();
    for run in sweep.runs.iter().filter(|run| run.report.result.complete) {
        let found = counts.entry(&run.report.puzzle.sha256).or_default();
        found.entry(run.report.result.solutions.to_string()).or_default().push(run);
    }
    let Some(found) = counts.into_values().find(|found| found.len() > 1) else { return Ok(()) };
    let puzzle = found.values().flatten().next().map_or("", |run| run.puzzle()).to_owned();
    // The fewest first: they are more likely the wrong ones.
    let mut found: Vec<(String, Vec<&Run>)> = found.into_iter().collect();
    found.sort_by_key(|(_, runs)| runs.len());
    let last = found.len() - 1;
    let told = |(index, (count, runs)): (usize, (String, Vec<&Run>))| {
        let most = if index == last { NAMED } else { ACCUSED };
        format!("{} by {}", grouped(&count), list(runs.iter().map(|run| run.name.as_str()), most))
    };
    Err(Disagreement { puzzle, counts: found.into_iter().enumerate().map(told).collect() })
}

/// What to know before believing a sweep, a sentence each, the gravest first.
pub fn warnings(study: &Analysis) -> Vec<String> {
    let sweep = study.sweep;
    let mut warnings = Vec::new();
    failures(sweep, &mut warnings);
    unexpected(sweep, &mut warnings);
    mixtures(sweep, &mut warnings);
    builds(sweep, &mut warnings);
    oversubscription(study, &mut warnings);
    chunks(study, &mut warnings);
    short_runs(study, &mut warnings);
    bases(study, &mut warnings);
    repeats(study, &mut warnings);
    warnings
}

fn failures(sweep: &Sweep, warnings: &mut Vec<String>) {
    if let Some(first) = sweep.failures.first() {
        let names = list(sweep.failures.iter().map(|failure| failure.name.as_str()), NAMED);
        warnings.push(format!(
            "{} and {} not in the figures: {names}. The first: {}.",
            plural(sweep.failures.len(), "run failed", "runs failed"),
            if sweep.failures.len() == 1 { "is" } else { "are" },
            first.why
        ));
    }
}

fn unexpected(sweep: &Sweep, warnings: &mut Vec<String>) {
    let wrong: Vec<&Run> = sweep.runs.iter().filter(|run| run.report.result.matches_expected == Some(false)).collect();
    if !wrong.is_empty() {
        warnings
            .push(format!("The count is not the one that the puzzle's file expects: {}.", names(wrong.into_iter())));
    }
}

/// Runs on different machines, of different programs or with different libraries are different experiments.
fn mixtures(sweep: &Sweep, warnings: &mut Vec<String>) {
    type Fact = (&'static str, fn(&Run) -> Option<String>);
    let facts: [Fact; 5] = [
        ("machines", |run| {
            let hosts = run.report.provenance.environment.hosts.iter();
            let kinds: BTreeSet<&str> = hosts.filter_map(|host| host.cpu.as_deref()).collect();
            Some(kinds.into_iter().collect::<Vec<&str>>().join(" and "))
        }),
        ("commits", |run| Some(run.report.provenance.program.commit.clone())),
        ("versions of the sources", |run| Some(run.report.provenance.program.sources.clone())),
        ("compilers", |run| Some(run.report.provenance.program.rustc.clone())),
        ("MPI libraries", library),
    ];
    for (what, fact) in facts {
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        for fact in sweep.runs.iter().filter_map(fact) {
            *found.entry(fact).or_default() += 1;
        }
        if found.len() > 1 {
            let told: Vec<String> =
                found.iter().map(|(fact, runs)| format!("{fact} ({})", plural(*runs, "run", "runs"))).collect();
            warnings
                .push(format!("The runs are from different {what}: {}.", list(told.iter().map(String::as_str), NAMED)));
        }
    }
}

/// The MPI library of a run, without the words on how it was built.
pub(super) fn library(run: &Run) -> Option<String> {
    let library = run.report.provenance.environment.mpi_library.as_deref()?.lines().next()?;
    Some(library.split(", package").next().unwrap_or(library).to_owned())
}

fn builds(sweep: &Sweep, warnings: &mut Vec<String>) {
    let slow = sweep.runs.iter().filter(|run| run.report.provenance.program.profile != "release");
    let slow: Vec<&Run> = slow.collect();
    if !slow.is_empty() {
        warnings.push(format!("Not a release build, so slower than it could be: {}.", names(slow.into_iter())));
    }
}

fn oversubscription(study: &Analysis, warnings: &mut Vec<String>) {
    let over: Vec<&Run> = study.sweep.runs.iter().filter(|run| run.is_oversubscribed()).collect();
    let Some(least) = over.iter().map(|run| run.workers()).min() else { return };
    let cores = over.iter().filter(|run| run.workers() == least).map(|run| run.cores()).max().unwrap_or(0);
    warnings.push(format!(
        "{} of {} runs, from {} on, had more workers than cores ({} at first): these neither tell how fast more cores would be nor, \
         where ranks ask for work, how well it is shared. Their points are hollow, and no law is fitted to them.",
        over.len(),
        study.sweep.runs.len(),
        study.workers(least),
        plural(cores, "core", "cores")
    ));
}

/// The same schedule on the same ranks has the same chunks, unless somebody has asked for others.
fn chunks(study: &Analysis, warnings: &mut Vec<String>) {
    let chunk = |run: &Run| (run.report.pool.units, run.report.config.chunk);
    let cases = study.subjects.iter().flat_map(|subject| subject.cases());
    let mixed = cases.filter(|(_, case)| case.runs.iter().any(|run| chunk(run) != chunk(case.runs[0])));
    let mixed: Vec<&Run> = mixed.map(|(_, case)| case.runs[0]).collect();
    if !mixed.is_empty() {
        warnings.push(format!(
            "Repeats of one case were cut or dealt differently (--chunk): {}.",
            names(mixed.into_iter())
        ));
    }
}

fn short_runs(study: &Analysis, warnings: &mut Vec<String>) {
    let cases = study.subjects.iter().flat_map(|subject| subject.cases());
    let short: Vec<&Run> =
        cases.filter(|(_, case)| case.seconds.median < SHORT).map(|(_, case)| case.runs[0]).collect();
    if !short.is_empty() {
        warnings.push(format!(
            "{} less than {SHORT} s, in which the start of a job weighs more than its work: {}. Take a longer puzzle.",
            plural(short.len(), "case takes", "cases take"),
            names(short.into_iter())
        ));
    }
}

fn repeats(study: &Analysis, warnings: &mut Vec<String>) {
    let (mut odd, mut wide, mut few) = (Vec::new(), Vec::new(), 0);
    for subject in &study.subjects {
        for (series, case) in subject.cases() {
            let seconds: Vec<f64> = case.runs.iter().map(|run| run.seconds()).collect();
            let outliers = outliers(&seconds);
            few += usize::from(case.runs.len() < FEW);
            if outliers.is_empty() && case.seconds.spread() > WIDE {
                wide.push(format!("{} {} on {}", case.runs[0].stem(), series.label, study.workers(case.workers)));
            }
            odd.extend(outliers.into_iter().map(|index| case.runs[index]));
        }
    }
    if !odd.is_empty() {
        let what = plural(odd.len(), "run is", "runs are");
        warnings.push(format!(
            "{what} far from the other repeats of the same case: {}. Something else may have had the machine; medians do not mind.",
            names(odd.into_iter())
        ));
    }
    if !wide.is_empty() {
        let cases = plural(wide.len(), "case", "cases");
        warnings.push(format!(
            "In {cases} repeats differ by more than {:.0} % of their median: {}. Smaller differences are noise there.",
            WIDE * 100.0,
            list(wide.iter().map(String::as_str), NAMED)
        ));
    }
    if few > 0 {
        warnings.push(format!(
            "{} fewer than {FEW} repeats: that does not tell how much is chance.",
            plural(few, "case has", "cases have")
        ));
    }
}

/// Speed-up over several workers takes for granted what it should show.
fn bases(study: &Analysis, warnings: &mut Vec<String>) {
    let series = study.subjects.iter().flat_map(|subject| &subject.series);
    if let Some(series) = series.filter(|series| series.base.workers > 1).max_by_key(|series| series.base.workers) {
        warnings.push(format!(
            "There is no run of one worker for everything: speed-up is over {}, as if these were fully used.",
            series.base.what
        ));
    }
}

fn names<'a>(runs: impl Iterator<Item = &'a Run>) -> String {
    list(runs.map(|run| run.name.as_str()), NAMED)
}

/// The first few, and how many more there are.
fn list<'a>(names: impl Iterator<Item = &'a str>, most: usize) -> String {
    let names: Vec<&str> = names.collect();
    let (named, more) = names.split_at(names.len().min(most));
    let named = named.join(", ");
    if more.is_empty() { named } else { format!("{named} and {} more", more.len()) }
}

/// `1 run`, `2 runs`.
pub(crate) fn plural(number: usize, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}
