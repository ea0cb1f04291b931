//! The traces that the figures of a group need. Only these are read: traces may be large.

use std::cmp::Reverse;

use crate::report::sweep::analysis::{Group, Series};
use crate::report::sweep::{Run, Scaling};
use crate::report::trace::{self, Trace};

pub struct Traces<'a> {
    /// The traced run on the most workers of each series, preferably with a core each.
    pub largest: Vec<(&'a Series<'a>, &'a Run, Trace)>,
    /// The best trace for the cost of units.
    pub costs: Option<(&'a Series<'a>, &'a Run, Trace)>,
    /// Why traces could not be used.
    pub errors: Vec<String>,
}

impl<'a> Traces<'a> {
    pub fn of(group: &'a Group<'a>) -> Traces<'a> {
        let mut traces = Traces { largest: Vec::new(), costs: None, errors: Vec::new() };
        for series in group.parallel() {
            // See `largest`: the most workers that had a core each, if these are several.
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
        if group.scaling == Scaling::Strong {
            traces.costs = traces.cheapest(group);
        }
        traces
    }

    /// The best trace for the cost of units: with a core for each worker, because units take longer without; with the most units, to
    /// predict large machines; with the least work in seconds, because that run was disturbed least.
    fn cheapest(&mut self, group: &'a Group<'a>) -> Option<(&'a Series<'a>, &'a Run, Trace)> {
        let runs = group.parallel().flat_map(|series| {
            series.cases.iter().flat_map(move |case| case.runs.iter().map(move |run| (series, *run)))
        });
        let mut traced: Vec<(&Series, &Run)> = runs.filter(|(_, run)| run.trace.is_some()).collect();
        let quality = |run: &Run| (!run.is_oversubscribed(), run.report.pool.units);
        traced.sort_by_key(|(_, run)| Reverse(quality(run)));
        let mut best: Option<(u64, (&Series, &Run, Trace))> = None;
        for (series, run) in traced {
            let alike = |(_, (first, other, _)): &(u64, (&Series, &Run, Trace))| {
                quality(other) == quality(run) && first.variant[1..] == series.variant[1..]
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
        best.map(|(_, best)| best)
    }

    fn read(&mut self, run: &Run) -> Option<Trace> {
        let path = run.trace.as_ref()?;
        match trace::open(&path.to_string_lossy()) {
            Ok(trace) if is_of(&trace, run) => Some(trace),
            Ok(_) => {
                self.errors.push(format!("The trace beside {} is of another run.", run.name));
                None
            }
            Err(error) => {
                let message = format!("A trace cannot be drawn: {error}");
                if !self.errors.contains(&message) {
                    self.errors.push(message);
                }
                None
            }
        }
    }
}

/// Compares what the head of the trace has of its run.
fn is_of(trace: &Trace, run: &Run) -> bool {
    let head = &trace.head;
    (head.ranks, head.threads, &head.puzzle.sha256) == (run.ranks(), run.threads(), &run.report.puzzle.sha256)
}
