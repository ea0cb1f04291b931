//! The best schedule for a number of ranks, with warnings.

use serde::{Deserialize, Serialize};

use crate::cluster::Schedule;
use crate::report::render::number::{duration, plural};
use crate::report::trace::MessageCost;

use super::{Forecast, RecordedRun};

/// A simpler schedule is preferred if its efficiency and its time are worse by no more than this.
const TOLERANCE: f64 = 0.01;
/// The least work of a worker, in latencies.
const LATENCIES_OF_WORK: f64 = 10.0;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Advice {
    pub ranks: usize,
    pub schedule: Schedule,
    pub chunk: Option<usize>,
    pub depth: Option<usize>,
    /// The index of its forecast.
    pub forecast: usize,
    pub efficiency: f64,
    /// The efficiency of `static` at the same depth.
    pub static_efficiency: f64,
    pub warnings: Vec<String>,
    pub sentence: String,
}

impl Advice {
    /// `None` without a forecast for this number of ranks.
    pub fn new(
        ranks: usize,
        threads: usize,
        forecasts: &[Forecast],
        traces: &[RecordedRun],
        messages: MessageCost,
    ) -> Option<Advice> {
        let of_ranks = || forecasts.iter().enumerate().filter(move |(_, forecast)| forecast.ranks == ranks);
        let (_, fastest) = of_ranks().min_by(|(_, a), (_, b)| a.total.total_cmp(&b.total))?;
        let is_as_good = |forecast: &Forecast| {
            forecast.efficiency >= fastest.efficiency - TOLERANCE && forecast.total <= fastest.total * (1.0 + TOLERANCE)
        };
        let (forecast, chosen) = of_ranks()
            .filter(|(_, forecast)| is_as_good(forecast))
            .min_by(|(_, a), (_, b)| a.schedule.cmp(&b.schedule).then(a.total.total_cmp(&b.total)))?;
        let is_static = |other: &Forecast| other.schedule == Schedule::Static && other.trace == chosen.trace;
        let (_, plain) = of_ranks().find(|(_, other)| is_static(other))?;
        let warnings = warnings(chosen, ranks.saturating_mul(threads), &traces[chosen.trace], messages);
        let sentence = sentence(chosen, plain, &warnings);
        Some(Advice {
            ranks,
            schedule: chosen.schedule,
            chunk: chosen.chunk,
            depth: chosen.depth,
            forecast,
            efficiency: chosen.efficiency,
            static_efficiency: plain.efficiency,
            warnings,
            sentence,
        })
    }
}

fn warnings(chosen: &Forecast, workers: usize, recorded: &RecordedRun, messages: MessageCost) -> Vec<String> {
    let (units, work, set_up) = (recorded.units, recorded.work / workers as f64, chosen.total - chosen.count);
    let is_little = chosen.ranks > 1 && work < LATENCIES_OF_WORK * messages.latency;
    let [work, message, set_up_text, total] = [work, messages.latency, set_up, chosen.total].map(duration);
    let candidates = [
        (units < workers, format!("only {units} units for {workers} workers: record it with a larger --depth")),
        (is_little, format!("{work} of work for each worker, but a message takes {message}: use fewer ranks")),
        (set_up > chosen.count, format!("setting up takes {set_up_text} of {total}")),
    ];
    candidates.into_iter().filter(|(applies, _)| *applies).map(|(_, warning)| warning).collect()
}

fn sentence(chosen: &Forecast, plain: &Forecast, warnings: &[String]) -> String {
    let mut sentence = format!("at {}: {}", plural(chosen.ranks, "rank", "ranks"), chosen.schedule);
    if chosen.schedule == Schedule::Dynamic {
        sentence += &format!(" in chunks of {}", chosen.chunk.unwrap_or(1));
    }
    if let Some(depth) = chosen.depth {
        sentence += &format!(", depth {depth}");
    }
    sentence += &format!(": {:.2}", chosen.efficiency);
    if chosen.schedule != Schedule::Static {
        sentence += &format!("; static would reach {:.2}", plain.efficiency);
    }
    if !warnings.is_empty() {
        sentence += &format!(" ({})", warnings.join("; "));
    }
    sentence
}
