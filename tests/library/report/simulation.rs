//! The simulation of a count phase against arithmetic.

use census::cluster::{Distribution, Schedule};
use census::report::plan::simulation::{Simulated, simulate};
use census::report::trace::MessageCost;
use proptest::prelude::*;

const FREE: MessageCost = MessageCost { latency: 0.0, request: 0.0 };

fn run(costs: &[f64], schedule: Schedule, chunk: usize, ranks: usize, messages: MessageCost) -> Simulated {
    simulate(costs, &Distribution::new(schedule, Some(chunk), costs.len(), ranks, 1), messages)
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

/// List scheduling in which each rank has one unit in its queue besides the one it counts.
fn one_ahead(costs: &[f64], ranks: usize) -> f64 {
    let mut pool = costs.iter().copied();
    let mut busy_until: Vec<f64> = (0..ranks).map(|_| pool.next().unwrap_or(0.0)).collect();
    let mut next: Vec<Option<f64>> = (0..ranks).map(|_| pool.next()).collect();
    while let Some(rank) =
        (0..ranks).filter(|&r| next[r].is_some()).min_by(|&a, &b| busy_until[a].total_cmp(&busy_until[b]))
    {
        busy_until[rank] += next[rank].take().unwrap_or(0.0);
        next[rank] = pool.next();
    }
    busy_until.into_iter().fold(0.0, f64::max)
}

#[test]
fn equal_units_are_distributed_evenly_by_every_schedule() {
    for schedule in Schedule::all() {
        let simulated = run(&[0.5; 640], schedule, 1, 64, FREE);
        assert!(close(simulated.count, 5.0), "{schedule}: {simulated:?}");
        assert_eq!((simulated.pieces, simulated.splits), (640, 0), "{schedule}");
    }
}

#[test]
fn a_fixed_schedule_takes_as_long_as_its_longest_block() {
    let costs = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
    let messages = MessageCost { latency: 0.25, request: 100.0 }; // no rank sends a request
    assert_eq!(run(&costs, Schedule::Static, 1, 3, messages).count, 6.0 + 7.0 + 0.25);
    assert_eq!(run(&costs, Schedule::Cyclic, 1, 3, messages).count, 1.0 + 4.0 + 7.0);
    assert_eq!(run(&costs, Schedule::Cyclic, 2, 3, messages).count, 5.0 + 6.0 + 0.25);
    assert_eq!(run(&costs, Schedule::Static, 1, 1, messages).count, 28.0);
}

#[test]
fn workers_of_a_rank_share_its_queue() {
    let distribution = Distribution::new(Schedule::Static, None, 5, 1, 2);
    assert_eq!(simulate(&[3.0, 1.0, 1.0, 4.0, 2.0], &distribution, FREE).count, 6.0);
}

#[test]
fn one_giant_unit_is_a_lower_bound_unless_it_is_split() {
    let mut costs = vec![0.01; 400];
    costs[0] = 10.0;
    for schedule in [Schedule::Dynamic, Schedule::Guided] {
        let simulated = run(&costs, schedule, 1, 8, FREE);
        assert!((10.0..10.5).contains(&simulated.count), "{schedule}: {simulated:?}");
    }
    let split = run(&costs, Schedule::Steal, 1, 8, MessageCost { latency: 0.0005, request: 1e-5 });
    assert!((14.0 / 8.0..1.8).contains(&split.count), "{split:?}");
    assert!(split.splits > 0 && split.steals > 0);
}

#[test]
fn waiting_units_are_donated_before_any_is_split() {
    // Guided sends 13 units to two ranks as 4, 3, 2 …: the rank with the long unit donates the short ones behind it.
    let costs = [8.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
    let simulated = run(&costs, Schedule::Steal, 1, 2, FREE);
    assert!(close(simulated.count, 10.0), "{simulated:?}");
}

#[test]
fn every_rank_gets_a_part_of_a_single_unit() {
    let simulated = run(&[1024.0], Schedule::Steal, 1, 1024, MessageCost { latency: 0.0005, request: 1e-6 });
    assert!(simulated.count < 1.2, "{simulated:?}");
    assert!(close(simulated.busy, 1024.0));
}

#[test]
fn a_round_trip_overlaps_with_longer_units() {
    let messages = MessageCost { latency: 0.001, request: 1e-6 };
    let hidden = run(&[0.005; 20_000], Schedule::Dynamic, 1, 16, messages);
    assert!(hidden.count < 1.005 * 20_000.0 * 0.005 / 16.0, "{hidden:?}");
    assert_eq!(hidden.blocks, 20_000 - 16);
}

#[test]
fn a_round_trip_overlaps_with_several_blocks_of_shorter_units() {
    let messages = MessageCost { latency: 0.001, request: 1e-7 };
    let hidden = run(&[0.0001; 100_000], Schedule::Dynamic, 1, 16, messages);
    assert!(hidden.count < 1.02 * 100_000.0 * 0.0001 / 16.0, "{hidden:?}");
}

#[test]
fn rank_0_answers_one_request_after_the_other() {
    let simulated = run(&[0.001; 50_000], Schedule::Dynamic, 1, 1024, MessageCost { latency: 0.0, request: 0.001 });
    assert!(simulated.count >= simulated.blocks as f64 * 0.001, "{simulated:?}");
    assert!(simulated.blocks < 5000, "a rank with long round trips requests many units at once: {simulated:?}");
}

#[test]
fn a_longer_latency_never_makes_equal_units_faster() {
    for schedule in [Schedule::Dynamic, Schedule::Guided, Schedule::Steal] {
        let count = |latency| run(&[0.01; 3000], schedule, 1, 32, MessageCost { latency, request: 1e-5 }).count;
        let counts = [0.0, 1e-4, 1e-3, 1e-2, 1e-1].map(count);
        assert!(counts.is_sorted(), "{schedule}: {counts:?}");
    }
}

#[test]
fn work_without_a_duration_ends_at_once() {
    for schedule in Schedule::all() {
        for (units, messages) in [(0, FREE), (100, FREE), (100, MessageCost { latency: 0.001, request: 0.0 })] {
            let simulated = run(&vec![0.0; units], schedule, 1, 7, messages);
            assert!(simulated.count < 0.1 && simulated.pieces == units, "{schedule}: {simulated:?}");
        }
    }
}

fn any_costs() -> impl Strategy<Value = Vec<f64>> {
    // From nanoseconds to seconds, most of them short, as in search trees.
    proptest::collection::vec((-9.0..0.5f64).prop_map(|exponent| 10f64.powf(exponent)), 0..400)
}

fn any_message_cost() -> impl Strategy<Value = MessageCost> {
    let seconds = || prop_oneof![Just(0.0), (-7.0..-1.0f64).prop_map(|exponent| 10f64.powf(exponent))];
    (seconds(), seconds()).prop_map(|(latency, request)| MessageCost { latency, request })
}

proptest! {
    #[test]
    fn every_unit_is_counted_once_and_no_schedule_is_better_than_perfect(
        costs in any_costs(),
        schedule in proptest::sample::select(Schedule::all().collect::<Vec<_>>()),
        (chunk, ranks, threads) in (1usize..20, 1usize..70, 1usize..5),
        messages in any_message_cost(),
    ) {
        let distribution = Distribution::new(schedule, Some(chunk), costs.len(), ranks, threads);
        let simulated = simulate(&costs, &distribution, messages);
        let work: f64 = costs.iter().sum();
        let longest = costs.iter().copied().fold(0.0, f64::max);
        prop_assert!(close(simulated.busy, work), "{simulated:?} of {work}");
        prop_assert_eq!(simulated.pieces, costs.len() + simulated.splits);
        prop_assert!(simulated.count * 1.000_001 >= work / (ranks * threads) as f64);
        if schedule != Schedule::Steal {
            prop_assert!(simulated.count * 1.000_001 >= longest);
            prop_assert_eq!(simulated.splits + simulated.steals, 0);
        }
        prop_assert!(!schedule.is_fixed() || simulated.blocks == 0);
        prop_assert_eq!(simulated, simulate(&costs, &distribution, messages), "the simulation is deterministic");
    }

    #[test]
    fn with_free_messages_dynamic_is_list_scheduling_with_one_unit_ahead(
        costs in any_costs(),
        ranks in 1usize..40,
    ) {
        let simulated = run(&costs, Schedule::Dynamic, 1, ranks, FREE);
        prop_assert!(close(simulated.count, one_ahead(&costs, ranks)), "{simulated:?}");
    }

    #[test]
    fn dynamic_ranks_are_idle_at_the_end_for_at_most_two_units(costs in any_costs(), ranks in 1usize..40) {
        let simulated = run(&costs, Schedule::Dynamic, 1, ranks, FREE);
        let longest = costs.iter().copied().fold(0.0, f64::max);
        let work: f64 = costs.iter().sum();
        prop_assert!(simulated.count <= work / ranks as f64 + 2.0 * longest + 1e-9, "{simulated:?}");
    }
}
