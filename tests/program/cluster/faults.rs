//! Faults on one of four hosts: the job ends soon, with a non-zero exit code, and leaves no process on any host.

use std::cell::Cell;
use std::fs;
use std::rc::Rc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{HOSTS, Hosts};
use crate::harness::{EVERY_LIBRARY, Folder, Job, Mpi, ONE_LIBRARY, OPEN_MPI, Signal, census, script, test};

/// A count that does not end
pub const ENDLESS: &str = ".................................................................................";
/// Time limit for a job to end after a process of it has died. It takes one to four seconds on an idle machine.
const SOON: Duration = Duration::from_secs(10);
/// Time limit for a job to end after a heartbeat timeout, which takes ten to twelve seconds.
const AFTER_TIMEOUT: Duration = Duration::from_secs(20);

test!(ONE_LIBRARY, a_killed_rank_ends_the_job, Hosts, |hosts| {
    ends_within(SOON, hosts, |_| hosts.script(["kill", "node3", "census"]), || {});
});

test!(ONE_LIBRARY, a_killed_daemon_ends_the_job, Hosts, |hosts| {
    let daemon = if Mpi::current() == Mpi::Open { "orted" } else { "hydra_pmi_proxy" };
    ends_within(SOON, hosts, move |_| hosts.script(["kill", "node3", daemon]), || {});
});

test!(ONE_LIBRARY, a_killed_launcher_ends_the_job, Hosts, |hosts| {
    ends_within(SOON, hosts, |job| job.kill(&[job.launcher().expect("a launcher")]), || {});
});

test!(ONE_LIBRARY, a_host_that_is_cut_off_ends_the_job, Hosts, |hosts| {
    ends_within(AFTER_TIMEOUT, hosts, |_| hosts.script(["cut", "node3"]), || drop(hosts.script(["heal", "node3"])));
});

// The daemon of one host is stopped from the first unit to seconds after the result: its rank cannot finalize meanwhile.
test!(EVERY_LIBRARY, a_daemon_that_is_stopped_does_not_fail_a_complete_count, Hosts, |hosts| {
    let daemon = if Mpi::current() == Mpi::Open { "orted" } else { "hydra_pmi_proxy" };
    let (mut held, mut answered) = (None, None);
    let run = census(["count", concat!(env!("CARGO_MANIFEST_DIR"), "/puzzles/goldennugget16.txt")]).usual_priority();
    let run = run.meanwhile(move |job| {
        if held.is_none() && job.counting(HOSTS.len()).is_some() {
            let daemons = job.alive().into_iter().filter(|process| process.command.contains(daemon));
            held = daemons.max_by_key(|process| process.id);
            job.signal(Signal::STOP, held.as_slice());
        }
        if answered.is_none() && job.said("solutions: 5075288") {
            answered = Some(Instant::now());
        }
        if answered.is_some_and(|answered: Instant| answered.elapsed() > Duration::from_secs(4)) {
            job.signal(Signal::CONT, held.as_slice());
        }
    });
    let outcome = hosts.on_hosts(HOSTS.len(), run).run().exits(0).complains_of_nothing();
    assert_eq!((outcome.value("solutions"), outcome.value("complete")), ("5075288", "yes"));
});

// A host is cut off before its rank has connected to the others. MPI_Init would wait a quarter of an hour for the timeout of TCP; the
// limit is twelve times --heartbeat-timeout. Open MPI's launcher ends before the rank on that host, MPICH's when the link is restored.
test!(ONE_LIBRARY, a_host_that_is_cut_off_while_ranks_start_leaves_no_rank_in_mpi_init, Hosts, |hosts| {
    let cut: Rc<Cell<Option<Instant>>> = Rc::default();
    let gone: Rc<Cell<Option<Duration>>> = Rc::default();
    let heal_when_gone = {
        let (cut, gone) = (cut.clone(), gone.clone());
        move || {
            let cut = cut.get().expect("the link is cut");
            let processes = hosts.script(["ps"]); // HOST PROCESS PROGRAM…
            let ranks = processes
                .lines()
                .filter(|line| line.split_whitespace().nth(2).is_some_and(|name| name.ends_with("/census")));
            if gone.get().is_none() && ranks.count() == 0 {
                gone.set(Some(cut.elapsed()));
                hosts.script(["heal", "node3"]);
            }
            gone.get().is_some() || cut.elapsed() > AFTER_TIMEOUT
        }
    };
    let run = census(["count", ENDLESS, "--quiet", "--heartbeat-timeout", "1s"]).meanwhile({
        let (cut, heal_when_gone) = (cut.clone(), heal_when_gone.clone());
        move |job| {
            if cut.get().is_some() {
                heal_when_gone();
            } else if job.ranks().len() == HOSTS.len() {
                job.while_stopped(|| hosts.script(["cut", "node3"]));
                cut.set(Some(Instant::now()));
            }
        }
    });
    let run = run.afterwards(move || {
        while !heal_when_gone() {
            sleep(Duration::from_millis(100));
        }
        hosts.script(["heal", "node3"]);
    });
    let outcome = hosts.on_hosts(HOSTS.len(), run).run().fails();
    assert!(gone.get().is_some(), "ranks still running after {AFTER_TIMEOUT:?}: {outcome}");
});

