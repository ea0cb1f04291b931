//! Output that is blocked, closed, or cannot be written: the result is not lost, and a process that is stopped ends.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::harness::{
    ALONE, EMPTY4, EVERYWHERE, Folder, Job, Run, Signal, census, rank_counts, read_report, shell, test,
};

const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const RANKS: &[usize] = &[0, 3];
/// The minimum that a pipe holds before a write blocks: Linux uses 16 pages, each possibly in part.
const PIPE_BYTES: u64 = 48 << 10;

fn named_pipe(folder: &Folder, name: &str) -> String {
    let path = folder.path(name);
    assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
    assert!(fs::metadata(&path).expect("made").file_type().is_fifo());
    path
}

/// Sends SIGTERM to the first rank once the condition holds.
fn terminated_when(run: Run, mut when: impl FnMut(&Job) -> bool + 'static) -> Run {
    let mut sent = false;
    run.usual_priority().meanwhile(move |job| {
        if !sent && when(job) {
            sent = true;
            job.signal(Signal::TERM, job.ranks().first().cloned().as_slice());
        }
    })
}

fn is_full(pipe: &File) -> bool {
    rustix::io::ioctl_fionread(pipe).expect("a pipe") >= PIPE_BYTES
}

/// A named pipe that is open, so that writers can open it, but is not read.
fn pipe_without_reader(folder: &Folder) -> (String, File) {
    let path = named_pipe(folder, "pipe");
    let pipe = OpenOptions::new().read(true).write(true).open(&path).expect("opened");
    (path, pipe)
}

test!(EVERYWHERE, a_listing_whose_output_is_blocked_ends_after_sigterm, || {
    for ranks in rank_counts(RANKS) {
        let folder = Folder::new();
        let (path, pipe) = pipe_without_reader(&folder);
        let run = shell(&format!("exec \"$CENSUS\" list puzzles/goldennugget15.txt > {path}")).ranks(ranks);
        let run = terminated_when(run, move |_| is_full(&pipe)).run().fails();
        run.complains_once_about("stopped by SIGTERM, while output was blocked: its reader does not read");
    }
});

test!(ALONE, a_listing_whose_output_is_blocked_ends_at_the_time_limit, || {
    let folder = Folder::new();
    let (path, _pipe) = pipe_without_reader(&folder);
    let run = shell(&format!("exec \"$CENSUS\" list puzzles/goldennugget15.txt --time-limit 1s > {path}")).run();
    run.exits(3).complains_only("stopped at the time limit, while output was blocked: its reader does not read");
});

test!(ALONE, a_second_signal_ends_a_process_at_once, || {
    let folder = Folder::new();
    let (path, pipe) = pipe_without_reader(&folder);
    for signal in [Signal::TERM, Signal::INT] {
        let pipe = pipe.try_clone().expect("a pipe");
        let mut first = None;
        let run = shell(&format!("exec \"$CENSUS\" list puzzles/goldennugget15.txt > {path}"));
        let run = run.meanwhile(move |job| {
            let due = match first {
                None => is_full(&pipe),
                // Signals in quick succession count as one.
                Some(first) => SystemTime::now() > first + Duration::from_millis(400),
            };
            if due {
                first = Some(SystemTime::now());
                job.signal(signal, job.ranks().first().cloned().as_slice());
            }
        });
        run.usual_priority().run().exits(128 + signal.as_raw());
    }
});

test!(EVERYWHERE, a_collection_whose_output_is_blocked_writes_its_report_after_sigterm, || {
    for ranks in rank_counts(RANKS) {
        let folder = Folder::new();
        let (path, pipe) = pipe_without_reader(&folder);
        let (file, report) = (folder.file("many.sdm", format!("{EASY}\n").repeat(20_000)), folder.path("run.json"));
        let run = shell(&format!("exec \"$CENSUS\" count {file} --report {report} > {path}")).ranks(ranks);
        let run = terminated_when(run, move |_| is_full(&pipe)).run().fails();
        assert!(run.stderr.contains("stopped by SIGTERM"), "{run}");
        let report = read_report(&report);
        // All puzzles may have been counted before the pipe was full.
        let puzzles = report["result"]["puzzles"].as_u64();
        assert_eq!(report["complete"], puzzles == Some(20_000));
        assert!(puzzles > Some(0), "{report}");
    }
});

