//! Collections: an answer for each puzzle, in the order of the file, independent of ranks, threads and schedule; errors with line
//! numbers; constant memory.

use std::fmt::Write;

use serde_json::Value;

use crate::harness::{
    ALONE, EVERYWHERE, Folder, Job, Outcome, Run, SCHEDULES, Scope, Signal, census, each_choice, rank_counts,
    read_report, shell, test,
};

/// 0: without a launcher
const RANKS: &[usize] = &[0, 3];

const SOLVED: &str = "812753649943682175675491283154237896369845721287169534521974368438526917796318452";
const UNIQUE: &str = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";
const SEVERAL: &str = "8..........36......7..9.....5...7.......457.....1...3...1....68..85...1..9....4..";
/// The last cell of the first row has no candidate.
const NONE: &str = "12345678.........9...............................................................";
/// 534,494 solutions: not counted in the quick attempt
const LARGE: &str = ".......39.....1.......5.8....8.9...6.7...2...1..4.......9.8.....2....6.....7.....";

fn ranks_and_threads() -> Vec<(usize, &'static str)> {
    let threads = |ranks: usize| match ranks {
        0 => vec![(0, "1"), (0, "3")],
        2 => vec![(2, "1")],
        _ => vec![(ranks, "2")],
    };
    rank_counts(&[0, 2, 3]).into_iter().flat_map(threads).collect()
}

/// A solved grid with renamed values, without some of its cells: mostly one solution.
fn easy(number: usize) -> String {
    let renamed = |value: usize| (value * [1, 2, 4, 5, 7, 8][number % 6] + number / 6) % 9;
    let rename = |c: char| char::from(b'1' + renamed(c as usize - '1' as usize) as u8);
    let cells = SOLVED.chars().map(rename).enumerate();
    cells.map(|(cell, c)| if cell % 13 == number % 13 { '.' } else { c }).collect()
}

fn easy_lines(lines: usize) -> String {
    (0..lines).fold(String::new(), |text, number| text + &easy(number) + "\n")
}

/// A collection of several shapes, with headers, and with puzzles with one, several and no solutions.
fn mixed() -> String {
    let mut text = String::from("# a collection\r\n");
    for number in 0..1500 {
        let _ = match number % 50 {
            7 => writeln!(text, "# name: the unique one\n# expected: 1\n{UNIQUE}"),
            17 => writeln!(text, "{SEVERAL}"),
            27 => writeln!(text, "{}", NONE),
            37 => writeln!(text, "1...............\n\n{}", ".".repeat(16)),
            47 if number == 747 => writeln!(text, "# name: the large one\n# expected: 534494\n{LARGE}"),
            48 => writeln!(text, "# boxes: none\n{}\n# boxes: usual", easy(number)),
            _ => writeln!(text, "{}", easy(number)),
        };
    }
    text
}

test!(EVERYWHERE, the_answers_do_not_depend_on_schedule_ranks_and_threads, || {
    let folder = Folder::new();
    let file = folder.file("mixed.sdm", mixed());
    let workers = ranks_and_threads();
    let limits = [&[][..], &["--limit", "2"]];
    let alone = limits.map(|limit| {
        let alone = census(["count", &file, "--mixed", "--quiet", "--threads", "1"]).with(limit).run().exits(1).stdout;
        assert_eq!(alone.lines().count(), 1530);
        let most = if limit.is_empty() { "534494" } else { "2" };
        for line in ["the unique one 1", &format!("the large one {most}"), &format!("{} 0", NONE)] {
            assert!(alone.lines().any(|found| found == line), "{line}");
        }
        alone
    });
    for [limit, schedule, choice] in each_choice([limits.len(), SCHEDULES.len(), workers.len()]) {
        let (schedule, (ranks, threads)) = (SCHEDULES[schedule], workers[choice]);
        let chunk: &[&str] = if schedule != "static" && ranks == 2 { &["--chunk", "7"] } else { &[] };
        let options = ["--mixed", "--quiet", "--schedule", schedule, "--threads", threads];
        let run = census(["count", &file]).with(options).with(limits[limit]).with(chunk).ranks(ranks).run().exits(1);
        assert!(run.complains_of_nothing().stdout == alone[limit], "{schedule} on {ranks} ranks of {threads} threads");
    }
});

