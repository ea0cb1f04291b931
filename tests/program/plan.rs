//! `census plan`: table, advice, JSON and errors.

use census::cluster::{Phases, Schedule, UnitRecord};
use census::report::run::{Config, Program, PuzzleFacts};
use census::report::trace::{MessageCost, TraceHead, write_to};
use serde_json::json;

use crate::harness::{Folder, ONCE, census, golden, read_report, test};

/// A synthetic run of one worker.
#[derive(Clone)]
struct Example {
    sha256: u64,
    method: &'static str,
    depth: usize,
    complete: bool,
    messages: Option<MessageCost>,
    milliseconds: Vec<u64>,
}

/// 64 units of 10 ms, the first eight of which take ten times as long: 1.36 s.
fn example() -> Example {
    let milliseconds = (0..64).map(|unit| if unit < 8 { 100 } else { 10 }).collect();
    Example { sha256: 0x5eed, method: "search", depth: 14, complete: true, messages: None, milliseconds }
}

impl Example {
    fn text(&self) -> String {
        let head = TraceHead {
            program: Program::this(),
            puzzle: PuzzleFacts {
                file: "p.txt".into(),
                sha256: format!("{:064x}", self.sha256),
                name: Some("An example".into()),
                order: 9,
                regions: "boxes 3x3".into(),
                givens: 17,
                expected: None,
                text: None,
            },
            config: Config {
                method: self.method.into(),
                schedule: "static".into(),
                depth: "auto".into(),
                depth_reached: Some(self.depth),
                method_reason: None,
                schedule_reason: None,
                chunk: None,
                cells: Some("fewest".into()),
                values: Some("min".into()),
                cache: Some(0),
                limit: None,
            },
            ranks: 1,
            threads: 1,
            units: self.milliseconds.len(),
            complete: self.complete,
            phases: Phases { expand: 0.03, distribute: 0.006, count: 1.36, reduce: 0.004, total: 1.4 },
            messages: self.messages,
        };
        let mut start = 0;
        let record = |(unit, milliseconds): (usize, &u64)| {
            let nanoseconds = milliseconds * 1_000_000;
            start += nanoseconds;
            let start = start - nanoseconds;
            UnitRecord { unit, rank: 0, worker: 0, start, nanoseconds, nodes: 9, solutions: 5, left: 0 }
        };
        let records: Vec<UnitRecord> = self.milliseconds.iter().enumerate().map(record).collect();
        let mut text = Vec::new();
        write_to(&mut text, &head, &records).expect("memory can be written to");
        String::from_utf8(text).expect("a trace is text")
    }

    fn in_folder(&self, folder: &Folder, name: &str) -> String {
        folder.file(name, self.text())
    }
}

/// This content is refused with this error (`%` stands for the file).
fn refused(content: impl AsRef<[u8]>, line: &str) {
    let folder = Folder::new();
    let path = folder.file("t.tsv", content);
    census(["plan", &path]).run().exits(2).says_nothing().complains_only(&line.replace('%', &path));
}

test!(ONCE, a_plan_is_a_table_and_one_sentence_for_each_number_of_ranks, || {
    let folder = Folder::new();
    let path = example().in_folder(&folder, "run.trace.tsv");
    let run = census(["plan", &path, "--ranks", "8,1", "--latency", "1us", "--request", "0s"]).run().exits(0);
    let outcome = run.complains_of_nothing();
    let expected = "\
planning An example, method search
%: 64 units at depth 14, 1.36 s of counting, 0.100 s the longest; set-up 40.0 ms
a message takes 1 µs (given), a request takes 0 s of rank 0 (given)
each rank has 1 worker

  ranks  schedule  chunk    count    total  speed-up  efficiency  with set-up
      1    static      -   1.36 s   1.40 s       1.0       1.000        0.993  best
           cyclic      1   1.36 s   1.40 s       1.0       1.000        0.993
          dynamic      1   1.36 s   1.40 s       1.0       1.000        0.993
          dynamic      4   1.36 s   1.40 s       1.0       1.000        0.993
          dynamic     16   1.36 s   1.40 s       1.0       1.000        0.993
          dynamic     64   1.36 s   1.40 s       1.0       1.000        0.993
           guided      1   1.36 s   1.40 s       1.0       1.000        0.993
            steal      1   1.36 s   1.40 s       1.0       1.000        0.993

      8    static      -  0.800 s  0.840 s       1.7       0.213        0.207
           cyclic      1  0.170 s  0.210 s       8.0       1.000        0.827  best
          dynamic      1  0.170 s  0.210 s       8.0       1.000        0.827
          dynamic      4  0.400 s  0.440 s       3.4       0.425        0.395
           guided      1  0.400 s  0.440 s       3.4       0.425        0.395
            steal      1  0.170 s  0.210 s       8.0       1.000        0.827

at 1 rank: static, depth 14: 1.00
at 8 ranks: cyclic, depth 14: 1.00; static would reach 0.21
";
    outcome.says_only(&expected.replace('%', &path));
});

