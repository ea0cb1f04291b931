//! A fault on any rank ends the job soon, with a non-zero exit code and a reason, and leaves no process.

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::rc::Rc;

use crate::harness::{
    ALONE, EMPTY4, EVERY_LIBRARY, Folder, INKALA20, Job, Mpi, ONCE, ONE_LIBRARY, Outcome, Process, Run, Signal, census,
    each_choice, libraries, of_current_library, program, program_path, shell, test,
};

/// Options for the phases of an endless count on three ranks: all ranks count; the others wait for the expansion on rank 0; rank 0
/// counts and the others are idle.
const PHASES: [&[&str]; 3] = [&["--schedule", "steal"], &["--depth", "12"], &["--depth", "0"]];

fn endless(options: &[&str]) -> Run {
    census(["count", &".".repeat(81), "--quiet"]).with(options).ranks(3).within(60)
}

/// Sends a signal to a process of the job, once, as soon as all ranks have finished their handshake. Checks that the job has not ended
/// before.
#[track_caller]
fn run_with_signal(run: Run, signal: Signal, choose: impl Fn(&Job) -> Option<Process> + 'static) -> Outcome {
    let sent = Rc::new(Cell::new(false));
    let fault = {
        let sent = sent.clone();
        move |job: &Job| {
            if !sent.get()
                && job.counting(3).is_some()
                && let Some(process) = choose(job)
            {
                sent.set(true);
                job.signal(signal, &[process]);
            }
        }
    };
    let outcome = run.meanwhile(fault).run();
    assert!(sent.get(), "it ended by itself: {outcome}");
    outcome
}

/// Checks for an end without a result but with a reason, from census or from the launcher (MPICH's is on standard output).
#[track_caller]
fn ended_with_a_reason(outcome: Outcome) {
    let outcome = outcome.fails().gives_no_answer();
    let output = (outcome.stdout.clone() + &outcome.stderr).to_lowercase();
    assert!(["signal", "termination", "census:"].iter().any(|word| output.contains(word)), "{outcome}");
}

test!(EVERY_LIBRARY, a_rank_that_is_killed_ends_the_job_in_every_phase, || {
    let victims = [0, 2];
    for [_, phase, victim] in of_current_library(each_choice([libraries(), PHASES.len(), victims.len()])) {
        let victim = victims[victim];
        ended_with_a_reason(run_with_signal(endless(PHASES[phase]), Signal::KILL, move |job| job.rank(victim)));
    }
});

test!(ONE_LIBRARY, a_rank_that_crashes_ends_the_job, || {
    for signal in [Signal::SEGV, Signal::ABORT] {
        // Repeatedly, like a real crash: Rust's handler for stack overflows returns from the first SIGSEGV that is none.
        let crash = move |job: &Job| {
            if job.counting(3).is_some() {
                job.signal(signal, job.rank(1).as_slice());
            }
        };
        ended_with_a_reason(endless(&[]).meanwhile(crash).run());
    }
});

test!(ONE_LIBRARY, a_rank_that_is_out_of_memory_ends_the_job_with_that_reason, || {
    // Rank 1 is limited while it waits for the expansion. The block that it then gets is larger than the limit, and than the 64 MiB
    // that glibc has reserved for each thread.
    let limited = Rc::new(Cell::new(false));
    let limit = {
        let limited = limited.clone();
        move |job: &Job| {
            if !limited.get() && job.counting(2).is_some() {
                limited.set(job.rank(1).is_some_and(|rank| rank.limit_memory(20 << 20)));
            }
        }
    };
    // The expansion takes seconds of processor time.
    let run = endless(&["--depth", "9"]).ranks(2).meanwhile(limit).usual_priority().within(240);
    let outcome = run.run().fails();
    assert!(limited.get(), "it ended by itself: {outcome}");
    outcome.gives_no_answer().notes("memory allocation of ");
});

