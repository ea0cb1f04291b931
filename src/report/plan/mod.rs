//! From a recorded run to what other schedules and numbers of ranks would make of it: the JSON schema `census-plan/2`.
//!
//! A trace tells what each unit costs. A [simulation] deals these units to as many ranks as one likes; its head tells
//! what it takes for granted. From all of them comes one piece of [advice] for each number of ranks.
//!
//! `efficiency` is that of the count phase: the seconds of all units, divided by workers × seconds of the phase.
//! Expanding the pool is the work of rank 0 alone, and the more ranks, the more it weighs: `efficiency_with_set_up` has
//! expanding, scattering and reducing in it, as the trace measured them.

pub mod advice;
mod broker;
mod cores;
mod rank;
pub mod simulation;
#[cfg(test)]
mod simulation_tests;
pub mod table;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::cluster::{Distribution, Schedule};

use super::run::{Program, PuzzleFacts};
use super::trace::{MessageCost, Trace, TraceHead};
use advice::Advice;
use cores::on_all_cores;
use simulation::simulate;

/// What messages are taken to cost where nobody has measured it: a busy main thread looks about once a millisecond.
const ASSUMED: MessageCost = MessageCost { latency: 1e-3, request: 10e-6 };
/// The chunks that are tried with [`Schedule::Dynamic`].
const CHUNKS: [usize; 4] = [1, 4, 16, 64];

/// The most workers that are simulated: more would not fit into the memory of a laptop.
pub const MAX_WORKERS: u64 = 4_000_000;

/// What to plan for.
#[derive(Clone, Debug)]
pub struct Question {
    /// The numbers of ranks.
    pub ranks: Vec<usize>,
    /// Worker threads of each rank.
    pub threads: usize,
    /// Seconds from one rank to the other, where given.
    pub latency: Option<f64>,
    /// Seconds that rank 0 spends on a request, where given.
    pub request: Option<f64>,
}

/// What is to be expected of a run like the recorded ones on other numbers of ranks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// `census-plan/2`.
    pub schema: String,
    /// The program that made the plan.
    pub program: Program,
    /// What is to be counted.
    pub puzzle: PuzzleFacts,
    /// How a unit is counted.
    pub method: String,
    /// Worker threads of each rank.
    pub threads: usize,
    /// Seconds from one rank to the other.
    pub latency: Assumption,
    /// Seconds that rank 0 spends on a request.
    pub request: Assumption,
    /// The runs that it is made from.
    pub traces: Vec<Recorded>,
    /// What each schedule comes to on each number of ranks.
    pub forecasts: Vec<Forecast>,
    /// What to choose on each number of ranks.
    pub advice: Vec<Advice>,
}

/// A number and where it is from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assumption {
    /// Seconds.
    pub seconds: f64,
    /// Where they are from.
    pub origin: Origin,
}

/// Where a number is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The user says so.
    Given,
    /// The recorded run measured it.
    Measured,
    /// Nobody knows, and this is usual.
    Assumed,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Origin::Given => "given",
            Origin::Measured => "measured in this run",
            Origin::Assumed => "assumed",
        })
    }
}

/// What a plan takes from a trace.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Recorded {
    /// The file.
    pub file: String,
    /// Units of the pool.
    pub units: usize,
    /// Guesses on the way from the root to a unit.
    pub depth: Option<usize>,
    /// Seconds of all units.
    pub work: f64,
    /// Seconds of the longest one.
    pub longest_unit: f64,
    /// Seconds to expand the pool.
    pub expand: f64,
    /// Seconds before and after the count phase, expanding included.
    pub set_up: f64,
    /// Seconds of each unit.
    #[serde(skip)]
    pub costs: Vec<f64>,
}