test!(ONCE, the_default_ranks_are_those_of_clusters, || {
    let folder = Folder::new();
    let path = example().in_folder(&folder, "run.trace.tsv");
    let outcome = census(["plan", &path]).run().exits(0).says("1.0 ms (assumed)").says("10 µs of rank 0 (assumed)");
    for ranks in ["1 rank:", "16 ranks:", "64 ranks:", "256 ranks:", "1024 ranks:", "4096 ranks:"] {
        assert_eq!(outcome.stdout.matches(&format!("\nat {ranks}")).count(), 1, "{outcome}");
    }
    outcome.says("only 64 units for 1024 workers: record it with a larger --depth; 1.3 ms of work for each worker, but a message takes 1.0 ms: use fewer ranks");
});

test!(ONCE, what_messages_cost_is_measured_in_the_run_or_given, || {
    let folder = Folder::new();
    let messages = Some(MessageCost { latency: 0.00004, request: 0.000003 });
    let path = Example { messages, ..example() }.in_folder(&folder, "run.trace.tsv");
    let plan = || census(["plan", &path, "--ranks", "2"]);
    plan().run().says("a message takes 40 µs (measured in this run), a request takes 3 µs of rank 0 (measured");
    plan()
        .with(["--latency", "2ms"])
        .run()
        .says("a message takes 2.0 ms (given), a request takes 3 µs of rank 0 (measured");
});

test!(ONCE, of_several_depths_the_best_is_chosen, || {
    let folder = Folder::new();
    let coarse = Example { depth: 7, milliseconds: vec![680, 340, 340], ..example() }.in_folder(&folder, "7.tsv");
    let fine = example().in_folder(&folder, "14.tsv");
    let outcome = census(["plan", &coarse, &fine, "--ranks", "16"]).run().exits(0).says("  depth  ");
    let outcome = outcome.says("at 16 ranks: ").says(", depth 14: 0.");
    let line = |depth: &str| outcome.stdout.lines().filter(|line| line.contains(depth)).count();
    assert!(line("  7  ") >= 5 && line("  14  ") >= 5, "{outcome}");
});

test!(ONCE, the_plan_as_json_has_every_forecast, || {
    let folder = Folder::new();
    let path = example().in_folder(&folder, "run.trace.tsv");
    let arguments = ["plan", &path, "--ranks", "1,8", "--latency", "0s", "--request", "0s", "--json"];
    let outcome = census(arguments).with(["-"]).run().exits(0).notes("at 8 ranks: cyclic");
    let plan = outcome.json();
    assert_eq!(plan["schema"], "census-plan/2");
    assert_eq!(plan["puzzle"]["name"], "An example");
    assert_eq!(plan["latency"], json!({ "seconds": 0.0, "origin": "given" }));
    assert_eq!(plan["traces"][0]["units"], 64);
    let forecasts = plan["forecasts"].as_array().expect("a list");
    let of = |ranks: usize, schedule: &str| {
        let is = |forecast: &&serde_json::Value| forecast["ranks"] == ranks && forecast["schedule"] == schedule;
        forecasts.iter().find(is).unwrap_or_else(|| panic!("{schedule} on {ranks} in {outcome}"))
    };
    for schedule in Schedule::all().map(Schedule::name) {
        let number = |name: &str| of(1, schedule)[name].as_f64().expect("a number");
        assert!((number("count") - 1.36).abs() < 1e-9 && (number("total") - 1.4).abs() < 1e-9, "{schedule}: {outcome}");
        assert!((number("efficiency") - 1.0).abs() < 1e-9, "{schedule}: {outcome}");
    }
    assert_eq!(of(8, "static")["chunk"], json!(null));
    assert_eq!(of(8, "cyclic")["chunk"], 1);
    assert_eq!(plan["advice"][1]["schedule"], "cyclic");
    let file = folder.path("plan.json");
    census(arguments).with([&file]).run().exits(0).says("\nat 8 ranks: cyclic");
    assert_eq!(read_report(&file)["forecasts"], plan["forecasts"]);
});

test!(ONCE, workers_may_be_threads, || {
    let folder = Folder::new();
    let path = example().in_folder(&folder, "run.trace.tsv");
    let outcome = census(["plan", &path, "--ranks", "2", "--threads", "4"]).run().exits(0);
    outcome.says("each rank has 4 workers\n").says("at 2 ranks: ");
});

test!(ONCE, a_trace_may_come_through_standard_input, || {
    census(["plan", "-", "--ranks", "4"]).input(&example().text()).run().exits(0).says("\nstandard input: 64 units");
});

