//! Runs that are stopped: they end in order, with what was counted so far, and leave nothing behind.

use serde_json::Value;

use crate::harness::{
    ALONE, EVERY_LIBRARY, EVERYWHERE, Folder, Job, Mpi, ONE_LIBRARY, OPEN_MPI, SCHEDULES, Scope, Signal, census,
    each_choice, empty9, half_filled, libraries, of_current_library, rank_counts, read_report, shell, test,
};

/// 0: without a launcher
const RANKS: &[usize] = &[0, 2, 5];

/// A puzzle for which CDCL takes a minute before the search.
fn slow_cdcl() -> String {
    half_filled(36, 0.5, 1)
}

/// Checks the report of a stopped run: its result is the sum over the ranks. Returns its solutions.
fn is_stopped(report: &Value, why: &str) -> u128 {
    assert_eq!(report["complete"], false, "{report:#}");
    assert_eq!(
        (&report["result"]["complete"], &report["result"]["stopped"]),
        (&false.into(), &why.into()),
        "{report:#}"
    );
    let count = |value: &Value| -> u128 { value.as_str().expect("a string").parse().expect("a count") };
    let total = count(&report["result"]["solutions"]);
    let each: u128 = report["ranks"].as_array().expect("ranks").iter().map(|rank| count(&rank["solutions"])).sum();
    assert_eq!(total, each + count(&report["pool"]["solutions_above"]));
    total
}

test!(EVERYWHERE, a_time_limit_ends_every_schedule_with_what_was_counted_by_then, || {
    for ranks in rank_counts(RANKS) {
        // Without a launcher nothing is distributed: the first schedule and stealing between threads are enough.
        let step = if ranks == 0 && !Scope::is_all() { 4 } else { 1 };
        for schedule in SCHEDULES.iter().copied().step_by(step) {
            let folder = Folder::new();
            let report = folder.path("run.json");
            let options = ["--time-limit", "1s", "--schedule", schedule, "--report", &report];
            let run = census(["count", &empty9()]).with(options).ranks(ranks).low_priority();
            let outcome = run.run().exits(3);
            assert_eq!(outcome.value("complete"), "no, stopped at the time limit", "{schedule} on {ranks} ranks");
            let outcome = outcome.complains_once_about("stopped at the time limit, with ");
            let report = read_report(&report);
            is_stopped(&report, "stopped at the time limit");
            assert_eq!(report["result"]["solutions"], outcome.value("solutions"));
        }
    }
});

test!(EVERYWHERE, a_time_limit_ends_the_expansion_too, || {
    // The expansion takes more than a second, and its pool would be too large.
    for ranks in rank_counts(RANKS) {
        let run = census(["count", &empty9(), "--depth", "12", "--time-limit", "100ms"]).ranks(ranks).run();
        run.exits(3).complains_once_about("stopped at the time limit");
    }
});

test!(EVERYWHERE, a_time_limit_ends_cdcl_before_a_large_search_too, || {
    for ranks in rank_counts(RANKS) {
        let of = |command| census([command, "-", "--time-limit", "300ms"]).input(&slow_cdcl()).ranks(ranks).run();
        let counted = of("count").exits(3).complains_once_about("stopped at the time limit");
        let seconds: f64 = counted.value("seconds").parse().expect("a number");
        assert!(seconds < 15.0, "{ranks} ranks took {seconds} seconds");
        of("list").exits(3).complains_once_about("stopped at the time limit");
    }
});

test!(ONE_LIBRARY, a_signal_to_a_rank_that_waits_for_cdcl_ends_that_too, || {
    let run = census(["count", "-"]).input(&slow_cdcl()).ranks(3);
    let outcome =
        run.meanwhile(signal_once(Signal::TERM, 3, last)).run().exits(3).complains_once_about("stopped by SIGTERM");
    assert_eq!(outcome.value("depth"), "0", "nothing was expanded: {outcome}");
});

