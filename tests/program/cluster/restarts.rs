//! Journals on several hosts, and `scripts/run --restarts`.

use std::fs;
use std::path::Path;
use std::rc::Rc;

use super::counts::names;
use super::faults::once_counting;
use super::{HOSTS, Hosts};
use crate::harness::{
    EVERY_LIBRARY, Folder, Job, Mpi, ONE_LIBRARY, Outcome, Run, Scope, census, program_path, read_report, script, test,
};

/// A puzzle, its solutions, and the nodes of its tree
type KnownPuzzle = (&'static str, &'static str, u64);

/// Half a minute of one core
const LONG: KnownPuzzle =
    (concat!(env!("CARGO_MANIFEST_DIR"), "/puzzles/ladder/ladder-032.txt"), "346458357", 778_876_158);

/// Some seconds on four ranks, in units of some milliseconds
fn puzzle() -> KnownPuzzle {
    match Scope::chosen() {
        Scope::Covering => (concat!(env!("CARGO_MANIFEST_DIR"), "/puzzles/goldennugget15.txt"), "32376208", 71_191_932),
        Scope::All => (concat!(env!("CARGO_MANIFEST_DIR"), "/puzzles/relabel.txt"), "119755545", 259_370_029),
    }
}

test!(ONE_LIBRARY, a_host_that_is_cut_off_is_a_restart_on_the_other_hosts, Hosts, |hosts| {
    let folder = Folder::new();
    let fault = once_counting(Rc::default(), |_| hosts.script(["cut", "node3"]));
    let (outcome, runs) = restarted(hosts, &folder, puzzle(), fault, || drop(hosts.script(["heal", "node3"])));
    assert_eq!(runs, 1, "{outcome}");
    let outcome = outcome.notes("no answer from node3. Restart 1 of 2, on 3 ranks, from ");
    assert_eq!(outcome.value("ranks"), "3");
    assert_eq!(names(&read_report(&folder.path("run.json"))), ["node1", "node2", "node4"]);
});

/// Whether a run file of a journal, selected by the prefix and the suffix of its name, has a line about finished work.
fn has_finished_something(journal: &str, prefix: &str, suffix: &str) -> bool {
    let matches = |name: &str| name.starts_with(prefix) && name.ends_with(suffix);
    fs::read_dir(journal).into_iter().flatten().flatten().any(|file| {
        matches(&file.file_name().to_string_lossy())
            && fs::read_to_string(file.path()).is_ok_and(|text| text.lines().any(|line| !line.starts_with('#')))
    })
}

// The second fault is injected into the second start, on three ranks, as soon as one of them has finished something. The puzzle is long
// because the ranks of the first start, also the one that is cut off, count until their heartbeats time out.
test!(ONE_LIBRARY.only_all(), a_host_that_is_cut_off_and_a_killed_rank_are_two_restarts, Hosts, |hosts| {
    let folder = Folder::new();
    let journal = folder.path("run.journal");
    let mut cut = once_counting(Rc::default(), |_| hosts.script(["cut", "node3"]));
    let mut killed = false;
    let faults = move |job: &Job| {
        cut(job);
        if !killed && has_finished_something(&journal, "run-0002-", "-rank-00002.tsv") {
            let ranks = job.ranks();
            let mut of_second_start = ranks.iter().filter(|rank| rank.command.contains("--resume"));
            killed = true;
            job.while_stopped(|| job.kill(of_second_start.next_back().cloned().as_slice()));
        }
    };
    let (outcome, runs) = restarted(hosts, &folder, LONG, faults, || drop(hosts.script(["heal", "node3"])));
    assert_eq!(runs, 2, "{outcome}");
    for restart in [1, 2] {
        let message = format!("no answer from node3. Restart {restart} of 2, on 3 ranks, from ");
        assert!(outcome.stderr.contains(&message), "{message}: {outcome}");
    }
    assert_eq!(names(&read_report(&folder.path("run.json"))), ["node1", "node2", "node4"]);
});

test!(ONE_LIBRARY, a_killed_rank_is_a_restart_on_all_hosts, Hosts, |hosts| {
    let folder = Folder::new();
    let fault = once_counting(Rc::default(), |_| hosts.script(["kill", "node2", "census"]));
    let (outcome, runs) = restarted(hosts, &folder, puzzle(), fault, || {});
    assert_eq!(runs, 1, "{outcome}");
    let outcome = outcome.notes("Restart 1 of 2, on 4 ranks, from ");
    assert!(!outcome.stderr.contains("no answer"), "{outcome}");
    assert_eq!(names(&read_report(&folder.path("run.json"))), HOSTS);
});

