//! `census verify`: right counts verify on any ranks; wrong units are named; contradictory reports are refused.

use std::fs;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::harness::{
    ALONE, EVERYWHERE, Folder, Job, Outcome, SCHEDULES, Signal, census, each_choice, rank_counts, read_json,
    read_report, test,
};

/// 534,494 solutions, a fraction of a second
const PUZZLE: &str = "puzzles/goldennugget17.txt";
/// 0: without a launcher
const RANKS: &[usize] = &[0, 2, 3];

/// Counts with these options. Returns the folder and the report in it.
fn counted(options: &[&str]) -> (Folder, String) {
    let folder = Folder::new();
    let report = folder.path("run.json");
    census(["count", "--report", &report]).with(options).run();
    (folder, report)
}

/// Counts the puzzle with `--units`, and changes the report.
fn changed(change: impl FnOnce(&mut Value)) -> (Folder, String) {
    let (folder, report) = counted(&[PUZZLE, "--units"]);
    let mut json = read_report(&report);
    change(&mut json);
    fs::write(&report, json.to_string()).expect("the folder is writable");
    (folder, report)
}

/// The solutions of each unit in a report.
fn units(report: &Value) -> Vec<u128> {
    let packed = report["units"]["solutions"].as_str().expect("units were kept");
    let run = |word: &str| {
        let (count, times) = word.split_once('*').unwrap_or((word, "1"));
        vec![count.parse::<u128>().expect("a count"); times.parse().expect("a number")]
    };
    packed.split(' ').filter(|word| !word.is_empty()).flat_map(run).collect()
}

fn count(value: &Value) -> u128 {
    value.as_str().expect("a string").parse().expect("a count")
}

/// Changes the solutions of a report, and those above the depth, so that all its numbers still add up.
fn forge(report: &mut Value, solutions: u128, above: u128) {
    let ranks = report["ranks"].as_array_mut().expect("ranks");
    let others: u128 = ranks.iter().skip(1).map(|rank| count(&rank["solutions"])).sum();
    let others = if others + above > solutions {
        ranks.iter_mut().for_each(|rank| rank["solutions"] = "0".into());
        0
    } else {
        others
    };
    ranks[0]["solutions"] = (solutions - above - others).to_string().into();
    report["pool"]["solutions_above"] = above.to_string().into();
    report["result"]["solutions"] = solutions.to_string().into();
}

fn last_line(outcome: &Outcome) -> &str {
    outcome.stdout.lines().last().unwrap_or_default()
}

test!(EVERYWHERE, the_solutions_of_units_and_those_above_them_add_up, || {
    let depths = ["auto", "0", "7", "30"];
    for ranks in rank_counts(RANKS) {
        for [schedule, depth] in each_choice([SCHEDULES.len(), depths.len()]) {
            let options = ["--schedule", SCHEDULES[schedule], "--depth", depths[depth], "--threads", "2"];
            let run = census(["count", PUZZLE, "--units", "--report", "-"]).with(options).ranks(ranks).run().exits(0);
            let report = run.json();
            let units = units(&report);
            assert_eq!(report["pool"]["units"], units.len(), "{options:?} on {ranks} ranks");
            let sum = units.iter().sum::<u128>() + count(&report["pool"]["solutions_above"]);
            assert_eq!(sum, 534_494, "{options:?} on {ranks} ranks");
        }
    }
});

test!(EVERYWHERE, a_right_report_verifies_on_any_ranks_threads_and_schedule_and_the_seed_determines_the_sample, || {
    let (_folder, report) = counted(&[PUZZLE, "--units", "--depth", "8"]);
    let mut found = Vec::new();
    for ranks in rank_counts(RANKS) {
        for [schedule, threads] in each_choice([SCHEDULES.len(), 3]) {
            let threads = (threads + 1).to_string();
            let options = ["--share", "5%", "--seed", "7", "--schedule", SCHEDULES[schedule], "--threads", &threads];
            let run = census(["verify", &report, "--report", "-"]).with(options).ranks(ranks).run().exits(0);
            let json = run.complains_of_nothing().json();
            assert_eq!((&json["equal"], &json["complete"], &json["seed"]), (&true.into(), &true.into(), &7.into()));
            let items = json["items"].as_u64().expect("a number");
            assert_eq!(json["verified"], (items as f64 * 0.05).ceil() as u64, "{options:?} on {ranks} ranks");
            let ranks = json["ranks"].as_array().expect("ranks");
            found.push(ranks.iter().map(|rank| count(&rank["solutions"])).sum::<u128>());
        }
    }
    assert!(found[0] > 0 && found.iter().all(|solutions| *solutions == found[0]), "{found:?}");
    let other = census(["verify", &report, "--seed", "8", "--report", "-"]).run().exits(0).json();
    assert_ne!(other["ranks"].as_array().map(|ranks| count(&ranks[0]["solutions"])), Some(found[0]), "other units");
});