test!(EVERYWHERE, a_report_whose_output_is_blocked_does_not_delay_the_answer, || {
    for ranks in rank_counts(RANKS) {
        let folder = Folder::new();
        let pipe = named_pipe(&folder, "report");
        let run = shell(&format!("exec \"$CENSUS\" count {EMPTY4} --report {pipe}")).ranks(ranks);
        let run = terminated_when(run, |job| job.said("solutions: 288")).run().fails().says("solutions: 288\n");
        run.complains_once_about("stopped by SIGTERM, while output was blocked: its reader does not read");
    }
});

test!(EVERYWHERE, a_full_disk_does_not_prevent_the_answer, || {
    for ranks in rank_counts(RANKS) {
        let run = shell(&format!("exec \"$CENSUS\" count {EMPTY4} --report /dev/full")).ranks(ranks).run().exits(3);
        let run = run.says("solutions: 288\n").says("complete: yes\n");
        let run = run.complains_only("/dev/full: No space left on device (os error 28)");
        assert!(!run.stdout.contains("report:"), "{run}");
        let many = shell(&format!("exec \"$CENSUS\" count {EMPTY4} {EMPTY4} --report /dev/full")).ranks(ranks).run();
        many.exits(3).says("puzzles: 2\n").complains_only("/dev/full: No space left on device (os error 28)");
    }
});

test!(ALONE, a_limit_on_the_size_of_files_is_an_error_like_any_other, || {
    let folder = Folder::new();
    let report = folder.path("run.json");
    let run = shell(&format!("ulimit -f 1; exec \"$CENSUS\" count {EMPTY4} --quiet --report {report}")).run().exits(3);
    run.says_only("solutions: 288\n").complains_only(&format!("{report}: File too large (os error 27)"));
    assert!(folder.names().is_empty(), "nothing is left: {:?}", folder.names());
});

test!(ALONE, a_closed_standard_output_is_a_fault_but_does_not_prevent_the_report, || {
    let folder = Folder::new();
    let report = folder.path("run.json");
    for command in ["count", "list", "solve", "show", "check"] {
        let run = shell(&format!("exec \"$CENSUS\" {command} {EMPTY4} >&-")).run().exits(3);
        run.complains_only("standard output: is closed");
    }
    let run = shell(&format!("exec \"$CENSUS\" count {EMPTY4} --report {report} >&-")).run().exits(3);
    run.complains_only("standard output: is closed");
    assert_eq!(read_report(&report)["result"]["solutions"], "288");
    // /dev/null is not closed, however it is opened.
    for target in ["> /dev/null", "1<> /dev/null"] {
        shell(&format!("exec \"$CENSUS\" count {EMPTY4} {target}")).run().exits(0).complains_of_nothing();
    }
});

test!(ALONE, pipes_and_devices_are_not_read_as_journals_or_reports, || {
    let folder = Folder::new();
    let journal = folder.path("journal");
    fs::create_dir(&journal).expect("made");
    named_pipe(&folder, "journal/journal.json");
    let run = census(["count", EMPTY4, "--journal", &journal, "--resume"]).run().exits(3).gives_no_answer();
    run.complains_once_about("/journal/journal.json: is not a regular file");

    census(["count", EMPTY4, "--report", &folder.path("run.json")]).run().exits(0);
    let odd = named_pipe(&folder, "odd.json");
    let line = format!("{odd}: cannot be read: is not a regular file");
    census(["report", &folder.path("")]).run().exits(2).complains_only(&line);
    fs::remove_file(&odd).expect("removed");
    symlink("/dev/zero", &odd).expect("linked");
    census(["report", &folder.path("")]).run().exits(2).complains_only(&line);
});

