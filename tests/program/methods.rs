//! Methods: all give the same count; one that does not apply is refused; `auto` reports its reason.

use std::collections::{BTreeSet, HashSet};
use std::fs;

use serde_json::Value;

use crate::harness::{
    ALONE, EVERYWHERE, Folder, INKALA20, Job, SCHEDULES, Signal, census, empty9, rank_counts, read_report, test,
};

/// 0: without a launcher
const RANKS: &[usize] = &[0, 1, 3];
/// 534,494 solutions in a tree of 1.6 million nodes
const LARGE: &str = "puzzles/goldennugget17.txt";
const HYPER: &str = "puzzles/hyper.txt";
const HINT: &str = "hint: `census count --method bands` counts any plain 9×9 in seconds\n";
const ALL_GRIDS: &str = "6670903752021072936960";

/// The report of a count with these options.
fn report(ranks: usize, arguments: &[&str]) -> Value {
    census(["count", "--report", "-"]).with(arguments).ranks(ranks).run().exits(0).complains_of_nothing().json()
}

test!(EVERYWHERE, a_shape_that_bands_does_not_support_is_refused_before_the_count, || {
    let refused = |shape: &str| format!("--method bands needs a plain 9×9 with 3×3 boxes, and this is {shape}");
    let puzzles = [
        (HYPER, "9×9, boxes 3x3 + hyper"),
        ("puzzles/x-diagonals.txt", "9×9, boxes 3x3 + diagonals"),
        ("puzzles/jigsaw-9.txt", "9×9, jigsaw"),
        ("puzzles/empty-4x4.txt", "4×4, boxes 2x2"),
    ];
    for (file, shape) in puzzles {
        let line = format!("{file}: {}", refused(shape));
        census(["list", file, "--method", "bands"]).run().exits(2).says_nothing().complains_only(&line);
        let folder = Folder::new();
        let options = ["--method", "bands", "--report", &folder.path("run.json")];
        census(["count", file]).with(options).run().exits(2).says_nothing().complains_only(&line);
        assert!(folder.names().is_empty());
    }
    let line = format!("{HYPER}: {}", refused("9×9, boxes 3x3 + hyper"));
    for ranks in rank_counts(RANKS) {
        for command in ["count", "list"] {
            let run = census([command, HYPER, "--method", "bands"]).ranks(ranks).run();
            run.exits(2).says_nothing().complains_only(&line);
        }
    }
});

test!(
    EVERYWHERE,
    a_puzzle_of_a_collection_that_bands_does_not_support_ends_the_run_after_the_answers_before_it,
    || {
        let folder = Folder::new();
        let file = folder.file("two.sdm", format!("# extra: diagonals\n{0}\n{0}\n", empty9()));
        for ranks in rank_counts(RANKS) {
            let run = census(["count", INKALA20, &file, "--method", "bands"]).ranks(ranks).run().exits(2);
            let run = run.says(" 1734\npuzzles: 1\n").says("complete: no, stopped at bad input\n");
            run.complains_once_about(&format!("{file}:2: --method bands needs a plain 9×9"));
        }
    }
);

test!(EVERYWHERE, bands_refuses_the_orders_of_a_search, || {
    for (option, value) in [("--cells", "fewest"), ("--values", "max")] {
        let line = format!("{option} has no meaning with --method bands, which does not guess");
        for ranks in rank_counts(RANKS) {
            for command in ["count", "list"] {
                let run = census([command, INKALA20, "--method", "bands", option, value]).ranks(ranks).run();
                run.exits(2).says_nothing().complains_only(&line);
            }
        }
        census(["count", INKALA20, "--method", "auto", option, value]).run().exits(0).says("solutions: 1734\n");
    }
});

test!(EVERYWHERE, auto_searches_a_small_tree_and_reports_the_reason, || {
    for ranks in rank_counts(RANKS) {
        for schedule in ["static", "dynamic", "auto"] {
            let run = census(["count", INKALA20, "--method", "auto", "--schedule", schedule]).ranks(ranks).run();
            let run = run.exits(0).complains_of_nothing();
            assert_eq!((run.value("solutions"), run.value("units"), run.value("method")), ("1734", "0", "search"));
            assert_eq!(run.value("method reason"), "the tree is small: rank 0 counted it alone");
        }
    }
    // The nodes are those of a search.
    let nodes = |method: &str| report(0, &[INKALA20, "--method", method])["result"]["nodes"].clone();
    assert_eq!(nodes("auto"), nodes("search"));
});

