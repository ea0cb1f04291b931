//! Subtasks that are split off: whichever counter counts them, and however often they are split again, nothing is lost or
//! counted twice.

use census_count::Control;
use census_count::search::{CdclUse, SearchOptions, search, search_large};
use census_puzzle::Puzzle;
use proptest::prelude::*;

use crate::files::{puzzles_of, root};
use crate::oracle::ALL_OPTIONS;
use crate::splitting::count_with_splits;
use crate::thorough;

/// Puzzles of several shapes whose trees are large enough to split, with full or cheap propagation; more of them with
/// `--all`.
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

fn unsplit(puzzle: &Puzzle, options: SearchOptions) -> (u128, u64) {
    let counted = search(puzzle, options).counter().count(puzzle.givens.values(), &Control::new(None));
    (counted.solutions.exact().expect("a small count"), counted.nodes)
}

#[test]
fn splitting_loses_nothing_in_the_engine_for_large_puzzles() {
    let mut splits = 0;
    for name in cases() {
        let puzzle = case(name);
        let method = search_large(&puzzle, SearchOptions::default(), CdclUse::IfNeeded, &|| false);
        let (solutions, _, subtasks) =
            count_with_splits(&*method, puzzle.givens.values(), |subtasks, _| 3 - subtasks % 3);
        assert_eq!(solutions, unsplit(&puzzle, SearchOptions::default()).0, "{name}");
        splits += subtasks;
    }
    assert!(splits > 0, "some of them were split");
}

#[test]
fn splitting_off_all_that_is_possible_loses_nothing() {
    for name in cases() {
        let puzzle = case(name);
        for options in ALL_OPTIONS {
            let (solutions, nodes, subtasks) =
                count_with_splits(&*search(&puzzle, options), puzzle.givens.values(), |_, _| 1);
            assert_eq!((solutions, nodes), unsplit(&puzzle, options), "{name}, {options:?}");
            assert!(subtasks > 0, "{name} was not split, {options:?}");
        }
    }
}

#[test]
fn a_unit_that_takes_two_ticks_is_split_without_a_request_and_loses_nothing() {
    for name in ["goldennugget17", "rand12_3x4_51"] {
        let puzzle = case(name);
        let method = search(&puzzle, SearchOptions::default());
        let (mut solutions, mut nodes, mut splits) = (0, 0, Vec::new());
        let mut waiting = vec![puzzle.givens.values().to_vec()];
        while let Some(unit) = waiting.pop() {
            let control = Control::new(None);
            control.request_subtasks(1); // one subtask; when it is split off, two ticks pass
            let mut subtasks = 0;
            let counted = method.counter().count_splitting(&unit, &control, &mut |subtask| {
                control.request_subtasks(0);
                subtasks += 1;
                if subtasks == 1 {
                    control.tick();
                    control.tick();
                }
                waiting.push(subtask.to_vec());
            });
            assert!(counted.finished);
            solutions += counted.solutions.exact().expect("a small count");
            nodes += counted.nodes;
            splits.push(subtasks);
        }
        assert_eq!((solutions, nodes), unsplit(&puzzle, SearchOptions::default()), "{name}");
        assert!(splits.iter().any(|&subtasks| subtasks > 5), "{name}: {splits:?}");
    }
}

#[test]
fn draining_splits_off_all_that_is_left_and_loses_nothing() {
    for name in cases() {
        let puzzle = case(name);
        for options in ALL_OPTIONS {
            let method = search(&puzzle, options);
            let (mut solutions, mut nodes, mut drains) = (0, 0, 0);
            let mut waiting = vec![puzzle.givens.values().to_vec()];
            while let Some(unit) = waiting.pop() {
                let control = Control::new(None);
                if drains < 20 {
                    control.drain();
                }
                let counted =
                    method.counter().count_splitting(&unit, &control, &mut |subtask| waiting.push(subtask.to_vec()));
                assert!(counted.finished);
                drains += 1;
                solutions += counted.solutions.exact().expect("a small count");
                nodes += counted.nodes;
            }
            assert_eq!((solutions, nodes), unsplit(&puzzle, options), "{name}, {options:?}");
            assert!(drains > 1, "{name}, {options:?}: nothing was split off");
        }
    }
}

#[test]
fn without_a_request_nothing_is_split_off() {
    let puzzle = case("inkala19");
    for options in ALL_OPTIONS {
        let (_, _, subtasks) = count_with_splits(&*search(&puzzle, options), puzzle.givens.values(), |_, _| 0);
        assert_eq!(subtasks, 0);
    }
}

proptest! {
    #![proptest_config(crate::cases(24))]

    #[test]
    fn splits_at_any_moment_change_neither_solutions_nor_nodes(
        name in proptest::sample::select(cases().to_vec()),
        options in proptest::sample::select(ALL_OPTIONS.to_vec()),
        requests in proptest::collection::vec(0usize..4, 1..50),
    ) {
        let puzzle = case(name);
        let (solutions, nodes, _) =
            count_with_splits(&*search(&puzzle, options), puzzle.givens.values(), |subtasks, _| requests[subtasks % requests.len()]);
        prop_assert_eq!((solutions, nodes), unsplit(&puzzle, options));
    }
}