test!(EVERY_LIBRARY, ranks_do_not_outlive_a_launcher_that_is_killed, || {
    for [_, phase] in of_current_library(each_choice([libraries(), PHASES.len()])) {
        run_with_signal(endless(PHASES[phase]), Signal::KILL, Job::launcher).exits(128 + 9).gives_no_answer();
    }
});

test!(ONE_LIBRARY, ranks_do_not_outlive_a_launcher_that_is_killed_behind_a_shell, || {
    let script = format!("\"$CENSUS\" count {} --quiet; exit $?", ".".repeat(81));
    run_with_signal(shell(&script).ranks(3).within(60), Signal::KILL, Job::launcher).exits(128 + 9);
});

// Without the detection of MPI itself: the launcher is only a shell with that name, and an environment variable.
test!(ONCE, a_process_ends_with_its_launcher_if_mpi_does_not_notice, || {
    let folder = Folder::new();
    let launcher = folder.path("mpirun");
    fs::copy("/bin/sh", &launcher).expect("a shell of another name");
    let script = format!("\"$CENSUS\" count {} --quiet; exit $?", ".".repeat(81));
    let kill = |job: &Job| {
        if job.counting(1).is_some() {
            job.kill(job.launcher().as_slice());
        }
    };
    let run = program(&launcher, ["-c", &script]).env("MV2_COMM_WORLD_SIZE", "1").within(60).meanwhile(kill);
    run.run().exits(128 + 9).gives_no_answer().notes(") is gone");
});

test!(EVERY_LIBRARY, ranks_do_not_outlive_the_process_that_started_them_on_their_host, || {
    // With Open MPI that is `mpirun` itself on its own host.
    let name = if Mpi::current() == Mpi::Open { "mpirun" } else { "hydra_pmi_proxy" };
    for [_, phase] in of_current_library(each_choice([libraries(), PHASES.len()])) {
        let parent = move |job: &Job| job.alive().into_iter().find(|process| process.command.contains(name));
        run_with_signal(endless(PHASES[phase]), Signal::KILL, parent).fails();
    }
});

test!(EVERY_LIBRARY, a_rank_that_does_not_answer_is_lost_after_the_heartbeat_timeout, || {
    let victims = [0, 2];
    for [_, phase, victim] in of_current_library(each_choice([libraries(), PHASES.len(), victims.len()])) {
        let (run, victim) = (endless(PHASES[phase]).with(["--heartbeat-timeout", "2s"]), victims[victim]);
        let outcome = run_with_signal(run, Signal::STOP, move |job| job.rank(victim)).exits(3);
        // When the launcher continues the lost rank to end it, the rank may report others that have ended meanwhile.
        let first = outcome.complaints().first().copied().unwrap_or_default().to_owned();
        assert!(first.starts_with(&format!("census: no heartbeat from rank {victim} on ")), "{outcome}");
        outcome.notes(" for 2 s (--heartbeat-timeout)");
    }
});

test!(ONE_LIBRARY, a_rank_that_does_not_answer_a_listing_is_lost_too, || {
    let list =
        census(["list", &".".repeat(81), "--heartbeat-timeout", "2s", "--output", "/dev/null"]).ranks(3).within(60);
    run_with_signal(list, Signal::STOP, |job| job.rank(1)).exits(3).complains_once_about("rank 1 on ");
});

test!(ONE_LIBRARY, a_rank_0_that_waits_for_its_input_is_not_lost, || {
    let script = format!("[ \"${}\" = 0 ] || exec </dev/null; ", Mpi::current().rank_variable());
    let script = script + "exec \"$CENSUS\" count - --quiet --heartbeat-timeout 2s";
    // Only rank 0 reads the pipe.
    let slow = format!("(sleep 4; echo {EMPTY4}; sleep 4; echo {EMPTY4}) | ( {script} )");
    shell(&slow).ranks(3).run().exits(0).complains_of_nothing().says("288");
});