test!(EVERYWHERE, auto_searches_if_bands_does_not_apply_and_reports_the_reason, || {
    for ranks in rank_counts(RANKS) {
        for schedule in ["static", "auto"] {
            let run = census(["count", HYPER, "--method", "auto", "--schedule", schedule]).ranks(ranks).run();
            let run = run.exits(0).complains_of_nothing();
            assert_eq!(run.value("method"), "search");
            assert_eq!(run.value("method reason"), "bands needs a plain 9×9 with 3×3 boxes");
        }
    }
});

test!(EVERYWHERE, auto_chooses_bands_for_a_plain_nine_by_nine_that_is_not_small, || {
    for ranks in rank_counts(RANKS) {
        let run = census(["count", LARGE, "--method", "auto", "--threads", "2"]).ranks(ranks).run().exits(0);
        assert_eq!((run.value("solutions"), run.value("method")), ("534494", "bands"));
        assert!(run.value("method reason").starts_with("the tree is not small"), "{run}");
        assert_eq!(run.value("schedule"), "static");
        let run = census(["count", LARGE, "--method", "auto", "--schedule", "auto", "--threads", "2"]).ranks(ranks);
        let run = run.run().exits(0).complains_of_nothing();
        assert_eq!((run.value("solutions"), run.value("schedule")), ("534494", "steal"));
    }
    let run = census(["count", LARGE, "--method", "auto", "--schedule", "auto", "--threads", "1"]).run().exits(0);
    assert_eq!((run.value("method"), run.value("schedule")), ("bands", "static"));
});

test!(EVERYWHERE, auto_searches_if_that_soon_reaches_the_limit, || {
    for ranks in rank_counts(RANKS) {
        for schedule in ["static", "auto"] {
            let run = census(["count", &empty9(), "--method", "auto", "--limit", "5", "--schedule", schedule]);
            let run = run.ranks(ranks).run().exits(0);
            assert_eq!((run.value("solutions"), run.value("method")), ("5", "search"));
            assert_eq!(run.value("method reason"), "the limit is near: rank 0 counts alone");
        }
    }
});

test!(ALONE, the_report_has_the_method_and_the_reason_of_auto, || {
    let config = |arguments: &[&str]| report(0, arguments)["config"].clone();
    let search = config(&[INKALA20]);
    assert_eq!((&search["method"], &search["method_reason"]), (&"search".into(), &Value::Null));
    assert_eq!((&search["cells"], &search["values"]), (&"fewest".into(), &"min".into()));
    let bands = config(&[INKALA20, "--method", "bands"]);
    assert_eq!((&bands["method"], &bands["method_reason"]), (&"bands".into(), &Value::Null));
    assert!(bands["cells"].is_null() && bands["values"].is_null(), "{bands}");
    let small = config(&[INKALA20, "--method", "auto", "--values", "max"]);
    assert_eq!((&small["method"], &small["values"]), (&"search".into(), &"max".into()));
    assert_eq!(small["method_reason"], "the tree is small: rank 0 counted it alone");
    let large = config(&[LARGE, "--method", "auto", "--cells", "first"]);
    assert_eq!(
        (&large["method"], &large["cells"], &large["schedule_reason"]),
        (&"bands".into(), &Value::Null, &Value::Null)
    );
    assert!(large["method_reason"].is_string(), "{large}");
});

test!(EVERYWHERE, auto_chooses_for_each_puzzle_of_a_collection, || {
    for ranks in rank_counts(RANKS) {
        let report = report(ranks, &[INKALA20, LARGE, HYPER, "--method", "auto"]);
        let config = &report["config"];
        assert_eq!((&config["method"], &config["method_reason"]), (&"auto".into(), &Value::Null));
        assert_eq!(config["cells"], "fewest");
        let puzzles = report["puzzles"].as_array().expect("a list of puzzles");
        let methods: Vec<&Value> = puzzles.iter().map(|puzzle| &puzzle["method"]).collect();
        assert_eq!(methods, ["search", "bands", "search"]);
        assert_eq!((&puzzles[0]["solutions"], &puzzles[1]["solutions"]), (&"1734".into(), &"534494".into()));
    }
    let report = report(0, &[INKALA20, INKALA20, "--method", "bands"]);
    assert_eq!((&report["config"]["method"], &report["config"]["cells"]), (&"bands".into(), &Value::Null));
});

