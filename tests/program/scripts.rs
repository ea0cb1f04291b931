//! `scripts/run` and `scripts/sweep` understand what users try.

use std::os::unix::fs::symlink;

use crate::harness::{Folder, Mpi, ONE_LIBRARY, Run, program_path, script, test};

const PUZZLE: &str = "puzzles/latin-4.txt";

/// `scripts/run` with these arguments, and its reports in this folder
fn run(folder: &Folder, arguments: &[&str]) -> Run {
    script("run", arguments).env("MPI", Mpi::current().name()).env("RESULTS", folder.path("results"))
}

test!(ONE_LIBRARY, run_takes_the_number_of_ranks_as_every_launcher_does, || {
    let folder = Folder::new();
    for options in [&["-n", "3", PUZZLE][..], &[PUZZLE, "-np", "3"], &["--ranks", "3", PUZZLE], &["--ranks=3", PUZZLE]]
    {
        let outcome = run(&folder, options).run().exits(0);
        assert_eq!((outcome.value("ranks"), outcome.value("solutions")), ("3", "576"), "{outcome}");
    }
    for options in [&["-n"][..], &[PUZZLE, "--ranks"], &["--hostfile"]] {
        let last = options.last().expect("an option");
        run(&folder, options).run().exits(2).says_nothing().notes(&format!("run: {last} needs a value"));
    }
    run(&folder, &["--ranks=many", PUZZLE]).run().exits(2).notes("run: RANKS=many is not a number from 1 up");
    let hosts = folder.file("hosts", "");
    run(&folder, &["--hostfile", &hosts, PUZZLE]).run().exits(2).notes("the file has no host");
});

test!(ONE_LIBRARY, run_leaves_its_report_in_another_folder_or_says_how, || {
    let folder = Folder::new();
    let outcome = run(&folder, &["-n", "1", PUZZLE]).run().exits(0);
    assert!(outcome.value("report").starts_with(&folder.path("results/run-")), "{outcome}");
    let file = folder.file("file", "");
    let outcome = run(&folder, &[PUZZLE]).env("RESULTS", &file).run().exits(3).says_nothing();
    outcome.notes(&format!("run: cannot write to {file}: RESULTS=DIR is another folder for reports"));
    let outcome = run(&folder, &[PUZZLE, "--report", &folder.path("none/run.json")]).run().exits(3).says_nothing();
    outcome.notes(&format!("run.json: there is no folder {}: create it first", folder.path("none")));
});

test!(ONE_LIBRARY, run_uses_an_existing_build_where_nothing_can_be_installed, || {
    let folder = Folder::new();
    let target = if Mpi::current() == Mpi::Mpich { "mpich/release" } else { "release" };
    std::fs::create_dir_all(folder.path(target)).expect("made");
    symlink(program_path(), folder.path(&format!("{target}/census"))).expect("linked");
    // Neither Rust nor a network
    let run = run(&folder, &["-n", "2", PUZZLE]).env("CENSUS", "").env("CARGO_TARGET_DIR", folder.path(""));
    let run = run.env("PATH", "/usr/bin:/bin").env("HOME", "/nonexistent").env("CARGO_HOME", "/nonexistent");
    let outcome = run.env("https_proxy", "http://127.0.0.1:9").run().exits(0);
    assert_eq!(outcome.value("solutions"), "576", "{outcome}");
    outcome.notes("using the existing build ").notes(", which may be older than the sources\n");
});

test!(ONE_LIBRARY, a_list_of_a_sweep_is_separated_by_commas_or_blanks, || {
    let dry_run = |options: &[&str]| {
        let run = script("sweep", ["--puzzles", PUZZLE, "--dry-run"].iter().chain(options));
        run.env("MPI", Mpi::current().name()).run().exits(0).stdout
    };
    let plain =
        dry_run(&["--ranks", "sequential 1 2", "--schedules", "static steal", "--depths", "2 auto", "--repeats", "1"]);
    assert_eq!(plain.lines().count(), 2 + 2 * 2 * 2);
    for options in [
        &["--ranks", "sequential,1,2", "--schedules", "static,steal", "--depths", "2,auto", "--repeats", "1"][..],
        &["--ranks=sequential,1,2", "--schedules=static steal", "--depths=2,auto", "--repeats=1"],
        &["--ranks", "sequential,1, 2", "--schedule", "static,steal", "--depth", "2,auto", "--repeat", "1"],
    ] {
        assert_eq!(dry_run(options), plain, "{options:?}");
    }
});

test!(ONE_LIBRARY, a_sweep_reads_paths_as_seen_from_where_it_is_started, || {
    let folder = Folder::new();
    folder.file("own.txt", "12............3.\n");
    let options = ["--puzzles", "own.txt", "--ranks", "sequential", "--repeats", "1", "--no-report"];
    let run = script("sweep", options).env("MPI", Mpi::current().name()).env("RESULTS", folder.path("results"));
    run.in_folder(&folder.path("")).run().exits(0).says("6 solutions");
    let outcome = script("sweep", [&folder.path("own.txt")[..]]).env("MPI", Mpi::current().name()).run().exits(2);
    outcome.notes(":1: not a line `key = value`: 12............3. (a puzzle is given with --puzzles)");
});
