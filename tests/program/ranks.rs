//! Ranks under a real `mpirun`: solutions and nodes do not depend on ranks, threads, schedule and depth.

use std::sync::OnceLock;

use serde_json::Value;

use crate::harness::{
    ALONE, EMPTY4, EVERY_LIBRARY, Folder, INKALA20, ONE_LIBRARY, SCHEDULES, Scope, census, each_choice, each_pair,
    golden, libraries, nodes_of_shape, of_current_library, pairwise, read_report, test,
};

const DEPTHS: [&str; 5] = ["0", "1", "3", "auto", "1000"];
const RANKS: [usize; 5] = [1, 2, 3, 5, 8];
const THREADS: [&str; 3] = ["1", "2", "3"];
/// Golden Nugget with 17 of its clues: an irregular tree of 1.6 million nodes
const IRREGULAR: &str = "puzzles/goldennugget17.txt";

/// Name, solutions and nodes of a puzzle
type Facts = (String, String, u64);

type Counting = fn(ranks: usize, options: &[&str]) -> Vec<Facts>;
const KINDS: [Counting; 2] = [each_shape, irregular];

/// The report of a count. Without a cache, with which nodes depend on the distribution of units.
fn report<S: AsRef<std::ffi::OsStr>>(ranks: usize, options: &[&str], puzzles: impl IntoIterator<Item = S>) -> Value {
    let run = census(["count", "--cache", "off", "--report", "-"]).with(options).with(puzzles).ranks(ranks).run();
    let report = run.exits(0).complains_of_nothing().json();
    assert_eq!((&report["environment"]["ranks"], &report["complete"]), (&ranks.max(1).into(), &true.into()));
    report
}

fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}

/// Counts one puzzle of each shape.
fn each_shape(ranks: usize, options: &[&str]) -> Vec<Facts> {
    let report = report(ranks, options, golden("shapes"));
    assert_eq!(report["schema"], "census-batch/1");
    let puzzles = report["puzzles"].as_array().expect("a list of puzzles");
    assert_eq!(puzzles.len(), golden("shapes").len());
    let line = |puzzle: &Value| {
        assert_eq!((&puzzle["matches_expected"], &puzzle["complete"]), (&true.into(), &true.into()), "{puzzle}");
        (text(&puzzle["name"]), text(&puzzle["solutions"]), nodes_of_shape(puzzle))
    };
    puzzles.iter().map(line).collect()
}

/// Counts an irregular tree.
fn irregular(ranks: usize, options: &[&str]) -> Vec<Facts> {
    let report = report(ranks, options, [IRREGULAR]);
    let result = &report["result"];
    assert_eq!(result["matches_expected"], true, "{report:#}");
    vec![("irregular".into(), text(&result["solutions"]), result["nodes"].as_u64().expect("a number"))]
}

/// The result of one thread with depth 0.
fn alone(kind: usize) -> &'static [Facts] {
    static ALONE: OnceLock<[Vec<Facts>; 2]> = OnceLock::new();
    &ALONE.get_or_init(|| KINDS.map(|count| count(0, &["--depth", "0", "--threads", "1"])))[kind]
}

fn counts_the_same(kind: usize, ranks: usize, threads: &str, schedule: &str, depth: &str) {
    let options = ["--threads", threads, "--schedule", schedule, "--depth", depth];
    let found = KINDS[kind](ranks, &options);
    assert_eq!(found, alone(kind), "{ranks} ranks of {threads} threads, {schedule}, depth {depth}");
}

test!(EVERY_LIBRARY, all_pairs_of_library_puzzles_ranks_threads_schedule_and_depth_count_and_visit_the_same, || {
    let choices = [libraries(), KINDS.len(), RANKS.len(), THREADS.len(), SCHEDULES.len(), DEPTHS.len()];
    for [_, kind, ranks, threads, schedule, depth] in of_current_library(pairwise(choices)) {
        // 8 ranks of several threads would mostly wait for a processor: only with `--all`.
        let threads = if RANKS[ranks] == 8 { "1" } else { THREADS[threads] };
        counts_the_same(kind, RANKS[ranks], threads, SCHEDULES[schedule], DEPTHS[depth]);
    }
});

test!(EVERY_LIBRARY.only_all(), every_schedule_on_any_ranks_and_threads_counts_and_visits_the_same, || {
    for [kind, ranks, threads, schedule] in each_choice([KINDS.len(), RANKS.len(), THREADS.len(), SCHEDULES.len()]) {
        counts_the_same(kind, RANKS[ranks], THREADS[threads], SCHEDULES[schedule], "auto");
    }
});

