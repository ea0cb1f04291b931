//! A fault anywhere ends the whole job, soon, with a code other than 0 and a word on why, and leaves no process behind.

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::rc::Rc;

use crate::harness::{
    ALONE, EVERY_LIBRARY, Folder, Marked, Mpi, ONCE, ONE_LIBRARY, Outcome, Process, Run, Signal, census, each_choice,
    libraries, of_current_library, program, program_path, shell, test,
};

const EMPTY4: &str = "................";
const INKALA20: &str = "8..........3.......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";
/// Three ranks in each phase of a count that nobody lives to see the end of: all count; rank 0 expands and the others
/// wait for it; rank 0 counts and the others have nothing to do.
const PHASES: [&[&str]; 3] = [&["--schedule", "steal"], &["--depth", "12"], &["--depth", "0"]];

fn endless(options: &[&str]) -> Run {
    census(["count", &".".repeat(81), "--quiet"]).with(options).ranks(3).within(60)
}

/// Sends a signal to a process of the job, once, as soon as all ranks have met, and sees that the job lived that long.
#[track_caller]
fn happens(run: Run, signal: Signal, choose: impl Fn(&Marked) -> Option<Process> + 'static) -> Outcome {
    let sent = Rc::new(Cell::new(false));
    let fault = {
        let sent = sent.clone();
        move |job: &Marked| {
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

/// No answer, but a word on why: from census, or from the launcher (MPICH's speaks on standard output).
#[track_caller]
fn ended_with_a_reason(outcome: Outcome) {
    let outcome = outcome.fails().gives_no_answer();
    let said = (outcome.stdout.clone() + &outcome.stderr).to_lowercase();
    assert!(["signal", "termination", "census:"].iter().any(|word| said.contains(word)), "{outcome}");
}

test!(EVERY_LIBRARY, a_rank_that_is_killed_ends_the_job_in_every_phase, || {
    let victims = [0, 2];
    for [_, phase, victim] in of_current_library(each_choice([libraries(), PHASES.len(), victims.len()])) {
        let victim = victims[victim];
        ended_with_a_reason(happens(endless(PHASES[phase]), Signal::KILL, move |job| job.rank(victim)));
    }
});

test!(ONE_LIBRARY, a_rank_that_crashes_ends_the_job, || {
    for signal in [Signal::SEGV, Signal::ABORT] {
        // Again and again, as a crash does: the first SEGV that is none is forgiven (by Rust's guard of the stack).
        let crash = move |job: &Marked| {
            if job.counting(3).is_some() {
                job.signal(signal, job.rank(1).as_slice());
            }
        };
        ended_with_a_reason(endless(&[]).meanwhile(crash).run());
    }
});

test!(ONE_LIBRARY, a_rank_that_is_refused_memory_ends_the_job_with_a_word_on_that, || {
    // While rank 0 expands, rank 1 waits. What it is sent then is more than it may have.
    let limited = Rc::new(Cell::new(false));
    let limit = {
        let limited = limited.clone();
        move |job: &Marked| {
            if !limited.get() && job.counting(3).is_some() {
                limited.set(job.rank(1).is_some_and(|rank| rank.limit_memory(20 << 20)));
            }
        }
    };
    // To expand that pool takes seconds of a processor.
    let run = endless(&["--depth", "9"]).meanwhile(limit).beside_others().within(240);
    let outcome = run.run().fails();
    assert!(limited.get(), "it ended by itself: {outcome}");
    outcome.gives_no_answer().notes("memory allocation of ");
});

test!(EVERY_LIBRARY, ranks_do_not_outlive_a_launcher_that_is_killed, || {
    for [_, phase] in of_current_library(each_choice([libraries(), PHASES.len()])) {
        happens(endless(PHASES[phase]), Signal::KILL, Marked::launcher).exits(128 + 9).gives_no_answer();
    }
});

test!(ONE_LIBRARY, ranks_do_not_outlive_a_launcher_that_is_killed_behind_a_shell, || {
    let script = format!("\"$CENSUS\" count {} --quiet; exit $?", ".".repeat(81));
    happens(shell(&script).ranks(3).within(60), Signal::KILL, Marked::launcher).exits(128 + 9);
});

// MPI's own ways of noticing that have no part in this: there is no such launcher, but for its name and the variable.
test!(ONCE, a_process_does_not_outlive_its_launcher_where_mpi_does_not_notice, || {
    let folder = Folder::new();
    let launcher = folder.path("mpirun");
    fs::copy("/bin/sh", &launcher).expect("a shell of another name");
    let script = format!("\"$CENSUS\" count {} --quiet; exit $?", ".".repeat(81));
    let kill = |job: &Marked| {
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
        let parent = move |job: &Marked| job.alive().into_iter().find(|process| process.command.contains(name));
        happens(endless(PHASES[phase]), Signal::KILL, parent).fails();
    }
});

test!(EVERY_LIBRARY, a_rank_that_does_not_answer_is_lost_when_the_user_says_so, || {
    let victims = [0, 2];
    for [_, phase, victim] in of_current_library(each_choice([libraries(), PHASES.len(), victims.len()])) {
        let (run, victim) = (endless(PHASES[phase]).with(["--heartbeat-timeout", "2s"]), victims[victim]);
        let outcome = happens(run, Signal::STOP, move |job| job.rank(victim)).exits(3);
        // When the launcher wakes it to end it, the lost one may miss those that have gone meanwhile, and say so, too.
        let first = outcome.complaints().first().copied().unwrap_or_default().to_owned();
        assert!(first.starts_with(&format!("census: no heartbeat from rank {victim} on ")), "{outcome}");
        outcome.notes(" for 2 s (--heartbeat-timeout)");
    }
});

test!(ONE_LIBRARY, a_rank_that_does_not_answer_a_listing_is_lost_too, || {
    let list =
        census(["list", &".".repeat(81), "--heartbeat-timeout", "2s", "--output", "/dev/null"]).ranks(3).within(60);
    happens(list, Signal::STOP, |job| job.rank(1)).exits(3).complains_once_about("rank 1 on ");
});

test!(ONE_LIBRARY, a_rank_0_that_waits_for_its_input_is_not_lost, || {
    let script = format!("[ \"${}\" = 0 ] || exec </dev/null; ", Mpi::current().rank_variable());
    let script = script + "exec \"$CENSUS\" count - --quiet --heartbeat-timeout 2s";
    // Each rank has its own writer at its door; only that of rank 0 is listened to.
    let slow = format!("(sleep 4; echo {EMPTY4}; sleep 4; echo {EMPTY4}) | ( {script} )");
    shell(&slow).ranks(3).run().exits(0).complains_of_nothing().says("288");
});

test!(ONE_LIBRARY, a_rank_0_that_waits_for_its_reader_is_not_lost, || {
    let (rank, empty9) = (Mpi::current().rank_variable(), ".".repeat(81));
    let list = format!("\"$CENSUS\" list {empty9} --limit 50000 --quiet --heartbeat-timeout 2s");
    let slow = format!("if [ \"${rank}\" = 0 ]; then {list} | (sleep 5; wc -l); else {list}; fi");
    shell(&slow).ranks(3).run().exits(0).complains_of_nothing().says("50000\n");
});

test!(ONE_LIBRARY, nobody_is_lost_who_is_only_slow, || {
    let options = ["--quiet", "--threads", "2", "--heartbeat-timeout", "3s", "--time-limit", "5s"];
    let busy = census(["count", &".".repeat(81)]).with(options).ranks(4).behind_others();
    busy.run().exits(3).complains_once_about("stopped at the time limit");
});

test!(ALONE, a_patience_of_less_than_a_second_is_bad_usage, || {
    census(["count", EMPTY4, "--heartbeat-timeout", "0.2"])
        .run()
        .exits(2)
        .notes("the timeout is at least 1s, or `off`");
    census(["count", EMPTY4, "--heartbeat-timeout", "off"]).run().exits(0);
});

/// Two more ranks in the same job, with a program and arguments of their own.
fn beside(first: &[&str], program: &str, arguments: &[&str]) -> Outcome {
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
        let outcome = beside(&[command, EMPTY4], &other, &[command, EMPTY4]).exits(3).gives_no_answer();
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
        let outcome = beside(first, program_path(), second).exits(2).gives_no_answer();
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
