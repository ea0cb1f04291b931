//! Parts that are given away: whoever counts them, and however often they are split again, nothing is lost and nothing is
//! counted twice.

use census_count::search::{Learning, SearchOptions, search, search_large};
use census_count::{Control, Method};
use census_puzzle::Puzzle;
use proptest::prelude::*;

use crate::files::{puzzles_of, root};
use crate::oracle::ALL_OPTIONS;
use crate::thorough;

/// Puzzles of several shapes whose trees are large enough to be shared, lean or bushy; more of them if everything is asked for.
fn cases() -> &'static [&'static str] {
    if thorough() {
        &["inkala19", "goldennugget17", "rand12_3x4_51", "rand16_4x4_s16_107", "jigsaw6_empty"]
    } else {
        &["inkala19", "goldennugget17", "jigsaw6_empty"]
    }
}

fn case(name: &str) -> Puzzle {
    puzzles_of(&root().join(format!("tests/golden/cases/{name}.txt"))).remove(0)
}

/// Counts a unit and all the parts that come of it, wanting `wanted` more after every part. Returns solutions, nodes and
/// the number of parts.
fn shared(method: &dyn Method, unit: &[u8], mut wanted: impl FnMut(usize) -> usize) -> (u128, u64, usize) {
    let mut counter = method.counter();
    let (mut solutions, mut nodes, mut parts) = (0, 0, 0);
    let mut waiting = vec![unit.to_vec()];
    while let Some(unit) = waiting.pop() {
        let control = Control::new(None);
        control.request_subtasks(wanted(parts));
        let counted = counter.count_splitting(&unit, &control, &mut |part| {
            assert_eq!(part.len(), method.unit_bytes());
            waiting.push(part.to_vec());
            parts += 1;
            control.request_subtasks(wanted(parts));
        });
        assert!(counted.finished);
        solutions += counted.solutions.exact().expect("a small count");
        nodes += counted.nodes;
    }
    (solutions, nodes, parts)
}

fn whole(puzzle: &Puzzle, options: SearchOptions) -> (u128, u64) {
    let counted = search(puzzle, options).counter().count(puzzle.givens.values(), &Control::new(None));
    (counted.solutions.exact().expect("a small count"), counted.nodes)
}

#[test]
fn a_worker_on_what_passes_for_a_large_puzzle_loses_nothing_either() {
    let mut given = 0;
    for name in cases() {
        let puzzle = case(name);
        let method = search_large(&puzzle, SearchOptions::default(), Learning::IfNeeded, &|| false);
        let (solutions, _, parts) = shared(&*method, puzzle.givens.values(), |parts| 3 - parts % 3);
        assert_eq!(solutions, whole(&puzzle, SearchOptions::default()).0, "{name}");
        given += parts;
    }
    assert!(given > 0, "some of them have something to give");
}

#[test]
fn a_worker_that_gives_all_it_can_loses_nothing() {
    for name in cases() {
        let puzzle = case(name);
        for options in ALL_OPTIONS {
            let (solutions, nodes, parts) = shared(&*search(&puzzle, options), puzzle.givens.values(), |_| 1);
            assert_eq!((solutions, nodes), whole(&puzzle, options), "{name}, {options:?}");
            assert!(parts > 0, "{name} has something to give, {options:?}");
        }
    }
}

#[test]
fn a_worker_that_has_been_at_a_unit_for_two_ticks_gives_all_it_can_unasked_and_loses_nothing() {
    for name in ["goldennugget17", "rand12_3x4_51"] {
        let puzzle = case(name);
        let method = search(&puzzle, SearchOptions::default());
        let (mut solutions, mut nodes, mut given) = (0, 0, Vec::new());
        let mut waiting = vec![puzzle.givens.values().to_vec()];
        while let Some(unit) = waiting.pop() {
            let control = Control::new(None);
            control.request_subtasks(1); // the first part is wanted; when it is given, time goes by
            let mut parts = 0;
            let counted = method.counter().count_splitting(&unit, &control, &mut |part| {
                control.request_subtasks(0);
                parts += 1;
                if parts == 1 {
                    control.tick();
                    control.tick();
                }
                waiting.push(part.to_vec());
            });
            assert!(counted.finished);
            solutions += counted.solutions.exact().expect("a small count");
            nodes += counted.nodes;
            given.push(parts);
        }
        assert_eq!((solutions, nodes), whole(&puzzle, SearchOptions::default()), "{name}");
        assert!(given.iter().any(|&parts| parts > 5), "{name}: {given:?}");
    }
}

#[test]
fn a_worker_that_is_told_to_leave_gives_away_all_that_is_left_and_loses_nothing() {
    for name in cases() {
        let puzzle = case(name);
        for options in ALL_OPTIONS {
            let method = search(&puzzle, options);
            let (mut solutions, mut nodes, mut lefts) = (0, 0, 0);
            let mut waiting = vec![puzzle.givens.values().to_vec()];
            while let Some(unit) = waiting.pop() {
                let control = Control::new(None);
                if lefts < 20 {
                    control.drain();
                }
                let counted =
                    method.counter().count_splitting(&unit, &control, &mut |part| waiting.push(part.to_vec()));
                assert!(counted.finished);
                lefts += 1;
                solutions += counted.solutions.exact().expect("a small count");
                nodes += counted.nodes;
            }
            assert_eq!((solutions, nodes), whole(&puzzle, options), "{name}, {options:?}");
            assert!(lefts > 1, "{name}, {options:?}: nothing was left");
        }
    }
}

#[test]
fn a_worker_of_whom_nothing_is_wanted_gives_nothing() {
    let puzzle = case("inkala19");
    for options in ALL_OPTIONS {
        let (_, _, parts) = shared(&*search(&puzzle, options), puzzle.givens.values(), |_| 0);
        assert_eq!(parts, 0);
    }
}

proptest! {
    #![proptest_config(crate::cases(24))]

    #[test]
    fn parts_wanted_at_any_moment_change_neither_solutions_nor_nodes(
        name in proptest::sample::select(cases().to_vec()),
        options in proptest::sample::select(ALL_OPTIONS.to_vec()),
        wishes in proptest::collection::vec(0usize..4, 1..50),
    ) {
        let puzzle = case(name);
        let (solutions, nodes, _) =
            shared(&*search(&puzzle, options), puzzle.givens.values(), |parts| wishes[parts % wishes.len()]);
        prop_assert_eq!((solutions, nodes), whole(&puzzle, options));
    }
}
