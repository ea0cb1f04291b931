//! Nothing fails: what ranks on several hosts come to, over TCP.

use serde_json::Value;

use crate::bed::{Bed, HOSTS};
use crate::common::{Folder, census, program, read_report};

const PUZZLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/puzzles/goldennugget17.txt");
const SOLUTIONS: &str = "534494";
const UNIQUE: &str = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";

pub fn ranks_are_on_four_hosts_and_count_the_same_with_every_schedule(bed: &'static Bed) {
    for (ranks, schedule) in [(8, "static"), (4, "cyclic"), (5, "dynamic"), (6, "guided"), (8, "steal"), (4, "auto")] {
        let run = census(["count", PUZZLE, "--schedule", schedule, "--report", "-", "--quiet"]);
        let report = bed.on_hosts(ranks, run).run().exits(0).complains_of_nothing().json();
        assert_eq!(report["result"]["solutions"], SOLUTIONS, "{schedule} on {ranks} ranks");
        assert_eq!(report["complete"], true);
        assert_eq!(names(&report), HOSTS);
    }
}

pub fn the_answer_no_and_bad_input_keep_their_exit_codes(bed: &'static Bed) {
    let folder = Folder::new();
    let unexpected = folder.file("one.txt", format!("# expected: 2\n{UNIQUE}\n"));
    bed.on_hosts(4, census(["count", &unexpected])).run().exits(1).says("solutions: 1");
    bed.on_hosts(4, census(["count", "no-such-file"])).run().exits(2);
}

pub fn scripts_run_takes_a_hostfile(bed: &'static Bed) {
    let folder = Folder::new();
    let report = folder.path("run.json");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/run");
    let run = program(script, [PUZZLE, "--report", &report]).env("HOSTFILE", bed.hostfile());
    bed.on_first(&[], run).run().exits(0).says(SOLUTIONS).says("ranks: 4");
    assert_eq!(names(&read_report(&report)), HOSTS);
}

pub fn a_host_without_a_cable_cannot_be_reached_until_it_is_plugged_in(bed: &'static Bed) {
    // An address that answers closes the connection at once; one that does not keeps it waiting.
    let knock = || program("bash", ["-c", "exec 3<>/dev/tcp/node2/9"]);
    bed.on_first(&["timeout", "5"], knock()).run().exits(1).notes("Connection refused");
    bed.script(["cut", "node2"]);
    let silent = bed.on_first(&["timeout", "1"], knock()).run();
    let status = bed.script(["status"]);
    bed.script(["heal", "node2"]);
    silent.exits(124);
    assert!(status.contains("node2 10.77.0.2 cut"), "{status}");
    bed.on_first(&["timeout", "5"], knock()).run().exits(1).notes("Connection refused");
}

/// The names of the hosts in a report.
pub fn names(report: &Value) -> Vec<&str> {
    let hosts = report["environment"]["hosts"].as_array().expect("a list of hosts");
    hosts.iter().filter_map(|host| host["name"].as_str()).collect()
}
