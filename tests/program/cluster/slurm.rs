//! Jobs under Slurm: ranks started by `srun`, and `scripts/slurm.sbatch`.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::counts::names;
use super::faults::{ENDLESS, once_counting};
use super::{HOSTS, Hosts};
use crate::harness::{EVERY_LIBRARY, Folder, Job, Mpi, ONE_LIBRARY, Run, census, program, read_report, test};

const PUZZLE: &str = "puzzles/goldennugget17.txt";
const SOLUTIONS: &str = "534494";
/// Sends the signal that Slurm sends a minute before the time limit.
pub const OUT_OF_TIME: [&str; 4] = ["scancel", "--user=root", "--batch", "--signal=USR1"];
/// Some seconds on four ranks
const LONG_PUZZLE: &str = "puzzles/relabel.txt";

test!(EVERY_LIBRARY, srun_starts_ranks_on_four_hosts, Slurm, |hosts| {
    let pmi = if Mpi::current() == Mpi::Open { "--mpi=pmix" } else { "--mpi=pmi2" };
    let run = census(["count", PUZZLE, "--quiet", "--report", "-", "--expect-ranks", "4"]);
    let report = hosts.on_first(&["srun", "-n", "4", pmi], run).run().exits(0).complains_of_nothing().json();
    assert_eq!(report["result"]["solutions"], SOLUTIONS);
    assert_eq!(names(&report), HOSTS);
    assert!(report["environment"]["job"].as_str().is_some_and(|job| job.starts_with("slurm ")), "{report}");
});

test!(ONE_LIBRARY.only_all(), an_array_leaves_a_report_for_each_number_of_ranks, Slurm, |hosts| {
    let folder = Folder::new();
    batch(hosts, &folder, &["--array=0-2"], [PUZZLE]).run().exits(0);
    for ranks in [1, 2, 4] {
        let report = report_of(&folder, ranks);
        assert_eq!((&report["result"]["solutions"], &report["complete"]), (&SOLUTIONS.into(), &true.into()));
        assert_eq!(report["environment"]["ranks"], ranks);
    }
});

test!(ONE_LIBRARY, a_cancelled_job_writes_a_report_of_what_it_has_counted, Slurm, |hosts| {
    is_stopped_by(hosts, &["scancel", "--user=root"]);
});

test!(ONE_LIBRARY.only_all(), a_job_that_is_out_of_time_without_a_journal_ends_with_a_report, Slurm, |hosts| {
    is_stopped_by(hosts, &OUT_OF_TIME);
});

test!(ONE_LIBRARY, a_job_that_is_out_of_time_is_requeued_and_resumes, Slurm, |hosts| {
    resumes_after(hosts, || drop(on_first(hosts, &OUT_OF_TIME)), || {});
});

test!(ONE_LIBRARY.only_all(), a_job_that_loses_a_host_is_requeued_and_resumes, Slurm, |hosts| {
    resumes_after(hosts, || drop(hosts.script(["cut", "node3"])), || drop(hosts.script(["heal", "node3"])));
});

/// Checks that a job of some seconds with this fault is requeued, and completes after the repair.
fn resumes_after(hosts: &'static Hosts, fault: impl FnOnce() + 'static, repair: impl Fn() + 'static) {
    let folder = Folder::new();
    let happened = Rc::new(Cell::new(None));
    let mut fault = once_counting(happened.clone(), |_| fault());
    let repair = Rc::new(repair);
    let mut waiting = true;
    let arguments = [LONG_PUZZLE, "--schedule", "dynamic", "--heartbeat-timeout", "2s"];
    let run = batch(hosts, &folder, &[], arguments).env("JOURNAL", "").afterwards({
        let repair = repair.clone();
        move || repair()
    });
    let run = run.meanwhile(move |job| {
        fault(job);
        if waiting && happened.get().is_some() {
            waiting = !requeued(hosts, job, &*repair);
        }
    });
    run.within(120).run().exits(0);
    let report = report_of(&folder, HOSTS.len());
    assert_eq!((&report["complete"], &report["result"]["matches_expected"]), (&true.into(), &true.into()), "{report}");
    assert!(!report["resumed_from"].is_null(), "not resumed: {report}");
}

