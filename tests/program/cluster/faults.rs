//! Something fails on one of four hosts: the job ends soon, says so by its exit code, and leaves nothing behind on any host.

use std::cell::Cell;
use std::fs;
use std::rc::Rc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{HOSTS, Hosts};
use crate::harness::{EVERY_LIBRARY, Folder, Job, Mpi, ONE_LIBRARY, OPEN_MPI, Signal, census, program, test};

/// A count that does not end by itself.
pub const ENDLESS: &str = ".................................................................................";
/// How long a job may take to end when a part of it is gone. It takes one to four seconds; a machine that does other things,
/// too, gets some more.
const SOON: Duration = Duration::from_secs(10);
/// The same where it has to be found out that a host is silent, which takes ten to twelve.
const SILENCE: Duration = Duration::from_secs(20);

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

test!(ONE_LIBRARY, a_pulled_cable_ends_the_job, Hosts, |hosts| {
    ends_within(SILENCE, hosts, |_| hosts.script(["cut", "node3"]), || drop(hosts.script(["heal", "node3"])));
});

// The daemon of one host stands still from the first unit to seconds after the answer: its rank cannot take leave of it meanwhile.
test!(EVERY_LIBRARY, a_daemon_that_is_held_up_costs_a_complete_count_nothing, Hosts, |hosts| {
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

// A host is cut off before its rank has connected to the others. MPI_Init would wait for TCP to give up, a quarter of an hour; the
// limit is twelve times --heartbeat-timeout. Open MPI's launcher ends before the rank on that host, MPICH's when the cable is in again.
test!(ONE_LIBRARY, a_cable_that_is_pulled_while_ranks_start_leaves_no_rank_in_mpi_init, Hosts, |hosts| {
    let cut: Rc<Cell<Option<Instant>>> = Rc::default();
    let gone: Rc<Cell<Option<Duration>>> = Rc::default();
    let heal_when_gone = {
        let (cut, gone) = (cut.clone(), gone.clone());
        move || {
            let cut = cut.get().expect("the cable is out");
            let processes = hosts.script(["ps"]); // HOST PROCESS PROGRAM…
            let ranks = processes
                .lines()
                .filter(|line| line.split_whitespace().nth(2).is_some_and(|name| name.ends_with("/census")));
            if gone.get().is_none() && ranks.count() == 0 {
                gone.set(Some(cut.elapsed()));
                hosts.script(["heal", "node3"]);
            }
            gone.get().is_some() || cut.elapsed() > SILENCE
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
    assert!(gone.get().is_some(), "ranks were there for {SILENCE:?}: {outcome}");
});

// Daemons stand still from the first unit on, and the cable of one of them is out when the answer is there: Open MPI's launcher would
// wait for it, a quarter of an hour. scripts/run does not.
test!(OPEN_MPI, a_launcher_that_waits_for_a_lost_host_does_not_keep_a_complete_count, Hosts, |hosts| {
    let folder = Folder::new();
    let report = folder.path("run.json");
    let (mut held, mut cut) = (Vec::new(), false);
    let puzzle = concat!(env!("CARGO_MANIFEST_DIR"), "/puzzles/goldennugget15.txt");
    let run = program(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/run"), [puzzle, "--report", &report]);
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

/// An endless count on all hosts, to which this happens, ends within this time with an error and without a report that calls
/// it complete. Then something is put right again; and no process is left.
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
    let happened = happened.get().unwrap_or_else(|| panic!("ended before anything happened: {outcome}"));
    let took = ended.get().expect("it has ended") - happened;
    assert!(took < limit, "ended after {took:?}: {outcome}");
    let complete = fs::read_to_string(&report).is_ok_and(|text| text.contains("\"complete\": true"));
    assert!(!complete, "complete, says the report of {outcome}");
}

/// Does something once, when ranks on all hosts are counting, before they count on, and keeps the time of it.
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
