//! Journals on several hosts, and `scripts/run --restarts`.

use std::fs;
use std::path::Path;
use std::rc::Rc;

use super::counts::names;
use super::faults::once_counting;
use super::{HOSTS, Hosts};
use crate::harness::{
    EVERY_LIBRARY, Folder, Job, Mpi, ONE_LIBRARY, Outcome, Run, Scope, census, program, program_path, read_report, test,
};

/// A puzzle with its solutions and the nodes of its tree.
type Known = (&'static str, &'static str, u64);

/// Half a minute of one core.
const LONG: Known = (concat!(env!("CARGO_MANIFEST_DIR"), "/puzzles/ladder/ladder-032.txt"), "346458357", 778_876_158);

/// Some seconds on four ranks, in units of some milliseconds.
fn puzzle() -> Known {
    match Scope::chosen() {
        Scope::Covering => (concat!(env!("CARGO_MANIFEST_DIR"), "/puzzles/goldennugget15.txt"), "32376208", 71_191_932),
        Scope::All => (concat!(env!("CARGO_MANIFEST_DIR"), "/puzzles/relabel.txt"), "119755545", 259_370_029),
    }
}

test!(ONE_LIBRARY, a_pulled_cable_costs_a_host_and_not_the_count, Hosts, |hosts| {
    let folder = Folder::new();
    let fault = once_counting(Rc::default(), |_| hosts.script(["cut", "node3"]));
    let (outcome, runs) = restarted(hosts, &folder, puzzle(), fault, || drop(hosts.script(["heal", "node3"])));
    assert_eq!(runs, 1, "{outcome}");
    let outcome = outcome.notes("no answer from node3. Restart 1 of 2, on 3 ranks, from ");
    assert_eq!(outcome.value("ranks"), "3");
    assert_eq!(names(&read_report(&folder.path("run.json"))), ["node1", "node2", "node4"]);
});

/// Whether a file of a journal, by the beginning and the end of its name, has a line of something finished.
fn has_finished_something(journal: &str, beginning: &str, end: &str) -> bool {
    let is_it = |name: &str| name.starts_with(beginning) && name.ends_with(end);
    fs::read_dir(journal).into_iter().flatten().flatten().any(|file| {
        is_it(&file.file_name().to_string_lossy())
            && fs::read_to_string(file.path()).is_ok_and(|text| text.lines().any(|line| !line.starts_with('#')))
    })
}

// The second fault hits the three ranks of the second start, as soon as one of them has finished something. The ranks of the
// first start, also the one that is cut off, count on until that is noticed: there has to be something left then.
test!(ONE_LIBRARY.only_all(), a_pulled_cable_and_a_killed_rank_are_two_restarts, Hosts, |hosts| {
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
        let words = format!("no answer from node3. Restart {restart} of 2, on 3 ranks, from ");
        assert!(outcome.stderr.contains(&words), "{words}: {outcome}");
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

/// A count to which this happens, and which comes to its end all the same; and how many runs there were before the last.
#[track_caller]
fn restarted(
    hosts: &'static Hosts,
    folder: &Folder,
    (puzzle, solutions, nodes): Known,
    faults: impl FnMut(&Job) + 'static,
    repair: impl FnOnce() + 'static,
) -> (Outcome, u64) {
    let report = folder.path("run.json");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/run");
    let arguments = [puzzle, "--depth", "9", "--restarts", "2", "--report", &report];
    // A host that is cut off says so at once; one that is slow is still there.
    let run = program(script, arguments).env("HOSTFILE", hosts.hostfile()).env("ANSWER_WITHIN", "60");
    let run = run.meanwhile(faults).afterwards(repair);
    let outcome = hosts.on_first(&[], run).within(300).run().exits(0);
    assert_eq!(outcome.value("solutions"), solutions);
    let report = read_report(&report);
    assert_eq!((&report["complete"], &report["result"]["nodes"]), (&true.into(), &nodes.into()));
    let runs = report["resumed_from"]["runs"].as_u64().expect("it was taken up");
    assert_eq!(folder.names(), ["run.json"], "the journal has done its duty");
    (outcome, runs)
}

// `scripts/soak` has hosts of its own.
test!(EVERY_LIBRARY.only_all(), counts_to_which_anything_happens_come_to_the_right_number, Hosts, |_| {
    let folder = Folder::new();
    let results = folder.path("soak.tsv");
    let program_is = match Mpi::current() {
        Mpi::Open => "CENSUS_OPENMPI",
        Mpi::Mpich => "CENSUS_MPICH",
    };
    let soak = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/soak");
    let run = program(soak, ["1", "--seed", "1", "--results", &results]);
    let run = run.env("MPI", Mpi::current().name()).env(program_is, program_path());
    run.within(900).run().exits(0);
});

test!(ONE_LIBRARY, a_full_disk_ends_the_job_and_what_is_in_the_journal_is_good, Hosts, |hosts| {
    let folder = Folder::new();
    let disk = folder.path("disk");
    fs::create_dir(&disk).expect("a folder");
    hosts.script(["exec", "node1", "mount", "-t", "tmpfs", "-o", "size=64k", "disk", &disk]);
    let journal = format!("{disk}/journal");
    let puzzle = concat!(env!("CARGO_MANIFEST_DIR"), "/puzzles/goldennugget16.txt");
    // A line for each unit is ten times what the disk holds.
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
    // What is mounted on one host is not there on the others.
    hosts.script(["exec", "node1", "mount", "-t", "tmpfs", "disk", &disk]);
    let journal = format!("{disk}/journal");
    let refused = hosts.on_hosts(2, census(["count", puzzle().0, "--journal", &journal])).run();
    hosts.script(["exec", "node1", "umount", &disk]);
    let words = format!(
        "rank 1 on node2 does not see journal.json in {journal}: a journal needs a folder that all hosts share"
    );
    refused.exits(3).complains_once_about(&words);
    assert!(!Path::new(&journal).exists());
});
