//! Jobs that end early: limits, refusals, and ranks that die.

use std::fs;
use std::path::Path;
use std::slice;

use crate::harness::{
    ALONE, EMPTY4, EVERY_LIBRARY, EVERYWHERE, Folder, INKALA20, Mpi, ONE_LIBRARY, Signal, census, empty9, other_mpi,
    rank_counts, read_report, script, shell, skip, test,
};

/// 0: without a launcher
const RANKS: &[usize] = &[0, 1, 3, 8];

test!(EVERYWHERE, a_limit_ends_the_longest_count_and_is_its_result, || {
    // 6,670,903,752,021,072,936,960 solutions
    for ranks in rank_counts(RANKS) {
        let folder = Folder::new();
        let report = folder.path("run.json");
        let outcome =
            census(["count", &empty9(), "--limit", "100000", "--report", &report]).ranks(ranks).run().exits(0);
        assert_eq!(outcome.value("solutions"), "100000");
        assert!(outcome.value("complete").starts_with("no"));
        let report = read_report(&report);
        // The run is complete, but not its result.
        assert_eq!((&report["complete"], &report["result"]["complete"]), (&true.into(), &false.into()));
        assert_eq!(report["result"]["solutions"], "100000");
        assert_eq!(report["config"]["limit"], "100000");
    }
});

test!(EVERYWHERE, a_limit_that_is_not_reached_changes_nothing, || {
    for ranks in rank_counts(RANKS) {
        let outcome = census(["count", INKALA20, "--limit", "1735"]).ranks(ranks).run().exits(0);
        assert_eq!((outcome.value("solutions"), outcome.value("complete")), ("1734", "yes"));
    }
});

test!(EVERYWHERE, a_limit_of_two_checks_whether_a_solution_is_unique, || {
    let unique = INKALA20.replacen("3.", "36", 1);
    for ranks in rank_counts(RANKS) {
        let lines = format!("{unique}\n{INKALA20}\n{unique}\n");
        let outcome = census(["count", "-", "--limit", "2"]).input(&lines).ranks(ranks).run().exits(0);
        let outcome = outcome.says("unique: 2\nseveral: 1\nnone: 0\n");
        assert_eq!(outcome.value("solutions"), "4");
    }
});

test!(EVERYWHERE, a_limit_below_the_expected_count_is_no_mismatch, || {
    let text = format!("# expected: 1734\n{INKALA20}\n");
    for ranks in rank_counts(RANKS) {
        census(["count", "-", "--limit", "1000"]).input(&text).ranks(ranks).run().exits(0).says("solutions: 1000\n");
    }
});

test!(ONE_LIBRARY, a_job_with_other_than_the_expected_ranks_does_not_start, || {
    for command in ["count", "list"] {
        let run = census([command, INKALA20, "--expect-ranks", "4"]);
        run.ranks(3).run().exits(3).says_nothing().complains_only("--expect-ranks is 4, but there are 3 ranks");
    }
    census(["count", INKALA20, "--expect-ranks", "3"]).ranks(3).run().exits(0).says("ranks: 3\n");
});

test!(ALONE, a_process_without_a_launcher_is_one_rank, || {
    census(["count", INKALA20, "--expect-ranks", "1"]).run().exits(0).says("ranks: 1\n");
    let run = census(["count", INKALA20, "--expect-ranks", "2"]);
    run.run().exits(3).says_nothing().complains_only("--expect-ranks is 2, but there are 1 ranks");
});

test!(EVERY_LIBRARY, the_launcher_of_another_mpi_library_is_refused_in_one_line, || {
    let Some(other) = other_mpi() else {
        return skip("only one MPI library is installed");
    };
    for command in ["count", "list"] {
        // Separate MPI jobs, started at the same time: in one temporary folder they may interfere.
        let script = format!("TMPDIR=$(mktemp -d) exec \"$CENSUS\" {command} {INKALA20}");
        let outcome = shell(&script).under(other).ranks(3).run();
        outcome.fails().says_nothing().complains_once_about("started 3 processes, but MPI sees 1");
    }
});