test!(ALONE, the_lock_of_a_journal_does_not_follow_links, || {
    let folder = Folder::new();
    let (precious, journal) = (folder.file("precious", "keep this\n"), folder.path("journal"));
    fs::create_dir(&journal).expect("made");
    symlink(&precious, Path::new(&journal).join("lock")).expect("linked");
    let run = census(["count", EMPTY4, "--journal", &journal]).run().exits(3).gives_no_answer();
    run.complains_once_about("/journal/lock: is a symbolic link, not a lock file");
    assert_eq!(fs::read_to_string(&precious).expect("there"), "keep this\n");
});

test!(ALONE, control_characters_in_names_are_escaped, || {
    let folder = Folder::new();
    let report = folder.path("a\nsolutions: 5");
    let run =
        shell("exec \"$CENSUS\" count ................ --report \"$REPORT\"").env("REPORT", &report).run().exits(0);
    let answers: Vec<&str> = run.stdout.lines().filter(|line| line.starts_with("solutions:")).collect();
    assert_eq!(answers, ["solutions: 288"]);
    assert!(run.value("report").ends_with("a\\nsolutions: 5"), "{run}");

    let journal = folder.path("journal");
    census(["count", EMPTY4, "--journal", &journal]).run().exits(0);
    let head = Path::new(&journal).join("journal.json");
    let text = fs::read_to_string(&head).expect("a head");
    fs::write(&head, text.replace("\"puzzle\": \"", "\"puzzle\": \"\\u001b[2J\\nsolutions: 7")).expect("changed");
    let run = census(["count", &".".repeat(81), "--journal", &journal, "--resume"]).run().exits(2).gives_no_answer();
    assert!(run.complaints()[0].contains("belongs to another puzzle, \\u{1b}[2J\\nsolutions: 7"), "{run}");
    assert!(!run.stderr.contains('\u{1b}'), "{run}");
});

test!(ALONE, a_report_keeps_the_permissions_of_the_old_one_and_temporary_files_of_killed_runs_are_removed, || {
    let folder = Folder::new();
    let report = folder.file("run.json", "");
    fs::set_permissions(&report, fs::Permissions::from_mode(0o600)).expect("set");
    let left = File::create(folder.path(".census-killed.partial")).expect("made");
    left.set_modified(SystemTime::now() - Duration::from_secs(60)).expect("set");
    drop(left);
    census(["count", EMPTY4, "--report", &report]).run().exits(0);
    assert_eq!(fs::metadata(&report).expect("there").permissions().mode() & 0o777, 0o600);
    assert_eq!(folder.names(), ["run.json"]);
});

test!(EVERYWHERE, a_count_beyond_128_bits_writes_a_report_with_that_reason, || {
    let folder = Folder::new();
    let file = folder.file("beyond.txt", crate::collections::power_of_two(128));
    for ranks in rank_counts(RANKS) {
        let report = folder.path("run.json");
        let run = census(["count", &file, "--report", &report]).ranks(ranks).run().exits(3);
        let run =
            run.says("solutions: more than 2^128 - 1\n").says("complete: no, more solutions than 128 bits can count\n");
        run.complains_only(&format!("{file}: more solutions than 128 bits can count"));
        let report = read_report(&report);
        assert_eq!((&report["complete"], &report["result"]["complete"]), (&false.into(), &false.into()));
        assert!(report["result"]["solutions"].is_null() && report["result"]["stopped"].is_null(), "{report}");
        let limited = census(["count", &file, "--limit", "5", "--quiet"]).ranks(ranks).run().exits(0);
        limited.says_only("solutions: 5\n").complains_of_nothing();
    }
});
