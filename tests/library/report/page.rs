//! The page as text. `tests/program/page` opens it in a browser.

use census::report::sweep::analysis::Analysis;
use census::report::sweep::compare::Comparison;
use census::report::sweep::warnings::warnings;
use census::report::sweep::{Run, Scaling, Sweep, markdown};
use census::report::{html, trace};
use proptest::prelude::*;
use serde_json::json;
use tempfile::TempDir;

use super::fake_run::{FAKE_RUN, FakeRun, sweep};
use crate::cases;

fn page(sweep: &Sweep) -> String {
    let analysis = Analysis::of(sweep);
    html::of(&analysis, &warnings(&analysis))
}

/// The texts between two strings.
fn between<'a>(text: &'a str, from: &str, to: &str) -> Vec<&'a str> {
    text.split(from).skip(1).filter_map(|rest| rest.split(to).next()).collect()
}

fn small() -> Sweep {
    let made = |schedule, ranks, seconds, balance| FakeRun { schedule, ranks, seconds, balance, ..FAKE_RUN }.run();
    sweep(vec![
        made("sequential", 1, 4.0, 1.0),
        made("static", 1, 4.0, 1.0),
        made("static", 4, 2.0, 0.5),
        made("steal", 1, 4.04, 1.0),
        made("steal", 4, 1.01, 0.99),
        made("static", 16, 1.0, 0.4),
    ])
}

#[test]
fn every_figure_has_a_caption_about_its_data() {
    let page = page(&small());
    let plots = between(&page, "data-plot=\"", "\"");
    assert_eq!(
        plots,
        ["time", "speedup", "efficiency", "load-balance", "communication", "parallel", "phases", "ranks", "serial"]
    );
    let page = page.replace('\u{a0}', " ");
    let sentences = between(&page, "<figcaption>", "</figcaption>");
    let expected = [
        "On 4 ranks, steal takes 1.02 s, where the sequential run takes 4.04 s; static takes 1.98 times as long as steal.",
        "The highest is 4.00, by static on 16 ranks, over the sequential run: 50 % of what 8 cores allow.",
        "On 4 ranks, the most with a core for each: 50 % with static, 99 % with steal.",
        "On 4 ranks, the work of the mean rank over that of the busiest: 50 % with static, 99 % with steal.",
        "On 4 ranks, the share of the count phase in which the busiest rank counts: 99 % with static, 99 % with steal.",
        "On 4 ranks, the share of the count phase in which the mean rank counts: 50 % with static, 98 % with steal.",
        "On 4 ranks, the share of the time in which the mean rank waits: 2.0 % with steal, 50 % with static. Expanding, distributing \
         and reducing take less than 1 %.",
        "Busy time of the least busy rank, as a share of the busiest one: 33 % with static, 99 % with steal. A column is as high as \
         the count phase.",
        "With static it is 33 % on 4 ranks. With steal it is 0.33 % on 4 ranks. Amdahl&#39;s law fits steal with a serial share of \
         0 % (through two points only, so unreliable): no limit in sight.",
    ];
    assert_eq!(sentences, expected);
}

#[test]
fn every_run_is_a_point_in_each_figure_of_scaling_and_a_row_of_the_table() {
    let sweep = small();
    let page = page(&sweep);
    for figure in between(&page, "<figure ", "</figure>").into_iter().take(3) {
        let mut points = between(figure, "data-run=\"", "\"");
        points.sort_unstable();
        let mut runs: Vec<&str> = sweep.runs.iter().map(|run| run.name.as_str()).collect();
        runs.sort_unstable();
        assert_eq!(points, runs);
    }
    assert_eq!(between(&page, "<tr data-run=\"", "\"").len(), sweep.runs.len());
}

/// The coordinates of the point of a run in a figure.
fn point(figure: &str, run: &str) -> (f64, f64) {
    let points = between(figure, "<use class=\"dot ", "/>");
    let point = points.into_iter().find(|point| point.contains(run)).expect("the run has a point");
    let [x, y] = ["x=\"", "y=\""].map(|from| between(point, from, "\"")[0].parse().expect("a number"));
    (x, y)
}