/// A Latin square of order 20 without five 2×2 subsquares: the cells of rows r and r + 10, columns c and c + 10 have the values r + c and
/// r + c + 10. No two share a row or a column, so each has two fillings, independent of the others.
fn five_squares() -> String {
    let is_open = |row: usize, column: usize| row % 10 < 5 && column % 10 == row % 10;
    let value = |row, column| if is_open(row, column) { 0 } else { (row + column) % 20 + 1 };
    let line = |row| (0..20).map(|column| format!(" {}", value(row, column))).collect::<String>() + "\n";
    "# boxes: none\n".to_owned() + &(0..20).map(line).collect::<String>()
}

test!(EVERYWHERE, a_limit_on_a_large_puzzle_of_independent_parts_is_exact, || {
    let all = census(["list", "-", "--quiet"]).input(&five_squares()).run().exits(0).stdout;
    assert_eq!(all.lines().count(), 32);
    for ranks in rank_counts(RANKS) {
        let (limits, schedules) = ([1, 2, 31, 32, 33usize], ["static", "steal", "auto"]);
        for [limit, schedule] in each_choice([limits.len(), schedules.len()]) {
            let (limit, schedule) = (limits[limit], schedules[schedule]);
            let options = ["--limit", &limit.to_string(), "--schedule", schedule, "--threads", "2"];
            let outcome = census(["count", "-"]).with(options).input(&five_squares()).ranks(ranks).run().exits(0);
            assert_eq!(outcome.value("solutions"), limit.min(32).to_string(), "{schedule} on {ranks} ranks");
            let complete = if limit < 32 { "no, stopped at the limit" } else { "yes" };
            assert_eq!(outcome.value("complete"), complete, "{limit}, {schedule} on {ranks} ranks");
        }
        for limit in limits {
            let outcome =
                census(["list", "-", "--limit", &limit.to_string()]).input(&five_squares()).ranks(ranks).run();
            let end = if limit <= 32 { "stopped at the limit" } else { "which is all" };
            let expected: String = all.split_inclusive('\n').take(limit).collect();
            outcome.exits(0).notes(end).says_only(&expected);
        }
    }
});

test!(EVERYWHERE, a_time_limit_that_is_not_reached_changes_nothing, || {
    for ranks in rank_counts(RANKS) {
        let run = census(["count", "1234............", "--time-limit", "1h"]).ranks(ranks).run().exits(0);
        assert_eq!((run.value("complete"), run.value("solutions")), ("yes", "12"));
    }
});

test!(EVERYWHERE, a_limit_ends_every_schedule_and_is_a_normal_end, || {
    for ranks in rank_counts(RANKS) {
        for &schedule in SCHEDULES.iter() {
            let options = ["--limit", "12345", "--schedule", schedule, "--threads", "2"];
            let outcome = census(["count", &empty9()]).with(options).ranks(ranks).run().exits(0).complains_of_nothing();
            assert_eq!(outcome.value("solutions"), "12345", "{schedule} on {ranks} ranks");
            assert_eq!(outcome.value("complete"), "no, stopped at the limit");
        }
    }
});

test!(EVERYWHERE, a_stopped_collection_keeps_the_puzzles_before, || {
    let lines = format!("1234............\n{}\n1234............\n", empty9());
    for ranks in rank_counts(RANKS) {
        let folder = Folder::new();
        let report = folder.path("run.json");
        let run = census(["count", "-", "--mixed", "--time-limit", "1.5", "--report", &report])
            .input(&lines)
            .ranks(ranks)
            .run();
        let run = run.exits(3).says("1234............ 12\npuzzles: 1\n");
        run.complains_once_about("stopped at the time limit at puzzle 2 of 3 (standard input:2)");
        assert_eq!(read_report(&report)["complete"], false);
    }
});

/// Sends a signal to the process that `choose` selects, once, as soon as all ranks count.
fn signal_once(signal: Signal, ranks: usize, choose: fn(&Job) -> Option<u32>) -> impl FnMut(&Job) {
    let mut sent = false;
    move |job| {
        if !sent
            && job.counting(ranks.max(1)).is_some()
            && let Some(id) = choose(job)
        {
            sent = true;
            let chosen: Vec<_> = job.alive().into_iter().filter(|process| process.id == id).collect();
            job.signal(signal, &chosen);
        }
    }
}