test!(EVERYWHERE, bands_counts_the_same_with_every_schedule_and_depth, || {
    for ranks in rank_counts(RANKS) {
        for (i, schedule) in SCHEDULES.iter().enumerate() {
            let depth = ["auto", "0", "1", "2"][i % 4];
            let options = ["--schedule", schedule, "--depth", depth, "--threads", ["1", "2"][i % 2]];
            let run = census(["count", INKALA20, "--method", "bands"]).with(options).ranks(ranks).run();
            let run = run.exits(0).complains_of_nothing();
            assert_eq!((run.value("solutions"), run.value("complete")), ("1734", "yes"), "{schedule}, depth {depth}");
        }
    }
    let impossible = format!("12345678{}9{}", ".".repeat(8), ".".repeat(64));
    census(["count", &impossible, "--method", "bands"]).run().exits(1).says("solutions: 0\n");
});

test!(EVERYWHERE, counts_beyond_64_bits_are_exact_for_each_rank_and_unit, || {
    for ranks in rank_counts(RANKS) {
        for schedule in ["static", "steal"] {
            let folder = Folder::new();
            let path = folder.path("run.json");
            let options = ["--schedule", schedule, "--threads", "2", "--trace", "--report", &path, "--progress", "on"];
            let run = census(["count", "puzzles/empty-9x9.txt", "--method", "bands"]).with(options).ranks(ranks).run();
            let run = run.exits(0).complains_of_nothing();
            assert_eq!((run.value("solutions"), run.value("complete")), (ALL_GRIDS, "yes"));

            let number = |value: &Value| value.as_str().expect("counts are strings").parse().expect("a count");
            let report = read_report(&path);
            let each: Vec<u128> =
                report["ranks"].as_array().expect("ranks").iter().map(|rank| number(&rank["solutions"])).collect();
            let above = number(&report["pool"]["solutions_above"]);
            let all: u128 = ALL_GRIDS.parse().expect("a count");
            assert_eq!(each.iter().sum::<u128>() + above, all);

            let trace = folder.path("run.trace.tsv");
            let text = fs::read_to_string(&trace).expect("a trace beside the report");
            let last = |line: &str| line.rsplit('\t').next().expect("a column").parse::<u128>().expect("a count");
            assert_eq!(text.lines().skip(2).map(last).sum::<u128>() + above, all);
            census(["plan", &trace, "--ranks", "1,16"]).run().exits(0).says("method bands\n").complains_of_nothing();
        }
    }
});

test!(EVERYWHERE, bands_stops_at_a_limit_even_the_largest_of_64_bits, || {
    for ranks in rank_counts(RANKS) {
        for limit in ["1000", "18446744073709551615"] {
            let run = census(["count", &empty9(), "--method", "bands", "--limit", limit]).ranks(ranks).run().exits(0);
            assert_eq!((run.value("solutions"), run.value("complete")), (limit, "no, stopped at the limit"));
        }
        let run = census(["count", INKALA20, "--method", "bands", "--limit", "1735"]).ranks(ranks).run().exits(0);
        assert_eq!((run.value("solutions"), run.value("complete")), ("1734", "yes"));
    }
});

test!(EVERYWHERE, bands_stops_at_a_time_limit_with_what_was_counted, || {
    for ranks in rank_counts(RANKS) {
        let run = census(["count", &empty9(), "--method", "bands", "--time-limit", "1ms"]).ranks(ranks).run();
        let run = run.exits(3).complains_once_about("stopped at the time limit");
        let counted: u128 = run.value("solutions").parse().expect("a count");
        assert!(counted < ALL_GRIDS.parse().expect("a count"), "{run}");
    }
});