test!(EVERYWHERE, the_summary_and_the_report_have_the_number_of_puzzles_of_each_kind, || {
    let folder = Folder::new();
    let file = folder.file("mixed.sdm", mixed());
    for ranks in rank_counts(RANKS) {
        let path = folder.path("run.json");
        let run = census(["count", &file, "--mixed", "--report", &path, "--limit", "2"]).ranks(ranks).run().exits(1);
        let kinds =
            ["puzzles", "unique", "several", "none", "unexpected", "bad"].map(|kind| run.value(kind).to_owned());
        let report = read_report(&path);
        assert_eq!(report["schema"], "census-batch/1");
        assert_eq!((&report["complete"], &report["config"]["limit"]), (&true.into(), &"2".into()));
        for (kind, number) in ["puzzles", "unique", "several", "none", "unexpected", "bad"].iter().zip(&kinds) {
            assert_eq!(report["result"][kind].to_string(), *number, "{kind}");
        }
        let rate: f64 = run.value("puzzles/s").parse().expect("a number");
        assert!((report["puzzles_per_second"].as_f64().expect("a number") - rate).abs() <= 0.5);
        let puzzles = report["puzzles"].as_array().expect("puzzles");
        assert_eq!((puzzles.len().to_string(), &*kinds[0]), (kinds[0].clone(), "1530"));
        for (puzzle, line) in puzzles.iter().zip(run.stdout.lines()) {
            let (label, solutions) = line.rsplit_once(' ').expect("a label and a count");
            assert_eq!(puzzle["solutions"], solutions);
            assert!(puzzle["name"].is_null() || puzzle["name"] == label);
            assert_eq!((&puzzle["file"], &puzzle["method"]), (&(*file).into(), &"search".into()));
        }
        assert_eq!((&puzzles[7]["line"], &puzzles[7]["matches_expected"]), (&11.into(), &true.into()));
        assert!(puzzles.iter().all(|puzzle| puzzle["nodes"].as_u64() > Some(0)));
        assert_eq!(folder.names(), ["mixed.sdm", "run.json"], "nothing else is left behind");
        // The report on standard output is the same, and the answers are on standard error.
        let printed = census(["count", &file, "--mixed", "--report", "-", "--limit", "2"]).ranks(ranks).run().exits(1);
        assert_eq!(without_open_nodes(printed.json()), without_open_nodes(report));
        assert!(printed.stderr.contains("the large one 2\n"));
    }
});

/// The puzzles of a report, without the nodes of those that ended at the limit: if all ranks search one puzzle, the number of nodes
/// until one of them finds the last solution depends on timing.
fn without_open_nodes(mut report: Value) -> Value {
    for puzzle in report["puzzles"].as_array_mut().expect("puzzles") {
        if puzzle["complete"] == false {
            puzzle["nodes"] = Value::Null;
        }
    }
    report["puzzles"].take()
}

test!(EVERYWHERE, puzzles_that_take_long_are_counted_by_bands_if_auto_may_choose, || {
    let lines = format!("{UNIQUE}\n{LARGE}\n").repeat(10);
    for ranks in rank_counts(RANKS) {
        let run = census(["count", "-", "--method", "auto", "--report", "-"]).input(&lines).ranks(ranks).run().exits(0);
        let puzzles = &run.json()["puzzles"];
        for (number, (solutions, method)) in
            [("1", "search"), ("534494", "bands")].into_iter().cycle().take(20).enumerate()
        {
            let puzzle = &puzzles[number];
            assert_eq!((&puzzle["solutions"], &puzzle["method"]), (&solutions.into(), &method.into()));
        }
        let quiet = census(["count", "-", "--method", "bands", "--quiet"]).input(&lines).ranks(ranks).run().exits(0);
        quiet.says_only(&format!("{UNIQUE} 1\n{LARGE} 534494\n").repeat(10));
    }
});