test!(EVERYWHERE, every_method_and_shape_verifies_and_reports_the_method_of_the_recount, || {
    let cases: [(&str, &[&str], &str); 8] = [
        ("puzzles/inkala19.ss", &["--cells", "first", "--values", "max"], "by the generic board"),
        ("puzzles/jigsaw-9.txt", &[], "by the board of large puzzles"),
        ("puzzles/x-hyper.txt", &["--depth", "3"], "by the board of large puzzles"),
        ("puzzles/latin-6.txt", &[], "with a cache"),
        ("puzzles/49x49.txt", &["--depth", "2"], "by the same engine"),
        ("puzzles/inkala19.ss", &["--method", "bands"], "search, instead of bands"),
        ("puzzles/relabel-x24.txt", &["--method", "bands"], "bands, with two bands exchanged"),
        ("puzzles/unsolvable.txt", &[], "by the generic board"),
    ];
    for ranks in rank_counts(&[0, 3]) {
        for (puzzle, options, way) in cases {
            let (_folder, report) = counted(&[&[puzzle, "--units"], options].concat());
            let run = census(["verify", &report, "--share", "40%"]).ranks(ranks).run().exits(0);
            assert!(run.value("recounted by").contains(way), "{puzzle}: {run}");
            assert!(last_line(&run).contains(" all equal: with 95 % confidence at most "), "{puzzle}: {run}");
        }
    }
});

test!(EVERYWHERE, units_that_were_tampered_with_are_named_with_exit_code_1, || {
    let (_folder, report) = changed(|json| {
        let mut units = units(json);
        let last = units.len() - 1;
        // The sum does not change.
        (units[0], units[last]) = (units[0] + 1, units[last] - 1);
        json["units"]["solutions"] = units.iter().map(u128::to_string).collect::<Vec<_>>().join(" ").into();
    });
    let units = units(&read_report(&report));
    let last = units.len() - 1;
    for ranks in rank_counts(RANKS) {
        let run = census(["verify", &report, "--share", "100%"]).ranks(ranks).run().exits(1);
        let first = format!("unit 0: recorded {}, recounted {}", units[0], units[0] - 1);
        let second = format!("unit {last}: recorded {}, recounted {}", units[last], units[last] + 1);
        let words = format!("verified {0} of {0} units (100.0 %), 2 differ: {first}; {second}", units.len());
        assert_eq!(last_line(&run), words);
        assert_eq!(run.value("differs"), first);
        assert_eq!(run.value("equal"), "no");
        let json = census(["verify", &report, "--share", "100%", "--report", "-"]).ranks(ranks).run().exits(1).json();
        assert_eq!((&json["equal"], &json["most_wrong"]), (&false.into(), &Value::Null));
        assert_eq!(json["differences"][1]["units"], last.to_string());
    }
});

test!(EVERYWHERE, a_report_that_contradicts_itself_is_refused, || {
    type Change = fn(&mut Value);
    let cases: [(Change, &str); 10] = [
        (|json| json["result"]["solutions"] = "534495".into(), "this report contradicts itself"),
        (
            |json| forge(json, 534_495, 0),
            "it claims 534495 solutions, but those of its units and the 0 above the depth add up to 534494",
        ),
        (|json| forge(json, 534_494, 1), "it claims 1 solutions above the depth, but there are 0"),
        (|json| json["puzzle"]["text"] = format!("{:.<81}", 12).into(), "its units belong to another puzzle"),
        (|json| json["puzzle"]["text"] = "12".into(), "puzzle.text:1:"),
        (|json| json["puzzle"]["text"] = Value::Null, "it does not hold its puzzle"),
        (|json| json["units"]["pool"]["depth"] = "2".into(), "pool_sha256 differs"),
        (|json| json["units"]["pool"]["pool_sha256"] = "0".repeat(64).into(), "pool_sha256 differs"),
        (|json| json["units"]["solutions"] = "534494".into(), "it keeps the solutions of 1 units, but the pool has"),
        (|json| json["units"]["solutions"] = "1 x".into(), "units.solutions: `x` is not a number of solutions"),
    ];
    for (number, (change, words)) in cases.into_iter().enumerate() {
        let (_folder, report) = changed(change);
        for ranks in rank_counts(if number == 0 { RANKS } else { &[0] }) {
            let run = census(["verify", &report]).ranks(ranks).run().exits(2).gives_no_answer();
            run.complains_once_about(&format!("{report}: ")).complains_once_about(words);
        }
    }
});

