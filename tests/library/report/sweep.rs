//! Tables, warnings and comparisons of synthetic sweeps.

use census::report::sweep::analysis::Analysis;
use census::report::sweep::compare::{Comparison, Verdict};
use census::report::sweep::warnings::{Warning, agree, warnings};
use census::report::sweep::{FailedRun, Run, Scaling, Sweep, csv, markdown, table};
use serde_json::{Value, json};

use super::fake_run::{FAKE_RUN, FakeRun, sweep};

/// Three repeats, which take 2 % less, exactly, and 2 % more.
fn repeats(made: &FakeRun) -> Vec<Run> {
    let repeat =
        |(index, factor): (usize, f64)| FakeRun { seconds: made.seconds * factor, repeat: index + 1, ..made.clone() };
    [0.98, 1.0, 1.02].into_iter().enumerate().map(|indexed| repeat(indexed).run()).collect()
}

/// Two puzzles with sequential runs and two schedules on 1 to 16 ranks and 8 cores.
fn classic() -> Sweep {
    let mut runs = Vec::new();
    for (puzzle, work) in [("one", 8.0), ("two", 2.0)] {
        runs.extend(repeats(&FakeRun { puzzle, schedule: "sequential", seconds: work, ..FAKE_RUN }));
        for ranks in [1, 2, 4, 8, 16] {
            let share = work / ranks.min(8) as f64;
            let balance = 1.0 / (ranks as f64).powf(0.2);
            runs.extend(repeats(&FakeRun { puzzle, ranks, seconds: share / balance, balance, ..FAKE_RUN }));
            runs.extend(repeats(&FakeRun {
                puzzle,
                schedule: "steal",
                ranks,
                seconds: share * 1.05,
                balance: 0.98,
                ..FAKE_RUN
            }));
        }
    }
    sweep(runs)
}

/// Compares with a file of `tests/golden/sweep`. Writes it if CENSUS_GOLDEN is set.
#[track_caller]
fn golden(name: &str, found: &str) {
    let path = format!("{}/tests/golden/sweep/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("CENSUS_GOLDEN").is_some() {
        std::fs::write(&path, found).expect("the golden file can be written");
    }
    let expected = std::fs::read_to_string(&path).expect("the golden file");
    assert!(expected == found, "{name} has changed; CENSUS_GOLDEN=1 cargo test writes it anew. It is now:\n{found}");
}

#[test]
fn tables_are_the_golden_ones() {
    let sweep = classic();
    let analysis = Analysis::of(&sweep);
    let warnings = warnings(&analysis);
    golden("table.txt", &table::text(&analysis, &warnings));
    golden("summary.md", &markdown::text(&analysis, &warnings));
    golden("summary.csv", &csv::text(&analysis));
}

#[test]
fn speed_up_is_over_the_sequential_run() {
    let sweep = classic();
    let analysis = Analysis::of(&sweep);
    let steal = analysis.groups[0].series.iter().find(|series| series.label == "steal").unwrap();
    assert_eq!(steal.base.what, "the sequential run");
    let case = steal.cases.iter().find(|case| case.workers == 4).unwrap();
    // 8 s on one, 2 s × 1.05 on four.
    assert!((steal.speed_up(case) - 4.0 / 1.05).abs() < 1e-9);
    assert!((steal.efficiency(case) - 1.0 / 1.05).abs() < 1e-9);
    assert_eq!((case.seconds.runs, case.is_oversubscribed), (3, false));
    assert!(steal.cases.last().unwrap().is_oversubscribed);
}

#[test]
fn without_a_sequential_run_the_fewest_workers_count_as_fully_used() {
    let made = |ranks, seconds| FakeRun { ranks, seconds, ..FAKE_RUN }.run();
    let sweep = sweep(vec![made(2, 4.0), made(8, 2.0)]);
    let analysis = Analysis::of(&sweep);
    let series = &analysis.groups[0].series[0];
    assert_eq!((series.base.workers, series.base.what.as_str()), (2, "2 workers of the same kind"));
    let speed_ups: Vec<f64> = series.cases.iter().map(|case| series.speed_up(case)).collect();
    assert_eq!(speed_ups, [2.0, 4.0]);
}