fn first(job: &Job) -> Option<u32> {
    job.ranks().first().map(|rank| rank.id)
}

fn last(job: &Job) -> Option<u32> {
    job.ranks().last().map(|rank| rank.id)
}

test!(ALONE, a_signal_to_a_process_without_a_launcher_ends_it_in_order, || {
    for (signal, why) in [(Signal::INT, "stopped by SIGINT"), (Signal::TERM, "stopped by SIGTERM")] {
        for schedule in ["static", "steal"] {
            let folder = Folder::new();
            let report = folder.path("run.json");
            let run = census(["count", &empty9(), "--schedule", schedule, "--report", &report]);
            let outcome = run.meanwhile(signal_once(signal, 0, first)).run().exits(3);
            assert_eq!(outcome.value("complete"), format!("no, {why}"));
            outcome.complains_once_about(why);
            assert!(is_stopped(&read_report(&report), why) > 0);
        }
    }
});

test!(EVERY_LIBRARY, a_signal_to_any_rank_ends_every_schedule_in_order, || {
    let signals = [
        (Signal::INT, "stopped by SIGINT", first as fn(&Job) -> Option<u32>),
        (Signal::TERM, "stopped by SIGTERM", last),
    ];
    for [_, signal, schedule] in of_current_library(each_choice([libraries(), signals.len(), SCHEDULES.len()])) {
        let (signal, why, choose) = signals[signal];
        let folder = Folder::new();
        let report = folder.path("run.json");
        let run = census(["count", &empty9(), "--schedule", SCHEDULES[schedule], "--report", &report]).ranks(3);
        let outcome = run.meanwhile(signal_once(signal, 3, choose)).run().exits(3);
        outcome.says(&format!("complete: no, {why}\n")).complains_once_about(why);
        is_stopped(&read_report(&report), why);
    }
});

test!(ONE_LIBRARY, a_signal_to_a_rank_that_waits_for_the_expansion_ends_that_too, || {
    let run = census(["count", &empty9(), "--depth", "9"]).ranks(3).meanwhile(signal_once(Signal::TERM, 3, last)).run();
    let outcome = run.exits(3).complains_once_about("stopped by SIGTERM");
    assert!(outcome.value("depth") < "9", "{outcome}");
});

test!(ALONE, sigterm_twice_in_quick_succession_counts_as_one, || {
    // `timeout` sends it to the process, and to its group.
    for _ in 0..if Scope::is_all() { 10 } else { 2 } {
        let folder = Folder::new();
        let report = folder.path("run.json");
        shell(&format!("timeout 0.5 \"$CENSUS\" count {} --report {report}", empty9())).run().exits(124);
        is_stopped(&read_report(&report), "stopped by SIGTERM");
    }
});

test!(EVERY_LIBRARY, a_signal_to_the_launcher_ends_the_job_in_order, || {
    let launcher = |job: &Job| job.launcher().map(|launcher| launcher.id);
    let signals = [Signal::INT, Signal::TERM];
    for [_, signal] in of_current_library(each_choice([libraries(), signals.len()])) {
        let signal = signals[signal];
        let folder = Folder::new();
        let report = folder.path("run.json");
        let run = census(["count", &empty9(), "--schedule", "steal", "--report", &report]).ranks(3);
        // Open MPI's launcher kills ranks that have not ended three seconds after the signal.
        let outcome = run.meanwhile(signal_once(signal, 3, launcher)).usual_priority().run();
        // The exit code is the launcher's: 1 with Open MPI, possibly 0 with MPICH.
        assert!(Mpi::current() == Mpi::Mpich || outcome.code != Some(0), "{outcome}");
        let outcome = outcome.says("complete: no, stopped by SIG");
        let report = read_report(&report);
        is_stopped(&report, report["result"]["stopped"].as_str().expect("a reason"));
        assert_eq!(report["result"]["solutions"], outcome.value("solutions"));
    }
});

