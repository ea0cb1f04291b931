//! The traces that the pictures of a subject are drawn from: few of many, as they may be large.

use std::cmp::Reverse;

use crate::report::sweep::analysis::{Group, Series};
use crate::report::sweep::{Run, Scaling};
use crate::report::trace::{self, Trace};

/// The chosen traces of a subject.
pub struct Traces<'a> {
    /// For each series that was traced, its run on the most workers, preferably with a core each.
    pub largest: Vec<(&'a Series<'a>, &'a Run, Trace)>,
    /// The one that tells best what units cost.
    pub costs: Option<(&'a Series<'a>, &'a Run, Trace)>,
    /// What is wrong with traces that could not be used.
    pub complaints: Vec<String>,
}

impl<'a> Traces<'a> {
    /// The traces of a subject.
    pub fn of(subject: &'a Group<'a>) -> Traces<'a> {
        let mut traces = Traces { largest: Vec::new(), costs: None, complaints: Vec::new() };
        for series in subject.parallel() {
            // As for the other pictures: the most that had a core each, if these are several.
            let traced = |with_cores: bool| {
                let cases =
                    series.cases.iter().rev().filter(|case| !with_cores || !case.is_oversubscribed && case.workers > 1);
                cases.flat_map(|case| &case.runs).copied().find(|run| run.trace.is_some())
            };
            let traced = traced(true).or_else(|| traced(false));
            if let Some(run) = traced
                && let Some(trace) = traces.read(run)
            {
                traces.largest.push((series, run, trace));
            }
        }
        if subject.scaling == Scaling::Strong {
            traces.costs = traces.cheapest(subject);
        }
        traces
    }

    /// The trace that tells best what units cost. Units of a worker without a core of its own take longer than they should. The more
    /// units, the more can be told of large machines. And of several such runs the least disturbed one took the least time.
    fn cheapest(&mut self, subject: &'a Group<'a>) -> Option<(&'a Series<'a>, &'a Run, Trace)> {
        let runs = subject.parallel().flat_map(|series| {
            series.cases.iter().flat_map(move |case| case.runs.iter().map(move |run| (series, *run)))
        });
        let mut traced: Vec<(&Series, &Run)> = runs.filter(|(_, run)| run.trace.is_some()).collect();
        let worth = |run: &Run| (!run.is_oversubscribed(), run.report.pool.units);
        traced.sort_by_key(|(_, run)| Reverse(worth(run)));
        let mut best: Option<(u64, (&Series, &Run, Trace))> = None;
        for (series, run) in traced {
            let alike = |(_, (first, other, _)): &(u64, (&Series, &Run, Trace))| {
                worth(other) == worth(run) && first.way[1..] == series.way[1..]
            };
            if best.as_ref().is_some_and(|best| !alike(best)) {
                break;
            }
            let Some(trace) = self.read(run) else { continue };
            let work: u64 = trace.records.iter().map(|record| record.nanoseconds).fold(0, u64::saturating_add);
            if best.as_ref().is_none_or(|(least, _)| work < *least) {
                best = Some((work, (series, run, trace)));
            }
        }
        best.map(|(_, chosen)| chosen)
    }

    fn read(&mut self, run: &Run) -> Option<Trace> {
        let path = run.trace.as_ref()?;
        match trace::open(&path.to_string_lossy()) {
            Ok(trace) if is_of(&trace, run) => Some(trace),
            Ok(_) => {
                self.complaints.push(format!("The trace beside {} is of another run.", run.name));
                None
            }
            Err(error) => {
                let complaint = format!("A trace cannot be drawn: {error}");
                if !self.complaints.contains(&complaint) {
                    self.complaints.push(complaint);
                }
                None
            }
        }
    }
}

/// Whether a trace is of this run, as far as that can be seen.
fn is_of(trace: &Trace, run: &Run) -> bool {
    let head = &trace.head;
    (head.ranks, head.threads, &head.puzzle.sha256) == (run.ranks(), run.threads(), &run.report.puzzle.sha256)
}