#[test]
fn a_point_lies_where_the_axes_say() {
    let page = page(&small());
    let figure = between(&page, "<figure ", "</figure>")[3];
    assert!(figure.starts_with("data-plot=\"load-balance\""));
    let [one, four, sixteen] = [1, 4, 16].map(|ranks| point(figure, &format!("one_static_r{ranks:02}_")));
    // 4 is in the middle of 1 and 16.
    assert!((2.0 * four.0 - one.0 - sixteen.0).abs() < 0.2, "{four:?} is between {one:?} and {sixteen:?}");
    // The axis has 1.04 at 12 and 0 at 246. The balances are 1, 0.5 and 0.4.
    for ((_, y), balance) in [(one, 1.0), (four, 0.5), (sixteen, 0.4)] {
        assert!((246.0 - balance / 1.04 * 234.0 - y).abs() < 0.1, "{y} is {balance}");
    }
}

/// The texts of the ticks of an axis: `mid` for workers, `end` for values.
fn ticks<'a>(figure: &'a str, axis: &str) -> Vec<&'a str> {
    between(figure, &format!("class=\"{axis}\">"), "</text>")
}

#[test]
fn ticks_are_round_numbers_within_the_range() {
    let page_of = |runs: &[(&'static str, usize, f64)]| {
        let run = |&(schedule, ranks, seconds)| FakeRun { schedule, ranks, seconds: seconds / 1.01, ..FAKE_RUN }.run();
        page(&sweep(runs.iter().map(run).collect()))
    };
    let linear = page_of(&[1, 2, 3, 4, 8, 16].map(|ranks| ("static", ranks, 4.0 / ranks as f64)));
    let figures = between(&linear, "<figure ", "</figure>");
    assert_eq!(ticks(figures[0], "mid"), ["1", "2", "3", "4", "8", "16"]);
    assert_eq!(ticks(figures[0], "end"), ["0.2 s", "0.5 s", "1 s", "2 s", "5 s"]);
    assert_eq!(ticks(figures[3], "end"), ["0", "0.25", "0.5", "0.75", "1"]);
    let wide = page_of(&[("sequential", 1, 1.0), ("static", 2, 1e-5)]);
    let time = between(&wide, "<figure ", "</figure>")[0];
    assert_eq!(ticks(time, "end"), ["10 µs", "100 µs", "1 ms", "10 ms", "0.1 s", "1 s"]);
}

#[test]
fn an_axis_has_at_most_a_dozen_ticks() {
    let seconds = |ranks: usize| if ranks == 1 { 1e-300 } else { 1e300 };
    let runs = (1..=60).map(|ranks| FakeRun { ranks, seconds: seconds(ranks), ..FAKE_RUN }.run());
    let page = page(&sweep(runs.collect()));
    for figure in &between(&page, "<figure ", "</figure>")[..6] {
        for axis in ["mid", "end"] {
            let ticks = ticks(figure, axis);
            assert!((2..=12).contains(&ticks.len()), "{ticks:?} in {}", &figure[..40]);
        }
    }
}

#[test]
fn a_picture_needs_no_variables_has_the_colours_of_the_page_and_lines_that_break_between_words() {
    let sweep = small();
    let page = page(&sweep);
    let captions = between(&page, "<figcaption>", "</figcaption>");
    let pictures = html::pictures(&Analysis::of(&sweep));
    assert_eq!(pictures.len(), captions.len());
    for ((name, picture), caption) in pictures.iter().zip(captions) {
        assert!(!picture.contains("var(") && !picture.contains("#000000"), "{name}");
        assert!(picture.contains(".line.c1,.spread.c1,.span.c1{stroke:#1f6fc4}"), "{name}");
        assert!(picture.contains(".name,.label{fill:#1d2330}"), "{name}");
        let lines = between(picture, "<text x=\"0\" y=\"", "</text>");
        let lines: Vec<&str> = lines.iter().filter_map(|line| Some(line.split_once('>')?.1)).collect();
        assert_eq!(lines.join(" "), caption);
        let letters = between(picture, "width=\"", "\"")[0].parse::<f64>().expect("a number") / 6.4;
        assert!(lines.len() > 1 && lines.iter().all(|line| (line.chars().count() as f64) < letters), "{lines:?}");
    }
}

#[test]
fn a_page_needs_no_other_file_and_names_do_not_become_markup() {
    let bad = "</script><script>alert(1)</script>\"'&";
    let mut run = FAKE_RUN.run_with(|report| {
        report["puzzle"]["name"] = json!(bad);
        report["program"]["commit"] = json!(bad);
        report["environment"]["hosts"][0]["name"] = json!(bad);
    });
    run.name = bad.into();
    run.command = bad.into();
    let sweep = Sweep { name: bad.into(), settings: Some(bad.into()), ..sweep(vec![run]) };
    let page = page(&sweep);
    assert_eq!(page.matches("<script>").count(), 1);
    assert!(!page.contains("alert(1)</script>"));
    for address in ["http://", "https://", "url(", "@import", "src="] {
        assert!(!page.contains(address), "{address} in the page");
    }
    let analysis = Analysis::of(&sweep);
    assert!(!markdown::text(&analysis, &[]).contains("<script>"));
}

#[test]
fn a_trace_gives_a_timeline_a_histogram_and_a_forecast() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("run.trace.tsv");
    let golden = include_str!("../../golden/plan/one-worker.trace.tsv");
    std::fs::write(&path, golden).unwrap();
    let head = trace::open(&path.to_string_lossy()).unwrap().head;
    let mut run = FakeRun { ranks: head.ranks, ..FAKE_RUN }
        .run_with(|report| report["puzzle"]["sha256"] = json!(head.puzzle.sha256));
    run.trace = Some(path);
    let mut broken = FakeRun { schedule: "steal", ..FAKE_RUN }
        .run_with(|report| report["puzzle"]["sha256"] = json!(head.puzzle.sha256));
    broken.trace = Some(directory.path().join("missing.trace.tsv"));
    let page = page(&sweep(vec![run, broken]));
    for plot in ["timeline", "units", "plan"] {
        assert!(page.contains(&format!("data-plot=\"{plot}\"")), "no {plot}");
    }
    assert!(page.contains("A trace cannot be drawn: "), "the other trace is missed");
    assert!(page.contains("On 1,024 ranks "));
}

