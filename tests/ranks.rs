//! Ranks under a real `mpirun`: however many share the work, and however deep it is cut, the answer is the same.
#![cfg(feature = "mpi")]

mod common;

use std::sync::OnceLock;

use common::{Folder, census, golden, nodes_of_shape, read_report};
use serde_json::Value;

const DEPTHS: [&str; 5] = ["0", "1", "3", "auto", "1000"];
const INKALA20: &str = "8..........3.......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";
const EMPTY4: &str = "................";

/// What a run over one puzzle of each shape says of each: name, solutions, nodes, complete. With a cache,
/// nodes would depend on who has seen what.
fn each_shape(ranks: usize, options: &[&str]) -> Vec<(String, String, u64, bool)> {
    let outcome =
        census(["count", "--cache", "off", "--report", "-"]).with(options).with(golden("shapes")).ranks(ranks).run();
    let report = outcome.exits(0).complains_of_nothing().json();
    assert_eq!(report["schema"], "census-collection/1");
    assert_eq!(report["environment"]["ranks"], ranks.max(1));
    let puzzles = report["puzzles"].as_array().expect("a list of puzzles");
    assert_eq!(puzzles.len(), golden("shapes").len());
    let text = |value: &Value| value.as_str().expect("a string").to_owned();
    let line = |puzzle: &Value| {
        assert_eq!(puzzle["matches_expected"], true, "{puzzle}");
        (text(&puzzle["name"]), text(&puzzle["solutions"]), nodes_of_shape(puzzle), puzzle["complete"] == true)
    };
    puzzles.iter().map(line).collect()
}

/// The same from one process with one thread that does not cut the tree at all.
fn alone() -> &'static [(String, String, u64, bool)] {
    static ALONE: OnceLock<Vec<(String, String, u64, bool)>> = OnceLock::new();
    ALONE.get_or_init(|| each_shape(0, &["--depth", "0", "--threads", "1"]))
}

/// Every shape, at every depth, with one thread a rank, and at two depths with two.
fn same_answers_on(ranks: usize) {
    for depth in DEPTHS {
        assert_eq!(each_shape(ranks, &["--depth", depth]), alone(), "{ranks} ranks, depth {depth}");
    }
    for depth in ["1", "auto"] {
        let options = ["--depth", depth, "--threads", "2"];
        assert_eq!(each_shape(ranks, &options), alone(), "{ranks} ranks of 2 threads, depth {depth}");
    }
}

#[test]
fn one_rank_counts_and_visits_the_same_at_every_depth() {
    same_answers_on(1);
}

#[test]
fn two_ranks_count_and_visit_the_same_at_every_depth() {
    same_answers_on(2);
}

#[test]
fn three_ranks_count_and_visit_the_same_at_every_depth() {
    same_answers_on(3);
}

#[test]
fn five_ranks_count_and_visit_the_same_at_every_depth() {
    same_answers_on(5);
}

#[test]
fn eight_ranks_count_and_visit_the_same_at_every_depth() {
    same_answers_on(8);
}

#[test]
fn one_process_counts_and_visits_the_same_at_every_depth_with_any_number_of_threads() {
    for depth in DEPTHS {
        for threads in ["1", "2", "7"] {
            let options = ["--depth", depth, "--threads", threads];
            assert_eq!(each_shape(0, &options), alone(), "{threads} threads, depth {depth}");
        }
    }
}

#[test]
fn orders_of_cells_and_values_do_not_change_the_counts_of_three_ranks() {
    let solutions = |lines: &[(String, String, u64, bool)]| -> Vec<String> {
        lines.iter().map(|(_, solutions, _, _)| solutions.clone()).collect()
    };
    for (cells, values) in [("first", "min"), ("first", "max"), ("fewest", "max")] {
        let found = each_shape(3, &["--cells", cells, "--values", values]);
        assert_eq!(solutions(&found), solutions(alone()), "--cells {cells} --values {values}");
    }
}

#[test]
fn more_ranks_than_units_is_no_trouble() {
    let outcome = census(["count", EMPTY4, "--depth", "1"]).ranks(8).run().exits(0);
    assert_eq!((outcome.value("solutions"), outcome.value("units")), ("288", "4"));
}

#[test]
fn ten_million_units_are_scattered_and_counted_with_less_than_two_gibibytes_a_rank() {
    for (ranks, schedule) in [(4, "static"), (3, "guided")] {
        let options = ["--depth", "14", "--schedule", schedule];
        let run = census(["count", "puzzles/latin-6.txt"]).with(options).ranks(ranks).watching_memory().run().exits(0);
        assert_eq!((run.value("units"), run.value("solutions")), ("10266480", "812851200"));
        assert_eq!(run.peaks.len(), ranks, "every rank was seen: {run}");
        assert!(run.peaks.iter().all(|&bytes| bytes < 2 << 30), "{:?} bytes, {schedule}", run.peaks);
    }
}

#[test]
fn no_units_at_all_is_no_trouble() {
    // Every solution is met above the depth.
    let outcome = census(["count", EMPTY4, "--depth", "1000"]).ranks(3).run().exits(0);
    assert_eq!((outcome.value("solutions"), outcome.value("units")), ("288", "0"));
}

#[test]
fn a_puzzle_already_solved_has_one_solution_on_three_ranks() {
    census(["count", "1234341221434321"]).ranks(3).run().exits(0).says("solutions: 1\n");
}

#[test]
fn an_unsolvable_puzzle_has_none_on_three_ranks_and_the_answer_is_no() {
    let unsolvable = "........231.42.......231........4...";
    census(["count", unsolvable]).ranks(3).run().exits(1).says("solutions: 0\n").says("complete: yes\n");
}

#[test]
fn a_collection_of_each_kind_is_summed_up_on_five_ranks() {
    let lines = format!(
        "{INKALA20}\n{}\n{}\n",
        INKALA20.replacen("3.", "36", 1),
        "12345678........9".to_owned() + &".".repeat(64)
    );
    let outcome = census(["count", "-"]).input(&lines).ranks(5).run();
    let outcome = outcome.exits(1).says("unique: 1\nseveral: 1\nnone: 1\nunexpected: 0\n");
    assert_eq!(outcome.value("solutions"), "1735");
}

#[test]
fn the_report_says_what_each_rank_did() {
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
}

fn check_report(report: &Value, ranks: usize, threads: &str) {
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"));
    let integer = |value: &Value| value.as_u64().unwrap_or_else(|| panic!("{value} is not an integer"));
    let count = |value: &Value| -> u128 { value.as_str().expect("counts are strings").parse().expect("a count") };
    assert_eq!((&report["schema"], &report["complete"]), (&"census-run/1".into(), &true.into()));
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
