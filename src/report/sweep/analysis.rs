//! The analysis of a sweep: repeats form a case, cases a series, series a group.

use std::collections::{BTreeMap, BTreeSet};

use crate::report::render::number::plural;

use super::scaling::{Amdahl, gustafson, karp_flatt};
use super::stats::{Sample, median};
use super::variant::{Labels, SEQUENTIAL, Variant, label, sort_key, variant};
use super::{Run, Scaling, Sweep};

#[derive(Clone, Debug)]
pub struct Analysis<'a> {
    pub sweep: &'a Sweep,
    /// One for each puzzle of strong scaling, and one for all of weak scaling.
    pub groups: Vec<Group<'a>>,
    /// Whether a rank of any run has several threads: then axes show workers instead of ranks.
    pub has_threads: bool,
}

#[derive(Clone, Debug)]
pub struct Group<'a> {
    pub title: String,
    /// The part of addresses and file names, unique for each group.
    pub slug: String,
    pub scaling: Scaling,
    /// One for each variant, the sequential runs first.
    pub series: Vec<Series<'a>>,
}

#[derive(Clone, Debug)]
pub struct Series<'a> {
    /// What differs from other series, such as `static` or `static, depth 4`.
    pub label: String,
    /// The index of its colour, the same in all groups.
    pub style: usize,
    pub(crate) variant: Variant,
    /// Runs without a launcher.
    pub is_sequential: bool,
    pub base: Base,
    /// The fewest workers first.
    pub cases: Vec<Case<'a>>,
    /// Amdahl's law, fitted to the medians of cases with a core for each worker. `None` for weak scaling.
    pub law: Option<Amdahl>,
}

#[derive(Clone, Debug)]
pub struct Case<'a> {
    pub workers: usize,
    pub runs: Vec<&'a Run>,
    pub seconds: Sample,
    /// See [`Run::work`].
    pub work: f64,
    pub is_oversubscribed: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Base {
    /// Its description, such as `the sequential run`.
    pub what: String,
    /// Its workers: they count as fully used.
    pub workers: usize,
    /// The median.
    pub seconds: f64,
    /// See [`Run::work`].
    pub work: f64,
}

impl Base {
    fn of(case: &Case, what: String) -> Base {
        // More workers than cores are no faster than the cores.
        let cores = case.runs.iter().map(|run| run.cores()).max().unwrap_or(1).max(1);
        let workers = if case.is_oversubscribed { case.workers.min(cores) } else { case.workers };
        Base { what, workers, seconds: case.seconds.median, work: case.work }
    }

    /// The speed-up of this work in these seconds over one worker of the base.
    pub fn speed_up(&self, seconds: f64, work: f64) -> f64 {
        // The resolution of the clocks.
        let rate = |work: f64, seconds: f64| work / seconds.max(1e-9);
        rate(work, seconds) / rate(self.work, self.seconds) * self.workers as f64
    }
}

impl<'a> Case<'a> {
    fn new(runs: Vec<&'a Run>) -> Option<Case<'a>> {
        let seconds: Vec<f64> = runs.iter().map(|run| run.seconds()).collect();
        let first = runs.first()?;
        Some(Case {
            workers: first.workers(),
            seconds: Sample::of(&seconds)?,
            work: first.work(),
            is_oversubscribed: runs.iter().any(|run| run.is_oversubscribed()),
            runs,
        })
    }

    /// Load balance. With more workers than cores, seconds show which workers had a core, and so do nodes if faster ranks get more
    /// units: then only the nodes of fixed schedules are meaningful.
    pub fn balance(&self, run: &Run) -> Option<f64> {
        let efficiency = &run.report.efficiency;
        match (self.is_oversubscribed, run.report.config.schedule.as_str()) {
            (false, _) => Some(efficiency.load_balance),
            (true, "static" | "cyclic") => Some(efficiency.load_balance_nodes),
            _ => None,
        }
    }

    /// The median of a property over the runs; `None` if a run lacks it.
    pub fn median_if(&self, of: impl Fn(&Run) -> Option<f64>) -> Option<f64> {
        median(&self.runs.iter().map(|run| of(run)).collect::<Option<Vec<f64>>>()?)
    }

    /// The first of the runs whose seconds are nearest to the median.
    pub fn middle_run(&self) -> &'a Run {
        let distance = |run: &Run| (run.seconds() - self.seconds.median).abs();
        self.runs.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(self.runs[0])
    }
}

impl<'a> Series<'a> {
    pub fn case(&self, workers: usize) -> Option<&Case<'a>> {
        self.cases.iter().find(|case| case.workers == workers)
    }

    pub fn speed_up(&self, case: &Case) -> f64 {
        self.base.speed_up(case.seconds.median, case.work)
    }

    pub fn efficiency(&self, case: &Case) -> f64 {
        self.speed_up(case) / case.workers as f64
    }

    pub fn speed_up_of(&self, run: &Run) -> f64 {
        self.base.speed_up(run.seconds(), run.work())
    }

    /// The serial share by Karp and Flatt, in weak scaling by Gustafson. `None` with more workers than cores, and with no more workers
    /// than the base.
    pub fn serial_share(&self, case: &Case, scaling: Scaling) -> Option<f64> {
        if case.is_oversubscribed || case.workers <= self.base.workers {
            return None;
        }
        let (speed_up, workers) = (self.speed_up(case), case.workers as f64);
        match scaling {
            Scaling::Strong => karp_flatt(speed_up, workers),
            Scaling::Weak => gustafson(speed_up, workers),
        }
    }
}