/// A collection with a bad line 70,001: in the second batch, after the 65,536 puzzles of the first, and read after its answers.
fn late_bad_line() -> String {
    easy_lines(100).repeat(700) + &UNIQUE[1..] + "\n" + &easy_lines(100)
}

test!(EVERYWHERE, a_bad_line_ends_the_run_after_the_answers_to_all_before_it, || {
    let folder = Folder::new();
    let file = folder.file("late.sdm", late_bad_line());
    let answers: String = late_bad_line().lines().take(70_000).map(|line| format!("{line} 1\n")).collect();
    for (ranks, threads) in ranks_and_threads() {
        let report = folder.path("late.json");
        // 70,000 puzzles take seconds: the report is tested with one number of threads, the answers alone with the other.
        let (loud, quiet) = (threads == "1" || Scope::is_all(), threads != "1" || Scope::is_all());
        if loud {
            let options = ["--limit", "2", "--threads", threads, "--report", &report];
            let run = census(["count", &file]).with(options).ranks(ranks).run().exits(2);
            assert!(run.stdout.starts_with(&format!("{answers}puzzles: 70000\nunique: 70000\n")));
            assert_eq!((run.value("bad"), run.value("complete")), ("1", "no, stopped at bad input"));
            let report = run.json();
            run.complains_only(&format!("{file}:70001:81: this line has 80 cells, expected 81"));
            assert_eq!((&report["complete"], &report["result"]["bad"]), (&false.into(), &1.into()));
            assert_eq!(report["puzzles"].as_array().map(Vec::len), Some(70_000));
        }
        if quiet {
            let run = census(["count", &file, "--quiet", "--limit", "2", "--threads", threads]).ranks(ranks).run();
            run.exits(2).says_only(&answers).complains_once_about("late.sdm:70001:81: ");
        }
    }
});

test!(EVERYWHERE, a_bad_line_has_the_same_effect_in_a_file_and_in_a_slow_pipe, || {
    let folder = Folder::new();
    for good in [1, 3] {
        let file = folder.file("early.sdm", easy_lines(good) + &UNIQUE[1..] + "\n" + &easy_lines(100));
        let answers: String = easy_lines(good).lines().map(|line| format!("{line} 1\n")).collect();
        let slow = format!("(head -n {good} {file}; sleep 1; tail -n +{} {file})", good + 1);
        let pipes = [format!("cat {file}"), slow].map(|lines| shell(&format!("{lines} | \"$CENSUS\" count -")));
        let runs = rank_counts(RANKS).into_iter().map(|ranks| census(["count", &file]).ranks(ranks)).chain(pipes);
        for run in runs {
            let run = run.run().exits(2).complains_once_about(&format!(":{}:81: this line has 80 cells", good + 1));
            assert!(run.stdout.starts_with(&format!("{answers}puzzles: {good}\nunique: {good}\n")), "{run}");
            assert_eq!((run.value("bad"), run.value("complete")), ("1", "no, stopped at bad input"));
        }
    }
});

test!(EVERYWHERE, a_bad_first_line_ends_the_run_before_the_count, || {
    let folder = Folder::new();
    let file = folder.file("bad.sdm", UNIQUE.replacen("8.", "88", 1) + "\n" + &easy_lines(100));
    let report = folder.path("run.json");
    for ranks in rank_counts(RANKS) {
        let run = census(["count", &file, "--report", &report]).ranks(ranks).run().exits(2).says_nothing();
        run.complains_only(&format!("{file}:1:2: givens conflict: 8 occurs 2 times in row 1: r1c1, r1c2"));
    }
    // A trace of several puzzles is refused before the count, and so is the bad line.
    let file = folder.file("second.sdm", format!("{UNIQUE}\n{}\n", &UNIQUE[1..]));
    let run = census(["count", &file, "--report", &report, "--trace"]).run().exits(2).says_nothing();
    run.complains_once_about("second.sdm:2:81: ");
    assert_eq!(folder.names(), ["bad.sdm", "second.sdm"]);
});