#[test]
fn in_weak_scaling_speed_up_is_in_nodes_a_second() {
    let rung = |puzzle, ranks, seconds, nodes: u64| {
        let made = FakeRun { puzzle, ranks, seconds, ..FAKE_RUN };
        Run { scaling: Scaling::Weak, ..made.run_with(|report| report["result"]["nodes"] = json!(nodes)) }
    };
    // Four times and a little more work, on four ranks, in a quarter more time.
    let sweep = sweep(vec![rung("ladder-001", 1, 2.0, 1000), rung("ladder-004", 4, 2.5, 4100)]);
    let analysis = Analysis::of(&sweep);
    let [group] = &analysis.groups[..] else { panic!("all rungs are one group") };
    let series = &group.series[0];
    assert!((series.speed_up(&series.cases[1]) - 4.1 * 2.0 / 2.5).abs() < 1e-9);
    assert_eq!(series.law, None);
    let share = series.serial_share(&series.cases[1], Scaling::Weak).unwrap();
    assert!((share - (4.0 - 3.28) / 3.0).abs() < 1e-9);
}

#[test]
fn labels_contain_what_differs_and_nothing_else() {
    let with_depth = |schedule, depth: &str, repeat| {
        FakeRun { schedule, repeat, ..FAKE_RUN }.run_with(|report| report["config"]["depth"] = json!(depth))
    };
    let labels = |runs: Vec<Run>| -> Vec<String> {
        let sweep = sweep(runs);
        let analysis = Analysis::of(&sweep);
        analysis.labels().into_iter().map(String::from).collect()
    };
    assert_eq!(labels(vec![with_depth("steal", "4", 1), with_depth("static", "4", 2)]), ["static", "steal"]);
    assert_eq!(
        labels(vec![with_depth("static", "4", 1), with_depth("static", "6", 2)]),
        ["static, depth 4", "static, depth 6"]
    );
}

#[test]
fn runs_that_do_not_agree_are_named() {
    let mut runs = repeats(&FAKE_RUN);
    assert_eq!(agree(&sweep(runs.clone())), Ok(()));
    runs.push(FakeRun { ranks: 4, ..FAKE_RUN }.run_with(|report| report["result"]["solutions"] = json!("123457")));
    // A run that ended at a limit is not compared.
    runs.push(FakeRun { ranks: 8, ..FAKE_RUN }.run_with(|report| {
        report["result"]["solutions"] = json!("10");
        report["result"]["complete"] = json!(false);
    }));
    let disagreement = agree(&sweep(runs)).unwrap_err().to_string();
    assert_eq!(
        disagreement,
        "Puzzle one was counted as 123,457 by one_static_r04_001 and as 123,456 by one_static_r01_001, one_static_r01_002, \
         one_static_r01_003"
    );
}

fn warnings_of(sweep: &Sweep) -> Vec<Warning> {
    warnings(&Analysis::of(sweep))
}

#[test]
fn a_sound_sweep_has_no_warnings() {
    let runs = [1, 2, 4].into_iter().flat_map(|ranks| repeats(&FakeRun { ranks, ..FAKE_RUN })).collect();
    assert!(warnings_of(&sweep(runs)).is_empty());
}

/// Each of these is the only defect of a sweep, and its warning contains this text.
#[test]
fn every_defect_has_its_warning() {
    let five = |seconds: [f64; 5]| -> Vec<Run> {
        let made = |(index, seconds)| FakeRun { seconds, repeat: index + 1, ..FAKE_RUN }.run();
        seconds.into_iter().enumerate().map(made).collect()
    };
    let and = |change: fn(&mut Value)| {
        let mut runs = repeats(&FAKE_RUN);
        let others = repeats(&FakeRun { ranks: 2, ..FAKE_RUN });
        let (names, others): (Vec<String>, Vec<Run>) =
            others.into_iter().map(|run| (run.name.clone(), FakeRun { ranks: 2, ..FAKE_RUN }.run_with(change))).unzip();
        runs.extend(others.into_iter().zip(names).map(|(run, name)| Run { name, ..run }));
        sweep(runs)
    };
    let failed = FailedRun { name: "one_static_r08_001".into(), why: "exit code: 3".into() };
    let cases: [(Sweep, &str); 11] = [
        (sweep(repeats(&FakeRun { seconds: 0.05, ..FAKE_RUN })), "1 case takes less than 0.1 s"),
        (
            sweep(five([1.0, 1.01, 0.99, 1.02, 2.0])),
            "1 run is far from the other repeats of the same case: one_static_r01_005.",
        ),
        (
            sweep(five([1.0, 1.1, 1.2, 1.3, 1.4])),
            "In 1 case repeats differ by more than 25 % of their median: one static on 1 rank.",
        ),
        (sweep(vec![FAKE_RUN.run()]), "1 case has fewer than 3 repeats"),
        (
            sweep(
                [repeats(&FakeRun { ranks: 16, ..FAKE_RUN }), repeats(&FakeRun { schedule: "sequential", ..FAKE_RUN })]
                    .concat(),
            ),
            "3 of 6 runs, from 16 ranks on 8 cores upwards, had more workers than cores.",
        ),
        (
            Sweep { failures: vec![failed], ..sweep(repeats(&FAKE_RUN)) },
            "1 run failed and is not in the figures: one_static_r08_001. The first: exit code: 3.",
        ),
        (
            and(|report| report["program"]["commit"] = json!("abc")),
            "different commits: 0123456789ab (3 runs), abc (3 runs).",
        ),
        (
            and(|report| report["environment"]["hosts"][0]["cpu"] = json!("Another")),
            "different machines: A Processor (3 runs), Another (3 runs).",
        ),
        (
            and(|report| report["environment"]["mpi_library"] = json!("MPICH 4.0.2")),
            "different MPI libraries: MPICH 4.0.2 (3 runs), Open MPI v4.1.4 (3 runs).",
        ),
        (
            and(|report| report["program"]["profile"] = json!("debug")),
            "Not a release build, so slower than it could be: one_static_r02_001",
        ),
        (
            and(|report| report["result"]["matches_expected"] = json!(false)),
            "not the one that the puzzle's file expects: one_static_r02_001",
        ),
    ];
    for (sweep, text) in cases {
        let warnings = warnings_of(&sweep);
        assert!(warnings.len() == 1 && warnings[0].to_string().contains(text), "{text:?} alone, not {warnings:?}");
    }
}