/// Checks that a count with these faults completes. Returns its outcome and the number of runs before the last.
#[track_caller]
fn restarted(
    hosts: &'static Hosts,
    folder: &Folder,
    (puzzle, solutions, nodes): KnownPuzzle,
    faults: impl FnMut(&Job) + 'static,
    repair: impl FnOnce() + 'static,
) -> (Outcome, u64) {
    let report = folder.path("run.json");
    let arguments = [puzzle, "--depth", "9", "--restarts", "2", "--report", &report];
    // scripts/cluster answers at once for a host that is cut off; a slow host must not be taken for one.
    let run = script("run", arguments).env("HOSTFILE", hosts.hostfile()).env("ANSWER_WITHIN", "60");
    let run = run.meanwhile(faults).afterwards(repair);
    let outcome = hosts.on_first(&[], run).within(300).run().exits(0);
    assert_eq!(outcome.value("solutions"), solutions);
    let report = read_report(&report);
    assert_eq!((&report["complete"], &report["result"]["nodes"]), (&true.into(), &nodes.into()));
    let runs = report["resumed_from"]["runs"].as_u64().expect("it was resumed");
    assert_eq!(folder.names(), ["run.json"], "the journal is removed after the count");
    (outcome, runs)
}

// `scripts/soak` starts its own hosts.
test!(EVERY_LIBRARY.only_all(), counts_with_random_faults_are_right, Hosts, |_| {
    let folder = Folder::new();
    let results = folder.path("soak.tsv");
    let program_variable = match Mpi::current() {
        Mpi::Open => "CENSUS_OPENMPI",
        Mpi::Mpich => "CENSUS_MPICH",
    };
    let run = script("soak", ["1", "--seed", "1", "--results", &results]);
    let run = run.env("MPI", Mpi::current().name()).env(program_variable, program_path());
    run.within(900).run().exits(0);
});

test!(ONE_LIBRARY, a_full_disk_ends_the_job_and_its_journal_can_be_resumed, Hosts, |hosts| {
    let folder = Folder::new();
    let disk = folder.path("disk");
    fs::create_dir(&disk).expect("a folder");
    hosts.script(["exec", "node1", "mount", "-t", "tmpfs", "-o", "size=20k", "disk", &disk]);
    let journal = format!("{disk}/journal");
    let puzzle = concat!(env!("CARGO_MANIFEST_DIR"), "/puzzles/goldennugget16.txt");
    // Five pages: the journal is full after some hundred lines, each of a millisecond of work.
    let options = ["--depth", "14", "--schedule", "dynamic", "--chunk", "1", "--journal", &journal];
    let count = || census(["count", puzzle]).with(options);
    let on_first = |run: Run| hosts.on_first(&[], run).within(120).run();
    let full = on_first(count());
    hosts.script(["exec", "node1", "mount", "-o", "remount,size=64m", &disk]);
    let resumed = on_first(count().with(["--resume"]));
    hosts.script(["exec", "node1", "umount", &disk]);
    full.exits(3)
        .says_nothing()
        .complains_once_about("No space left on device (os error 28); what was finished before");
    assert_eq!(resumed.exits(0).value("solutions"), "5075288");
});

test!(ONE_LIBRARY, a_folder_that_hosts_do_not_share_is_refused, Hosts, |hosts| {
    let folder = Folder::new();
    let disk = folder.path("disk");
    fs::create_dir(&disk).expect("a folder");
    // The mount exists on one host only.
    hosts.script(["exec", "node1", "mount", "-t", "tmpfs", "disk", &disk]);
    let journal = format!("{disk}/journal");
    let refused = hosts.on_hosts(2, census(["count", puzzle().0, "--journal", &journal])).run();
    hosts.script(["exec", "node1", "umount", &disk]);
    let message = format!(
        "rank 1 on node2 does not see journal.json in {journal}: a journal needs a folder that all hosts share"
    );
    refused.exits(3).complains_once_about(&message);
    assert!(!Path::new(&journal).exists());
});
