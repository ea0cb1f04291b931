//! Schedules: chunks, work stealing, requests and traces. `ranks.rs` tests that all count the same.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::harness::{ALONE, Folder, INKALA20, ONE_LIBRARY, SCHEDULES, census, each_choice, read_report, shell, test};

/// Golden Nugget with 17 of its clues: an irregular tree of 1.6 million nodes
const IRREGULAR: &str = "puzzles/goldennugget17.txt";

fn count(value: &Value) -> u128 {
    value.as_str().expect("counts are strings").parse().expect("a count")
}

fn integer(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is not an integer"))
}

test!(ONE_LIBRARY, chunks_of_any_size_change_nothing, || {
    let chunks = ["1", "7", "4000000000"];
    for [schedule, chunk] in each_choice([SCHEDULES.len() - 1, chunks.len()]) {
        let (schedule, chunk) = (SCHEDULES[schedule + 1], chunks[chunk]);
        let options = ["--schedule", schedule, "--chunk", chunk, "--depth", "4"];
        let outcome = census(["count", IRREGULAR]).with(options).ranks(3).run().exits(0);
        assert_eq!(outcome.value("solutions"), "534494", "{schedule}, chunks of {chunk}");
    }
});

test!(ONE_LIBRARY.only_all(), pools_of_one_unit_and_of_none_change_nothing, || {
    for &schedule in SCHEDULES.iter() {
        for (depth, units) in [("0", "1"), ("1000", "0")] {
            let options = ["--schedule", schedule, "--depth", depth, "--threads", "2"];
            let outcome = census(["count", INKALA20]).with(options).ranks(5).run().exits(0);
            assert_eq!((outcome.value("solutions"), outcome.value("units")), ("1734", units), "{schedule}, {depth}");
        }
        census(["count", "1234341221434321", "--schedule", schedule]).ranks(3).run().exits(0).says("solutions: 1\n");
    }
});

test!(ONE_LIBRARY, static_has_no_chunks, || {
    let run = census(["count", INKALA20, "--chunk", "3"]).ranks(2).run().exits(2).says_nothing();
    run.complains_once_about("--chunk has no meaning with --schedule static");
});

/// The report of a run, and the records of its trace
fn traced(ranks: usize, options: &[&str]) -> (Value, Vec<Vec<u128>>) {
    let folder = Folder::new();
    let path = folder.path("run.json");
    let run = census(["count", IRREGULAR, "--trace", "--report", &path]).with(options).ranks(ranks).run();
    run.exits(0).complains_of_nothing();
    let report = read_report(&path);
    let trace = fs::read_to_string(folder.path("run.trace.tsv")).expect("a trace beside the report");
    let number = |field: &str| field.parse().unwrap_or_else(|_| panic!("{field} is not a number"));
    let records = trace.lines().skip(2).map(|line| line.split('\t').map(number).collect()).collect();
    (report, records)
}

test!(ONE_LIBRARY, idle_workers_get_subtasks_of_a_unit_and_all_of_it_is_counted_once, || {
    // One unit on eight ranks of two threads.
    let folder = Folder::new();
    let path = folder.path("run.json");
    let count = || census(["count", "puzzles/goldennugget16.txt", "--depth", "0"]);
    let alone = count().with(["--threads", "1", "--report", "-"]).run().exits(0).json();
    let options = ["--schedule", "steal", "--threads", "2", "--report", &path];
    count().with(options).ranks(8).run().exits(0).complains_of_nothing();
    let report = read_report(&path);
    assert_eq!(report["result"]["solutions"], "5075288");
    assert_eq!(report["result"]["nodes"], alone["result"]["nodes"], "as one worker visits");
    let sum =
        |field: &str| report["ranks"].as_array().expect("ranks").iter().map(|rank| integer(&rank[field])).sum::<u64>();
    assert_eq!((sum("units"), integer(&report["pool"]["units"])), (1, 1));
    assert_eq!(sum("subtasks"), sum("split"));
    let workers = report["ranks"].as_array().expect("ranks").iter().filter(|rank| integer(&rank["nodes"]) > 0);
    assert!(workers.count() >= 4, "most ranks got no subtask: {report:#}");
});