test!(ONCE, what_is_no_trace_is_refused_with_line_and_column, || {
    let folder = Folder::new();
    let none = folder.path("none.tsv");
    census(["plan", &none]).run().exits(2).says_nothing().complains_only(&format!("{none}: no such file"));
    let here = folder.path("");
    census(["plan", &here]).run().exits(2).says_nothing().complains_only(&format!("{here}: is a directory"));
    refused("", "%:1:1: this is not a trace: it does not begin with `# census-trace/2`");
    refused("8....\n", "%:1:1: this is not a trace: it does not begin with `# census-trace/2`");
    refused(b"\xff\xfe\n", "%:1:1: this is not a text file: byte 0xFF is not UTF-8");
});

test!(ONCE, a_trace_that_is_torn_or_lacks_units_is_refused, || {
    let text = example().text();
    refused(&text[..text.len() - 3], "%:66:29: the file ends within this line");
    let (start, _) = text.trim_end().rsplit_once('\n').expect("lines");
    refused(format!("{start}\n"), "%: 1 of the 64 units have no record, but a plan needs the cost of every unit");
    let stopped = Example { complete: false, ..example() };
    refused(stopped.text(), "%: its run was stopped before all units were counted");
    let above = Example { milliseconds: vec![], ..example() };
    refused(above.text(), "%: has no units: the search tree ends above the depth");
});

test!(ONCE, traces_of_different_puzzles_or_methods_are_refused, || {
    let folder = Folder::new();
    let first = example().in_folder(&folder, "first.tsv");
    for (second, what) in
        [(Example { sha256: 0xbeef, ..example() }, "puzzle"), (Example { method: "bands", ..example() }, "method")]
    {
        let second = second.in_folder(&folder, "second.tsv");
        let line = format!("{second}: its {what} differs from {first}");
        census(["plan", &first, &second]).run().exits(2).says_nothing().complains_only(&line);
    }
});

test!(ONCE, options_out_of_range_are_refused, || {
    let folder = Folder::new();
    let path = example().in_folder(&folder, "run.trace.tsv");
    for (option, value) in [("--ranks", "0"), ("--ranks", "2,many"), ("--threads", "0"), ("--latency", "soon")] {
        let outcome = census(["plan", &path, option, value]).run().exits(2).says_nothing();
        outcome.notes("census: invalid value").notes(option);
    }
    let outcome = census(["plan", &path, "--ranks", "1000000", "--threads", "4096"]).run().exits(2).says_nothing();
    outcome.complains_only("1000000 ranks of 4096 threads are more than the 4000000 workers that can be simulated");
    let nowhere = folder.path("none/plan.json");
    census(["plan", &path, "--json", &nowhere]).run().exits(3).says_nothing().complains_once_about("none/plan.json: ");
});

test!(ONCE, the_help_text_names_every_option, || {
    let outcome = census(["help", "plan"]).run().exits(0).says("Usage: census plan");
    for option in ["--ranks", "--threads", "--latency", "--request", "--json"] {
        assert!(outcome.stdout.contains(option), "{option} is missing in {outcome}");
    }
});

// `scripts/validate-plan --keep` wrote `tests/golden/plan`: the trace of one worker, and the median seconds of the count phase of each
// schedule on real ranks of the same machine.
test!(ONCE, the_plan_of_a_recorded_run_agrees_with_measured_runs, || {
    let [measured, trace] = ["measured", "one-worker.trace"].map(|name| {
        let path = golden("plan").into_iter().find(|path| path.ends_with(&format!("{name}.tsv")));
        path.unwrap_or_else(|| panic!("{name}.tsv in tests/golden/plan"))
    });
    let measured = std::fs::read_to_string(measured).expect("measurements");
    let head: Vec<&str> = measured.lines().next().expect("a head").split(' ').collect();
    let ["#", "latency", latency, "request", request] = head[..] else { panic!("a head, not {head:?}") };
    let mut compared = 0;
    for line in measured.lines().skip(2) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [ranks, schedule, chunk, seconds, _] = fields[..] else { panic!("five fields, not {line}") };
        let plan =
            census(["plan", &trace, "--ranks", ranks, "--latency", latency, "--request", request, "--json", "-"]);
        let plan = plan.run().exits(0).json();
        let is_same = |forecast: &&serde_json::Value| {
            forecast["schedule"] == schedule && (chunk == "-" || forecast["chunk"].as_u64() == chunk.parse().ok())
        };
        let forecast = plan["forecasts"].as_array().expect("a list").iter().find(is_same).expect("a forecast");
        let (predicted, seconds): (f64, f64) =
            (forecast["count"].as_f64().expect("seconds"), seconds.parse().expect("seconds"));
        let ratio = predicted / seconds;
        assert!((0.94..1.06).contains(&ratio), "{schedule}: predicted {predicted} s, measured {seconds} s");
        compared += 1;
    }
    assert_eq!(compared, 5, "every schedule");
});
