//! `scripts/sweep`: real sweeps of tiny puzzles under a real `mpirun`.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::harness::{
    Folder, Job, Mpi, ONE_LIBRARY, Outcome, Run, Scope, Signal, program, program_path, read_report, shell, test,
};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/sweep");
const COLUMNS: &str = "run\tscaling\tstatus\texit_code\tseconds\tfinished\tcommand";
/// One repeat of a puzzle with 576 solutions
const SMALL: [&str; 5] = ["--puzzles", "puzzles/latin-4.txt", "--repeats", "1", "--no-report"];

/// The results of sweeps, in a temporary folder
struct Results(Folder);

/// A line of `runs.tsv`
#[derive(Clone)]
struct RunLine {
    run: String,
    scaling: String,
    status: String,
    exit_code: String,
    command: String,
}

impl Results {
    fn new() -> Results {
        Results(Folder::new())
    }

    /// `scripts/sweep` with these arguments.
    fn sweep<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Run {
        program(SCRIPT, arguments).env("RESULTS", self.0.path("results")).env("MPI", Mpi::current().name())
    }

    fn path(&self, sweep: &str, name: &str) -> String {
        self.0.path(&format!("results/{sweep}/{name}"))
    }

    fn text(&self, sweep: &str, name: &str) -> String {
        let path = self.path(sweep, name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn report(&self, sweep: &str, run: &str) -> Value {
        read_report(&self.path(sweep, &format!("{run}.json")))
    }

    /// The names of a sweep's files with this suffix, which they are without.
    fn names(&self, sweep: &str, end: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(sweep, "")).expect("a sweep");
        let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.filter_map(|name| name.strip_suffix(end).map(str::to_owned)).collect();
        names.sort();
        names
    }

    /// `runs.tsv`
    fn lines(&self, sweep: &str) -> Vec<RunLine> {
        let text = self.text(sweep, "runs.tsv");
        let (head, lines) = text.split_once('\n').expect("a heading");
        assert_eq!(head, COLUMNS);
        let line = |line: &str| {
            let words: Vec<&str> = line.split('\t').collect();
            let [run, scaling, status, exit_code, seconds, finished, command] = words[..] else { panic!("{line}") };
            assert!(seconds.parse::<f64>().is_ok_and(|seconds| seconds > 0.0), "{line}");
            assert!(is_utc(finished), "{line}");
            let [run, scaling, status, exit_code, command] =
                [run, scaling, status, exit_code, command].map(str::to_owned);
            RunLine { run, scaling, status, exit_code, command }
        };
        lines.lines().map(line).collect()
    }

    /// `sweep.conf`
    fn settings(&self, sweep: &str) -> BTreeMap<String, String> {
        let conf = self.text(sweep, "sweep.conf");
        let settings = conf.lines().filter(|line| !line.starts_with('#'));
        settings.map(|line| line.split_once(" = ").expect("key = value")).map(|(k, v)| (k.into(), v.into())).collect()
    }

    /// The runs of a sweep in order, from a dry run.
    fn order<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let outcome = self.sweep(arguments).with(["--dry-run"]).run().exits(0);
        outcome.stdout.lines().map(str::to_owned).collect()
    }
}

/// Whether this has the format of a time in UTC, to the second.
fn is_utc(time: &str) -> bool {
    let shape: String = time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    shape == "0000-00-00T00:00:00Z"
}