/// A Latin square of order 64 without this number of independent 2×2 subsquares, with two fillings each: 2^squares solutions.
pub fn power_of_two(squares: usize) -> String {
    let mut values: Vec<usize> = (0..64 * 64).map(|cell| (cell / 64 + cell % 64) % 64 + 1).collect();
    for square in 0..squares {
        let (class, row, column) = (square % 4, square / 4 % 4, square / 16);
        let (row, column) = (4 * class + row, 4 * column + class);
        for (row, column) in [(row, column), (row + 32, column), (row, column + 32), (row + 32, column + 32)] {
            values[row * 64 + column] = 0;
        }
    }
    let row = |row: &[usize]| row.iter().map(|value| format!("{value} ")).collect::<String>();
    values.chunks(64).fold("# boxes: none\n".to_owned(), |text, values| text + &row(values) + "\n")
}

test!(EVERYWHERE, a_total_beyond_128_bits_is_no_fault, || {
    let folder = Folder::new();
    let (half, report) = (folder.file("half.txt", power_of_two(127)), folder.path("run.json"));
    for ranks in rank_counts(RANKS) {
        let run = census(["count", &half, &half, &easy(1), "--report", &report]).ranks(ranks).run().exits(0);
        let run = run.complains_of_nothing().says(&format!("{half} {0}\n{half} {0}\n{1} 1\n", 1u128 << 127, easy(1)));
        assert_eq!((run.value("solutions"), run.value("complete")), ("more than 2^128 - 1", "yes"));
        let found = read_report(&report);
        assert_eq!((&found["result"]["solutions"], &found["complete"]), (&Value::Null, &true.into()));
        assert_eq!(found["puzzles"][0]["solutions"], (1u128 << 127).to_string());
        census(["count", &half, &easy(1), "--report", &report]).ranks(ranks).run().exits(0);
        assert_eq!(read_report(&report)["result"]["solutions"], ((1u128 << 127) + 1).to_string());
    }
});

test!(EVERYWHERE, a_puzzle_beyond_128_bits_does_not_affect_other_answers, || {
    let folder = Folder::new();
    let (beyond, report) = (folder.file("beyond.txt", power_of_two(128)), folder.path("run.json"));
    let (a, b) = (easy(1), easy(2));
    for ranks in rank_counts(RANKS) {
        for (keep_going, answers, complete) in [
            (&["--keep-going"][..], format!("{a} 1\n{b} 1\n"), "yes"),
            (&[], format!("{a} 1\n"), "no, stopped at a puzzle beyond 128 bits"),
        ] {
            let run = census(["count", &a, &beyond, &b, "--report", &report]).with(keep_going).ranks(ranks).run();
            let run = run.exits(3).complains_only(&format!("{beyond}:2: more solutions than 128 bits can count"));
            let puzzles = answers.lines().count();
            assert!(run.stdout.starts_with(&format!("{answers}puzzles: {puzzles}\nunique: {puzzles}\n")), "{run}");
            assert_eq!((run.value("beyond 128 bits"), run.value("complete")), ("1", complete));
            assert_eq!(run.value("solutions"), "more than 2^128 - 1");
            let found = read_report(&report);
            assert_eq!(
                (&found["complete"], &found["result"]["beyond_128_bits"]),
                (&(complete == "yes").into(), &1.into())
            );
            assert_eq!(found["puzzles"].as_array().map(Vec::len), Some(puzzles));
        }
    }
    // The exit code of a fault has precedence over that of a bad line.
    census(["count", &a, &beyond, "/none", "--keep-going"]).run().exits(3);
});

test!(ALONE, a_fault_does_not_prevent_the_report_of_what_was_counted, || {
    let folder = Folder::new();
    let (file, report) = (folder.file("some.sdm", easy_lines(5)), folder.path("run.json"));
    let run = shell(&format!("\"$CENSUS\" count {file} --report {report} > /dev/full")).run().exits(3);
    run.complains_only("standard output: No space left on device (os error 28)");
    assert_eq!(
        (&read_report(&report)["complete"], &read_report(&report)["result"]["puzzles"]),
        (&false.into(), &5.into())
    );
});