// In MPI_Finalize, a thread of Open MPI may still call a component: see src/cluster/lifecycle/finalize.rs.
test!(EVERY_LIBRARY, components_of_open_mpi_stay_loaded_until_the_process_ends, || {
    if Mpi::current() != Mpi::Open {
        return skip("MPICH has no components");
    }
    let folder = Folder::new();
    let loader = folder.path("loader");
    let script = format!("LD_DEBUG=files LD_DEBUG_OUTPUT={loader} exec \"$CENSUS\" count {EMPTY4}");
    shell(&script).ranks(2).run().exits(0);
    let logs: Vec<String> =
        folder.names().iter().map(|name| fs::read_to_string(folder.path(name)).expect("a log of the loader")).collect();
    assert_eq!(logs.len(), 2, "one for each rank");
    for log in logs {
        let lines: Vec<&str> = log.lines().filter(|line| line.contains("/mca_btl_self.so")).collect();
        assert!(!lines.is_empty(), "ranks send to themselves by this component");
        assert!(!lines.iter().any(|line| line.contains("calling fini")), "{lines:#?}");
    }
});

test!(ONE_LIBRARY, commands_for_one_process_answer_once_under_a_launcher, || {
    let outcome = census(["solve", INKALA20]).ranks(3).run().exits(0).complains_of_nothing();
    assert_eq!(outcome.stdout.matches('┏').count(), 1, "{outcome}");
    census(["check", INKALA20]).ranks(3).run().exits(0).says_only("no conflict: 20 of 81 cells filled\n");
});

test!(ONE_LIBRARY, a_rank_that_is_killed_ends_the_job_without_a_complete_report, || {
    for victim in [0, 2] {
        let folder = Folder::new();
        let report = folder.path("run.json");
        let outcome = census(["count", &empty9(), "--report", &report])
            .ranks(3)
            .meanwhile(move |job| {
                if let Some(ranks) = job.counting(3) {
                    job.kill(&ranks[victim..=victim]);
                }
            })
            .run();
        let outcome = outcome.fails();
        assert!(!outcome.stdout.contains("solutions"), "census has printed a result: {outcome}");
        assert!(!folder.names().contains(&"run.json".into()), "{:?}", folder.names());
    }
});

test!(EVERY_LIBRARY, a_launcher_that_dies_after_the_report_does_not_fail_the_count, || {
    let folder = Folder::new();
    let report = folder.path("run.json");
    let (mut held, path) = (false, report.clone());
    let arguments = ["puzzles/goldennugget16.txt", "--report", &report];
    let run = script("run", arguments).env("RANKS", "2");
    let run = run.env("MPI", Mpi::current().name()).usual_priority().meanwhile(move |job| {
        let Some(launcher) = job.launcher() else { return };
        // While it is stopped, the ranks continue and the report is written.
        if !held && job.counting(2).is_some() {
            held = true;
            job.signal(Signal::STOP, slice::from_ref(&launcher));
        } else if held && Path::new(&path).exists() {
            job.kill(slice::from_ref(&launcher));
        }
    });
    let outcome = run.run().exits(0);
    assert_eq!(read_report(&report)["result"]["solutions"], "5075288");
    outcome.notes("run: the count was complete when the launcher ended (exit code ");
});

test!(EVERY_LIBRARY, a_host_that_cannot_be_reached_is_named, || {
    let folder = Folder::new();
    let hosts = folder.file("hosts", "no-such-host.invalid\n");
    let run = script("run", ["puzzles/goldennugget17.txt", "--report", &folder.path("run.json")]);
    let run = run.env("HOSTFILE", &hosts).env("RANKS", "1").env("MPI", Mpi::current().name()).run().exits(3);
    assert!(run.stderr.contains("no answer from no-such-host.invalid"), "{run}");
    assert!(!run.stderr.contains("ended by signal"), "{run}");
});

test!(ONE_LIBRARY, a_rank_that_cannot_start_its_threads_ends_the_job_with_a_reason, || {
    // On rank 1 the stack of a thread would be larger than the address space.
    let rank = Mpi::current().rank_variable();
    let stack = format!("if [ \"${rank}\" = 1 ]; then export RUST_MIN_STACK=4611686018427387904; fi");
    for command in ["count", "list"] {
        let script = format!("{stack}; exec \"$CENSUS\" {command} {} --quiet --limit 1000000000", empty9());
        let outcome = shell(&script).ranks(3).run().fails();
        outcome.complains_once_about("cannot start a worker thread");
    }
});
