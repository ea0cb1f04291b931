//! Journals: a count that ends early, for whatever reason, is resumed and has the same result.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::harness::{
    ALONE, EVERY_LIBRARY, EVERYWHERE, Folder, Job, Outcome, Process, SCHEDULES, Scope, Signal, census, each_choice,
    libraries, of_current_library, rank_counts, read_json, read_report, shell, test,
};

/// 534,494 solutions, a fraction of a second
const PUZZLE: &str = "puzzles/goldennugget17.txt";
const SOLUTIONS: &str = "534494";
/// 0: without a launcher
const RANKS: &[usize] = &[0, 3];

/// The files of the ranks in a journal, sorted by name.
fn files(journal: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(journal).expect("a journal").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "tsv")).collect();
    files.sort();
    files
}

/// The number of lines so far.
fn lines_written(journal: &str) -> usize {
    let lines = |path: PathBuf| fs::read_to_string(path).unwrap_or_default().lines().count();
    if Path::new(journal).exists() { files(journal).into_iter().map(lines).sum() } else { 0 }
}

/// Truncates each file of a journal at a random position, as if the job had been killed.
fn truncate_files(journal: &str, random: &mut fastrand::Rng) {
    for path in files(journal) {
        let bytes = fs::read(&path).expect("a file of a rank");
        fs::write(&path, &bytes[..random.usize(..=bytes.len())]).expect("it can be cut");
    }
}

/// The part of a report that does not depend on ranks, threads, schedule and resumes.
fn comparable(report: &Value) -> Value {
    let mut config = report["config"].clone();
    for free in ["schedule", "schedule_reason", "chunk", "depth"] {
        config[free] = Value::Null;
    }
    serde_json::json!([report["complete"], report["puzzle"], config, report["pool"], report["result"]])
}

/// Checks that every unit was counted once, by this run or by an earlier one.
fn check_sums(report: &Value) {
    let number = |value: &Value| value.as_u64().expect("a number");
    let sum =
        |what: &str| -> u64 { report["ranks"].as_array().expect("ranks").iter().map(|rank| number(&rank[what])).sum() };
    let before = &report["resumed_from"];
    assert_eq!(number(&before["units"]) + sum("units"), number(&report["pool"]["units"]), "{report:#}");
    assert_eq!(number(&before["subtasks_left"]) + sum("split"), sum("subtasks"), "{report:#}");
}

test!(
    EVERYWHERE,
    a_journal_changes_nothing_and_any_part_of_it_can_be_resumed_with_other_ranks_threads_and_schedule,
    || {
        let mut random = fastrand::Rng::with_seed(6);
        let mut resumed_units = 0;
        for ranks in rank_counts(RANKS) {
            for (at, schedule) in SCHEDULES.iter().copied().enumerate() {
                let folder = Folder::new();
                let [journal, plain, first, second] =
                    ["journal", "plain.json", "first.json", "second.json"].map(|name| folder.path(name));
                let depth = ["auto", "0", "3", "9"][at % 4];
                let base = |report: &str| census(["count", PUZZLE, "--depth", depth, "--report", report]).ranks(ranks);
                let with = ["--schedule", schedule, "--journal", &journal, "--threads", "2"];
                assert_eq!(base(&first).with(with).run().exits(0).value("solutions"), SOLUTIONS);
                let first = read_report(&first);
                if first["pool"]["units"] == 0 {
                    continue; // `auto` has counted a small tree at once: the journal is empty
                }
                if depth != "auto" {
                    base(&plain).with(["--schedule", schedule]).run().exits(0);
                    assert_eq!(comparable(&first), comparable(&read_report(&plain)), "{schedule} on {ranks} ranks");
                }
                for restart in 0..if Scope::is_all() { 3 } else { 1 } {
                    truncate_files(&journal, &mut random);
                    let other = SCHEDULES[(at + restart + 1) % SCHEDULES.len()];
                    let threads = ["1", "2", "3"][(at + restart) % 3];
                    let ranks = if ranks == 0 { 0 } else { [2, 0, 3][(at + restart) % 3] };
                    let options = ["--journal", &journal, "--resume", "--schedule", other, "--threads", threads];
                    census(["count", PUZZLE, "--report", &second]).with(options).ranks(ranks).run().exits(0);
                    let report = read_report(&second);
                    assert_eq!(comparable(&report), comparable(&first), "{schedule}, then {other} on {ranks} ranks");
                    if !report["resumed_from"].is_null() {
                        check_sums(&report);
                        resumed_units += report["resumed_from"]["units"].as_u64().expect("units");
                    }
                }
            }
        }
        assert!(resumed_units > 500, "{resumed_units} units were resumed: too few for a test");
    }
);

