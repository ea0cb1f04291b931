//! What the runs of a sweep say together: repeats make a case, cases make a series, series are about one subject.

use std::collections::BTreeMap;

use crate::report::sweep::scaling::{Amdahl, gustafson, karp_flatt};
use crate::report::sweep::stats::{Summary, median};

use super::variant::{Labels, SEQUENTIAL, Way, label, rank_of, way};
use super::{Run, Scaling, Sweep};

/// A sweep, put in order.
#[derive(Clone, Debug)]
pub struct Analysis<'a> {
    /// The sweep.
    pub sweep: &'a Sweep,
    /// One for each puzzle, and one for the whole of a weak scaling.
    pub subjects: Vec<Group<'a>>,
    /// Whether ranks have several threads anywhere: then workers are counted instead of ranks.
    pub has_threads: bool,
}

/// Runs that can be compared with each other.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    /// What it is called.
    pub title: String,
    /// A word for addresses, different for each subject.
    pub slug: String,
    /// Whether all have the same work, or each worker has.
    pub scaling: Scaling,
    /// One for each way of counting, the sequential runs first.
    pub series: Vec<Series<'a>>,
}

/// One way of counting, on several numbers of workers.
#[derive(Clone, Debug)]
pub struct Series<'a> {
    /// The words that tell it from the others, such as `static` or `static, depth 4`.
    pub label: String,
    /// The place of its label among all labels of the study: the same colour everywhere.
    pub style: usize,
    /// All that tells it from others.
    pub(crate) way: Way,
    /// Whether it is the runs without a launcher.
    pub is_sequential: bool,
    /// What its speed-up is over.
    pub base: Base,
    /// Its cases, the fewest workers first.
    pub cases: Vec<Case<'a>>,
    /// Amdahl's law through the medians of those that have a core for each worker; not for weak scaling.
    pub law: Option<Amdahl>,
}

/// The repeats of one configuration.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    /// Its workers: ranks × threads.
    pub workers: usize,
    /// The runs.
    pub runs: Vec<&'a Run>,
    /// Their seconds.
    pub seconds: Summary,
    /// What was done in these seconds: 1 where all cases of the subject do the same, nodes where they do not.
    pub work: f64,
    /// Whether some host had more workers than cores.
    pub is_oversubscribed: bool,
}

/// What a speed-up is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Base {
    /// In words.
    pub what: String,
    /// Its workers, which count as fully used.
    pub workers: usize,
    /// Its median seconds.
    pub seconds: f64,
    /// What was done in these seconds.
    pub work: f64,
}

impl Base {
    fn of(case: &Case, what: String) -> Base {
        // More workers than cores are as good as the cores.
        let cores = case.runs.iter().map(|run| run.cores()).max().unwrap_or(1).max(1);
        let workers = if case.is_oversubscribed { case.workers.min(cores) } else { case.workers };
        Base { what, workers, seconds: case.seconds.median, work: case.work }
    }

    /// How many times as fast so much work in so many seconds is as one worker of the base.
    pub fn speed_up(&self, seconds: f64, work: f64) -> f64 {
        // No clock here tells less than a nanosecond from none.
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
            seconds: Summary::of(&seconds)?,
            work: first.work(),
            is_oversubscribed: runs.iter().any(|run| run.is_oversubscribed()),
            runs,
        })
    }

    /// How evenly ranks shared the work, where that can be told. With more workers than cores, seconds tell who had a core, and so do
    /// nodes of schedules in which those who are faster get more: only nodes of fixed shares are then left.
    pub fn balance(&self, run: &Run) -> Option<f64> {
        let efficiency = &run.report.efficiency;
        match (self.is_oversubscribed, run.report.config.schedule.as_str()) {
            (false, _) => Some(efficiency.load_balance),
            (true, "static" | "cyclic") => Some(efficiency.load_balance_nodes),
            _ => None,
        }
    }

    /// The median over the runs of what may not be told of them; nothing if it cannot be told of one.
    pub fn median_if(&self, of: impl Fn(&Run) -> Option<f64>) -> Option<f64> {
        median(&self.runs.iter().map(|run| of(run)).collect::<Option<Vec<f64>>>()?)
    }

    /// The run in the middle: of those whose seconds are nearest to the median, the first.
    pub fn middle_run(&self) -> &'a Run {
        let distance = |run: &Run| (run.seconds() - self.seconds.median).abs();
        self.runs.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(self.runs[0])
    }
}

impl Series<'_> {
    /// The speed-up of a case, by its median.
    pub fn speed_up(&self, case: &Case) -> f64 {
        self.base.speed_up(case.seconds.median, case.work)
    }

    /// Speed-up for each worker.
    pub fn efficiency(&self, case: &Case) -> f64 {
        self.speed_up(case) / case.workers as f64
    }

    /// The speed-up of a run.
    pub fn speed_up_of(&self, run: &Run) -> f64 {
        self.base.speed_up(run.seconds(), run.work())
    }

    /// The serial share that explains the speed-up of a case: by Karp and Flatt, or by Gustafson where work grows. Nothing where
    /// there are more workers than cores, or no more than the base has, which count as fully used.
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
    /// All cases with their series.
    pub fn cases(&self) -> impl Iterator<Item = (&Series<'_>, &Case<'_>)> {
        self.series.iter().flat_map(|series| series.cases.iter().map(move |case| (series, case)))
    }

    /// The series that a launcher has started.
    pub fn parallel(&self) -> impl Iterator<Item = &Series<'_>> {
        self.series.iter().filter(|series| !series.is_sequential)
    }

    /// The numbers of workers, the fewest first.
    pub fn workers(&self) -> Vec<usize> {
        let mut workers: Vec<usize> = self.cases().map(|(_, case)| case.workers).collect();
        workers.sort_unstable();
        workers.dedup();
        workers
    }
}

