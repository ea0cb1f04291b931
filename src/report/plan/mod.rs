//! Predicts the time of a recorded run with other schedules and numbers of ranks: the JSON schema `census-plan/2`.
//!
//! A trace has the cost of each unit. A [simulation] distributes these units to any number of ranks. From the simulations follows one
//! piece of [advice] for each number of ranks. `docs/report-fields.md` describes all fields; durations are seconds.

pub mod advice;
pub mod simulation;
pub mod table;
mod workers;

use std::thread;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::cluster::{Distribution, Schedule};

use super::run::{Program, PuzzleFacts};
use super::trace::{MessageCost, Trace, TraceHead};
use advice::Advice;
use simulation::simulate;

/// The cost of messages without a measurement. The main thread of a busy rank polls about once a millisecond.
const ASSUMED: MessageCost = MessageCost { latency: 1e-3, request: 10e-6 };
/// The chunks of [`Schedule::Dynamic`] to simulate.
const CHUNKS: [usize; 4] = [1, 4, 16, 64];

/// The most simulated workers, for the memory of a laptop.
pub const MAX_WORKERS: u64 = 4_000_000;

#[derive(Clone, Debug)]
pub struct PlanOptions {
    /// Numbers of ranks, in ascending order.
    pub ranks: Vec<usize>,
    pub threads: usize,
    pub latency: Option<f64>,
    /// What rank 0 spends on a request.
    pub request: Option<f64>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    pub schema: String,
    pub program: Program,
    pub puzzle: PuzzleFacts,
    pub method: String,
    pub threads: usize,
    pub latency: Assumption,
    pub request: Assumption,
    pub traces: Vec<RecordedRun>,
    pub forecasts: Vec<Forecast>,
    pub advice: Vec<Advice>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assumption {
    pub seconds: f64,
    pub origin: Origin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    Given,
    Measured,
    Assumed,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RecordedRun {
    pub file: String,
    pub units: usize,
    pub depth: Option<usize>,
    /// All units together.
    pub work: f64,
    pub longest_unit: f64,
    pub expand: f64,
    /// Before and after the count phase, including `expand`.
    pub set_up: f64,
    /// Of each unit.
    #[serde(skip)]
    pub costs: Vec<f64>,
}

impl RecordedRun {
    fn new(file: &str, trace: &Trace) -> Result<RecordedRun, String> {
        let (config, phases) = (&trace.head.config, &trace.head.phases);
        if !trace.head.complete {
            return Err(format!("{file}: its run was stopped before all units were counted"));
        }
        if trace.head.units == 0 {
            return Err(format!("{file}: has no units: the search tree ends above the depth"));
        }
        let costs = trace.unit_costs().map_err(|incomplete| format!("{file}: {incomplete}"))?;
        Ok(RecordedRun {
            file: file.into(),
            units: costs.len(),
            depth: config.depth_reached,
            work: costs.iter().sum(),
            longest_unit: costs.iter().copied().fold(0.0, f64::max),
            expand: phases.expand,
            set_up: phases.expand + phases.distribute + phases.reduce,
            costs,
        })
    }
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Forecast {
    pub ranks: usize,
    pub schedule: Schedule,
    /// Units of a block, or of the smallest block; null for `static`.
    pub chunk: Option<usize>,
    /// The index of its trace.
    pub trace: usize,
    pub depth: Option<usize>,
    pub count: f64,
    pub total: f64,
    pub speed_up: f64,
    pub efficiency: f64,
    pub efficiency_with_set_up: f64,
    pub blocks: usize,
    pub steals: usize,
}

impl Forecast {
    fn new(recorded: &RecordedRun, trace: usize, distribution: &Distribution, messages: MessageCost) -> Forecast {
        let simulated = simulate(&recorded.costs, distribution, messages);
        let workers = (distribution.ranks * distribution.threads) as f64;
        // Work without a duration is distributed perfectly.
        let ratio = |work: f64, seconds: f64| if seconds > 0.0 { work / seconds } else { workers };
        let total = recorded.set_up + simulated.count;
        let speed_up = ratio(recorded.work, simulated.count);
        Forecast {
            ranks: distribution.ranks,
            schedule: distribution.schedule,
            chunk: (distribution.schedule != Schedule::Static).then_some(distribution.chunk),
            trace,
            depth: recorded.depth,
            count: simulated.count,
            total,
            speed_up,
            efficiency: speed_up / workers,
            efficiency_with_set_up: ratio(recorded.expand + recorded.work, total) / workers,
            blocks: simulated.blocks,
            steals: simulated.steals,
        }
    }
}

impl Plan {
    /// The traces, with the names of their files, must be of the same puzzle and search, but may have different depths.
    pub fn new(traces: &[(String, Trace)], options: &PlanOptions) -> Result<Plan, String> {
        let [(first, Trace { head, .. }), others @ ..] = traces else { return Err("a plan needs a trace".into()) };
        for (file, Trace { head: other, .. }) in others {
            let order = |head: &TraceHead| (head.config.cells.clone(), head.config.values.clone());
            // The depth may differ.
            let properties = [
                ("puzzle", head.puzzle.sha256 == other.puzzle.sha256),
                ("method", head.config.method == other.config.method),
                ("order of the search", order(head) == order(other)),
            ];
            if let Some((what, _)) = properties.iter().find(|(_, is_same)| !is_same) {
                return Err(format!("{file}: its {what} differs from {first}"));
            }
        }
        let measured = traces.iter().find_map(|(_, trace)| trace.head.messages);
        let traces = traces.iter().map(|(file, trace)| RecordedRun::new(file, trace));
        let traces = traces.collect::<Result<Vec<RecordedRun>, String>>()?;
        let choose = |given: Option<f64>, of: fn(MessageCost) -> f64| match (given, measured) {
            (Some(seconds), _) => Assumption { seconds, origin: Origin::Given },
            (None, Some(measured)) => Assumption { seconds: of(measured), origin: Origin::Measured },
            (None, None) => Assumption { seconds: of(ASSUMED), origin: Origin::Assumed },
        };
        let latency = choose(options.latency, |messages| messages.latency);
        let request = choose(options.request, |messages| messages.request);
        let messages = MessageCost { latency: latency.seconds, request: request.seconds };
        let distributions = distributions(&traces, options);
        let forecasts = on_all_cores(&distributions, |(trace, distribution)| {
            Forecast::new(&traces[*trace], *trace, distribution, messages)
        });
        let advise = |&ranks: &usize| Advice::new(ranks, options.threads, &forecasts, &traces, messages);
        let advice = options.ranks.iter().filter_map(advise).collect();
        Ok(Plan {
            schema: "census-plan/2".into(),
            program: Program::this(),
            puzzle: head.puzzle.clone(),
            method: head.config.method.clone(),
            threads: options.threads,
            latency,
            request,
            traces,
            forecasts,
            advice,
        })
    }
}

/// The simulations: for each number of ranks, each trace with each schedule and chunk.
fn distributions(traces: &[RecordedRun], options: &PlanOptions) -> Vec<(usize, Distribution)> {
    let mut distributions = Vec::new();
    for &ranks in &options.ranks {
        for schedule in Schedule::all() {
            for (trace, recorded) in traces.iter().enumerate() {
                let share = recorded.units / (ranks * options.threads);
                let chunks: &[usize] = if schedule == Schedule::Dynamic { &CHUNKS } else { &[1] };
                // A chunk must not be larger than a worker's share.
                let chunks = chunks.iter().filter(|&&chunk| chunk == 1 || chunk <= share);
                distributions.extend(chunks.map(|&chunk| {
                    (trace, Distribution::new(schedule, Some(chunk), recorded.units, ranks, options.threads))
                }));
            }
        }
    }
    distributions
}

/// Maps items in parallel; the results are in the order of the items.
fn on_all_cores<T: Sync, U: Send>(items: &[T], map: impl Fn(&T) -> U + Sync) -> Vec<U> {
    let waiting = Mutex::new(items.iter().enumerate());
    let mapped = Mutex::new(Vec::with_capacity(items.len()));
    let work = || loop {
        let Some((index, item)) = waiting.lock().next() else { return };
        let result = map(item);
        mapped.lock().push((index, result));
    };
    thread::scope(|scope| {
        for _ in 1..thread::available_parallelism().map_or(1, usize::from).min(items.len()) {
            // If the system cannot start a thread, the others do its work.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    let mut mapped = mapped.into_inner();
    mapped.sort_by_key(|(index, _)| *index);
    mapped.into_iter().map(|(_, result)| result).collect()
}