test!(EVERYWHERE, every_method_and_shape_can_be_resumed, || {
    let mut random = fastrand::Rng::with_seed(7);
    let puzzles: [(&str, &[&str]); 5] = [
        ("puzzles/relabel-x6.txt", &["--method", "bands"]),
        ("puzzles/goldennugget16.txt", &["--method", "auto"]),
        ("puzzles/jigsaw-6.txt", &["--depth", "4"]),
        ("puzzles/latin-6.txt", &["--cells", "first", "--values", "max", "--depth", "5"]),
        ("puzzles/49x49.txt", &["--depth", "2"]),
    ];
    for (puzzle, options) in puzzles {
        for ranks in rank_counts(RANKS) {
            let folder = Folder::new();
            let (journal, report) = (folder.path("journal"), folder.path("run.json"));
            let run =
                || census(["count", puzzle, "--journal", &journal, "--report", &report]).with(options).ranks(ranks);
            run().run().exits(0);
            let first = read_report(&report);
            assert_eq!(first["result"]["matches_expected"], true, "{puzzle}");
            truncate_files(&journal, &mut random);
            run().with(["--resume", "--schedule", "steal", "--threads", "2"]).run().exits(0);
            let second = read_report(&report);
            for what in ["puzzle", "pool"] {
                assert_eq!(second[what], first[what], "{puzzle}");
            }
            // With a cache, nodes depend on the distribution of units.
            assert_eq!(second["result"]["solutions"], first["result"]["solutions"], "{puzzle}");
        }
    }
});

test!(EVERYWHERE, a_count_in_time_slices_has_the_same_result, || {
    for ranks in rank_counts(RANKS) {
        let folder = Folder::new();
        let (journal, report) = (folder.path("journal"), folder.path("run.json"));
        let mut slices = 0;
        let outcome = loop {
            // Increasing slices: on a busy machine, the start alone may take longer than the first.
            let slice = (0.3 * 1.1f64.powi(slices as i32)).to_string();
            let options = ["--journal", &journal, "--resume", "--time-limit", &slice, "--report", &report];
            let options = options.into_iter().chain(["--depth", "9", "--schedule", ["dynamic", "steal"][slices % 2]]);
            let outcome = census(["count", "puzzles/goldennugget16.txt"]).with(options).ranks(ranks).run();
            slices += 1;
            assert!(slices < 50, "no progress: {outcome}");
            if outcome.code == Some(0) {
                break outcome;
            }
            outcome.exits(3).complains_once_about("stopped at the time limit");
        };
        assert_eq!(outcome.value("solutions"), "5075288");
        let report = read_report(&report);
        assert_eq!((&report["complete"], &report["result"]["nodes"]), (&true.into(), &11_224_103.into()));
    }
});

test!(ALONE, solutions_of_earlier_runs_count_towards_the_limit, || {
    let folder = Folder::new();
    let journal = folder.path("journal");
    let run = |limit: &'static str| {
        census(["count", PUZZLE, "--depth", "9", "--journal", &journal, "--resume", "--limit", limit]).run().exits(0)
    };
    assert_eq!(run("1000").value("solutions"), "1000");
    let outcome = run("500000");
    assert_eq!((outcome.value("solutions"), outcome.value("complete")), ("500000", "no, stopped at the limit"));
    let outcome = run("600000");
    assert_eq!((outcome.value("solutions"), outcome.value("complete")), (SOLUTIONS, "yes"));
});

test!(EVERYWHERE, resume_answers_a_complete_journal_at_once_and_begins_one_in_an_empty_folder, || {
    for ranks in rank_counts(RANKS) {
        let folder = Folder::new();
        let journal = folder.path("journal");
        let run = || census(["count", PUZZLE, "--journal", &journal, "--resume"]).ranks(ranks).run().exits(0);
        let first = run();
        assert!(!first.stdout.contains("resumed from"), "{first}");
        let units = first.value("units").to_owned();
        let second = run().notes(&format!("resumed from 1 earlier run: {units} of {units} units were done"));
        assert_eq!(second.value("resumed from"), format!("{units} units, {SOLUTIONS} solutions"));
        run().notes("resumed from 2 earlier runs: ");
    }
});