test!(ONE_LIBRARY, a_trace_has_every_unit_and_subtask_once_and_the_times_of_each_worker, || {
    for (schedule, ranks, threads) in
        [("static", 0, "1"), ("cyclic", 3, "1"), ("dynamic", 2, "2"), ("guided", 1, "3"), ("steal", 5, "2")]
    {
        let (report, records) = traced(ranks, &["--schedule", schedule, "--threads", threads, "--depth", "5"]);
        let column = |at: usize| records.iter().map(move |record| record[at]);
        let (nodes, solutions): (u128, u128) = (column(5).sum(), column(6).sum());
        let pool = &report["pool"];
        assert_eq!(nodes, u128::from(integer(&report["result"]["nodes"]) - integer(&pool["nodes"])), "{schedule}");
        assert_eq!(solutions, count(&report["result"]["solutions"]) - count(&pool["solutions_above"]), "{schedule}");

        let mut units: Vec<u128> = column(0).collect();
        assert!(units.is_sorted());
        units.dedup();
        assert!(units.into_iter().eq(0..u128::from(integer(&pool["units"]))), "{schedule}");
        let parts: u64 = report["ranks"].as_array().expect("ranks").iter().map(|rank| integer(&rank["subtasks"])).sum();
        assert_eq!(records.len() as u64, integer(&pool["units"]) + parts, "{schedule}");

        let mut workers: BTreeMap<(u128, u128), Vec<(u128, u128)>> = BTreeMap::new();
        for record in &records {
            workers.entry((record[1], record[2])).or_default().push((record[3], record[3] + record[4]));
        }
        for (worker, mut intervals) in workers {
            intervals.sort_unstable();
            assert!(intervals.windows(2).all(|two| two[0].1 <= two[1].0), "{schedule}: overlapping work of {worker:?}");
        }
        let busy: f64 =
            report["ranks"].as_array().expect("ranks").iter().map(|rank| rank["busy"].as_f64().expect("s")).sum();
        let recorded = column(4).sum::<u128>() as f64 * 1e-9 / threads.parse::<f64>().expect("a number");
        assert!((busy - recorded).abs() < 1e-6 * records.len() as f64, "{schedule}: {busy} and {recorded}");
    }
});

test!(ALONE, a_trace_needs_a_report_in_a_file_and_one_puzzle, || {
    census(["count", INKALA20, "--trace"]).run().exits(2).says_nothing().notes("--report <FILE>");
    let run = census(["count", INKALA20, "--trace", "--report", "-"]).run().exits(2).says_nothing();
    run.complains_once_about("--report must name a file");
    let folder = Folder::new();
    let report = folder.path("run.json");
    let run = census(["count", INKALA20, INKALA20, "--trace", "--report", &report]).run().exits(2).says_nothing();
    run.complains_once_about("--trace takes one puzzle, but the input holds 2 puzzles");
    assert!(folder.names().is_empty());
});

test!(ONE_LIBRARY, auto_distributes_only_a_tree_that_is_not_small, || {
    let small = census(["count", INKALA20, "--schedule", "auto"]).ranks(3).run().exits(0);
    assert_eq!((small.value("units"), small.value("schedule")), ("0", "static"));
    assert_eq!(small.value("schedule reason"), "the tree is small: rank 0 counted it alone");
    let large = census(["count", IRREGULAR, "--schedule", "auto"]).ranks(3).run().exits(0);
    assert_eq!(large.value("schedule"), "steal");
    let alone = census(["count", IRREGULAR, "--schedule", "auto", "--threads", "1"]).run().exits(0);
    assert_eq!(alone.value("schedule reason"), "there is one worker");
});

test!(ONE_LIBRARY, the_report_has_the_cost_of_requests, || {
    // On a busy machine rank 0 may count everything before another rank requests a block: then there is no round trip.
    let mut runs = (0..10).map(|_| traced(2, &["--schedule", "dynamic"]).0).inspect(|report| {
        assert!(integer(&report["requests"]["count"]) > 0, "{report}");
        assert!(report["requests"]["service"].as_f64() > Some(0.0), "{report}");
        assert_eq!(integer(&report["config"]["chunk"]), 1);
    });
    assert!(runs.any(|report| report["requests"]["round_trip"].as_f64() > Some(0.0)), "no round trip in ten runs");
    let (report, _) = traced(2, &["--schedule", "static"]);
    assert!(report["requests"].is_null() && report["config"]["chunk"].is_null());
});

test!(ONE_LIBRARY, a_closed_standard_output_is_a_fault_on_rank_0_only, || {
    let victims = ["0", "2"];
    for [rank, schedule] in each_choice([victims.len(), SCHEDULES.len()]) {
        let (rank, schedule) = (victims[rank], SCHEDULES[schedule]);
        let folder = Folder::new();
        let report = folder.path("run.json");
        let close = format!(
            "if [ \"${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}\" = {rank} ]; then exec >&-; fi; \
             exec \"$CENSUS\" count {INKALA20} --depth 4 --schedule {schedule} --report {report}"
        );
        let run = shell(&close).ranks(3).run();
        match rank {
            "0" => run.exits(3).complains_only("standard output: is closed"),
            _ => run.exits(0).complains_of_nothing(),
        };
        let report = read_report(&report);
        assert_eq!((&report["result"]["solutions"], &report["complete"]), (&"1734".into(), &true.into()));
    }
});
