//! Counts on several hosts over TCP, without faults.

use serde_json::Value;

use super::HOSTS;
use crate::harness::{
    ALONE, EVERY_LIBRARY, Folder, ONE_LIBRARY, census, each_choice, libraries, of_current_library, program,
    read_report, script, test,
};

const PUZZLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/puzzles/goldennugget17.txt");
const SOLUTIONS: &str = "534494";
const UNIQUE: &str = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";

test!(EVERY_LIBRARY, ranks_on_four_hosts_count_the_same_with_every_schedule, Hosts, |hosts| {
    let jobs = [(8, "static"), (4, "cyclic"), (5, "dynamic"), (6, "guided"), (8, "steal"), (4, "auto")];
    for [_, job] in of_current_library(each_choice([libraries(), jobs.len()])) {
        let (ranks, schedule) = jobs[job];
        let run = census(["count", PUZZLE, "--schedule", schedule, "--report", "-", "--quiet"]);
        let report = hosts.on_hosts(ranks, run).run().exits(0).complains_of_nothing().json();
        assert_eq!(report["result"]["solutions"], SOLUTIONS, "{schedule} on {ranks} ranks");
        assert_eq!(report["complete"], true);
        assert_eq!(names(&report), HOSTS);
    }
});

test!(ONE_LIBRARY, the_answer_no_and_bad_input_keep_their_exit_codes, Hosts, |hosts| {
    let folder = Folder::new();
    let unexpected = folder.file("one.txt", format!("# expected: 2\n{UNIQUE}\n"));
    hosts.on_hosts(4, census(["count", &unexpected])).run().exits(1).says("solutions: 1");
    hosts.on_hosts(4, census(["count", "no-such-file"])).run().exits(2);
});

test!(EVERY_LIBRARY, scripts_run_takes_a_hostfile, Hosts, |hosts| {
    let folder = Folder::new();
    let report = folder.path("run.json");
    let run = script("run", [PUZZLE, "--report", &report]).env("HOSTFILE", hosts.hostfile());
    hosts.on_first(&[], run).run().exits(0).says(SOLUTIONS).says("ranks: 4");
    assert_eq!(names(&read_report(&report)), HOSTS);
});

test!(ALONE, a_host_that_is_cut_off_cannot_be_reached_until_it_is_healed, Hosts, |hosts| {
    // A reachable host refuses the connection at once; an unreachable one does not answer.
    let connect = || program("bash", ["-c", "exec 3<>/dev/tcp/node2/9"]);
    hosts.on_first(&["timeout", "5"], connect()).run().exits(1).notes("Connection refused");
    hosts.script(["cut", "node2"]);
    let silent = hosts.on_first(&["timeout", "1"], connect()).run();
    let status = hosts.script(["status"]);
    hosts.script(["heal", "node2"]);
    silent.exits(124);
    assert!(status.contains("node2 10.77.0.2 cut"), "{status}");
    hosts.on_first(&["timeout", "5"], connect()).run().exits(1).notes("Connection refused");
});

/// The names of the hosts in a report.
pub fn names(report: &Value) -> Vec<&str> {
    let hosts = report["environment"]["hosts"].as_array().expect("a list of hosts");
    hosts.iter().filter_map(|host| host["name"].as_str()).collect()
}