/// Whether the job was requeued and has left the hosts. Then makes the repair, and has Slurm start the job at once.
pub fn requeued(hosts: &Hosts, job: &Job, repair: &dyn Fn()) -> bool {
    let state = on_first(hosts, &["squeue", "--noheader", "--format=%i %T"]);
    let Some((id, state)) = state.split_once(' ').filter(|(_, state)| *state != "RUNNING") else { return false };
    repair();
    // Slurm would wait for two minutes, in which the processes of the first start end. Poll for their end instead.
    let has_left = state == "PENDING" && job.ranks().is_empty() && !hosts.script(["ps"]).contains("slurmstepd");
    if has_left {
        on_first(hosts, &["scontrol", "update", &format!("jobid={id}"), "StartTime=now"]);
    }
    has_left
}

/// Checks that this command ends an endless job on all hosts within seconds, with a report of what was counted.
fn is_stopped_by(hosts: &'static Hosts, command: &'static [&'static str]) {
    let folder = Folder::new();
    let happened = Rc::new(Cell::new(None));
    let run = batch(hosts, &folder, &[], [ENDLESS, "--quiet"])
        .meanwhile(once_counting(happened.clone(), |_| on_first(hosts, command)));
    run.run().fails();
    let took = happened.get().map(|happened: Instant| happened.elapsed());
    assert!(took.is_some_and(|took| took < Duration::from_secs(10)), "stopped after {took:?}");
    let report = report_of(&folder, HOSTS.len());
    assert_eq!(report["complete"], false, "{report}");
    let solutions = report["result"]["solutions"].as_str().and_then(|number| number.parse::<u128>().ok());
    assert!(solutions.is_some_and(|number| number > 0), "{report}");
}

/// Submits a job, waits for its end, and ends with its exit code, like `sbatch --wait`, which polls only every ten seconds.
const SUBMIT: &str = r#"
    id=$(sbatch --parsable "$@") || exit
    while [ -n "$(squeue --noheader --jobs="$id")" ]; do sleep 0.2; done
    exit "$(scontrol show job "$id" | sed -n 's/.* ExitCode=\([0-9]*\):.*/\1/p' | sort -n | tail -n 1)""#;

/// `sbatch scripts/slurm.sbatch` on all hosts, without a journal. The folder gets the reports.
fn batch<'a>(hosts: &Hosts, folder: &Folder, options: &[&str], arguments: impl IntoIterator<Item = &'a str>) -> Run {
    submitted(hosts, folder, options, program("scripts/slurm.sbatch", arguments)).env("JOURNAL", "off")
}

/// A batch script on all hosts. The folder gets its results and its output.
pub fn submitted(hosts: &Hosts, folder: &Folder, options: &[&str], script: Run) -> Run {
    let log = format!("--output={}", folder.path("%j.log"));
    let submit = ["bash", "-c", SUBMIT, "submit", "-n", "4", &log];
    hosts.on_first(&[&submit, options].concat(), script.env("RESULTS", folder.path("results")))
}

/// The report of the only job whose reports are in this folder.
#[track_caller]
fn report_of(folder: &Folder, ranks: usize) -> Value {
    let jobs = std::fs::read_dir(folder.path("results")).expect("results").collect::<Vec<_>>();
    assert_eq!(jobs.len(), 1, "{jobs:?}");
    let job = jobs[0].as_ref().expect("a folder").path();
    read_report(&format!("{}/ranks-{ranks}.json", job.display()))
}

/// Runs a command on the first host.
pub fn on_first(hosts: &Hosts, command: &[&str]) -> String {
    hosts.script(["exec", HOSTS[0]].iter().chain(command))
}