// After the signal, Open MPI's `mpirun` does not read the output of the ranks, and forwards the signal a second later.
test!(OPEN_MPI, a_collection_writes_its_report_after_a_signal_to_the_launcher, || {
    // After the first answers: each puzzle takes a tenth of a second.
    let launcher = |job: &Job| job.launcher().filter(|_| job.said(" 534494\n")).map(|launcher| launcher.id);
    let folder = Folder::new();
    let lines = ".......39.....1.......5.8....8.9...6.7...2...1..4.......9.8.....2....6.....7.....\n".repeat(5000);
    let (puzzles, report) = (folder.file("many.sdm", lines.as_bytes()), folder.path("run.json"));
    let run = census(["count", &puzzles, "--method", "search", "--report", &report]).ranks(2);
    let outcome = run.meanwhile(signal_once(Signal::INT, 2, launcher)).run();
    let report = read_report(&report);
    assert_eq!(report["complete"], false, "{outcome}");
    let answered = report["puzzles"].as_array().expect("puzzles").len();
    assert_eq!(report["result"]["puzzles"], answered);
    assert!(answered > 0, "{outcome}");
});

test!(EVERYWHERE, a_listing_that_is_stopped_ends_between_lines_or_leaves_no_file, || {
    for ranks in rank_counts(RANKS) {
        let outcome = census(["list", &empty9(), "--time-limit", "300ms"]).ranks(ranks).run().exits(3);
        let outcome = outcome.complains_once_about("stopped at the time limit, after ");
        assert!(outcome.stdout.lines().all(|line| line.len() == 81), "{ranks} ranks");
        // On a busy machine, there may be no line.
        assert!(outcome.stdout.is_empty() || outcome.stdout.ends_with('\n'));

        let folder = Folder::new();
        let file = folder.path("all.txt");
        let run = census(["list", &empty9(), "--output", &file]).ranks(ranks);
        let outcome = run.meanwhile(signal_once(Signal::TERM, ranks, first)).run().exits(3).says_nothing();
        outcome.complains_once_about("stopped by SIGTERM: ");
        assert!(folder.names().is_empty(), "{:?}", folder.names());
    }
});

test!(ALONE, a_time_limit_is_a_duration, || {
    for time in ["soon", "-1", "5 parsecs"] {
        let run = census(["count", &empty9(), &format!("--time-limit={time}")]).run().exits(2).says_nothing();
        run.notes("a time is a number of seconds");
    }
});

test!(EVERYWHERE, progress_on_shows_progress, || {
    for ranks in rank_counts(RANKS) {
        let run = census(["count", &empty9(), "--depth", "4", "--progress", "on", "--schedule", "guided"]).ranks(ranks);
        run.until_noted(" busy\n").run().exits(3).notes(" busy\n");
    }
});

test!(ALONE, progress_off_shows_none, || {
    let options = ["--depth", "4", "--progress", "off", "--time-limit", "1800ms"];
    let run = census(["count", &empty9()]).with(options).low_priority().run().exits(3);
    assert!(!run.stderr.contains(" busy\n"), "{run}");
});

test!(ALONE, progress_on_a_terminal_is_a_bar_that_the_answer_replaces, || {
    let script = format!("script -qec \"$CENSUS count {} --time-limit 1500ms\" /dev/null", empty9());
    let outcome = shell(&script).run().exits(3).says("solutions, ").says(" of ").says("stopped at the time limit");
    assert!(outcome.stdout.contains('\r'), "the bar is not redrawn: {outcome}");
    let puzzle = "puzzles/goldennugget16.txt";
    let script = format!("script -qec \"$CENSUS count {puzzle} {puzzle} --threads 1\" /dev/null");
    shell(&script).run().exits(0).says("puzzle 1 of 2: ").says("puzzle 2 of 2: ").says("puzzles: 2");
});