test!(ONE_LIBRARY, a_rank_0_that_waits_for_its_reader_is_not_lost, || {
    let (rank, empty9) = (Mpi::current().rank_variable(), ".".repeat(81));
    let list = format!("\"$CENSUS\" list {empty9} --limit 50000 --quiet --heartbeat-timeout 2s");
    let slow = format!("if [ \"${rank}\" = 0 ]; then {list} | (sleep 5; wc -l); else {list}; fi");
    shell(&slow).ranks(3).run().exits(0).complains_of_nothing().says("50000\n");
});

test!(ONE_LIBRARY, a_slow_rank_is_not_lost, || {
    let options = ["--quiet", "--threads", "2", "--heartbeat-timeout", "3s", "--time-limit", "5s"];
    let busy = census(["count", &".".repeat(81)]).with(options).ranks(4).low_priority();
    busy.run().exits(3).complains_once_about("stopped at the time limit");
});

test!(ALONE, a_heartbeat_timeout_of_less_than_a_second_is_bad_usage, || {
    census(["count", EMPTY4, "--heartbeat-timeout", "0.2"])
        .run()
        .exits(2)
        .notes("the timeout is at least 1s, or `off`");
    census(["count", EMPTY4, "--heartbeat-timeout", "off"]).run().exits(0);
});

/// A job of rank 0 with the first arguments, and two ranks with another program and its arguments.
fn run_with_others(first: &[&str], program: &str, arguments: &[&str]) -> Outcome {
    census(first).with([":", "-n", "2", program]).with(arguments).ranks(1).within(60).run()
}

test!(ONE_LIBRARY, ranks_of_different_builds_are_refused_by_name, || {
    let folder = Folder::new();
    let program = fs::read(program_path()).expect("the program");
    let report = census(["count", EMPTY4, "--report", "-"]).run().json();
    let sources = report["program"]["sources"].as_str().expect("a fingerprint").to_owned();
    let mut other = program.clone();
    for at in 0..=program.len() - sources.len() {
        if program[at..].starts_with(sources.as_bytes()) {
            other[at..][..sources.len()].copy_from_slice(b"0123456789abcdef");
        }
    }
    assert_ne!(program, other);
    let other = folder.file("other", other);
    fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).expect("it may be run");
    for command in ["count", "list"] {
        let outcome = run_with_others(&[command, EMPTY4], &other, &[command, EMPTY4]).exits(3).gives_no_answer();
        let outcome = outcome.complains_once_about("rank 1 on ").notes("runs another build of census: ");
        outcome.notes("from sources 0123456789abcdef; rank 0 runs").notes(&sources);
    }
});

test!(ONE_LIBRARY, ranks_with_different_arguments_are_refused_by_name, || {
    let others: [&[&str]; 5] = [
        &["count", INKALA20],
        &["count", EMPTY4, "--expect-ranks", "7"],
        &["count", EMPTY4, "--nonsense"],
        &["list", EMPTY4],
        &["solve", EMPTY4],
    ];
    let usual = &["count", EMPTY4][..];
    for [other, order] in each_choice([others.len(), 2]) {
        let (first, second) = [(usual, others[other]), (others[other], usual)][order];
        let outcome = run_with_others(first, program_path(), second).exits(2).gives_no_answer();
        let words = format!("other arguments than rank 0: `{}` instead of `{}`", second.join(" "), first.join(" "));
        outcome.complains_once_about("rank 1 on ").notes(&words);
    }
});

test!(ONE_LIBRARY, a_report_names_the_sources_of_the_program, || {
    let of = |run: Run| run.run().exits(0).json()["program"]["sources"].as_str().expect("a fingerprint").to_owned();
    let sources = of(census(["count", EMPTY4, "--report", "-"]));
    assert!(sources.len() == 16 && sources.bytes().all(|byte| byte.is_ascii_hexdigit()), "{sources}");
    assert_eq!(of(census(["count", EMPTY4, "--report", "-"]).ranks(2)), sources);
    census(["--version"]).run().exits(0).says(&format!("sources: {sources}\n"));
});
