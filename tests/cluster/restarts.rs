//! Journals on several hosts, and `scripts/run --restarts`.

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use crate::bed::{Bed, HOSTS};
use crate::common::{Folder, Marked, Outcome, Run, census, program, read_report};
use crate::faults::once_counting;
use crate::hosts::names;

/// Some seconds on four ranks, cut into units of some milliseconds.
const PUZZLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/puzzles/relabel.txt");
const SOLUTIONS: &str = "119755545";

pub fn a_pulled_cable_costs_a_host_and_not_the_count(bed: &'static Bed) {
    let folder = Folder::new();
    let second = folder.path("run.journal/run-0002-rank-00002.tsv");
    let mut cut = once_counting(Rc::default(), |_| bed.script(["cut", "node3"]));
    let killed = Rc::new(Cell::new(false));
    let faults = {
        let killed = killed.clone();
        move |job: &Marked| {
            cut(job);
            // The three ranks of the second start lose another one, if they have not been too fast for that.
            if !killed.get() && Path::new(&second).exists() && job.counting(3).is_some() {
                killed.set(true);
                job.kill(job.ranks().last().map_or(&[], std::slice::from_ref));
            }
        }
    };
    let (outcome, runs) = restarted(bed, &folder, faults, || drop(bed.script(["heal", "node3"])));
    assert!(runs == 1 || killed.get() && runs == 2, "{runs} runs before: {outcome}");
    for restart in 1..=runs {
        let words = format!("no answer from node3. Restart {restart} of 2, on 3 ranks, from ");
        assert!(outcome.stderr.contains(&words), "{words}: {outcome}");
    }
    assert_eq!(outcome.value("ranks"), "3");
    assert_eq!(names(&read_report(&folder.path("run.json"))), ["node1", "node2", "node4"]);
}

pub fn a_killed_rank_is_a_restart_on_all_hosts(bed: &'static Bed) {
    let folder = Folder::new();
    let fault = once_counting(Rc::default(), |_| bed.script(["kill", "node2", "census"]));
    let (outcome, runs) = restarted(bed, &folder, fault, || {});
    assert_eq!(runs, 1, "{outcome}");
    let outcome = outcome.notes("Restart 1 of 2, on 4 ranks, from ");
    assert!(!outcome.stderr.contains("no answer"), "{outcome}");
    assert_eq!(names(&read_report(&folder.path("run.json"))), HOSTS);
}

/// A count to which this happens, and which comes to its end all the same; and how many runs there were before the last.
#[track_caller]
fn restarted(
    bed: &'static Bed,
    folder: &Folder,
    faults: impl FnMut(&Marked) + 'static,
    repair: impl FnOnce() + 'static,
) -> (Outcome, u64) {
    let report = folder.path("run.json");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/run");
    let arguments = [PUZZLE, "--depth", "9", "--restarts", "2", "--report", &report];
    let run = program(script, arguments).env("HOSTFILE", bed.hostfile());
    let run = run.meanwhile(faults).afterwards(repair);
    let outcome = bed.on_first(&[], run).within(120).run().exits(0);
    assert_eq!(outcome.value("solutions"), SOLUTIONS);
    let report = read_report(&report);
    assert_eq!((&report["complete"], &report["result"]["nodes"]), (&true.into(), &259_370_029.into()));
    let runs = report["resumed_from"]["runs"].as_u64().expect("it was taken up");
    assert_eq!(folder.names(), ["run.json"], "the journal has done its duty");
    (outcome, runs)
}

pub fn a_full_disk_ends_the_job_and_what_is_in_the_journal_is_good(bed: &'static Bed) {
    let folder = Folder::new();
    let disk = folder.path("disk");
    fs::create_dir(&disk).expect("a folder");
    bed.script(["exec", "node1", "mount", "-t", "tmpfs", "-o", "size=64k", "disk", &disk]);
    let journal = format!("{disk}/journal");
    let count = || census(["count", PUZZLE, "--depth", "14", "--journal", &journal]);
    let on_first = |run: Run| bed.on_first(&[], run).within(120).run();
    let full = on_first(count());
    bed.script(["exec", "node1", "mount", "-o", "remount,size=64m", &disk]);
    let resumed = on_first(count().with(["--resume"]));
    bed.script(["exec", "node1", "umount", &disk]);
    full.exits(3)
        .says_nothing()
        .complains_once_about("No space left on device (os error 28); what was finished before");
    assert_eq!(resumed.exits(0).value("solutions"), SOLUTIONS);
}

pub fn a_folder_that_hosts_do_not_share_is_refused(bed: &'static Bed) {
    let folder = Folder::new();
    let disk = folder.path("disk");
    fs::create_dir(&disk).expect("a folder");
    // What is mounted on one host is not there on the others.
    bed.script(["exec", "node1", "mount", "-t", "tmpfs", "disk", &disk]);
    let journal = format!("{disk}/journal");
    let refused = bed.on_hosts(2, census(["count", PUZZLE, "--journal", &journal])).run();
    bed.script(["exec", "node1", "umount", &disk]);
    let words = format!(
        "rank 1 on node2 does not see journal.json in {journal}: a journal needs a folder that all hosts share"
    );
    refused.exits(3).complains_once_about(&words);
    assert!(!Path::new(&journal).exists());
}
