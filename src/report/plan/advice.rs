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

/// The best schedule for a number of ranks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Advice {
    pub ranks: usize,
    pub schedule: Schedule,
    pub chunk: Option<usize>,
    pub depth: Option<usize>,
    /// The index of its forecast.
    pub forecast: usize,
    /// Of the count phase.
    pub efficiency: f64,
    /// The efficiency of `static` at the same depth.
    pub static_efficiency: f64,
    /// Reasons not to use so many ranks.
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
        let warnings: Vec<String> = warnings.iter().map(PlanWarning::to_string).collect();
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

/// A reason not to use so many ranks. Durations are seconds.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
enum PlanWarning {
    #[error("only {units} units for {workers} workers: record it with a larger --depth")]
    FewUnits { units: usize, workers: usize },
    #[error("{} of work for each worker, but a message takes {}: use fewer ranks", duration(*.work), duration(*.latency))]
    LittleWork { work: f64, latency: f64 },
    #[error("setting up takes {} of {}", duration(*.set_up), duration(*.total))]
    LongSetUp { set_up: f64, total: f64 },
}

fn warnings(chosen: &Forecast, workers: usize, recorded: &RecordedRun, messages: MessageCost) -> Vec<PlanWarning> {
    let (units, latency) = (recorded.units, messages.latency);
    let work = recorded.work / workers as f64;
    let set_up = chosen.total - chosen.count;
    let candidates = [
        (units < workers, PlanWarning::FewUnits { units, workers }),
        (chosen.ranks > 1 && work < LATENCIES_OF_WORK * latency, PlanWarning::LittleWork { work, latency }),
        (set_up > chosen.count, PlanWarning::LongSetUp { set_up, total: chosen.total }),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(units: usize, work: f64) -> RecordedRun {
        RecordedRun {
            file: "t".into(),
            units,
            depth: Some(14),
            work,
            longest_unit: 0.0,
            expand: 0.0,
            set_up: 0.0,
            costs: Vec::new(),
        }
    }

    /// A forecast for 256 ranks.
    fn forecast(schedule: Schedule, trace: usize, total: f64, efficiency: f64) -> Forecast {
        Forecast {
            ranks: 256,
            schedule,
            chunk: Some(4),
            trace,
            depth: Some(14 + trace),
            count: total,
            total,
            speed_up: 256.0 * efficiency,
            efficiency,
            efficiency_with_set_up: efficiency,
            blocks: 0,
            steals: 0,
        }
    }

    fn sentence_of(forecasts: &[Forecast]) -> String {
        let traces = [recorded(50_000, 2560.0), recorded(90_000, 2560.0)];
        let messages = MessageCost { latency: 0.0005, request: 1e-5 };
        Advice::new(256, 1, forecasts, &traces, messages).expect("advice").sentence
    }

    #[test]
    fn the_fastest_is_advised_and_compared_with_static() {
        let forecasts = [
            forecast(Schedule::Static, 0, 25.0, 0.40),
            forecast(Schedule::Dynamic, 0, 11.1, 0.90),
            forecast(Schedule::Guided, 0, 10.3, 0.97),
        ];
        assert_eq!(sentence_of(&forecasts), "at 256 ranks: guided, depth 14: 0.97; static would reach 0.40");
        assert_eq!(
            sentence_of(&forecasts[..2]),
            "at 256 ranks: dynamic in chunks of 4, depth 14: 0.90; static would reach 0.40"
        );
        assert_eq!(sentence_of(&forecasts[..1]), "at 256 ranks: static, depth 14: 0.40");
    }

    #[test]
    fn the_simplest_is_advised_if_it_is_nearly_as_good() {
        let forecasts = [
            forecast(Schedule::Static, 0, 10.09, 0.965),
            forecast(Schedule::Guided, 0, 10.05, 0.968),
            forecast(Schedule::Steal, 0, 10.0, 0.97),
        ];
        assert_eq!(sentence_of(&forecasts), "at 256 ranks: static, depth 14: 0.96");
        let poor_static = Forecast { total: 10.2, ..forecasts[0] };
        let sentence = sentence_of(&[poor_static, forecasts[1], forecasts[2]]);
        assert_eq!(sentence, "at 256 ranks: guided, depth 14: 0.97; static would reach 0.96");
    }

    #[test]
    fn of_two_depths_the_one_that_ends_first_is_advised_even_if_its_count_phase_is_less_efficient() {
        let slow_expansion = Forecast { count: 10.0, ..forecast(Schedule::Steal, 1, 14.0, 0.99) };
        let forecasts = [
            forecast(Schedule::Static, 0, 25.0, 0.40),
            forecast(Schedule::Static, 1, 25.0, 0.50),
            forecast(Schedule::Steal, 0, 11.0, 0.90),
            slow_expansion,
        ];
        assert_eq!(sentence_of(&forecasts), "at 256 ranks: steal, depth 14: 0.90; static would reach 0.40");
    }

    #[test]
    fn a_job_that_is_too_short_for_its_ranks_has_warnings() {
        let chosen = Forecast { count: 0.004, ..forecast(Schedule::Static, 0, 0.104, 0.5) };
        let messages = MessageCost { latency: 0.0005, request: 1e-5 };
        let expected = [
            "only 200 units for 256 workers: record it with a larger --depth",
            "2.0 ms of work for each worker, but a message takes 500 µs: use fewer ranks",
            "setting up takes 0.100 s of 0.104 s",
        ];
        let found = warnings(&chosen, 256, &recorded(200, 0.512), messages);
        assert_eq!(found.iter().map(PlanWarning::to_string).collect::<Vec<String>>(), expected);
        let long = forecast(Schedule::Static, 0, 10.0, 1.0);
        assert!(warnings(&long, 256, &recorded(256, 2560.0), messages).is_empty());
    }
}