#[test]
fn a_comparison_has_a_row_and_a_line_for_each_case() {
    let (first, second) = (small(), small());
    let comparison = Comparison::of(&first, &second).unwrap();
    let page = html::comparison::of(&comparison);
    assert_eq!(between(&page, "<g class=\"ratio ", "\"").len(), comparison.rows.len());
    assert_eq!(page.matches("<tr><td>").count(), comparison.rows.len());
}

const SCHEDULES: [&str; 4] = ["sequential", "static", "dynamic", "steal"];

prop_compose! {
    fn any_run()(
        schedule in 0..SCHEDULES.len(), ranks in 1..40usize, cores in 1..20usize, balance in 0.03..1.0_f64,
        seconds in prop_oneof![Just(0.0), 1e-9..1e-3, 0.01..1e5], repeat in 0..1000usize, weak in any::<bool>(),
    ) -> Run {
        let made = FakeRun { schedule: SCHEDULES[schedule], ranks: if schedule == 0 { 1 } else { ranks }, cores, seconds, balance, repeat, ..FAKE_RUN };
        Run { scaling: if weak { Scaling::Weak } else { Scaling::Strong }, ..made.run() }
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn the_page_has_only_finite_numbers(runs in prop::collection::vec(any_run(), 1..12)) {
        let page = page(&sweep(runs));
        for text in ["NaN", "inf"] {
            let found = page.find(text).map(|at| &page[page.floor_char_boundary(at.saturating_sub(60))..page.ceil_char_boundary(at + 20)]);
            prop_assert_eq!(found, None, "not a finite number");
        }
        let open = page.matches("<svg").count();
        prop_assert_eq!(open, page.matches("</svg>").count());
        for sentence in between(&page, "<figcaption>", "</figcaption>") {
            prop_assert!(!sentence.is_empty());
        }
    }
}
