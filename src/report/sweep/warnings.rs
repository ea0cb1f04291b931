//! Checks of a sweep: runs that disagree on a count, and reasons for caution.

use std::collections::BTreeMap;

use crate::report::render::number::{grouped, plural};
use crate::report::sweep::stats::outliers;

use super::analysis::{Analysis, Case, Series};
use super::{PROPERTIES, Run, Sweep, frequencies};

/// Seconds: a shorter run measures the start of a job rather than the count.
const SHORT: f64 = 0.1;
/// The largest difference between repeats, as a share of their median.
const WIDE: f64 = 0.25;
/// The fewest repeats that show how much is noise.
const FEW: usize = 3;
/// The most names in a list: of examples, and of runs with a wrong count.
const NAMED: usize = 4;
const NAMED_WRONG: usize = 20;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{puzzle} was counted as {}", .counts.join(" and as "))]
pub struct Disagreement {
    pub puzzle: String,
    /// Each count, with the runs that found it.
    pub counts: Vec<String>,
}

/// Checks that all runs of each puzzle agree. Runs that ended at a limit are not compared.
pub fn agree(sweep: &Sweep) -> Result<(), Disagreement> {
    let mut counts: BTreeMap<&str, BTreeMap<String, Vec<&Run>>> = BTreeMap::new();
    for run in sweep.runs.iter().filter(|run| run.report.result.complete) {
        let found = counts.entry(&run.report.puzzle.sha256).or_default();
        found.entry(run.report.result.solutions.to_string()).or_default().push(run);
    }
    let Some(found) = counts.into_values().find(|found| found.len() > 1) else { return Ok(()) };
    let puzzle = found.values().flatten().next().map_or("", |run| run.puzzle()).to_owned();
    // The smallest set of runs comes first: it is more likely wrong.
    let mut found: Vec<(String, Vec<&Run>)> = found.into_iter().collect();
    found.sort_by_key(|(_, runs)| runs.len());
    let last = found.len() - 1;
    let text = |(index, (count, runs)): (usize, (String, Vec<&Run>))| {
        let most = if index == last { NAMED } else { NAMED_WRONG };
        format!("{} by {}", grouped(count), list(&names(runs), most))
    };
    Err(Disagreement { puzzle, counts: found.into_iter().enumerate().map(text).collect() })
}

/// A reason to interpret a sweep with caution: the cause, the consequence, and what to try.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Warning {
    #[error(
        "{} not in the figures: {}. The first: {first_reason}. The same sweep again repeats only what is missing.",
        plural(.runs.len(), "run failed and is", "runs failed and are"), list(.runs, NAMED)
    )]
    Failed { runs: Vec<String>, first_reason: String },
    #[error(
        "The count is not the one that the puzzle's file expects: {}. Check the file, or recount with `census verify`.",
        list(.runs, NAMED)
    )]
    UnexpectedCount { runs: Vec<String> },
    /// The runs have different values of a property, each with its number of runs.
    #[error(
        "The runs are from different {property}: {}. Differences between runs may come from these. Compare them as two sweeps: \
         `census report A B`.", list(.values, NAMED)
    )]
    Mixed { property: &'static str, values: Vec<String> },
    #[error("Not a release build, so slower than it could be: {}. Build with --release.", list(.runs, NAMED))]
    NotRelease { runs: Vec<String> },
    /// More workers than cores: how many runs of how many, and the fewest workers among them with their cores.
    #[error(
        "{runs} of {of} runs, from {workers} on {} upwards, had more workers than cores. They do not show how fast more cores would \
         be, nor the load balance of schedules that request blocks: their points are hollow, and no law is fitted to them. Measure with \
         a core for each worker.", plural(*.cores, "core", "cores")
    )]
    Oversubscribed { runs: usize, of: usize, workers: String, cores: usize },
    #[error(
        "Repeats of one case have different numbers of units or chunks: {}. They measure different work. Repeat them with the same \
         --depth and --chunk.", list(.cases, NAMED)
    )]
    MixedChunks { cases: Vec<String> },
    #[error(
        "{} less than {SHORT} s, which measures the start of a job rather than the count: {}. Use a longer puzzle.",
        plural(.cases.len(), "case takes", "cases take"), list(.cases, NAMED)
    )]
    Short { cases: Vec<String> },
    #[error(
        "A run of one worker is missing: speed-up is over {base}, which count as fully used. Add `sequential` or 1 to the ranks of the \
         sweep."
    )]
    ParallelBase { base: String },
    #[error(
        "{} far from the other repeats of the same case: {}. Possible interference; medians are robust to it. Repeat on an idle \
         machine.", plural(.runs.len(), "run is", "runs are"), list(.runs, NAMED)
    )]
    Outliers { runs: Vec<String> },
    #[error(
        "In {} repeats differ by more than {:.0} % of their median: {}. Smaller differences are noise there. Repeat on an idle machine.",
        plural(.cases.len(), "case", "cases"), WIDE * 100.0, list(.cases, NAMED)
    )]
    WideSpread { cases: Vec<String> },
    #[error(
        "{} fewer than {FEW} repeats, too few to tell differences from noise. Set --repeats to {FEW} or more.",
        plural(*.cases, "case has", "cases have")
    )]
    FewRepeats { cases: usize },
}