/// The only output is this line in standard error.
#[track_caller]
fn complains(outcome: Outcome, line: &str) {
    let outcome = outcome.exits(2).says_nothing();
    assert_eq!(outcome.stderr.trim_end(), format!("sweep: {line}"), "{outcome}");
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

test!(ONE_LIBRARY, a_sweep_writes_a_report_of_each_run_and_a_line_with_its_command, || {
    let results = Results::new();
    let options = ["--name", "all", "--ranks", "sequential 1 3", "--schedules", "static steal", "--traces", "first"];
    let puzzles = if Scope::is_all() { &["latin-4", "latin-5"][..] } else { &["latin-4"] };
    let files: Vec<String> = puzzles.iter().map(|puzzle| format!("puzzles/{puzzle}.txt")).collect();
    let run = results.sweep(options).with(["--puzzles", &files.join(" "), "--repeats", "2"]);
    let outcome = run.with(["--warm-up", "1", "--no-report", "--", "--cache", "off"]).run().exits(0);
    let mut expected = Vec::new();
    for puzzle in puzzles {
        for rest in ["seq_static", "r01_static", "r01_steal", "r03_static", "r03_steal"] {
            expected.extend([1, 2].map(|repeat| format!("{puzzle}_search_{rest}_dauto_t1_00{repeat}")));
        }
    }
    let expected = sorted(expected);
    assert_eq!(results.names("all", ".json"), expected);
    let first = expected.iter().filter(|name| name.ends_with("_001")).cloned().collect::<Vec<_>>();
    assert_eq!(results.names("all", ".trace.tsv"), first);
    let lines = results.lines("all");
    assert_eq!(sorted(lines.iter().map(|line| line.run.clone()).collect()), expected);
    for RunLine { run, scaling, status, exit_code, command } in &lines {
        assert_eq!((&scaling[..], &status[..], &exit_code[..]), ("strong", "done", "0"), "{run}");
        assert!(command.ends_with("--cache off"), "{command}");
        assert!(outcome.stdout.contains(run), "{run} in {outcome}");
    }
    assert_eq!(outcome.stdout.matches("warm-up ").count(), 5 * puzzles.len(), "{outcome}");
    let outcome = outcome.says("576 solutions  ").says(" left, about ");
    assert!(outcome.stderr.is_empty(), "{outcome}");
});

test!(ONE_LIBRARY, reports_match_their_names_and_contain_no_path_of_the_machine, || {
    let results = Results::new();
    let options = ["--ranks", "sequential 2", "--threads", "1 2", "--schedules", "guided", "--depths", "2"];
    results.sweep(options).with(SMALL).run().exits(0);
    let expected =
        ["r02_guided_d2_t1", "r02_guided_d2_t2", "seq_static_d2_t1"].map(|rest| format!("latin-4_search_{rest}_001"));
    assert_eq!(results.names("sweep", ".json"), expected);
    for (run, ranks, threads, schedule) in
        [(&expected[0], 2, 1, "guided"), (&expected[1], 2, 2, "guided"), (&expected[2], 1, 1, "static")]
    {
        let report = results.report("sweep", run);
        let environment = &report["environment"];
        assert_eq!((&environment["ranks"], &environment["threads"]), (&ranks.into(), &threads.into()), "{run}");
        assert_eq!((&report["config"]["schedule"], &report["config"]["depth"]), (&schedule.into(), &"2".into()));
        assert_eq!(environment["launcher"].is_null(), schedule == "static", "{run}: {environment}");
        assert_eq!(report["puzzle"]["file"], "puzzles/latin-4.txt");
        let program = program_path();
        let program = program.strip_prefix(ROOT).map_or(program, |path| path.trim_start_matches('/'));
        assert_eq!(report["command"][0], program);
    }
    assert!(!results.text("sweep", "runs.tsv").contains(ROOT));
    assert!(!results.text("sweep", "sweep.conf").contains(ROOT));
});

test!(ONE_LIBRARY, a_second_start_makes_only_missing_runs, || {
    let results = Results::new();
    results.sweep(["--ranks", "1 2"]).with(SMALL).run().exits(0).says("2 runs in ");
    results.sweep(["--ranks", "1 2"]).with(SMALL).run().exits(0).says("2 runs in ").says("all of them done");
    assert_eq!(results.lines("sweep").len(), 2);
    let conf = results.path("sweep", "sweep.conf");
    program(SCRIPT, [&conf, "--no-report"]).env("MPI", Mpi::current().name()).run().exits(0).says("all of them done");
    // The settings are the union of all starts.
    results.sweep(["--ranks", "3", "--depths", "1"]).with(SMALL).run().exits(0).says("1 run in ");
    let settings = results.settings("sweep");
    assert_eq!((&settings["ranks"][..], &settings["depths"][..]), ("1 2 3", "auto 1"));
    let outcome = results.sweep([&conf, "--no-report"]).run().exits(0).says("6 runs in ").says(", 3 of them done");
    assert_eq!(results.lines("sweep").len(), 6, "{outcome}");
});

test!(ONE_LIBRARY, settings_whose_runs_cannot_be_compared_with_existing_ones_are_refused, || {
    let results = Results::new();
    results.sweep(["--name", "one", "--ranks", "sequential"]).with(SMALL).run().exits(0);
    let folder = results.path("one", "");
    let folder = folder.trim_end_matches('/');
    let refuses = |options: &[&str], message: &str| {
        let run = results.sweep(["--name", "one", "--ranks", "sequential"]).with(SMALL).with(options);
        complains(run.run(), &format!("{folder} was made with {message}: choose another --name"));
    };
    refuses(&["--", "--cache", "off"], "options = (nothing), not --cache off");
    refuses(&["--warm-up", "2"], "warm-up = 0, not 2");
    let conf = results.path("one", "sweep.conf");
    fs::write(&conf, results.text("one", "sweep.conf").replace("hosts = ", "hosts = other-")).expect("a file");
    let host = results.settings("one")["hosts"].clone();
    refuses(&[], &format!("hosts = {host}, not {}", host.trim_start_matches("other-")));
    assert_eq!(results.lines("one").len(), 1);
});

test!(ONE_LIBRARY, the_command_line_has_precedence_over_the_sweep_file, || {
    let results = Results::new();
    let text =
        "# a comment\nname = filed\n\n  puzzles = puzzles/latin-4.txt   # another\nranks=sequential 2\nrepeats = 2\n";
    let file = results.0.file("a.sweep", text);
    let run = |rest: &str| format!("latin-4_search_{rest}");
    assert_eq!(
        sorted(results.order([&file[..]])),
        ["r02_static_dauto_t1_001", "r02_static_dauto_t1_002", "seq_static_dauto_t1_001", "seq_static_dauto_t1_002"]
            .map(run)
    );
    let order = results.order(["--repeats", "1", &file, "--schedules", "steal", "--methods", "search auto"]);
    assert_eq!(
        sorted(order),
        ["auto_r02_steal", "auto_seq_static", "search_r02_steal", "search_seq_static"]
            .map(|run| format!("latin-4_{run}_dauto_t1_001"))
    );
    results.sweep([&file, "--ranks", "sequential", "--no-report"]).run().exits(0);
    assert_eq!(results.lines("filed").len(), 2);
    assert_eq!(results.settings("filed")["ranks"], "sequential");
});

test!(ONE_LIBRARY, the_shipped_sweep_files_are_valid, || {
    for (file, runs) in [("coursework", Some(5 * (1 + 5 * 5) * 3)), ("strong", None), ("weak", None)] {
        let order = Results::new().order([&format!("scripts/sweeps/{file}.sweep")[..]]);
        assert!(order.iter().any(|run| run.contains("_seq_static_")), "{file}: {order:?}");
        assert!(runs.is_none_or(|runs| runs == order.len()), "{file}: {} runs", order.len());
    }
});

test!(ONE_LIBRARY, an_error_in_a_sweep_file_names_its_line, || {
    let results = Results::new();
    let settings = "name puzzles weak ranks threads schedules depths methods repeats warm-up traces seed options mpi hostfile hosts";
    for (text, message) in [
        ("ranks = 1\n\nrank = 2\n", format!("3: unknown setting 'rank' (settings: {settings})")),
        ("# ranks\nranks 1 2\n", "2: not a line `key = value`: ranks 1 2 (a puzzle is given with --puzzles)".into()),
        ("= 2\n", "1: no key before =".into()),
        ("ranks = 1\nranks = 2", "2: ranks is set twice".into()),
        ("ranks = 1 two", "1: ranks: 'two' is not a number from 1 up, or sequential".into()),
        ("ranks = 0", "1: ranks: '0' is not a number from 1 up, or sequential".into()),
        ("\nthreads = sequential", "2: threads: 'sequential' is not a number from 1 up".into()),
        ("depths = -1", "1: depths: '-1' is not a number of guesses, or auto".into()),
        (
            "schedules = static stale",
            "1: schedules: 'stale' is none of: static cyclic dynamic guided steal auto".into(),
        ),
        ("repeats =", "1: repeats needs a value".into()),
        ("repeats = 1 2", "1: repeats: '1 2' is more than one value".into()),
        ("name = ../here", "1: name: '../here' is not a folder name of letters, digits and . _ + -".into()),
        ("puzzles = puzzles/no-such.txt", "1: puzzles: no such file: puzzles/no-such.txt".into()),
        ("weak = puzzles", "1: weak: no such file: puzzles/ladder.tsv".into()),
        ("options = --cache off --report x", "1: options: --report is set by the sweep".into()),
    ] {
        let file = results.0.file("wrong.sweep", text);
        complains(results.sweep([&file[..]]).run(), &format!("{file}:{message}"));
        // An error is reported even if the command line overrides the setting.
        complains(results.sweep([&file, "--ranks", "1", "--repeats", "1"]).run(), &format!("{file}:{message}"));
    }
    complains(results.sweep(["--ranks", "1 two"]).run(), "--ranks: 'two' is not a number from 1 up, or sequential");
    complains(results.sweep(["no-such.sweep"]).run(), "no such sweep file: no-such.sweep");
    complains(results.sweep(["--rank", "1"]).run(), "unknown option --rank (scripts/sweep --help)");
});

test!(ONE_LIBRARY, a_run_that_fails_is_recorded_and_the_sweep_continues, || {
    let results = Results::new();
    let wrong = results.0.file("wrong.txt", "# expected: 7\n12............3.\n");
    let puzzles = format!("{wrong} puzzles/latin-4.txt");
    let options = ["--puzzles", &puzzles, "--ranks", "sequential 2", "--repeats", "2", "--no-report"];
    results.sweep(options).run().exits(1).says("failed with exit code ").notes("sweep: failed runs: 4 (");
    let failed = |rest: &str| format!("wrong_search_{rest}");
    let runs =
        ["r02_static_dauto_t1_001", "r02_static_dauto_t1_002", "seq_static_dauto_t1_001", "seq_static_dauto_t1_002"];
    assert_eq!(results.names("sweep", ".failed"), runs.map(failed));
    assert_eq!(results.names("sweep", ".json"), runs.map(|rest| format!("latin-4_search_{rest}")));
    for line in results.lines("sweep") {
        let fails = line.run.starts_with("wrong");
        assert_eq!(line.status, if fails { "failed" } else { "done" });
        assert_eq!(line.exit_code, if fails { "1" } else { "0" }, "{}", line.run);
    }
    let text = results.text("sweep", "wrong_search_seq_static_dauto_t1_001.failed");
    assert!(text.starts_with("exit code: 1\ncommand: "), "{text}");
    assert!(text.contains("counted 6, but 7 expected"), "{text}");
    // The next start repeats it.
    results.0.file("wrong.txt", "# expected: 6\n12............3.\n");
    results.sweep(options).run().exits(0).says("8 runs in ").says(", 4 of them done");
    assert!(results.names("sweep", ".failed").is_empty());
    let last: BTreeMap<String, String> =
        results.lines("sweep").into_iter().map(|line| (line.run, line.status)).collect();
    assert!(last.len() == 8 && last.values().all(|status| status == "done"), "{last:?}");
});

test!(ONE_LIBRARY, each_round_is_shuffled_and_the_same_seed_gives_the_same_order, || {
    let results = Results::new();
    let options = ["--puzzles", "puzzles/latin-4.txt puzzles/latin-5.txt", "--ranks", "1 2 3 4 5 6", "--repeats", "2"];
    let order = |seed: &'static str| results.order(options.into_iter().chain(["--seed", seed]));
    let (one, two) = (order("1"), order("2"));
    assert_eq!(one, order("1"));
    assert_eq!(one, results.order(options), "the default seed is 1");
    assert_ne!(one, two);
    assert_eq!(sorted(one.clone()), sorted(two));
    let without_repeat =
        |runs: &[String]| -> Vec<String> { runs.iter().map(|run| run[..run.len() - 4].into()).collect() };
    let (first, second) = one.split_at(12);
    assert!(first.iter().all(|run| run.ends_with("_001")) && second.iter().all(|run| run.ends_with("_002")), "{one:?}");
    assert_ne!(without_repeat(first), without_repeat(second));
    for round in [first, second] {
        assert_ne!(round, sorted(round.to_vec()));
    }
});

test!(ONE_LIBRARY, weak_scaling_uses_the_rung_for_the_number_of_workers, || {
    let results = Results::new();
    let text = |name: &str| fs::read_to_string(format!("{ROOT}/puzzles/{name}.txt")).expect("a puzzle");
    fs::create_dir(results.0.path("ladder")).expect("a folder");
    for (file, puzzle) in [("one", "latin-4"), ("two", "empty-4x4"), ("six", "latin-5")] {
        results.0.file(&format!("ladder/{file}.txt"), text(puzzle));
    }
    let table = "workers\tfile\tnodes\tsolutions\tnodes_per_worker\n1\tone.txt\t1\t1\t1\n2\ttwo.txt\t2\t2\t1\n6\tsix.txt\t6\t6\t1\n";
    results.0.file("ladder/ladder.tsv", table);
    let ladder = results.0.path("ladder");
    let weak = ["--weak", &ladder, "--repeats", "1", "--no-report"];
    results.sweep(["--ranks", "sequential 1 2 6"]).with(weak).run().exits(0);
    let expected = ["one_search_r01", "one_search_seq", "six_search_r06", "two_search_r02"];
    assert_eq!(results.names("sweep", ".json"), expected.map(|run| format!("{run}_static_dauto_t1_001")));
    assert!(results.lines("sweep").iter().all(|line| line.scaling == "weak"));
    // Threads are workers too, and both kinds of scaling can be combined.
    let both = ["--name", "both", "--ranks", "3", "--threads", "2", "--puzzles", "puzzles/latin-4.txt"];
    results.sweep(both).with(weak).run().exits(0);
    let scaling = results.lines("both").into_iter().map(|line| (line.run, line.scaling)).collect::<BTreeMap<_, _>>();
    assert_eq!(scaling["six_search_r03_static_dauto_t2_001"], "weak");
    assert_eq!(scaling["latin-4_search_r03_static_dauto_t2_001"], "strong");
    complains(
        results.sweep(["--ranks", "4"]).with(weak).run(),
        &format!("{ladder} has no rung for 4 workers, only for 1 2 6"),
    );
});

test!(ONE_LIBRARY, a_stopped_sweep_repeats_the_interrupted_run_at_the_next_start, || {
    for (signal, ranks) in [(Signal::INT, 2), (Signal::TERM, 2), (Signal::TERM, 0)] {
        let results = Results::new();
        let endless = results.0.file("endless.txt", ".".repeat(81));
        let puzzles = format!("puzzles/latin-4.txt {endless}");
        let list = if ranks == 0 { "sequential".into() } else { ranks.to_string() };
        let options = ["--puzzles", &puzzles, "--ranks", &list, "--repeats", "1", "--no-report"];
        let sent = Cell::new(false);
        let run = results.sweep(options).meanwhile(move |job: &Job| {
            if !sent.get() && job.counting(ranks.max(1)).is_some() {
                let mut scripts = job.alive();
                scripts.retain(|process| process.command.contains(SCRIPT));
                scripts.sort_by_key(|process| process.id);
                job.signal(signal, &scripts[..1]);
                sent.set(true);
            }
        });
        let conf = results.path("sweep", "sweep.conf");
        run.run().exits(3).notes(&format!("sweep: stopped. To resume: scripts/sweep {conf}"));
        assert!(results.names("sweep", ".failed").is_empty());
        let endless = |name: &String| name.starts_with("endless");
        assert!(!results.names("sweep", ".json").iter().any(endless));
        // Replace it with a short one.
        results.0.file("endless.txt", "................");
        results.sweep([&conf, "--no-report"]).run().exits(0).says("288 solutions");
        assert_eq!(results.names("sweep", ".json").len(), 2);
        assert_eq!(results.lines("sweep").iter().filter(|line| endless(&line.run)).count(), 1);
    }
});

test!(ONE_LIBRARY, the_command_of_a_run_repeats_it, || {
    let results = Results::new();
    results.sweep(["--ranks", "sequential 3", "--schedules", "dynamic"]).with(SMALL).run().exits(0);
    let lines = results.lines("sweep");
    assert_eq!(lines.len(), 2);
    for RunLine { run, command, .. } in lines {
        let before = results.report("sweep", &run);
        fs::remove_file(results.path("sweep", &format!("{run}.json"))).expect("a report");
        shell(&command).run().exits(0).says("576");
        let after = results.report("sweep", &run);
        for field in ["command", "puzzle", "config", "pool"] {
            assert_eq!(before[field], after[field], "{field} of {run}");
        }
        assert_eq!(before["environment"]["ranks"], after["environment"]["ranks"]);
    }
});

test!(ONE_LIBRARY, a_sweep_ends_with_the_tables_of_its_runs, || {
    let results = Results::new();
    let wrong = results.0.file("wrong.txt", "# expected: 7\n12............3.\n");
    let options = ["--puzzles", "puzzles/latin-4.txt", "--ranks", "sequential 2", "--repeats", "1"];
    results.sweep(options).run().exits(0).says("speed-up").says("sequential");
    for file in ["summary.csv", "summary.md", "report.html"] {
        assert!(!results.text("sweep", file).is_empty(), "{file}");
    }
    // They are written even if runs fail, which the exit code reports.
    let puzzles = format!("puzzles/latin-4.txt {wrong}");
    results.sweep(["--name", "some", "--puzzles", &puzzles]).with(&options[2..]).run().exits(1).says("speed-up");
    results.sweep(["--name", "none", "--puzzles", &wrong]).with(&options[2..]).run().exits(1);
});