// Daemons are stopped from the first unit on, and a host is cut off before they continue after the report: Open MPI's launcher would
// wait for it for a quarter of an hour. scripts/run does not.
test!(OPEN_MPI, scripts_run_ends_a_launcher_that_waits_for_a_lost_host_after_a_complete_count, Hosts, |hosts| {
    let folder = Folder::new();
    let report = folder.path("run.json");
    let (mut held, mut cut) = (Vec::new(), false);
    let puzzle = concat!(env!("CARGO_MANIFEST_DIR"), "/puzzles/goldennugget15.txt");
    let run = script("run", [puzzle, "--report", &report]);
    let run = run.env("HOSTFILE", hosts.hostfile()).env("LAUNCHER_ENDS_WITHIN", "2").meanwhile({
        move |job| {
            if held.is_empty() && job.counting(HOSTS.len()).is_some() {
                held = job.alive().into_iter().filter(|process| process.command.contains("orted")).collect();
                job.signal(Signal::STOP, &held);
            }
            if !cut && fs::exists(&report).is_ok_and(|there| there) {
                cut = true;
                hosts.script(["cut", "node3"]);
                job.signal(Signal::CONT, &held);
            }
        }
    });
    let run = run.afterwards(|| drop(hosts.script(["heal", "node3"])));
    let outcome = hosts.on_first(&[], run).run().exits(0);
    assert_eq!((outcome.value("solutions"), outcome.value("complete")), ("32376208", "yes"));
    outcome.notes("the count is complete, and the launcher has not ended");
});

/// Checks that an endless count on all hosts with this fault ends within this time, with an error and without a report that is
/// complete. Then makes the repair; no process may be left.
#[track_caller]
fn ends_within<R>(
    limit: Duration,
    hosts: &Hosts,
    fault: impl FnOnce(&Job) -> R + 'static,
    repair: impl FnOnce() + 'static,
) {
    let folder = Folder::new();
    let report = folder.path("run.json");
    let happened = Rc::new(Cell::new(None));
    let ended = Rc::new(Cell::new(None));
    let run = census(["count", ENDLESS, "--quiet", "--report", &report])
        .meanwhile(once_counting(happened.clone(), fault))
        .afterwards({
            let ended = ended.clone();
            move || {
                ended.set(Some(Instant::now()));
                repair();
            }
        });
    let outcome = hosts.on_hosts(HOSTS.len(), run).run().fails();
    let happened = happened.get().unwrap_or_else(|| panic!("ended before the fault: {outcome}"));
    let took = ended.get().expect("it has ended") - happened;
    assert!(took < limit, "ended after {took:?}: {outcome}");
    let complete = fs::read_to_string(&report).is_ok_and(|text| text.contains("\"complete\": true"));
    assert!(!complete, "a complete report of {outcome}");
}

/// Runs the action once while the ranks are stopped, as soon as ranks on all hosts are counting, and stores its time.
pub fn once_counting<R>(
    time: Rc<Cell<Option<Instant>>>,
    action: impl FnOnce(&Job) -> R + 'static,
) -> impl FnMut(&Job) + 'static {
    let mut action = Some(action);
    move |job| {
        if action.is_some()
            && job.counting(HOSTS.len()).is_some()
            && let Some(action) = action.take()
        {
            job.while_stopped(|| action(job));
            time.set(Some(Instant::now()));
        }
    }
}