test!(EVERY_LIBRARY.only_all(), every_depth_on_any_ranks_counts_and_visits_the_same, || {
    for [kind, ranks, threads, depth] in each_choice([KINDS.len(), RANKS.len(), 2, DEPTHS.len()]) {
        counts_the_same(kind, RANKS[ranks], THREADS[threads], "static", DEPTHS[depth]);
    }
});

test!(ALONE, one_process_counts_and_visits_the_same_with_any_schedule_threads_and_depth, || {
    for [kind, schedule, threads, depth] in each_pair([KINDS.len(), SCHEDULES.len(), THREADS.len(), DEPTHS.len()]) {
        counts_the_same(kind, 0, THREADS[threads], SCHEDULES[schedule], DEPTHS[depth]);
    }
});

test!(ONE_LIBRARY, orders_of_cells_and_values_do_not_change_the_counts_of_three_ranks, || {
    let solutions =
        |lines: &[Facts]| -> Vec<String> { lines.iter().map(|(_, solutions, _)| solutions.clone()).collect() };
    for (cells, values) in [("first", "min"), ("first", "max"), ("fewest", "max")] {
        let found = each_shape(3, &["--cells", cells, "--values", values]);
        assert_eq!(solutions(&found), solutions(alone(0)), "--cells {cells} --values {values}");
    }
});

test!(ONE_LIBRARY, more_ranks_than_units_count_right, || {
    let outcome = census(["count", EMPTY4, "--depth", "1"]).ranks(8).run().exits(0);
    assert_eq!((outcome.value("solutions"), outcome.value("units")), ("288", "4"));
});

// The limit for ten million units is two gibibytes for each rank.
test!(ONE_LIBRARY, millions_of_units_are_scattered_and_counted_in_little_memory, || {
    let (depth, units, most) = if Scope::is_all() { ("14", "10266480", 2 << 30) } else { ("11", "792000", 256 << 20) };
    for (ranks, schedule) in [(4, "static"), (3, "guided")] {
        let options = ["--depth", depth, "--schedule", schedule];
        let run = census(["count", "puzzles/latin-6.txt"]).with(options).ranks(ranks).watching_memory().run().exits(0);
        assert_eq!((run.value("units"), run.value("solutions")), (units, "812851200"));
        assert_eq!(run.peaks.len(), ranks, "not every rank was polled: {run}");
        assert!(run.peaks.iter().all(|&bytes| bytes < most), "{:?} bytes, {schedule}", run.peaks);
    }
});

test!(ONE_LIBRARY, an_empty_pool_is_counted_right, || {
    // Every solution is above the depth.
    let outcome = census(["count", EMPTY4, "--depth", "1000"]).ranks(3).run().exits(0);
    assert_eq!((outcome.value("solutions"), outcome.value("units")), ("288", "0"));
});

test!(ONE_LIBRARY, a_puzzle_already_solved_has_one_solution_on_three_ranks, || {
    census(["count", "1234341221434321"]).ranks(3).run().exits(0).says("solutions: 1\n");
});

test!(ONE_LIBRARY, an_unsolvable_puzzle_is_exit_code_1_on_three_ranks, || {
    let unsolvable = "........231.42.......231........4...";
    census(["count", unsolvable]).ranks(3).run().exits(1).says("solutions: 0\n").says("complete: yes\n");
});

test!(ONE_LIBRARY, the_summary_of_a_collection_is_right_on_five_ranks, || {
    let lines = format!(
        "{INKALA20}\n{}\n{}\n",
        INKALA20.replacen("3.", "36", 1),
        "12345678........9".to_owned() + &".".repeat(64)
    );
    let outcome = census(["count", "-"]).input(&lines).ranks(5).run();
    let outcome = outcome.exits(1).says("unique: 1\nseveral: 1\nnone: 1\nunexpected: 0\n");
    assert_eq!(outcome.value("solutions"), "1735");
});

test!(ONE_LIBRARY, the_report_has_the_work_of_each_rank, || {
    for (ranks, threads) in [(0, "2"), (1, "1"), (3, "2"), (8, "1")] {
        let folder = Folder::new();
        let path = folder.path("run.json");
        let options = ["--depth", "3", "--threads", threads, "--report", &path];
        let outcome = census(["count", INKALA20]).with(options).ranks(ranks).run().exits(0);
        let report = read_report(&path);
        check_report(&report, ranks, threads);
        assert_eq!(report["result"]["solutions"], outcome.value("solutions"));
        assert_eq!(report["result"]["nodes"].to_string(), outcome.value("nodes"));
        assert_eq!(outcome.value("report"), path);
    }
});

