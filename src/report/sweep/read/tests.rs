//! Directories as `scripts/sweep` writes them, and damaged ones.

use std::fs;

use serde_json::json;
use tempfile::TempDir;

use super::open;
use crate::report::sweep::tests::{FAKE_RUN, FakeRun};
use crate::report::sweep::{Scaling, Sweep};

/// A directory with these files.
fn directory(files: &[(&str, &str)]) -> TempDir {
    let directory = TempDir::new().unwrap();
    for (name, text) in files {
        fs::write(directory.path().join(name), text).unwrap();
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
fn a_run_that_was_stopped_has_failed() {
    let mut stopped = FAKE_RUN.json();
    stopped["complete"] = json!(false);
    stopped["result"]["stopped"] = json!("time limit");
    let sweep = read(&[("a.json", &FAKE_RUN.json().to_string()), ("b.json", &stopped.to_string())]).unwrap();
    assert_eq!(sweep.runs.len(), 1);
    assert_eq!(sweep.failures[0].why, "not complete: time limit");
}

#[test]
fn a_resumed_run_is_no_measurement() {
    let mut resumed = FAKE_RUN.json();
    let before = json!({
        "journal": "j", "runs": 1, "units": 5, "subtasks": 0, "subtasks_left": 0, "solutions": "1", "nodes": 1, "seconds": 1.0, "torn_lines": 0
    });
    resumed["resumed_from"] = before;
    resumed["result"]["solutions"] = json!("123457");
    let sweep = read(&[("a.json", &FAKE_RUN.json().to_string()), ("b.json", &resumed.to_string())]).unwrap();
    assert_eq!(sweep.runs.len(), 1);
    assert!(sweep.failures[0].why.starts_with("resumed from a journal (5 units were done)"));
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
    let command = super::with_other_report("mpirun -n 2 census count x --report results/a/b.json --trace");
    assert_eq!(command, "mpirun -n 2 census count x --report repeated.json --trace");
    assert_eq!(super::with_other_report("census count x --report 'a b.json'"), "census count x --report repeated.json");
    assert_eq!(super::with_other_report("census count x"), "census count x");
}

#[test]
fn errors_have_file_line_and_column() {
    let mut lacking = FAKE_RUN.json();
    lacking.as_object_mut().unwrap().remove("phases");
    let lacking = lacking.to_string();
    let mut no_ranks = FAKE_RUN.json();
    no_ranks["environment"]["ranks"] = json!(0);
    let no_ranks = no_ranks.to_string();
    let broken = "{\n  \"schema\": \"census-run/2\",\n  \"program\": oops\n}";
    let at_end = format!("a.json:1:{}: this is not a report: missing field `phases`", lacking.len());
    let with_solutions = |solutions: &str| {
        let mut report = FAKE_RUN.json();
        report["result"]["solutions"] = json!(solutions);
        report.to_string()
    };
    let (negative, long, other) = (with_solutions("-5"), with_solutions(&"1".repeat(400)), with_solutions("123457"));
    let number = |text: &str, digits: &str| {
        let column = text.find(digits).unwrap() + digits.len();
        format!(
            "a.json:1:{column}: this is not a report: not a number of solutions: expected decimal digits, up to 2^128 - 1"
        )
    };
    let contradicts = "a.json: this report contradicts itself: in its ranks, threads, hosts, seconds or solutions";
    let cases: [(&[(&str, &str)], &str); 8] = [
        (&[("a.json", &negative)], &number(&negative, "\"-5\"")),
        (&[("a.json", &long)], &number(&long, &format!("\"{}\"", "1".repeat(400)))),
        (&[("a.json", &other)], contradicts),
        (&[("a.json", broken)], "a.json:3:14: this is not a report: expected value"),
        (&[("a.json", &lacking)], &at_end),
        (&[("a.json", &no_ranks)], contradicts),
        (&[], "DIR: has no report of a run (`census count --report FILE`, or scripts/sweep)"),
        (&[("a.failed", "")], "DIR: has no report of a complete run (`census count --report FILE`, or scripts/sweep)"),
    ];
    for (files, message) in cases {
        assert_eq!(read(files).unwrap_err(), message);
    }
    let directory = directory(&[("file", "")]);
    fs::create_dir(directory.path().join("sweep")).unwrap();
    fs::write(directory.path().join("sweep/runs.tsv"), "").unwrap();
    let parent = open(directory.path()).unwrap_err().to_string();
    assert!(parent.ends_with(": has no report of a run, but these sweeps: sweep"), "{parent}");
    let error = |name: &str| open(&directory.path().join(name)).unwrap_err().to_string();
    assert!(error("nothing").ends_with("/nothing: no such directory"));
    assert!(error("file").ends_with("/file: is not a directory: name the one with the reports"));
}
