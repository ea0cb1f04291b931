//! The advice of a plan, and its warnings.

use census::cluster::Schedule;
use census::report::plan::advice::Advice;
use census::report::plan::{Forecast, RecordedRun};
use census::report::trace::MessageCost;

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

const MESSAGES: MessageCost = MessageCost { latency: 0.0005, request: 1e-5 };

fn sentence_of(forecasts: &[Forecast]) -> String {
    let traces = [recorded(50_000, 2560.0), recorded(90_000, 2560.0)];
    Advice::new(256, 1, forecasts, &traces, MESSAGES).expect("advice").sentence
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
    let warnings = |forecast: Forecast, recorded| {
        Advice::new(256, 1, &[forecast], &[recorded], MESSAGES).expect("advice").warnings
    };
    let short = Forecast { count: 0.004, ..forecast(Schedule::Static, 0, 0.104, 0.5) };
    let expected = [
        "only 200 units for 256 workers: record it with a larger --depth",
        "2.0 ms of work for each worker, but a message takes 500 µs: use fewer ranks",
        "setting up takes 0.100 s of 0.104 s",
    ];
    assert_eq!(warnings(short, recorded(200, 0.512)), expected);
    assert!(warnings(forecast(Schedule::Static, 0, 10.0, 1.0), recorded(256, 2560.0)).is_empty());
}
