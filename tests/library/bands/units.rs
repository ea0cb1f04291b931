//! However a count is split, nothing is lost or counted twice.

use census_count::bands::bands;
use census_count::search::SearchOptions;
use census_count::{Control, Depth, Method, MethodName, Purpose, RecountVariant};
use fastrand::Rng;

use crate::bands::plan;
use crate::bands::puzzles::{from_line, random_puzzle};
use crate::splitting::count_with_splits;
use crate::thorough;

/// Solutions and nodes of some units and the subtasks that are split off.
fn counted(method: &dyn Method, units: &[u8], wanted: usize) -> (u128, u64) {
    let (solutions, nodes, _) = count_with_splits(method, units, |_, of_unit| wanted.saturating_sub(of_unit));
    (solutions, nodes)
}

#[test]
fn units_and_subtasks_of_any_depth_add_up_to_the_count_in_solutions_and_nodes() {
    let mut random = Rng::with_seed(11);
    for clues in [4, 11, 13, 0, 8, 16, 19, 22].into_iter().skip(if thorough() { 0 } else { 3 }) {
        let puzzle = random_puzzle(clues, &mut random);
        let method = bands(&puzzle, None);
        let expand = |depth, units| method.expand(&plan(depth, units), &|| false).expect("a small pool");
        let expected = counted(&*method, &expand(Depth::Fixed(0), 1).bytes, 0);
        assert!(expected.0 > 0);
        for (depth, units) in [(Depth::Fixed(1), 0), (Depth::Auto, 1), (Depth::Auto, 40), (Depth::Auto, 1000)] {
            let pool = expand(depth, units);
            for wanted in [0, 1, 3] {
                assert_eq!(
                    counted(&*method, &pool.bytes, wanted),
                    expected,
                    "{clues} clues, {depth}, {units} units, {wanted}"
                );
            }
        }
    }
}

#[test]
fn units_are_about_as_many_as_asked_for_and_cost_about_the_same() {
    // Nodes are a fair measure of the cost of a unit where there are many.
    let puzzle = from_line("...4............2.3.........1...................9..8....7.6..........5...........");
    let method = bands(&puzzle, None);
    let pool = method.expand(&plan(Depth::Auto, 200), &|| false).expect("a small pool");
    assert!((200..=400).contains(&pool.units()), "{} units", pool.units());
    let mut counter = method.counter();
    let units = pool.bytes.chunks_exact(pool.unit_bytes).step_by(20);
    let nodes: Vec<u64> = units.map(|unit| counter.count(unit, &Control::new(None)).nodes).collect();
    let (least, most) = (nodes.iter().min().expect("units"), nodes.iter().max().expect("units"));
    assert!(most < &(4 * least), "{nodes:?}");
}

#[test]
fn a_stop_leaves_a_unit_unfinished_and_a_limit_is_a_stop() {
    let puzzle = from_line("...4............2.3.........1...................9..8....7.6..........5...........");
    let method = bands(&puzzle, None);
    let unit = method.expand(&plan(Depth::Fixed(0), 1), &|| false).expect("a small pool").bytes;
    let control = Control::new(Some(1_000_000));
    let counted = method.counter().count(&unit, &control);
    assert!(!counted.finished && control.stopped());
    assert!(counted.solutions.exact() >= Some(1_000_000));
    let control = Control::new(None);
    control.stop();
    assert!(!method.counter().count(&unit, &control).finished);
}

#[test]
fn a_puzzle_without_a_solution_has_no_units_or_units_without_solutions() {
    let puzzle = from_line(&format!("{:.<81}", "5........5"));
    let method = bands(&puzzle, None);
    for depth in [Depth::Fixed(0), Depth::Fixed(1), Depth::Fixed(2), Depth::Auto] {
        let pool = method.expand(&plan(depth, 64), &|| false).expect("a small pool");
        assert_eq!(counted(&*method, &pool.bytes, 0).0, 0);
    }
}

#[test]
#[should_panic(expected = "internal error: a unit of another puzzle")]
fn a_unit_of_another_puzzle_is_not_counted() {
    let puzzle = random_puzzle(24, &mut Rng::with_seed(12));
    bands(&puzzle, None).counter().count(&[0xff; 16], &Control::new(None));
}

#[test]
fn the_same_method_on_another_rank_numbers_its_units_in_the_same_way() {
    let mut random = Rng::with_seed(13);
    for clues in [9, 14, 20] {
        let puzzle = random_puzzle(clues, &mut random);
        let expand = |method: &dyn Method| method.expand(&plan(Depth::Auto, 64), &|| false).expect("a small pool");
        for orientation in 0..18 {
            let (options, config) = (SearchOptions::default(), Some(&[orientation][..]));
            let there = MethodName::Bands.of(&puzzle, options, Purpose::Count, config, &|| false);
            let there = there.expect("a plain 9×9");
            assert_eq!(there.config_bytes(), [orientation]);
            assert_eq!(expand(&*there), expand(&*bands(&puzzle, config)));
        }
    }
}

#[test]
fn each_unit_is_recounted_by_a_search_and_by_the_join_with_two_bands_exchanged() {
    let mut random = Rng::with_seed(14);
    let mut cut = 0;
    for clues in [22, 20, 24, 19, 26].into_iter().take(if thorough() { 5 } else { 2 }) {
        let puzzle = random_puzzle(clues, &mut random);
        for orientation in (0..18).step_by(if thorough() { 1 } else { 7 }) {
            let method = bands(&puzzle, Some(&[orientation]));
            let recounts = [RecountVariant::Visit, RecountVariant::Mirror].map(|variant| {
                let (options, config) = (SearchOptions::default(), &[orientation]);
                let recount =
                    MethodName::Bands.of(&puzzle, options, Purpose::Recount(variant), Some(config), &|| false);
                let recount = recount.expect("a plain 9×9");
                assert_eq!(recount.config_bytes(), [orientation], "the same on another rank");
                recount
            });
            // With many units, classes are split, and each unit has some of the thirds.
            for (depth, units) in [(Depth::Fixed(1), 0), (Depth::Auto, 100_000)] {
                let pool = method.expand(&plan(depth, units), &|| false).expect("a small pool");
                let all = pool.bytes.chunks_exact(pool.unit_bytes);
                cut += all.clone().filter(|unit| unit[8..12] != [0; 4]).count();
                for unit in all.step_by(pool.units().div_ceil(60)) {
                    let expected = counted(&*method, unit, 0).0;
                    for (recount, wanted) in recounts.iter().zip([0, 1]) {
                        assert_eq!(counted(&**recount, unit, wanted).0, expected, "{clues} clues, {orientation}");
                    }
                }
            }
        }
    }
    assert!(cut > 100, "only {cut} units begin below the first third");
}