impl Recorded {
    fn new(file: &str, trace: &Trace) -> Result<Recorded, String> {
        let (config, phases) = (&trace.head.config, &trace.head.phases);
        if !trace.head.complete {
            return Err(format!("{file}: its run was stopped, so its units were not counted to their end"));
        }
        if trace.head.units == 0 {
            return Err(format!("{file}: holds no units: the whole tree is above the depth"));
        }
        let costs = trace.unit_costs().map_err(|incomplete| format!("{file}: {incomplete}"))?;
        Ok(Recorded {
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

/// What a schedule comes to on a number of ranks.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Forecast {
    /// The number of ranks.
    pub ranks: usize,
    /// The schedule.
    pub schedule: Schedule,
    /// Units of a block, or of the smallest one; null where the schedule has no such number.
    pub chunk: Option<usize>,
    /// Which of the traces this is about.
    pub trace: usize,
    /// Its depth.
    pub depth: Option<usize>,
    /// Seconds of the count phase.
    pub count: f64,
    /// Seconds of the whole run.
    pub total: f64,
    /// Seconds of all units / count phase.
    pub speed_up: f64,
    /// Speed-up / workers.
    pub efficiency: f64,
    /// The same for the whole run: expanding and all units / total, for each worker.
    pub efficiency_with_set_up: f64,
    /// Blocks that were asked for.
    pub blocks: usize,
    /// Gifts from busy ranks to idle ones.
    pub steals: usize,
}

impl Forecast {
    fn new(recorded: &Recorded, trace: usize, deal: &Distribution, messages: MessageCost) -> Forecast {
        let simulated = simulate(&recorded.costs, deal, messages);
        let workers = (deal.ranks * deal.threads) as f64;
        // Work that takes no time at all is shared as well as can be.
        let ratio = |work: f64, seconds: f64| if seconds > 0.0 { work / seconds } else { workers };
        let total = recorded.set_up + simulated.count;
        let speed_up = ratio(recorded.work, simulated.count);
        Forecast {
            ranks: deal.ranks,
            schedule: deal.schedule,
            chunk: (deal.schedule != Schedule::Static).then_some(deal.chunk),
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
    /// The plan from these traces, each with the name of its file: the same puzzle, searched alike, at several depths.
    pub fn new(traces: &[(String, Trace)], question: &Question) -> Result<Plan, String> {
        let [(first, Trace { head, .. }), others @ ..] = traces else { return Err("a plan needs a trace".into()) };
        for (file, other) in others {
            if let Some(what) = difference(head, &other.head) {
                return Err(format!("{file}: the {what} is not the same as in {first}"));
            }
        }
        let measured = traces.iter().find_map(|(_, trace)| trace.head.messages);
        let traces = traces.iter().map(|(file, trace)| Recorded::new(file, trace));
        let traces = traces.collect::<Result<Vec<Recorded>, String>>()?;
        let choose = |given: Option<f64>, of: fn(MessageCost) -> f64| match (given, measured) {
            (Some(seconds), _) => Assumption { seconds, origin: Origin::Given },
            (None, Some(measured)) => Assumption { seconds: of(measured), origin: Origin::Measured },
            (None, None) => Assumption { seconds: of(ASSUMED), origin: Origin::Assumed },
        };
        let latency = choose(question.latency, |messages| messages.latency);
        let request = choose(question.request, |messages| messages.request);
        let messages = MessageCost { latency: latency.seconds, request: request.seconds };
        let deals = deals(&traces, question);
        let forecasts = on_all_cores(&deals, |(trace, deal)| Forecast::new(&traces[*trace], *trace, deal, messages));
        let advise = |&ranks: &usize| Advice::new(ranks, question.threads, &forecasts, &traces, messages);
        let advice = question.ranks.iter().filter_map(advise).collect();
        Ok(Plan {
            schema: "census-plan/2".into(),
            program: Program::this(),
            puzzle: head.puzzle.clone(),
            method: head.config.method.clone(),
            threads: question.threads,
            latency,
            request,
            traces,
            forecasts,
            advice,
        })
    }
}

/// What keeps two runs from being the same count at two depths.
fn difference(a: &TraceHead, b: &TraceHead) -> Option<&'static str> {
    let order = |head: &TraceHead| (head.config.cells.clone(), head.config.values.clone());
    let alike = [
        ("puzzle", a.puzzle.sha256 == b.puzzle.sha256),
        ("method", a.config.method == b.config.method),
        ("order of the search", order(a) == order(b)),
    ];
    alike.into_iter().find_map(|(what, same)| (!same).then_some(what))
}

/// All that is tried: for each number of ranks, each trace with each schedule and chunk.
fn deals(traces: &[Recorded], question: &Question) -> Vec<(usize, Distribution)> {
    let mut deals = Vec::new();
    for &ranks in &question.ranks {
        for schedule in Schedule::all() {
            for (trace, recorded) in traces.iter().enumerate() {
                let share = recorded.units / (ranks * question.threads);
                let chunks: &[usize] = if schedule == Schedule::Dynamic { &CHUNKS } else { &[1] };
                // Chunks that leave a worker with less than one are no choice.
                for &chunk in chunks.iter().filter(|&&chunk| chunk == 1 || chunk <= share) {
                    deals.push((
                        trace,
                        Distribution::new(schedule, Some(chunk), recorded.units, ranks, question.threads),
                    ));
                }
            }
        }
    }
    deals
}