test!(EVERYWHERE, with_keep_going_every_bad_line_is_named_and_all_others_are_counted, || {
    let folder = Folder::new();
    let (a, b) = (easy(1), easy(2));
    let text = format!(
        "{a}\n{}\n{b}\n# boxes: 3\n{a}\n# boxes: usual\n{a}\n# name: x\n{}\n{b}\n# expected: 5\n{b}\n",
        &UNIQUE[1..],
        UNIQUE.replacen("8.", "88", 1),
    );
    let file = folder.file("slips.sdm", text);
    let missing = folder.path("none.sdm");
    let complaints = [
        format!("census: {file}:2:81: this line has 80 cells, expected 81"),
        format!("census: {file}:4:10: '3' is not a box such as 3x4 (rows x columns), none, usual or jigsaw"),
        format!("census: {file}:5:1: puzzle not read: the header on line 4, which applies to it, is invalid"),
        format!("census: {file}:9:2: givens conflict: 8 occurs 2 times in row 1: r1c1, r1c2"),
        format!("census: {missing}: no such file"),
        format!("census: {file}:12: counted 1, but 5 expected"),
    ];
    for ranks in rank_counts(RANKS) {
        let report = folder.path("run.json");
        let run =
            census(["count", &file, &missing, &b, "--keep-going", "--report", &report]).ranks(ranks).run().exits(2);
        assert_eq!(run.complaints(), complaints);
        let run = run
            .says(&format!("{a} 1\n{b} 1\n{a} 1\n{b} 1\n{b} 1\n{b} 1\npuzzles: 6\nunique: 6\nseveral: 0\nnone: 0\n"));
        assert_eq!((run.value("bad"), run.value("bad headers"), run.value("bad files")), ("3", "1", "1"));
        assert_eq!((run.value("unexpected"), run.value("complete")), ("1", "yes"));
        let result = &read_report(&report)["result"];
        assert_eq!([&result["bad"], &result["bad_headers"], &result["bad_files"]], [3, 1, 1]);
    }
    let run = census(["count", "-", "--keep-going", "--quiet", "--limit", "2"]).input(&late_bad_line()).run().exits(2);
    assert_eq!(run.stdout.lines().count(), 70_100);
    run.complains_once_about("standard input:70001:81: ");
    census(["count", "-", "--keep-going", "--quiet"]).input(&easy_lines(9)).run().exits(0).complains_of_nothing();
});

test!(ALONE, with_keep_going_a_source_that_breaks_off_is_not_complete, || {
    let folder = Folder::new();
    let (file, report) = (folder.file("some.sdm", easy_lines(3)), folder.path("run.json"));
    let check = |run: Outcome, bad: &str| {
        assert_eq!((run.value("puzzles"), run.value(bad)), ("6", "1"), "{run}");
        assert_eq!(
            (run.value("complete"), &read_report(&report)["complete"]),
            ("no, a source was not read to its end", &false.into())
        );
    };
    let options = format!("{file} --keep-going --report {report}");
    let endless = format!("(cat {file}; head -c 80000000 /dev/zero | tr '\\0' .) | \"$CENSUS\" count - {options}");
    check(shell(&endless).run().exits(2).complains_once_about("a line of more than 64 MiB"), "bad");
    let binary = format!("(cat {file}; printf '\\0\\n'; cat {file}) | \"$CENSUS\" count {options} -");
    check(
        shell(&binary).run().exits(2).complains_once_about("standard input:4:1: this is not a text file"),
        "bad files",
    );
    // The beginning of a process's memory cannot be read.
    let torn = shell(&format!("\"$CENSUS\" count {file} /proc/self/mem {options}")).run().exits(2);
    check(torn.complains_once_about("/proc/self/mem: cannot be read: "), "bad files");
});

test!(ALONE.only_all(), a_collection_of_any_length_takes_the_same_memory, || {
    let folder = Folder::new();
    let some = easy_lines(1000);
    let mut peaks = Vec::new();
    for thousands in [200, 800] {
        let file = folder.file("long.sdm", some.repeat(thousands));
        let report = folder.path("long.json");
        let run = census(["count", &file, "--limit", "2", "--report", &report]).watching_memory().run().exits(0);
        assert_eq!(run.value("unique"), (thousands * 1000).to_string());
        peaks.push(run.peaks.iter().copied().max().unwrap_or(0) >> 20);
    }
    assert!(peaks[1] < 100 && peaks[1] <= peaks[0] + 16, "MiB at the most: {peaks:?}");
});

