//! The traces that the pictures of a subject are drawn from: few of many, as they may be large.

use std::cmp::Reverse;

use crate::report::sweep::study::{Series, Subject};
use crate::report::sweep::{Run, Scaling};
use crate::report::trace::{self, Trace};

/// The chosen traces of a subject.
pub struct Traces<'a> {
    /// For each series that was traced, its run on the most workers.
    pub largest: Vec<(&'a Series<'a>, &'a Run, Trace)>,
    /// The one that tells best what units cost.
    pub costs: Option<(&'a Run, Trace)>,
    /// What is wrong with traces that could not be used.
    pub complaints: Vec<String>,
}

impl<'a> Traces<'a> {
    /// The traces of a subject.
    pub fn of(subject: &'a Subject<'a>) -> Traces<'a> {
        let mut traces = Traces { largest: Vec::new(), costs: None, complaints: Vec::new() };
        for series in subject.parallel() {
            let traced =
                series.cases.iter().rev().find_map(|case| case.runs.iter().copied().find(|run| run.trace.is_some()));
            if let Some(run) = traced
                && let Some(trace) = traces.read(run)
            {
                traces.largest.push((series, run, trace));
            }
        }
        if subject.scaling == Scaling::Strong {
            let runs = subject.cases().flat_map(|(_, case)| case.runs.iter().copied());
            let mut traced: Vec<&Run> = runs.filter(|run| run.trace.is_some()).collect();
            // Units of a worker without a core of its own take longer than they should. The more units, the more can be told of
            // large machines; a run that has asked for blocks knows what that takes.
            let worth = |run: &Run| (!run.is_oversubscribed(), run.report.pool.units, run.report.requests.is_some());
            traced.sort_by_key(|run| Reverse(worth(run)));
            traces.costs = traced.into_iter().find_map(|run| Some((run, traces.read(run)?)));
        }
        traces
    }

    fn read(&mut self, run: &Run) -> Option<Trace> {
        let path = run.trace.as_ref()?;
        match trace::open(&path.to_string_lossy()) {
            Ok(trace) => Some(trace),
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