fn check_report(report: &Value, ranks: usize, threads: &str) {
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"));
    let integer = |value: &Value| value.as_u64().unwrap_or_else(|| panic!("{value} is not an integer"));
    let count = |value: &Value| -> u128 { value.as_str().expect("counts are strings").parse().expect("a count") };
    assert_eq!((&report["schema"], &report["complete"]), (&"census-run/2".into(), &true.into()));
    assert_eq!(report["program"]["name"], "census");
    for field in ["version", "commit", "rustc", "profile"] {
        assert!(report["program"][field].as_str().is_some_and(|text| !text.is_empty()), "program.{field}");
    }
    assert_eq!(report["program"]["features"], serde_json::json!(["mpi"]));
    assert!(report["command"].as_array().is_some_and(|words| words.contains(&INKALA20.into())));
    assert!(report["started"].as_str() <= report["finished"].as_str());

    let environment = &report["environment"];
    assert_eq!(integer(&environment["ranks"]), ranks.max(1) as u64);
    assert_eq!(environment["threads"].to_string(), threads);
    assert_eq!(environment["mpi_library"].is_null(), ranks == 0);
    assert_eq!(environment["launcher"].is_null(), ranks == 0);
    assert_eq!(environment["thread_level"].is_null(), ranks == 0);
    assert!(number(&environment["wtime_resolution"]) > 0.0);
    let hosts = environment["hosts"].as_array().expect("hosts");
    assert_eq!(hosts.iter().map(|host| integer(&host["ranks"])).sum::<u64>(), ranks.max(1) as u64);
    assert!(hosts.iter().all(|host| host["name"].is_string() && integer(&host["cores"]) > 0));
    assert!(environment.get("job").is_some());

    let puzzle = &report["puzzle"];
    assert_eq!((integer(&puzzle["order"]), integer(&puzzle["givens"])), (9, 20));
    assert_eq!((&puzzle["file"], &puzzle["regions"]), (&"argument".into(), &"boxes 3x3".into()));
    assert_eq!(puzzle["sha256"].as_str().map(str::len), Some(64));
    assert!(puzzle["name"].is_null() && puzzle["expected"].is_null());
    let config = &report["config"];
    for (field, value) in [("method", "search"), ("schedule", "static"), ("depth", "3"), ("cells", "fewest")] {
        assert_eq!(config[field], value, "config.{field}");
    }
    assert_eq!((&config["values"], integer(&config["depth_reached"])), (&"min".into(), 3));
    assert!(config["chunk"].is_null() && config["limit"].is_null());

    let (pool, result) = (&report["pool"], &report["result"]);
    assert_eq!(integer(&pool["bytes"]), 81 * integer(&pool["units"]));
    assert_eq!((count(&result["solutions"]), &result["complete"]), (1734, &true.into()));
    assert!(result["matches_expected"].is_null());

    let lines = report["ranks"].as_array().expect("a line for each rank");
    assert!(lines.iter().enumerate().all(|(i, line)| integer(&line["rank"]) == i as u64));
    assert_eq!(lines.len(), ranks.max(1));
    let sum = |field: &str| lines.iter().map(|line| integer(&line[field])).sum::<u64>();
    let solutions: u128 = lines.iter().map(|line| count(&line["solutions"])).sum();
    assert_eq!(solutions, count(&result["solutions"]) - count(&pool["solutions_above"]));
    assert_eq!(sum("nodes"), integer(&result["nodes"]) - integer(&pool["nodes"]));
    assert_eq!(sum("units"), integer(&pool["units"]));
    for line in lines {
        let [busy, wait, longest] = ["busy", "wait", "longest_unit"].map(|field| number(&line[field]));
        assert!(busy >= 0.0 && wait >= 0.0 && longest >= 0.0, "{line}");
        assert!(line["host"].is_string());
    }

    let phases = ["expand", "distribute", "count", "reduce"].map(|phase| number(&report["phases"][phase]));
    assert!(phases.iter().all(|&seconds| seconds >= 0.0), "{phases:?}");
    assert!((phases.iter().sum::<f64>() - number(&report["phases"]["total"])).abs() < 1e-6, "phases add up");
    for ratio in ["load_balance", "communication", "parallel"] {
        let value = number(&report["efficiency"][ratio]);
        assert!((0.0..=1.0).contains(&value), "{ratio} {value}");
    }
    for rate in ["solutions_per_second", "nodes_per_second"] {
        assert!(number(&report["efficiency"][rate]) > 0.0, "{rate}");
    }
}
