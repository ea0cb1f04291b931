//! Directories as `scripts/sweep` writes them, and damaged ones.

use std::fs;

use census::report::sweep::read::open;
use census::report::sweep::{Scaling, Sweep};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::fake_run::{FAKE_RUN, FakeRun};

/// A directory with these files.
fn directory(files: &[(&str, &str)]) -> TempDir {
    let directory = TempDir::new().expect("a folder");
    for (name, text) in files {
        fs::write(directory.path().join(name), text).expect("a file");
    }
    directory
}

fn read(files: &[(&str, &str)]) -> Result<Sweep, String> {
    let directory = directory(files);
    let folder = format!("{}/", directory.path().display());
    open(directory.path())
        .map_err(|error| error.to_string().replace(&folder, "").replace(folder.trim_end_matches('/'), "DIR"))
}

#[test]
fn a_sweep_is_its_reports_and_the_log_of_the_script() {
    let (one, two) = (FAKE_RUN.json().to_string(), FakeRun { ranks: 2, ..FAKE_RUN }.json().to_string());
    let log = "run\tscaling\tstatus\texit_code\tseconds\tfinished\tcommand\n\
                 a\tstrong\tfailed\t3\t1\t2026-11-17T06:00:00Z\tthe first try\n\
                 a\tweak\tdone\t0\t1\t2026-11-17T06:01:00Z\tenv A=B mpirun -n 1 census count x\n\
                 torn\tstr\n\
                 b\tweak\tdone\t0\t1\t2026-11";
    let failed = "exit code: 3\ncommand: census count\n\nsolutions: 5\ncensus: out of luck\n";
    let files = [
        ("a.json", one.as_str()),
        ("b.json", &two),
        ("b.failed", "it has worked since"),
        ("c.failed", failed),
        ("other.json", "{\"schema\": \"census-plan/2\"}"),
        ("numbers.json", "[1, 2]"),
        ("runs.tsv", log),
        ("sweep.conf", "ranks = 1 2\n"),
        ("a.trace.tsv", ""),
    ];
    let sweep = read(&files).unwrap();
    let names: Vec<&str> = sweep.runs.iter().map(|run| run.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    // The last complete line about a run counts.
    let [a, b] = &sweep.runs[..] else { panic!() };
    assert_eq!(
        (a.command.as_str(), a.scaling, a.trace.is_some()),
        ("env A=B mpirun -n 1 census count x", Scaling::Weak, true)
    );
    assert_eq!((b.scaling, b.trace.is_some()), (Scaling::Strong, false));
    assert_eq!(b.command, "mpirun -n 2 target/release/census count puzzles/one.txt --schedule static");
    let [c] = &sweep.failures[..] else { panic!("{:?}", sweep.failures) };
    assert_eq!((c.name.as_str(), c.why.as_str()), ("c", "exit code: 3; census: out of luck"));
    assert_eq!(sweep.settings.as_deref(), Some("ranks = 1 2\n"));
}

#[test]
fn a_run_that_was_stopped_or_resumed_is_no_measurement() {
    let resumed_from = json!({
        "journal": "j", "runs": 1, "units": 5, "subtasks": 0, "subtasks_left": 0, "solutions": "1", "nodes": 1, "seconds": 1.0,
        "torn_lines": 0
    });
    let mut stopped = FAKE_RUN.json();
    stopped["complete"] = json!(false);
    stopped["result"]["stopped"] = json!("time limit");
    let mut resumed = FAKE_RUN.json();
    resumed["resumed_from"] = resumed_from;
    resumed["result"]["solutions"] = json!("123457");
    let why_resumed = "resumed from a journal (5 units were done): its time is not that of a complete run";
    for (report, why) in [(stopped, "not complete: time limit"), (resumed, why_resumed)] {
        let sweep = read(&[("a.json", &FAKE_RUN.json().to_string()), ("b.json", &report.to_string())]).unwrap();
        assert_eq!((sweep.runs.len(), sweep.failures[0].why.as_str()), (1, why));
    }
}

#[test]
fn a_command_can_be_given_to_a_shell() {
    let mut report = FakeRun { schedule: "sequential", ..FAKE_RUN }.json();
    report["command"] = json!(["census", "count", "my puzzle.txt", "it's", ""]);
    let sweep = read(&[("a.json", &report.to_string())]).unwrap();
    assert_eq!(sweep.runs[0].command, r"census count 'my puzzle.txt' 'it'\''s' ''");
}

#[test]
fn a_run_that_is_repeated_leaves_the_measured_one_alone() {
    let report = FAKE_RUN.json().to_string();
    for (logged, repeated) in [
        (
            "mpirun -n 2 census count x --report a/b.json --trace",
            "mpirun -n 2 census count x --report repeated.json --trace",
        ),
        ("census count x --report 'a b.json'", "census count x --report repeated.json"),
        ("census count x", "census count x"),
    ] {
        let log = format!("headings\na\tstrong\tdone\t0\t1\t2026-11-17T06:00:00Z\t{logged}\n");
        let sweep = read(&[("a.json", &report), ("runs.tsv", &log)]).unwrap();
        assert_eq!(sweep.runs[0].command, repeated);
    }
}

#[test]
fn errors_have_file_line_and_column() {
    let with = |change: fn(&mut Value)| {
        let mut report = FAKE_RUN.json();
        change(&mut report);
        report.to_string()
    };
    let lacking = with(|report| drop(report.as_object_mut().map(|fields| fields.remove("phases"))));
    let no_ranks = with(|report| report["environment"]["ranks"] = json!(0));
    let negative = with(|report| report["result"]["solutions"] = json!("-5"));
    let long = with(|report| report["result"]["solutions"] = json!("1".repeat(400)));
    let other = with(|report| report["result"]["solutions"] = json!("123457"));
    let broken = "{\n  \"schema\": \"census-run/2\",\n  \"program\": oops\n}";
    let at_end = format!("a.json:1:{}: this is not a report: missing field `phases`", lacking.len());
    let number = |text: &str, digits: &str| {
        let column = text.find(digits).unwrap() + digits.len();
        let expected = "this is not a report: not a number of solutions: expected decimal digits, up to 2^128 - 1";
        format!("a.json:1:{column}: {expected}")
    };
    let contradicts = "a.json: this report contradicts itself: in its ranks, threads, hosts, seconds or solutions";
    let hint = "(`census count --report FILE`, or scripts/sweep)";
    let cases: [(&[(&str, &str)], &str); 8] = [
        (&[("a.json", &negative)], &number(&negative, "\"-5\"")),
        (&[("a.json", &long)], &number(&long, &format!("\"{}\"", "1".repeat(400)))),
        (&[("a.json", &other)], contradicts),
        (&[("a.json", broken)], "a.json:3:14: this is not a report: expected value"),
        (&[("a.json", &lacking)], &at_end),
        (&[("a.json", &no_ranks)], contradicts),
        (&[], &format!("DIR: has no report of a run {hint}")),
        (&[("a.failed", "")], &format!("DIR: has no report of a complete run {hint}")),
    ];
    for (files, message) in cases {
        assert_eq!(read(files).unwrap_err(), message);
    }
    let directory = directory(&[("file", "")]);
    fs::create_dir(directory.path().join("sweep")).unwrap();
    fs::write(directory.path().join("sweep/runs.tsv"), "").unwrap();
    let error = |name: &str| open(&directory.path().join(name)).unwrap_err().to_string();
    assert!(error("").ends_with(": has no report of a run, but these sweeps: sweep"), "{}", error(""));
    assert!(error("nothing").ends_with("/nothing: no such directory"));
    assert!(error("file").ends_with("/file: is not a directory: name the one with the reports"));
}
