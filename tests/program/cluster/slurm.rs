//! Jobs under Slurm: ranks that `srun` starts, and `scripts/slurm.sbatch`.

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
/// What Slurm does itself a minute before the end.
pub const OUT_OF_TIME: [&str; 4] = ["scancel", "--user=root", "--batch", "--signal=USR1"];
/// Some seconds on four ranks.
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

test!(ONE_LIBRARY, a_cancelled_job_leaves_a_report_of_what_it_has_counted, Slurm, |hosts| {
    is_stopped_by(hosts, &["scancel", "--user=root"]);
});

test!(ONE_LIBRARY.only_all(), a_job_that_is_out_of_time_and_keeps_no_journal_ends_with_a_report, Slurm, |hosts| {
    is_stopped_by(hosts, &OUT_OF_TIME);
});

test!(ONE_LIBRARY, a_job_that_is_out_of_time_goes_back_to_the_queue_and_goes_on, Slurm, |hosts| {
    goes_on_after(hosts, || drop(on_first(hosts, &OUT_OF_TIME)), || {});
});

test!(ONE_LIBRARY.only_all(), a_job_that_loses_a_host_goes_back_to_the_queue_and_goes_on, Slurm, |hosts| {
    goes_on_after(hosts, || drop(hosts.script(["cut", "node3"])), || drop(hosts.script(["heal", "node3"])));
});

/// A job of some seconds to which this happens goes back to the queue; when something is put right again, it goes on, and
/// counts what is left.
fn goes_on_after(hosts: &'static Hosts, fault: impl FnOnce() + 'static, repair: impl Fn() + 'static) {
    let folder = Folder::new();
    let happened = Rc::new(Cell::new(None));
    let mut fault = once_counting(happened.clone(), |_| fault());
    let repair = Rc::new(repair);
    let mut waits = true;
    let arguments = [LONG_PUZZLE, "--schedule", "dynamic", "--heartbeat-timeout", "2s"];
    let run = batch(hosts, &folder, &[], arguments).env("JOURNAL", "").afterwards({
        let repair = repair.clone();
        move || repair()
    });
    let run = run.meanwhile(move |job| {
        fault(job);
        if waits && happened.get().is_some() {
            waits = !starts_again(hosts, job, &*repair);
        }
    });
    run.within(120).run().exits(0);
    let report = report_of(&folder, HOSTS.len());
    assert_eq!((&report["complete"], &report["result"]["matches_expected"]), (&true.into(), &true.into()), "{report}");
    assert!(!report["resumed_from"].is_null(), "it has not gone on: {report}");
}

/// Whether the job has left the hosts, to which a repair is made then, for the queue, and is to start again now.
pub fn starts_again(hosts: &Hosts, job: &Job, repair: &dyn Fn()) -> bool {
    let state = on_first(hosts, &["squeue", "--noheader", "--format=%i %T"]);
    let Some((id, state)) = state.split_once(' ').filter(|(_, state)| *state != "RUNNING") else { return false };
    repair();
    // Slurm lets it wait for two minutes, in which the last of the first round goes. A test looks for that.
    let has_left = state == "PENDING" && job.ranks().is_empty() && !hosts.script(["ps"]).contains("slurmstepd");
    if has_left {
        on_first(hosts, &["scontrol", "update", &format!("jobid={id}"), "StartTime=now"]);
    }
    has_left
}

/// An endless job on all hosts to which this is done ends within seconds, with a report that says what was counted.
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

/// Submits a job, waits for its end, and ends with its exit code. `sbatch --wait` does the same, and looks every ten seconds.
const SUBMIT: &str = r#"
    id=$(sbatch --parsable "$@") || exit
    while [ -n "$(squeue --noheader --jobs="$id")" ]; do sleep 0.2; done
    exit "$(scontrol show job "$id" | sed -n 's/.* ExitCode=\([0-9]*\):.*/\1/p' | sort -n | tail -n 1)""#;

/// `sbatch scripts/slurm.sbatch` on all hosts. Reports go to the folder; journals are not kept.
fn batch<'a>(hosts: &Hosts, folder: &Folder, options: &[&str], arguments: impl IntoIterator<Item = &'a str>) -> Run {
    submitted(hosts, folder, options, program("scripts/slurm.sbatch", arguments)).env("JOURNAL", "off")
}

/// A batch script on all hosts. Its results and its words go to the folder.
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

/// A command on the first host, done.
pub fn on_first(hosts: &Hosts, command: &[&str]) -> String {
    hosts.script(["exec", HOSTS[0]].iter().chain(command))
}