test!(EVERYWHERE, a_collection_that_is_stopped_keeps_the_answers_before_in_order, || {
    // Each takes some milliseconds, all together minutes.
    let folder = Folder::new();
    let all = format!("{}{LARGE}\n", easy_lines(50)).repeat(200);
    let file = folder.file("slow.sdm", &all);
    let answers: String =
        all.lines().map(|line| format!("{line} {}\n", if line == LARGE { "534494" } else { "1" })).collect();
    let check = |run: Outcome, why: &str| {
        let end = run.stdout.find("puzzles: ").unwrap_or_else(|| panic!("a summary of {run}"));
        let answered = run.stdout[..end].lines().count();
        assert!(answers.starts_with(&run.stdout[..end]), "{run}");
        assert_eq!(run.value("complete"), format!("no, {why}"));
        assert_eq!(answered.to_string(), run.value("puzzles"));
        run.complains_once_about(&format!("{why} at puzzle {} of 10200 ", answered + 1));
    };
    for (ranks, threads) in ranks_and_threads() {
        let limited = census(["count", &file, "--time-limit", "0.7", "--threads", threads]).ranks(ranks);
        check(limited.run().exits(3), "stopped at the time limit");
        let mut sent = false;
        let terminate = move |job: &Job| {
            if !sent && let Some(found) = job.counting(ranks.max(1)) {
                sent = true;
                job.signal(Signal::TERM, &found[..1]);
            }
        };
        let stopped = census(["count", &file, "--threads", threads]).ranks(ranks).meanwhile(terminate);
        check(stopped.run().exits(3), "stopped by SIGTERM");
    }
});

/// A shell that pipes the output of a command to census, and keeps the pipe open until census has ended.
fn waiting(command: &str, options: &str) -> Run {
    let folder = "folder=$(mktemp -d); mkfifo $folder/pipe";
    let writer = format!("({command}; exec sleep 60) > $folder/pipe & writer=$!");
    shell(&format!("{folder}; {writer}; \"$CENSUS\" count {options} < $folder/pipe; code=$?; kill $writer; exit $code"))
}

test!(ALONE, a_time_limit_ends_the_wait_for_puzzles_that_do_not_come, || {
    let folder = Folder::new();
    let file = folder.file("some.sdm", easy_lines(2000));
    let run = waiting(&format!("cat {file}"), "- --limit 2 --time-limit 3").run().exits(3);
    let run = run.says("complete: no, stopped at the time limit\n");
    run.complains_once_about("stopped at the time limit after 2000 puzzles, while waiting for input");
});

test!(ALONE, a_time_limit_and_signals_end_the_wait_for_the_first_puzzle, || {
    let run = waiting("true", "- --time-limit 0.5").run().exits(3).says("puzzles: 0\n");
    assert_eq!(run.value("complete"), "no, stopped at the time limit");
    run.complains_only("stopped at the time limit after 0 puzzles, while waiting for input");
    let mut sent = false;
    let terminate = move |job: &Job| {
        if !sent && job.ranks().iter().any(|rank| rank.catches(Signal::TERM)) {
            sent = true;
            job.signal(Signal::TERM, &job.ranks());
        }
    };
    let run = waiting("true", "/dev/stdin").meanwhile(terminate).run().exits(3);
    run.says("complete: no, stopped by SIGTERM\n")
        .complains_only("stopped by SIGTERM after 0 puzzles, while waiting for input");
});

