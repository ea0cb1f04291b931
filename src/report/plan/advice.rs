//! What to choose on a number of ranks, and why, in one sentence.

use serde::{Deserialize, Serialize};

use crate::cluster::Schedule;
use crate::report::trace::MessageCost;

use super::table::span;
use super::{Forecast, Recorded};

/// A simpler schedule is preferred where it costs no more than this, of the efficiency and of the time.
const WORTH: f64 = 0.01;
/// A worker should have at least so many times the latency to do.
const LATENCIES_OF_WORK: f64 = 10.0;

/// What to choose on a number of ranks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Advice {
    /// The number of ranks.
    pub ranks: usize,
    /// The schedule.
    pub schedule: Schedule,
    /// Its chunk, if it has one.
    pub chunk: Option<usize>,
    /// The depth, where the trace tells.
    pub depth: Option<usize>,
    /// The forecast that this is about, as its place in the list.
    pub forecast: usize,
    /// The efficiency of the count phase.
    pub efficiency: f64,
    /// What `static` would reach at the same depth.
    pub static_efficiency: f64,
    /// What to know before taking so many ranks.
    pub warnings: Vec<String>,
    /// All of this in one sentence.
    pub sentence: String,
}

impl Advice {
    /// The choice among the forecasts for this number of ranks; none if there is no forecast.
    pub fn new(
        ranks: usize,
        threads: usize,
        forecasts: &[Forecast],
        traces: &[Recorded],
        messages: MessageCost,
    ) -> Option<Advice> {
        let of_ranks = || forecasts.iter().enumerate().filter(move |(_, forecast)| forecast.ranks == ranks);
        let (_, fastest) = of_ranks().min_by(|(_, a), (_, b)| a.total.total_cmp(&b.total))?;
        let as_good = |forecast: &Forecast| {
            forecast.efficiency >= fastest.efficiency - WORTH && forecast.total <= fastest.total * (1.0 + WORTH)
        };
        let (forecast, chosen) = of_ranks()
            .filter(|(_, forecast)| as_good(forecast))
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

fn warnings(chosen: &Forecast, workers: usize, recorded: &Recorded, messages: MessageCost) -> Vec<String> {
    let mut warnings = Vec::new();
    if recorded.units < workers {
        warnings.push(format!("only {} units for {workers} workers: record it with a larger --depth", recorded.units));
    }
    let share = recorded.work / workers as f64;
    if chosen.ranks > 1 && share < LATENCIES_OF_WORK * messages.latency {
        let (share, latency) = (span(share), span(messages.latency));
        warnings
            .push(format!("too short a job for so many: {share} of work for a worker, and a message takes {latency}"));
    }
    let set_up = chosen.total - chosen.count;
    if set_up > chosen.count {
        warnings.push(format!("setting up takes {} of {}", span(set_up), span(chosen.total)));
    }
    warnings
}

fn sentence(chosen: &Forecast, plain: &Forecast, warnings: &[String]) -> String {
    let ranks = if chosen.ranks == 1 { "rank" } else { "ranks" };
    let mut sentence = format!("at {} {ranks}: {}", chosen.ranks, chosen.schedule);
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

    fn recorded(units: usize, work: f64) -> Recorded {
        Recorded {
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

    /// 256 ranks with a schedule on the trace of this number.
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
    fn the_simplest_is_advised_where_it_costs_next_to_nothing() {
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
    fn a_job_that_is_too_short_for_its_ranks_is_told_so_in_words() {
        let chosen = Forecast { count: 0.004, ..forecast(Schedule::Static, 0, 0.104, 0.5) };
        let messages = MessageCost { latency: 0.0005, request: 1e-5 };
        let expected = [
            "only 200 units for 256 workers: record it with a larger --depth",
            "too short a job for so many: 2.0 ms of work for a worker, and a message takes 500 us",
            "setting up takes 0.100 s of 0.104 s",
        ];
        assert_eq!(warnings(&chosen, 256, &recorded(200, 0.512), messages), expected);
        let long = forecast(Schedule::Static, 0, 10.0, 1.0);
        assert!(warnings(&long, 256, &recorded(256, 2560.0), messages).is_empty());
    }
}