fn compared(first: &FakeRun, second: &FakeRun) -> Comparison {
    Comparison::of(&sweep(repeats(first)), &sweep(repeats(second))).expect("they agree on the counts")
}

#[test]
fn a_difference_is_distinguished_from_noise() {
    let verdict = |seconds| compared(&FAKE_RUN, &FakeRun { seconds, ..FAKE_RUN }).rows[0].verdict;
    assert_eq!([0.5, 2.0, 1.015, 1.0].map(verdict), [Verdict::Faster, Verdict::Slower, Verdict::Noise, Verdict::Noise]);
    let one = Comparison::of(&sweep(vec![FAKE_RUN.run()]), &sweep(repeats(&FAKE_RUN))).unwrap();
    assert_eq!((one.rows[0].verdict, one.rows[0].ratio.interval), (Verdict::Unknown, None));
}

#[test]
fn schedules_can_be_compared_if_each_sweep_has_one() {
    let comparison = compared(&FAKE_RUN, &FakeRun { schedule: "steal", seconds: 0.5, ..FAKE_RUN });
    assert_eq!(comparison.differences, ["schedule: static against steal"]);
    let [row] = &comparison.rows[..] else { panic!("{comparison:?}") };
    assert!((row.ratio.ratio - 0.5).abs() < 1e-9 && row.verdict == Verdict::Faster);
    // If a sweep has several schedules, cases with the same schedule are compared.
    let mut both = repeats(&FAKE_RUN);
    both.extend(repeats(&FakeRun { schedule: "steal", ..FAKE_RUN }));
    let comparison = Comparison::of(&sweep(both), &sweep(repeats(&FakeRun { schedule: "steal", ..FAKE_RUN }))).unwrap();
    assert_eq!((comparison.rows.len(), comparison.unmatched), (1, (1, 0)));
}

#[test]
fn sweeps_that_count_differently_are_not_compared() {
    let other =
        sweep(vec![FakeRun { ranks: 2, ..FAKE_RUN }.run_with(|report| report["result"]["solutions"] = json!("1"))]);
    assert!(Comparison::of(&sweep(repeats(&FAKE_RUN)), &other).is_err());
    let disjoint =
        Comparison::of(&sweep(repeats(&FAKE_RUN)), &sweep(repeats(&FakeRun { puzzle: "two", ..FAKE_RUN }))).unwrap();
    assert_eq!((disjoint.overall(), disjoint.unmatched), (None, (1, 1)));
    assert!(disjoint.text().contains("no case in common"));
}

#[test]
fn the_comparison_is_the_golden_one() {
    let slower = |run: &Run| {
        let mut run = run.clone();
        let factor = if run.stem() == "two" { 1.0 } else { 1.1 };
        run.report.phases.total *= factor;
        run.report.provenance.program.commit = "ba9876543210".into();
        run
    };
    let (first, second) = (classic(), classic());
    let second = Sweep { name: "later".into(), runs: second.runs.iter().map(slower).collect(), ..second };
    let comparison = Comparison::of(&first, &second).unwrap();
    golden("comparison.txt", &comparison.text());
    golden("comparison.md", &comparison.markdown());
    golden("comparison.csv", &comparison.csv());
}