test!(ALONE, torn_and_damaged_lines_are_ignored, || {
    let folder = Folder::new();
    let (journal, report) = (folder.path("journal"), folder.path("run.json"));
    let run = || census(["count", PUZZLE, "--journal", &journal, "--resume", "--report", &report]).run().exits(0);
    run();
    let file = files(&journal).remove(0);
    let text = fs::read_to_string(&file).expect("text");
    let mut lines: Vec<&str> = text.lines().collect();
    let (changed, nothing) = (lines[3].replacen('1', "2", 1), "\0".repeat(30));
    lines[3] = &changed;
    lines[5] = &nothing;
    fs::write(&file, lines.join("\n") + "\n12\t34").expect("it can be written");
    run().notes("; skipped 3 torn lines of the journal");
    assert_eq!(read_report(&report)["result"]["solutions"], SOLUTIONS);
    assert_eq!(read_report(&report)["resumed_from"]["torn_lines"], 3);
});

/// A journal of [`PUZZLE`]
fn new_journal(folder: &Folder) -> String {
    let journal = folder.path("journal");
    census(["count", PUZZLE, "--journal", &journal]).run().exits(0);
    journal
}

test!(ALONE, a_journal_of_another_count_is_refused_in_one_line, || {
    let folder = Folder::new();
    let journal = new_journal(&folder);
    let other = |why: &str| format!("{journal}: this journal {why}");
    let with = |arguments: &[&str]| census(["count"]).with(arguments).with(["--journal", &journal, "--resume"]);
    let golden = "Golden Nugget, 17 of its 21 clues, 9×9, boxes 3x3, 17 givens";
    for (arguments, why) in [
        (&["puzzles/goldennugget16.txt"][..], format!("belongs to another puzzle, {golden}: use another folder")),
        (
            &[PUZZLE, "--method", "bands"],
            "was begun with --method search, not bands: pass the same value as the journal, or omit the option".into(),
        ),
        (&[PUZZLE, "--cells", "first"], "was begun with --cells fewest, not first".into()),
        (&[PUZZLE, "--values", "max"], "was begun with --values min, not max".into()),
        (&[PUZZLE, "--depth", "2"], "was begun with --depth auto (".into()),
    ] {
        let outcome = with(arguments).run().exits(2).complains_once_about(&other(&why));
        outcome.says_nothing();
    }
    // Options that agree with the journal are accepted.
    let depth = read_json(&format!("{journal}/journal.json"))["depth_reached"].to_string();
    with(&[PUZZLE, "--depth", &depth]).run().exits(0);
    with(&[PUZZLE, "--method", "auto"]).run().exits(0);
    census(["count", PUZZLE, "--journal", &journal]).run().exits(2).complains_once_about("use --resume to continue it");
});

test!(ALONE, a_journal_of_another_version_is_refused_in_one_line, || {
    let folder = Folder::new();
    let journal = new_journal(&folder);
    let head = format!("{journal}/journal.json");
    let text = fs::read_to_string(&head).expect("a head");
    let resume = || census(["count", PUZZLE, "--journal", &journal, "--resume"]).run().exits(2).says_nothing();
    fs::write(&head, text.replace("census-journal/2", "census-journal/7")).expect("writable");
    resume().complains_once_about(
        "is of another version: census-journal/7; this version of census continues census-journal/2",
    );
    let units = read_json(&head)["units"].to_string();
    fs::write(&head, text.replace(&format!("\"units\": {units}"), "\"units\": 100")).expect("writable");
    resume().complains_once_about("which divides this puzzle into other units");
    let pool = read_json(&head)["pool_sha256"].as_str().expect("a text").to_owned();
    fs::write(&head, text.replace(&pool, &pool.replace(['0', '1', '2'], "f"))).expect("writable");
    resume().complains_once_about("which divides this puzzle into other units");
    fs::write(&head, "{}").expect("writable");
    resume().complains_once_about("journal.json: this journal has a header without a schema");
    fs::write(&head, &text[..50]).expect("writable");
    resume().complains_once_about("journal.json: this journal has a damaged header: EOF while parsing");
});

// For two clusters that exchange copies of a folder: runs with the same number in both copies count different subtasks.
test!(ALONE, copies_of_a_journal_that_were_resumed_separately_can_be_merged, || {
    let folder = Folder::new();
    let (one, other) = (folder.path("one"), folder.path("other"));
    let run = |journal: &str, options: &[&str]| {
        census(["count", "puzzles/goldennugget16.txt", "--threads", "1", "--journal", journal]).with(options).run()
    };
    // On a busy machine, the time limit may be reached before there is a journal.
    let mut limit = 0.02;
    while !Path::new(&format!("{one}/journal.json")).exists() {
        run(&one, &["--depth", "1", "--resume", "--time-limit", &limit.to_string()]);
        limit *= 2.0;
    }
    shell(&format!("cp -r {one} {other}")).run().exits(0);
    run(&one, &["--resume", "--time-limit", "0.1s"]);
    run(&other, &["--resume", "--time-limit", "0.25s"]);
    let complete = run(&other, &["--resume"]).exits(0);
    for run in ["run-0003-*", "run-0002-*"] {
        shell(&format!("cp {other}/{run} {one}/")).run().exits(0);
        let merged = census(["count", "puzzles/goldennugget16.txt", "--journal", &one, "--resume"]).run().exits(0);
        assert_eq!((merged.value("solutions"), merged.value("complete")), ("5075288", "yes"));
    }
    assert_eq!(complete.value("solutions"), "5075288");
});