test!(ALONE, puzzles_from_a_slow_pipe_are_answered_as_they_arrive, || {
    let folder = Folder::new();
    let (some, seen) = (folder.file("some.sdm", easy_lines(5)), folder.path("seen"));
    // The second half is sent after the first answer, or, with an error, after a minute.
    let wait = format!("for i in $(seq 600); do test -e {seen} && exec cat {some}; sleep 0.1; done; echo late");
    let script =
        format!("(cat {some}; {wait}) | \"$CENSUS\" count - --quiet | (read line; touch {seen}; echo $line; cat)");
    let answers: String = easy_lines(5).repeat(2).lines().map(|line| format!("{line} 1\n")).collect();
    shell(&script).run().exits(0).says_only(&answers);
    // The program may start later than the wait.
    let run = shell(&format!("(sleep 2; cat {some}) | \"$CENSUS\" count -")).run().exits(0);
    let seconds: f64 = run.value("seconds").parse().expect("a number");
    assert!(seconds >= 0.2, "the wait for the first puzzle takes time, too: {seconds}");
    // One slow puzzle is not a collection.
    let one = format!("(printf %s {}; sleep 1; echo {}) | \"$CENSUS\" count - --quiet", &UNIQUE[..40], &UNIQUE[40..]);
    shell(&one).run().exits(0).says_only("solutions: 1\n");
    let one = format!("(echo {UNIQUE}; sleep 1) | \"$CENSUS\" count - --quiet");
    shell(&one).run().exits(0).says_only("solutions: 1\n");
});

test!(EVERYWHERE, summary_and_report_have_the_cache_if_one_was_used, || {
    let folder = Folder::new();
    let (latin, report) = (".".repeat(36), folder.path("run.json"));
    let file = folder.file("latin.sdm", format!("# boxes: none\n{latin}\n{latin}\n"));
    for ranks in rank_counts(RANKS) {
        let count = |options: &[&str]| census(["count", &file, "--report", &report]).with(options).ranks(ranks).run();
        let run = count(&[]).exits(0).says(&format!("{latin} 812851200\n{latin} 812851200\n"));
        assert!(run.value("cache").contains(" hits of "), "{run}");
        let found = read_report(&report);
        assert_eq!(found["config"]["cache"], 32 << 20);
        assert!(found["cache"]["hits"].as_u64() > Some(0) && found["cache"]["bytes"].as_u64() > Some(0), "{found}");
        for none in ["0", "off"] {
            let run = count(&["--limit", "1000", "--cache", none]).exits(0);
            assert!(!run.stdout.contains("cache"), "{run}");
            assert_eq!(
                (&read_report(&report)["config"]["cache"], &read_report(&report)["cache"]),
                (&0.into(), &Value::Null)
            );
        }
    }
});

test!(EVERYWHERE, progress_shows_the_number_of_puzzles_and_the_share_of_the_file, || {
    let folder = Folder::new();
    let file = folder.file("some.sdm", format!("{UNIQUE}\n{SEVERAL}\n").repeat(30_000));
    let share = " % done, ";
    for ranks in rank_counts(RANKS) {
        let run = census(["count", &file, "--progress", "on", "--threads", "1"]).ranks(ranks).until_noted(share).run();
        assert!(run.stderr.lines().any(|line| line.contains(share) && line.contains(" puzzles, ")), "{run}");
    }
    // A file with the name `-` is not standard input.
    folder.file("-", "x");
    let script = format!("cd {} && exec \"$CENSUS\" count - --progress on --threads 1 < {file}", folder.path(""));
    let run = shell(&script).until_noted(" puzzles, ").run();
    assert!(run.stderr.contains(" puzzles, ") && !run.stderr.contains(share), "{run}");
});

test!(ALONE, a_broken_pipe_ends_the_count_normally, || {
    let folder = Folder::new();
    let endless = ".".repeat(81);
    let file = folder.file("long.sdm", easy_lines(1000).repeat(20) + &endless + "\n" + &easy_lines(1000).repeat(50));
    let run = shell(&format!("\"$CENSUS\" count {file} | head -n 1")).run().exits(0).complains_of_nothing();
    run.says_only(&format!("{} 1\n", easy(0)));
});

test!(EVERYWHERE, a_device_that_never_ends_is_refused, || {
    for ranks in rank_counts(RANKS) {
        let run = census(["count", "/dev/zero"]).ranks(ranks).run().exits(2).says_nothing();
        run.complains_only("/dev/zero:1:1: this is not a text file: byte 0x00 is a control byte");
    }
});
