//! `census report`: its output, its files and its errors. `page` tests the page, `sweep.rs` real sweeps, and `tests/library/report` formulas
//! and tables.

use std::fs;

use crate::harness::{ALONE, Folder, ONE_LIBRARY, census, test};

/// A folder with reports of real runs, with several repeats of each schedule.
fn sweep(folder: &Folder, name: &str, schedules: &[&str], repeats: usize) -> String {
    let directory = folder.path(name);
    fs::create_dir(&directory).expect("a folder");
    for schedule in schedules {
        for repeat in 1..=repeats {
            let report = format!("{directory}/latin-5_{schedule}_{repeat}.json");
            let arguments =
                ["count", "puzzles/latin-5.txt", "--threads", "2", "--schedule", schedule, "--quiet", "--trace"];
            census(arguments.into_iter().chain(["--report", &report])).run().exits(0);
        }
    }
    directory
}

/// The files in a folder whose names have this end.
fn files(directory: &str, end: &str) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    names.retain(|name| name.ends_with(end));
    names.sort_unstable();
    names
}

test!(ALONE, a_sweep_is_a_table_and_three_files, || {
    let folder = Folder::new();
    let directory = sweep(&folder, "sweep", &["static", "steal"], 3);
    let outcome = census(["report", &directory]).run().exits(0);
    let outcome = outcome
        .says("Latin squares of order 5\n  schedule  workers  runs")
        .notes(&format!("report: {directory}/report.html\n"));
    assert!(outcome.stdout.lines().any(|line| line.split_whitespace().take(3).eq(["steal", "2", "3"])), "{outcome}");
    let csv = fs::read_to_string(format!("{directory}/summary.csv")).expect("summary.csv");
    assert_eq!(csv.lines().count(), 1 + 6, "a heading and a row for each run:\n{csv}");
    assert!(csv.starts_with("run,scaling,puzzle,") && csv.contains(",total_s,expand_s,"), "{csv}");
    let markdown = fs::read_to_string(format!("{directory}/summary.md")).expect("summary.md");
    assert!(markdown.starts_with("# sweep\n") && markdown.contains("| static |"), "{markdown}");
    let page = fs::read_to_string(format!("{directory}/report.html")).expect("report.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    assert!(page.contains("data-plot=\"timeline\""), "the runs were traced");
    assert!(files(&directory, ".partial").is_empty());
    // Its own files are no runs.
    assert_eq!(census(["report", &directory]).run().exits(0).stdout, outcome.stdout);
});

test!(ALONE, files_go_to_the_output_folder_and_pictures_are_files, || {
    let folder = Folder::new();
    let directory = sweep(&folder, "sweep", &["static"], 1);
    fs::create_dir(folder.path("elsewhere")).expect("a folder");
    census(["report", &directory, "--output", &folder.path("elsewhere"), "--pictures"]).run().exits(0);
    assert!(files(&directory, ".html").is_empty());
    assert_eq!(files(&folder.path("elsewhere"), ""), ["pictures", "report.html", "summary.csv", "summary.md"]);
    let pictures = files(&folder.path("elsewhere/pictures"), ".svg");
    assert!(
        pictures.contains(&"latin-5-time.svg".to_owned()) && pictures.contains(&"latin-5-timeline.svg".to_owned()),
        "{pictures:?}"
    );
    for picture in pictures {
        let text = fs::read_to_string(folder.path(&format!("elsewhere/pictures/{picture}"))).expect("a picture");
        assert!(text.starts_with("<svg xmlns=") && text.ends_with("</svg>\n"), "{picture}");
    }
    census(["report", &directory, "--output", &folder.path("made/if/need/be")]).run().exits(0);
    assert_eq!(files(&folder.path("made/if/need/be"), ".html"), ["report.html"]);
    let file = folder.file("file", "");
    census(["report", &directory, "--output", &file]).run().exits(3).says_nothing().complains_once_about("file: ");
});

test!(ALONE, runs_that_disagree_are_refused_and_no_file_is_written, || {
    let folder = Folder::new();
    let directory = sweep(&folder, "sweep", &["static"], 2);
    let path = format!("{directory}/latin-5_static_2.json");
    let report = fs::read_to_string(&path).expect("a report").replace("\"161280\"", "\"161279\"");
    fs::write(&path, report).expect("a report");
    let complaint =
        "Latin squares of order 5 was counted as 161,279 by latin-5_static_2 and as 161,280 by latin-5_static_1";
    census(["report", &directory]).run().exits(1).says_nothing().complains_only(complaint);
    assert!(files(&directory, ".html").is_empty());
    let other = sweep(&folder, "other", &["static"], 1);
    let complaint =
        "counted as 161,279 by sweep/latin-5_static_2 and as 161,280 by sweep/latin-5_static_1, other/latin-5_static_1";
    census(["report", &directory, &other]).run().exits(1).says_nothing().complains_once_about(complaint);
});

test!(ALONE, what_is_no_sweep_is_an_error_with_file_line_and_column, || {
    let folder = Folder::new();
    fs::create_dir(folder.path("empty")).expect("a folder");
    census(["report", &folder.path("empty")]).run().exits(2).complains_once_about("empty: has no report of a run");
    census(["report", &folder.path("missing")]).run().exits(2).complains_once_about("missing: no such directory");
    let file = folder.file("file", "");
    census(["report", &file]).run().exits(2).complains_once_about("is not a directory");
    folder.file("empty/torn.json", "{\n  \"schema\": \"census-run/2\",\n  \"prog");
    census(["report", &folder.path("empty")]).run().exits(2).complains_once_about("torn.json:3:");
    census(["report"]).run().exits(2);
});

test!(ALONE, two_sweeps_are_compared_case_by_case, || {
    let folder = Folder::new();
    let (first, second) = (sweep(&folder, "first", &["static"], 3), sweep(&folder, "second", &["steal"], 3));
    let outcome = census(["report", &first, &second]).run().exits(0);
    outcome.says("schedule: static against steal\n").says("second takes ").says(" over 1 case: 1 ");
    assert!(files(&first, ".html").is_empty() && files(&second, ".html").is_empty());
    census(["report", &first, &second, "--output", &folder.path("")]).run().exits(0);
    assert_eq!(files(&folder.path(""), ".html"), ["comparison.html"]);
    let csv = fs::read_to_string(folder.path("comparison.csv")).expect("comparison.csv");
    assert!(csv.starts_with("puzzle,configuration,workers,runs_a,median_a_s,"), "{csv}");
    assert!(
        fs::read_to_string(folder.path("comparison.md"))
            .expect("comparison.md")
            .starts_with("# second against first\n")
    );
});

test!(ONE_LIBRARY, under_a_launcher_one_rank_writes, || {
    let folder = Folder::new();
    let directory = sweep(&folder, "sweep", &["static"], 1);
    let outcome = census(["report", &directory]).ranks(3).run().exits(0);
    assert_eq!(outcome.stdout.matches("Latin squares of order 5").count(), 1, "{outcome}");
});