test!(ALONE, a_second_run_with_a_journal_in_use_is_refused, || {
    let folder = Folder::new();
    let journal = folder.path("journal");
    let empty = ".".repeat(81);
    let (in_use, head) = (journal.clone(), format!("{journal}/journal.json"));
    let mut refused = false;
    let (sent, seen) = std::sync::mpsc::channel();
    let second = move |job: &Job| {
        if !refused && Path::new(&head).exists() {
            refused = true;
            let outcome = census(["count", &".".repeat(81), "--journal", &in_use, "--resume"]).run();
            sent.send(outcome).expect("the test waits");
            job.signal(Signal::TERM, &job.ranks());
        }
    };
    census(["count", &empty, "--journal", &journal]).meanwhile(second).run().exits(3);
    let outcome: Outcome = seen.recv().expect("the second run has ended");
    outcome.exits(3).says_nothing().complains_once_about(": the journal is in use by process ");
});

test!(EVERYWHERE, a_journal_that_cannot_be_created_is_a_fault_before_the_count, || {
    let folder = Folder::new();
    let file = folder.file("file", "");
    for (journal, why) in [
        (folder.path("no/such"), "/no: create it first"),
        (file.clone(), "Not a directory"),
        (format!("{file}/below"), "Not a directory"),
        ("/proc/journal".into(), ""),
    ] {
        for ranks in rank_counts(RANKS) {
            let outcome = census(["count", &".".repeat(81), "--journal", &journal]).ranks(ranks).run().exits(3);
            outcome.says_nothing().complains_once_about(why);
        }
    }
});

test!(ALONE, a_journal_that_cannot_grow_ends_the_job_and_can_be_resumed, || {
    let folder = Folder::new();
    let journal = folder.path("journal");
    // Like a full disk, a limit on the size of files ends a write in the middle of a line.
    let count = format!("count puzzles/goldennugget16.txt --depth 9 --journal {journal}");
    let run = shell(&format!("trap '' XFSZ; ulimit -f 4; exec \"$CENSUS\" {count}")).run().exits(3).says_nothing();
    let words = "File too large (os error 27); what was finished before is in the journal: continue with --resume";
    run.complains_once_about(words);
    let outcome = shell(&format!("\"$CENSUS\" {count} --resume")).run().exits(0);
    assert_eq!(outcome.value("solutions"), "5075288");
    assert_ne!(outcome.value("resumed from"), "0 units, 0 solutions");
});

test!(ALONE, a_journal_is_of_one_puzzle_and_a_trace_of_one_run, || {
    let folder = Folder::new();
    let journal = folder.path("journal");
    let collection = folder.file("two.sdm", ".".repeat(81) + "\n" + &".".repeat(81) + "\n");
    let outcome = census(["count", &collection, "--journal", &journal]).run().exits(2).says_nothing();
    outcome.complains_only("--journal takes one puzzle, but the input holds 2 puzzles");
    assert_eq!(folder.names(), ["two.sdm"]);
    shell(&format!("$CENSUS count {PUZZLE} --resume")).run().exits(2).notes("--journal <DIR>");
    let both = ["--journal", &journal, "--resume", "--trace", "--report", "r.json"];
    census(["count", PUZZLE]).with(both).run().exits(2).notes("cannot be used with");
});

/// 239,511,090 solutions, more than ten seconds for one worker: `relabel.txt` without two clues
const LONG: &str = "1..568342...3.......4..1.....1....2............2.3........1.........2...2......3.";

test!(ALONE, a_count_that_is_stopped_in_order_resumes_where_it_ended, || {
    let folder = Folder::new();
    let (journal, report) = (folder.path("journal"), folder.path("run.json"));
    let options = ["--depth", "0", "--journal", &journal, "--resume", "--report", &report, "--time-limit", "1s"];
    let run = || census(["count", LONG]).with(options).run().exits(3).notes("--resume continues the count\n");
    run();
    let first = read_report(&report);
    run();
    let before = &read_report(&report)["resumed_from"];
    let count = |value: &Value| -> u128 { value.as_str().expect("a text").parse().expect("a number") };
    let (found, kept) = (count(&first["result"]["solutions"]), count(&before["solutions"]));
    assert!(0 < kept && kept <= found, "{kept} of {found}");
    assert!(before["subtasks_left"].as_u64().is_some_and(|parts| parts > 0), "{before}");
});

