//! `scripts/sweep` on several hosts, by a hostfile and in a Slurm job.

use std::cell::Cell;
use std::fs;
use std::rc::Rc;

use serde_json::Value;

use super::HOSTS;
use super::counts::names;
use super::faults::{ENDLESS, once_counting};
use super::slurm::{OUT_OF_TIME, on_first, requeued, submitted};
use crate::harness::{Folder, ONE_LIBRARY, Run, program, read_report, test};

const PUZZLE: &str = "puzzles/goldennugget17.txt";

test!(ONE_LIBRARY, a_sweep_takes_a_hostfile, Hosts, |hosts| {
    let folder = Folder::new();
    let hostfile = hosts.hostfile();
    let run = sweep(["--ranks", "2 4", "--puzzles", PUZZLE]).env("HOSTFILE", &hostfile);
    hosts.on_first(&[], run.env("RESULTS", folder.path("results"))).run().exits(0);
    assert_eq!(names(&report(&folder, "goldennugget17_search_r04_static_dauto_t1_001")), HOSTS);
    assert_eq!(names(&report(&folder, "goldennugget17_search_r02_static_dauto_t1_001")), HOSTS[..2]);
    let settings = fs::read_to_string(folder.path("results/sweep/sweep.conf")).expect("settings");
    assert!(settings.contains(&format!("hostfile = {hostfile}\n")) && settings.contains("hosts = node1"), "{settings}");
});

test!(ONE_LIBRARY.only_all(), a_sweep_in_a_slurm_job_has_srun_start_its_ranks, Slurm, |hosts| {
    let folder = Folder::new();
    let file = folder.file("job.sweep", format!("puzzles = {PUZZLE}\nranks = sequential 2 4\nrepeats = 1\n"));
    submitted(hosts, &folder, &[], program("scripts/sweep", [&file])).run().exits(0);
    assert!(fs::exists(folder.path("results/job/report.html")).expect("a folder"));
    let lines = fs::read_to_string(folder.path("results/job/runs.tsv")).expect("runs.tsv");
    for (label, ranks) in [("r02", 2), ("r04", 4), ("seq", 1)] {
        let run = format!("goldennugget17_search_{label}_static_dauto_t1_001");
        let report = read_report(&folder.path(&format!("results/job/{run}.json")));
        let environment = &report["environment"];
        assert_eq!((environment["launcher"].is_null(), &environment["ranks"]), (ranks == 1, &ranks.into()), "{run}");
        assert!(environment["job"].as_str().is_some_and(|job| job.starts_with("slurm ")), "{environment}");
        assert_eq!(names(&report).len(), ranks);
        let line = lines.lines().find(|line| line.starts_with(&run)).expect("its line");
        assert_eq!(line.contains(&format!("\tsrun --ntasks={ranks} ")), ranks > 1, "{line}");
    }
    // More ranks than the job has processors are refused before the first run.
    submitted(hosts, &folder, &[], sweep([&file, "--ranks", "2 8"])).run().exits(2);
});

test!(ONE_LIBRARY.only_all(), a_sweep_that_is_out_of_time_is_requeued_and_resumes, Slurm, |hosts| {
    let folder = Folder::new();
    let endless = folder.file("endless.txt", ENDLESS);
    let puzzles = format!("{PUZZLE} {endless}");
    let happened = Rc::new(Cell::new(None));
    let mut stop = once_counting(happened.clone(), |_| on_first(hosts, &OUT_OF_TIME));
    let mut waiting = true;
    // With this seed, the endless puzzle is last.
    let run = sweep(["--puzzles", &puzzles, "--ranks", "4", "--seed", "2"]);
    let run = submitted(hosts, &folder, &[], run).meanwhile(move |job| {
        stop(job);
        if waiting && happened.get().is_some() {
            // Replace it with a short one before the restart.
            waiting = !requeued(hosts, job, &|| fs::write(&endless, "................\n").expect("a file"));
        }
    });
    run.within(120).run().exits(0);
    assert_eq!(report(&folder, "endless_search_r04_static_dauto_t1_001")["result"]["solutions"], "288");
    let lines = fs::read_to_string(folder.path("results/sweep/runs.tsv")).expect("runs.tsv");
    assert_eq!(lines.lines().count(), 3, "a heading, and each run once: {lines}");
});

test!(ONE_LIBRARY.only_all(), a_cancelled_sweep_ends_and_prints_how_to_resume, Slurm, |hosts| {
    let folder = Folder::new();
    let endless = folder.file("endless.txt", ENDLESS);
    let happened = Rc::new(Cell::new(None));
    let run = submitted(hosts, &folder, &[], sweep(["--puzzles", &endless, "--ranks", "4"]))
        .meanwhile(once_counting(happened, |_| on_first(hosts, &["scancel", "--user=root"])));
    run.run().fails();
    let log = folder.names().into_iter().find(|name| name.ends_with(".log")).expect("the output of the job");
    let log = fs::read_to_string(folder.path(&log)).expect("a log");
    assert!(log.contains("stopped. To resume: scripts/sweep "), "{log}");
    assert!(!fs::exists(folder.path("results/sweep/runs.tsv")).expect("a folder"), "{log}");
});

/// `scripts/sweep` with these arguments, one repeat, and no page.
fn sweep<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Run {
    program("scripts/sweep", arguments).with(["--repeats", "1", "--no-report"])
}

#[track_caller]
fn report(folder: &Folder, run: &str) -> Value {
    read_report(&folder.path(&format!("results/sweep/{run}.json")))
}