test!(EVERYWHERE, bands_lists_the_same_solutions_as_the_search_in_an_order_that_does_not_depend_on_ranks, || {
    let lines = |options: &[&str]| {
        let run = census(["list", INKALA20, "--threads", "1"]).with(options).run();
        run.exits(0).notes("listed 1,734 solutions, which is all\n").stdout
    };
    let (search, bands) = (lines(&[]), lines(&["--method", "bands"]));
    assert!(bands.lines().all(|line| line.len() == 81));
    assert_eq!(bands.lines().collect::<HashSet<_>>().len(), 1734);
    assert_eq!(bands.lines().collect::<BTreeSet<_>>(), search.lines().collect::<BTreeSet<_>>());
    for ranks in rank_counts(RANKS) {
        let run = census(["list", INKALA20, "--method", "bands", "--threads", "3"]).ranks(ranks).run().exits(0);
        assert!(run.stdout == bands, "{ranks} ranks list something else");
    }
    let first: String = bands.split_inclusive('\n').take(777).collect();
    census(["list", INKALA20, "--method", "bands", "--limit", "777"]).run().exits(0).says_only(&first);
});

test!(EVERYWHERE, a_listing_that_is_too_large_for_bands_is_refused_and_leaves_no_file, || {
    for ranks in rank_counts(RANKS) {
        let folder = Folder::new();
        let options = ["--method", "bands", "--output", &folder.path("all.txt")];
        let run = census(["list", &empty9()]).with(options).ranks(ranks).run().exits(2).says_nothing();
        run.complains_once_about("argument: --method bands lists only puzzles with few enough fillings of each band");
        assert!(folder.names().is_empty());
    }
});

test!(ALONE, an_estimate_of_very_many_solutions_ends_with_a_hint, || {
    let run = census(["estimate", &empty9(), "--probes", "300"]).run().exits(0);
    assert!(run.stderr.ends_with(HINT), "{run}");
    for puzzle in [INKALA20, "puzzles/25x25.txt"] {
        let run = census(["estimate", puzzle, "--probes", "100"]).run().exits(0);
        assert!(!run.stderr.contains("hint"), "{run}");
    }
});

test!(ALONE, a_search_that_is_stopped_gives_the_hint_too, || {
    // A signal, because a time limit may be reached before the search begins.
    let mut sent = false;
    let stop = move |job: &Job| {
        // Once: a second signal ends the process at once.
        if let Some(rank) = job.counting(1).filter(|_| !sent) {
            sent = true;
            job.signal(Signal::TERM, &rank);
        }
    };
    let searched = census(["count", &empty9()]).meanwhile(stop).run().exits(3);
    assert_eq!(searched.stderr.matches(HINT).count(), 1, "{searched}");
    let stopped = |options: &[&str]| census(["count", "--time-limit", "1ms"]).with(options).run().exits(3).stderr;
    assert!(!stopped(&[&empty9(), "--quiet"]).contains("hint"));
    assert!(!stopped(&[&empty9(), "--method", "bands"]).contains("hint"));
    assert!(!stopped(&[&empty9(), "--method", "auto"]).contains("hint"));
    assert!(!stopped(&["puzzles/latin-7-x720.txt"]).contains("hint"));
});

test!(ALONE, a_depth_that_bands_does_not_have_is_refused, || {
    let line = "--depth of --method bands is 0 to 2, or auto";
    for command in ["count", "list"] {
        census([command, INKALA20, "--method", "bands", "--depth", "3"])
            .run()
            .exits(2)
            .says_nothing()
            .complains_only(line);
    }
});

// This takes some seconds.
test!(ALONE.only_all(), a_search_that_passes_a_hundred_million_solutions_gives_one_hint, || {
    let run =
        census(["count", &empty9(), "--limit", "115000000", "--progress", "off", "--threads", "2"]).run().exits(0);
    let hints = |text: &str| text.matches(HINT).count();
    assert_eq!((hints(&run.stderr), hints(&run.stdout)), (1, 0), "{run}");
});

test!(ALONE, help_explains_each_method, || {
    let count = census(["count", "--help"]).run().exits(0);
    let unwrapped = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in [
        "- search: visit every solution; any shape",
        "- bands: count without visiting",
        "- auto: ",
        "[default: fewest]",
        "[default: min]",
    ] {
        assert!(unwrapped(&count.stdout).contains(text), "{text} is missing in {count}");
    }
    let list = census(["list", "--help"]).run().exits(0);
    let text = "with `--method bands` in an order of its own";
    assert!(unwrapped(&list.stdout).contains(text), "{list}");
    assert!(!list.stdout.contains("- auto:"), "{list}");
});