impl Group<'_> {
    pub fn cases(&self) -> impl Iterator<Item = (&Series<'_>, &Case<'_>)> {
        self.series.iter().flat_map(|series| series.cases.iter().map(move |case| (series, case)))
    }

    pub fn parallel(&self) -> impl Iterator<Item = &Series<'_>> {
        self.series.iter().filter(|series| !series.is_sequential)
    }

    pub fn parallel_cases(&self) -> impl Iterator<Item = (&Series<'_>, &Case<'_>)> {
        self.cases().filter(|(series, _)| !series.is_sequential)
    }

    pub fn workers(&self) -> BTreeSet<usize> {
        self.cases().map(|(_, case)| case.workers).collect()
    }
}

impl<'a> Analysis<'a> {
    pub fn of(sweep: &'a Sweep) -> Analysis<'a> {
        let labels = Labels::of(sweep);
        let mut by_group: BTreeMap<(Scaling, &str, &str), Vec<&Run>> = BTreeMap::new();
        for run in &sweep.runs {
            let puzzle = &run.report.puzzle;
            let key = match run.scaling {
                Scaling::Strong => (Scaling::Strong, run.stem(), puzzle.sha256.as_str()),
                Scaling::Weak => (Scaling::Weak, "", ""),
            };
            by_group.entry(key).or_default().push(run);
        }
        let mut groups: Vec<Group> = Vec::new();
        for ((scaling, ..), runs) in by_group {
            let (title, stem) = match scaling {
                Scaling::Strong => (runs[0].puzzle().to_owned(), runs[0].stem()),
                Scaling::Weak => ("Weak scaling".into(), "weak"),
            };
            let taken = |slug: &str| groups.iter().any(|group| group.slug == slug);
            let slug = (1..).map(|n| slug(stem, n)).find(|slug| !taken(slug)).unwrap_or_default();
            groups.push(Group { title, slug, scaling, series: series_of(&runs, scaling, &labels) });
        }
        Analysis { sweep, groups, has_threads: sweep.runs.iter().any(|run| run.threads() > 1) }
    }

    pub fn unit(&self) -> &'static str {
        if self.has_threads { "workers" } else { "ranks" }
    }

    /// `1 rank`, `8 ranks`, `8 workers`.
    pub fn workers(&self, number: usize) -> String {
        let unit = self.unit();
        plural(number, unit.trim_end_matches('s'), unit)
    }

    /// The labels of all series, each once, in the order of their styles.
    pub fn labels(&self) -> Vec<&str> {
        let series = self.groups.iter().flat_map(|group| &group.series);
        let by_style: BTreeMap<usize, &str> = series.map(|series| (series.style, series.label.as_str())).collect();
        by_style.into_values().collect()
    }

    pub fn runs(&self) -> impl Iterator<Item = (&Group<'_>, &Series<'_>, &Run)> {
        let of_group = |group| {
            Group::cases(group).flat_map(move |(series, case)| case.runs.iter().map(move |run| (group, series, *run)))
        };
        self.groups.iter().flat_map(of_group)
    }
}

/// A name of lower-case letters, digits and dashes.
fn slug(stem: &str, number: usize) -> String {
    let slug = stem.to_ascii_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let slug = if slug.is_empty() { "p".into() } else { slug };
    if number > 1 { format!("{slug}-{number}") } else { slug }
}

fn series_of<'a>(runs: &[&'a Run], scaling: Scaling, labels: &Labels) -> Vec<Series<'a>> {
    let mut by_variant: BTreeMap<(usize, Variant), BTreeMap<usize, Vec<&'a Run>>> = BTreeMap::new();
    for &run in runs {
        by_variant.entry(sort_key(&variant(run))).or_default().entry(run.workers()).or_default().push(run);
    }
    let variants: Vec<(Variant, Vec<Case>)> = by_variant
        .into_iter()
        .map(|((_, variant), cases)| (variant, cases.into_values().filter_map(Case::new).collect()))
        .collect();
    let series = |(variant, cases): &(Variant, Vec<Case<'a>>)| {
        let first = cases.first()?;
        let base = sequential_for(variant, &variants).map(|case| Base::of(case, "the sequential run".into()));
        let own = || {
            let workers = if first.workers == 1 { "one worker".into() } else { format!("{} workers", first.workers) };
            Base::of(first, format!("{workers} of the same kind"))
        };
        let measured = cases.iter().filter(|case| !case.is_oversubscribed);
        let medians: Vec<(f64, f64)> = measured.map(|case| (case.workers as f64, case.seconds.median)).collect();
        Some(Series {
            label: label(variant, &labels.shown),
            style: labels.style(variant),
            variant: variant.clone(),
            is_sequential: variant[0] == SEQUENTIAL,
            base: base.unwrap_or_else(own),
            law: Amdahl::fit(&medians).filter(|_| scaling == Scaling::Strong),
            cases: cases.clone(),
        })
    };
    variants.iter().filter_map(series).collect()
}

/// The sequential runs that are the base of a variant: with the same options, or else with the same method.
fn sequential_for<'b, 'a>(variant: &Variant, variants: &'b [(Variant, Vec<Case<'a>>)]) -> Option<&'b Case<'a>> {
    let sequential = || variants.iter().filter(|(variant, _)| variant[0] == SEQUENTIAL);
    // All fields except schedule and threads, which a sequential run does not have.
    let alike = |other: &Variant| other[1..3] == variant[1..3] && other[4..] == variant[4..];
    // Another depth or order is still the same algorithm; another method is not.
    let same_method = |other: &Variant| other[1] == variant[1];
    let best =
        sequential().find(|(other, _)| alike(other)).or_else(|| sequential().find(|(other, _)| same_method(other)));
    best.and_then(|(_, cases)| cases.first())
}