impl<'a> Analysis<'a> {
    /// A sweep, put in order.
    pub fn of(sweep: &'a Sweep) -> Analysis<'a> {
        let labels = Labels::of(sweep);
        let mut by_subject: BTreeMap<(Scaling, &str, &str), Vec<&Run>> = BTreeMap::new();
        for run in &sweep.runs {
            let puzzle = &run.report.puzzle;
            let key = match run.scaling {
                Scaling::Strong => (Scaling::Strong, run.stem(), puzzle.sha256.as_str()),
                Scaling::Weak => (Scaling::Weak, "", ""),
            };
            by_subject.entry(key).or_default().push(run);
        }
        let mut subjects: Vec<Group> = Vec::new();
        for ((scaling, _, _), runs) in by_subject {
            let title = match scaling {
                Scaling::Strong => runs[0].puzzle().to_owned(),
                Scaling::Weak => "Weak scaling".into(),
            };
            let stem = if scaling == Scaling::Weak { "weak" } else { runs[0].stem() };
            let taken = |slug: &str| subjects.iter().any(|subject| subject.slug == slug);
            let slug = (1..).map(|n| slug(stem, n)).find(|slug| !taken(slug)).unwrap_or_default();
            subjects.push(Group { title, slug, scaling, series: series_of(&runs, scaling, &labels) });
        }
        Analysis { sweep, subjects, has_threads: sweep.runs.iter().any(|run| run.threads() > 1) }
    }

    /// What is counted along the axes.
    pub fn unit(&self) -> &'static str {
        if self.has_threads { "workers" } else { "ranks" }
    }

    /// `1 rank`, `8 ranks`, or workers where ranks have threads.
    pub fn workers(&self, number: usize) -> String {
        let unit = self.unit();
        if number == 1 { format!("1 {}", unit.trim_end_matches('s')) } else { format!("{number} {unit}") }
    }

    /// The labels of all series, each once, in the order of their styles.
    pub fn labels(&self) -> Vec<&str> {
        let mut labels: Vec<(usize, &str)> = Vec::new();
        for series in self.subjects.iter().flat_map(|subject| &subject.series) {
            if !labels.iter().any(|(style, _)| *style == series.style) {
                labels.push((series.style, &series.label));
            }
        }
        labels.sort_unstable();
        labels.into_iter().map(|(_, label)| label).collect()
    }
}

/// A word of small letters, digits and dashes.
fn slug(stem: &str, number: usize) -> String {
    let mut slug: String =
        stem.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    if slug.is_empty() {
        slug.push('p');
    }
    if number > 1 { format!("{slug}-{number}") } else { slug }
}

fn series_of<'a>(runs: &[&'a Run], scaling: Scaling, labels: &Labels) -> Vec<Series<'a>> {
    let mut by_way: BTreeMap<(usize, Way), BTreeMap<usize, Vec<&'a Run>>> = BTreeMap::new();
    for &run in runs {
        by_way.entry(rank_of(&way(run))).or_default().entry(run.workers()).or_default().push(run);
    }
    let ways: Vec<(Way, Vec<Case>)> = by_way
        .into_iter()
        .map(|((_, way), cases)| (way, cases.into_values().filter_map(Case::new).collect()))
        .collect();
    let series = |(way, cases): &(Way, Vec<Case<'a>>)| {
        let first = cases.first()?;
        let base = sequential_for(way, &ways).map(|case| Base::of(case, "the sequential run".into()));
        let own = || {
            let workers = if first.workers == 1 { "one worker".into() } else { format!("{} workers", first.workers) };
            Base::of(first, format!("{workers} of the same kind"))
        };
        let measured = cases.iter().filter(|case| !case.is_oversubscribed);
        let medians: Vec<(f64, f64)> = measured.map(|case| (case.workers as f64, case.seconds.median)).collect();
        Some(Series {
            label: label(way, &labels.differs),
            style: labels.style(way),
            way: way.clone(),
            is_sequential: way[0] == SEQUENTIAL,
            base: base.unwrap_or_else(own),
            law: Amdahl::fit(&medians).filter(|_| scaling == Scaling::Strong),
            cases: cases.clone(),
        })
    };
    ways.iter().filter_map(series).collect()
}

/// The sequential runs that a way is compared with: those that count alike, or else any by the same method.
fn sequential_for<'b, 'a>(way: &Way, ways: &'b [(Way, Vec<Case<'a>>)]) -> Option<&'b Case<'a>> {
    let sequential = || ways.iter().filter(|(way, _)| way[0] == SEQUENTIAL);
    // All but schedule and threads, which a sequential run has none of.
    let alike = |other: &Way| other[1..3] == way[1..3] && other[4..] == way[4..];
    // With another depth or order it is the same method at least; another method is another algorithm.
    let best =
        sequential().find(|(other, _)| alike(other)).or_else(|| sequential().find(|(other, _)| other[1] == way[1]));
    best.and_then(|(_, cases)| cases.first())
}
