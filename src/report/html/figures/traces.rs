//! The traces that the figures of a group need. Only these are read: traces may be large.

use std::cmp::Reverse;

use super::{Case, Group, Run, Scaling, Series};
use crate::report::trace::{self, Trace, TraceHead};

pub type Traced<'a> = (&'a Series<'a>, &'a Run, Trace);

pub struct Traces<'a> {
    /// The traced run on the most workers of each series, preferably with a core each.
    pub largest: Vec<Traced<'a>>,
    pub costs: Option<Traced<'a>>,
    pub errors: Vec<String>,
}

impl<'a> Traces<'a> {
    pub fn of(group: &'a Group<'a>) -> Traces<'a> {
        let mut traces = Traces { largest: Vec::new(), costs: None, errors: Vec::new() };
        for series in group.parallel() {
            // See `largest`: the most workers that had a core each, if these are several.
            let has_cores = |case: &Case| !case.is_oversubscribed && case.workers > 1;
            let traced = |with_cores: bool| {
                let cases = series.cases.iter().rev().filter(|case| !with_cores || has_cores(case));
                cases.flat_map(|case| &case.runs).copied().find(|run| run.trace.is_some())
            };
            let run = traced(true).or_else(|| traced(false));
            let trace = run.and_then(|run| Some((series, run, traces.read(run)?)));
            traces.largest.extend(trace);
        }
        if group.scaling == Scaling::Strong {
            traces.costs = traces.cheapest(group);
        }
        traces
    }

    /// The best trace for the cost of units: with a core for each worker, because units take longer without; with the most units, to
    /// predict large machines; with the least work in seconds, because that run was disturbed least.
    fn cheapest(&mut self, group: &'a Group<'a>) -> Option<Traced<'a>> {
        let runs = group.parallel_cases().flat_map(|(series, case)| case.runs.iter().map(move |run| (series, *run)));
        let mut traced: Vec<(&Series, &Run)> = runs.filter(|(_, run)| run.trace.is_some()).collect();
        let quality = |run: &Run| (!run.is_oversubscribed(), run.report.pool.units);
        traced.sort_by_key(|(_, run)| Reverse(quality(run)));
        let mut best: Option<(u64, Traced)> = None;
        for (series, run) in traced {
            let is_alike = |(_, (first, other, _)): &(u64, Traced)| {
                quality(other) == quality(run) && first.variant[1..] == series.variant[1..]
            };
            if !best.as_ref().is_none_or(is_alike) {
                break;
            }
            let Some(trace) = self.read(run) else { continue };
            let work = trace.records.iter().map(|record| record.nanoseconds).fold(0, u64::saturating_add);
            if best.as_ref().is_none_or(|(least, _)| work < *least) {
                best = Some((work, (series, run, trace)));
            }
        }
        best.map(|(_, best)| best)
    }

    fn read(&mut self, run: &Run) -> Option<Trace> {
        let path = run.trace.as_ref()?;
        let is_of_run = |TraceHead { ranks, threads, puzzle, .. }: &TraceHead| {
            (*ranks, *threads, &puzzle.sha256) == (run.ranks(), run.threads(), &run.report.puzzle.sha256)
        };
        let message = match trace::open(&path.to_string_lossy()) {
            Ok(trace) if is_of_run(&trace.head) => return Some(trace),
            Ok(_) => format!("The trace beside {} is of another run.", run.name),
            Err(error) => format!("A trace cannot be drawn: {error}"),
        };
        if !self.errors.contains(&message) {
            self.errors.push(message);
        }
        None
    }
}