test!(ALONE, the_error_for_a_report_that_cannot_be_verified_names_a_remedy, || {
    let (_folder, plain) = counted(&[PUZZLE]);
    let run = census(["verify", &plain]).run().exits(2);
    run.complains_once_about("count again with --units, or give the journal of the count with --journal");
    let (_folder, limited) = counted(&[PUZZLE, "--limit", "5"]);
    census(["verify", &limited]).run().exits(2).complains_once_about("this count is not complete");
    census(["verify", "no-such.json"]).run().exits(2).complains_once_about("no-such.json: no such file");
    census(["verify", PUZZLE]).run().exits(2).complains_once_about(&format!("{PUZZLE}:1:"));
    let folder = Folder::new();
    let other = folder.file("other.json", json!({ "schema": "census-plan/2" }).to_string());
    census(["verify", &other]).run().exits(2).complains_once_about("this is not the report of one run");
    census(["verify", &plain, "--report", &plain]).run().exits(2).complains_once_about("is also an input");
    for share in ["0", "101%", "5"] {
        census(["verify", &plain, "--share", share]).run().exits(2).notes("a share is a percentage");
    }
});

test!(ALONE, units_are_kept_only_of_a_complete_count_of_one_puzzle_with_a_limited_pool, || {
    let folder = Folder::new();
    let report = folder.path("run.json");
    let count = |options: &[&str]| census(["count", "--units"]).with(options).run().exits(2);
    count(&[PUZZLE]).notes("--report");
    count(&[PUZZLE, "--report", &report, "--limit", "2"]).notes("cannot be used with");
    count(&[PUZZLE, "--report", &report, "--journal", "j", "--resume"]).notes("cannot be used with");
    count(&[PUZZLE, PUZZLE, "--report", &report])
        .complains_only("--units takes one puzzle, but the input holds 2 puzzles");
    let huge = count(&["puzzles/empty-6x6.txt", "--depth", "13", "--report", &report]);
    huge.complains_once_about("--units keeps the solutions of at most 1048576 units, but the pool has 1244160: ");
    assert_eq!(folder.names(), [""; 0]);
    let run =
        census(["count", &".".repeat(81), "--units", "--report", &report, "--time-limit", "100ms"]).run().exits(3);
    assert_eq!(run.json()["units"], Value::Null);
});

test!(EVERYWHERE, a_puzzle_without_units_is_recounted_completely, || {
    for ranks in rank_counts(RANKS) {
        // The first has no open cell, rank 0 counts the second alone, all solutions of the third are above the depth.
        let small = ["puzzles/empty-4x4.txt", "--schedule", "auto", "--threads", "2"];
        for options in [&["puzzles/solved.txt"][..], &small, &["puzzles/empty-4x4.txt", "--depth", "16"]] {
            let folder = Folder::new();
            let report = folder.path("run.json");
            census(["count", "--report", &report]).with(options).ranks(ranks).run().exits(0);
            assert_eq!(read_report(&report)["pool"]["units"], 0, "{options:?}");
            let run = census(["verify", &report]).ranks(ranks).run().exits(0);
            assert_eq!(last_line(&run), "verified the complete puzzle, which has no units: equal");
            let mut json = read_report(&report);
            forge(&mut json, 5, 5);
            fs::write(&report, json.to_string()).expect("the folder is writable");
            let run = census(["verify", &report, "--quiet"]).ranks(ranks).run().exits(1);
            assert!(run.stdout.contains("which has no units: recorded 5, recounted "), "{run}");
        }
    }
});

/// Changes the number of solutions in a line of a journal, and its checksum with it. Returns the units of the line, or the unit
/// whose subtask it is: what verify names.
fn tamper_with(journal: &str, change: impl Fn(u128) -> u128) -> String {
    let id = read_json(&format!("{journal}/journal.json"))["id"].as_str().expect("a name").to_owned();
    for file in fs::read_dir(journal).expect("a journal").map(|entry| entry.expect("an entry").path()) {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let Some(line) = text.lines().find(|line| !line.starts_with('#') && line.contains("\t-\t")) else { continue };
        let mut columns: Vec<String> = line.split('\t').map(Into::into).collect();
        let units = columns[0].split('/').next().expect("a first part").to_owned();
        columns.pop();
        columns[1] = change(columns[1].parse().expect("a count")).to_string();
        let tampered = columns.join("\t");
        let check = Sha256::new().chain_update(&id).chain_update(&tampered).finalize();
        let check: String = check[..4].iter().map(|byte| format!("{byte:02x}")).collect();
        fs::write(&file, text.replace(line, &format!("{tampered}\t{check}"))).expect("it can be written");
        return units;
    }
    panic!("no line of complete units in {journal}")
}