/// The warnings about a sweep, the most severe first.
pub fn warnings(analysis: &Analysis) -> Vec<Warning> {
    let sweep = analysis.sweep;
    let mut warnings = Vec::new();
    if let Some(first) = sweep.failures.first() {
        let runs = sweep.failures.iter().map(|failure| failure.name.clone()).collect();
        warnings.push(Warning::Failed { runs, first_reason: first.why.clone() });
    }
    let runs_with =
        |is_affected: fn(&Run) -> bool| -> Vec<&Run> { sweep.runs.iter().filter(|run| is_affected(run)).collect() };
    let unexpected = runs_with(|run| run.report.result.matches_expected == Some(false));
    warnings.extend(some(names(unexpected), |runs| Warning::UnexpectedCount { runs }));
    warnings.extend(PROPERTIES.into_iter().filter_map(|(_, property, value)| {
        let found = frequencies(&sweep.runs, value);
        let values = found.iter().map(|(value, runs)| format!("{value} ({})", plural(*runs, "run", "runs")));
        (found.len() > 1).then(|| Warning::Mixed { property, values: values.collect() })
    }));
    let slow = runs_with(|run| run.program().profile != "release");
    warnings.extend(some(names(slow), |runs| Warning::NotRelease { runs }));
    warnings.extend(oversubscription(analysis, &runs_with(Run::is_oversubscribed)));
    let cases: Vec<(&Series, &Case)> = analysis.groups.iter().flat_map(|group| group.cases()).collect();
    let first_runs = |is_affected: &dyn Fn(&Case) -> bool| -> Vec<String> {
        names(cases.iter().filter(|(_, case)| is_affected(case)).map(|(_, case)| case.runs[0]).collect())
    };
    let chunk = |run: &Run| (run.report.pool.units, run.report.config.chunk);
    let mixed = first_runs(&|case| case.runs.iter().any(|run| chunk(run) != chunk(case.runs[0])));
    warnings.extend(some(mixed, |cases| Warning::MixedChunks { cases }));
    let short = first_runs(&|case| case.seconds.median < SHORT);
    warnings.extend(some(short, |cases| Warning::Short { cases }));
    let bases = analysis.groups.iter().flat_map(|group| &group.series).map(|series| &series.base);
    let base = bases.filter(|base| base.workers > 1).max_by_key(|base| base.workers);
    warnings.extend(base.map(|base| Warning::ParallelBase { base: base.what.clone() }));
    repeats(analysis, &cases, &mut warnings);
    warnings
}

fn some(names: Vec<String>, warning: impl Fn(Vec<String>) -> Warning) -> Option<Warning> {
    (!names.is_empty()).then(|| warning(names))
}

fn oversubscription(analysis: &Analysis, runs: &[&Run]) -> Option<Warning> {
    let least = runs.iter().map(|run| run.workers()).min()?;
    let cores = runs.iter().filter(|run| run.workers() == least).map(|run| run.cores()).max().unwrap_or(0);
    let workers = analysis.workers(least);
    Some(Warning::Oversubscribed { runs: runs.len(), of: analysis.sweep.runs.len(), workers, cores })
}

fn repeats(analysis: &Analysis, cases: &[(&Series, &Case)], warnings: &mut Vec<Warning>) {
    let (mut far, mut wide, mut few) = (Vec::new(), Vec::new(), 0);
    for (series, case) in cases {
        let seconds: Vec<f64> = case.runs.iter().map(|run| run.seconds()).collect();
        let outliers = outliers(&seconds);
        few += usize::from(case.runs.len() < FEW);
        if outliers.is_empty() && case.seconds.spread() > WIDE {
            wide.push(format!("{} {} on {}", case.runs[0].stem(), series.label, analysis.workers(case.workers)));
        }
        far.extend(outliers.into_iter().map(|index| case.runs[index]));
    }
    warnings.extend(some(names(far), |runs| Warning::Outliers { runs }));
    warnings.extend(some(wide, |cases| Warning::WideSpread { cases }));
    warnings.extend((few > 0).then_some(Warning::FewRepeats { cases: few }));
}

fn names(runs: Vec<&Run>) -> Vec<String> {
    runs.into_iter().map(|run| run.name.clone()).collect()
}

fn list(names: &[String], most: usize) -> String {
    let (named, more) = names.split_at(names.len().min(most));
    let named = named.join(", ");
    if more.is_empty() { named } else { format!("{named} and {} more", more.len()) }
}