test!(ALONE, a_long_unit_is_split_so_that_the_journal_makes_progress, || {
    let folder = Folder::new();
    let (journal, report) = (folder.path("journal"), folder.path("run.json"));
    let options = ["--depth", "0", "--threads", "1", "--journal", &journal, "--report", &report];
    let watched = journal.clone();
    // The unit is split after ten seconds; wait for some of its subtasks.
    let kill = move |job: &Job| {
        if lines_written(&watched) > 10 {
            job.kill(&job.ranks());
        }
    };
    census(["count", &".".repeat(81)]).with(options).meanwhile(kill).run().exits(128 + 9);
    let resume = ["--resume", "--time-limit", "0.5s"];
    census(["count", &".".repeat(81)]).with(options).with(resume).run().exits(3);
    let before = &read_report(&report)["resumed_from"];
    let number = |what: &str| before[what].as_u64().expect("a number");
    assert!(number("subtasks") > 2 && number("subtasks_left") > 0, "{before:#}");
});

test!(ALONE.only_all(), a_long_unit_that_is_split_has_the_same_result, || {
    let folder = Folder::new();
    let (journal, report) = (folder.path("journal"), folder.path("run.json"));
    let options = ["--depth", "0", "--threads", "1", "--journal", &journal, "--report", &report];
    let outcome = census(["count", LONG]).with(options).run().exits(0);
    assert_eq!((outcome.value("units"), outcome.value("solutions")), ("1", "239511090"));
    let first = read_report(&report);
    assert!(first["ranks"][0]["split"].as_u64().is_some_and(|parts| parts > 3), "{first:#}");
    // Without its last line, one subtask is left.
    let file = files(&journal).remove(0);
    let text = fs::read_to_string(&file).expect("a file of a rank");
    let last = text.trim_end().rfind('\n').expect("several lines");
    fs::write(&file, &text[..last + 10]).expect("it can be cut");
    let outcome = census(["count", LONG]).with(options).with(["--resume"]).run().exits(0);
    assert_eq!(outcome.value("solutions"), "239511090");
    let second = read_report(&report);
    assert_eq!(second["result"], first["result"]);
    check_sums(&second);
    assert!(second["resumed_from"]["subtasks"].as_u64().is_some_and(|parts| parts > 2), "{second:#}");
});

test!(EVERY_LIBRARY, a_job_that_is_killed_is_resumed_and_loses_no_finished_unit, || {
    let victims: [fn(&Job) -> Option<Process>; 3] =
        [|job| job.ranks().first().cloned(), |job| job.ranks().last().cloned(), Job::launcher];
    let schedules = ["static", "cyclic", "dynamic", "steal"];
    let (puzzle, solutions) = if Scope::is_all() {
        ("puzzles/goldennugget15.txt", "32376208")
    } else {
        ("puzzles/goldennugget16.txt", "5075288")
    };
    for [_, at] in of_current_library(each_choice([libraries(), schedules.len()])) {
        let schedule = schedules[at];
        let folder = Folder::new();
        let (journal, report) = (folder.path("journal"), folder.path("run.json"));
        let (watched, victim) = (journal.clone(), victims[at % victims.len()]);
        let mut killed = false;
        let kill = move |job: &Job| {
            if !killed && lines_written(&watched) > 40 {
                killed = true;
                job.while_stopped(|| job.kill(victim(job).as_slice()));
            }
        };
        let options = ["--journal", &journal, "--depth", "9", "--schedule", schedule];
        let run = census(["count", puzzle]).with(options).ranks(3);
        run.meanwhile(kill).run().fails();
        let finished = lines_written(&journal) - 2 * files(&journal).len();
        let resume = ["--journal", &journal, "--resume", "--schedule", "steal", "--report", &report];
        let outcome = census(["count", puzzle]).with(resume).ranks(2).run().exits(0);
        assert_eq!(outcome.value("solutions"), solutions);
        let report = read_report(&report);
        check_sums(&report);
        // Every line is one or more units, or a subtask.
        let before = &report["resumed_from"];
        let units = before["units"].as_u64().expect("units") + before["subtasks"].as_u64().expect("parts");
        assert!(schedule == "steal" || units >= finished as u64, "{units} of {finished}: {report:#}");
    }
});