test!(EVERYWHERE, a_count_is_verified_with_the_lines_of_its_journal, || {
    let runs = |ranks| [("search", ranks), ("bands", ranks)];
    for (method, ranks) in rank_counts(RANKS).into_iter().flat_map(runs) {
        let folder = Folder::new();
        let (journal, report) = (folder.path("journal"), folder.path("run.json"));
        let count =
            ["count", PUZZLE, "--journal", &journal, "--report", &report, "--threads", "2", "--schedule", "steal"];
        census(count).with(["--method", method]).ranks(ranks).run().exits(0);
        let verify = || census(["verify", &report, "--journal", &journal, "--share", "100%"]).ranks(ranks);
        let run = verify().run().exits(0);
        assert!(last_line(&run).ends_with("all equal: none of the lines of the journal can be wrong"), "{run}");

        let units = tamper_with(&journal, |solutions| solutions + 1);
        verify().run().exits(2).complains_once_about("it claims 534494 solutions, but those of its units");
        let mut json = read_report(&report);
        forge(&mut json, 534_495, 0);
        fs::write(&report, json.to_string()).expect("the folder is writable");
        let run = verify().run().exits(1);
        assert!(last_line(&run).contains(&format!(", 1 differs: unit {units}: recorded ")), "{units}: {run}");
    }
});

test!(ALONE, verify_refuses_a_journal_of_another_count_or_an_incomplete_one, || {
    let folder = Folder::new();
    let [journal, report, other] = ["journal", "run.json", "other.json"].map(|name| folder.path(name));
    census(["count", PUZZLE, "--journal", &journal, "--report", &report]).run().exits(0);
    census(["count", "puzzles/inkala19.ss", "--report", &other]).run().exits(0);
    let verify = |report: &str, journal: &str| census(["verify", report, "--journal", journal]).run().exits(2);
    verify(&other, &journal).complains_only(&format!("{other}: its units belong to another puzzle"));
    verify(&report, &folder.path("none")).complains_once_about("does not exist: there is no journal.json");
    for file in fs::read_dir(&journal).expect("a journal").map(|entry| entry.expect("an entry").path()) {
        if file.extension().is_some_and(|end| end == "tsv") {
            fs::remove_file(file).expect("it can be removed");
        }
    }
    let left = verify(&report, &journal);
    left.complains_once_about("is not complete: ").complains_once_about(" subtasks are left; count them with --resume");
});

/// The report of a count whose units have too many solutions to visit, changed to claim that it has visited them.
fn endless() -> (Folder, String) {
    let (folder, report) = counted(&["puzzles/eight-clues.txt", "--method", "bands", "--units", "--depth", "1"]);
    let mut json = read_report(&report);
    json["result"]["nodes"] = u64::MAX.into();
    fs::write(&report, json.to_string()).expect("the folder is writable");
    (folder, report)
}

/// Checks the output of a stopped verification. On a busy machine, it may be stopped before the first unit.
fn is_stopped(outcome: Outcome, why: &str) {
    if outcome.stderr.contains(&format!("{why}, before a unit was verified")) {
        outcome.gives_no_answer();
        return;
    }
    assert_eq!(outcome.value("complete"), format!("no, {why}"), "{outcome}");
    assert!(last_line(&outcome).starts_with("verified "), "{outcome}");
    let json = outcome.complains_once_about(&format!("{why}, with ")).json();
    assert_eq!((&json["complete"], &json["stopped"]), (&false.into(), &why.into()));
    assert!(json["verified"].as_u64() < json["sampled"].as_u64(), "{json:#}");
}

test!(EVERYWHERE, a_time_limit_or_a_signal_ends_verify_in_order_with_what_was_verified, || {
    let (folder, report) = endless();
    let target = folder.path("verified.json");
    for ranks in rank_counts(&[0, 3]) {
        let verify = || census(["verify", &report, "--share", "100%", "--report", &target]).ranks(ranks);
        let run = verify().with(["--time-limit", "1s"]).low_priority().run().exits(3);
        is_stopped(run, "stopped at the time limit");
        let mut sent = false;
        let run = verify().meanwhile(move |job: &Job| {
            if let Some(found) = job.counting(ranks.max(1)).filter(|_| !sent) {
                sent = true;
                job.signal(Signal::TERM, &found[..1]);
            }
        });
        is_stopped(run.run().exits(3), "stopped by SIGTERM");
    }
});
