//! Checks the properties of the fuzz targets with all seeds, among them inputs that have uncovered defects.

use crate::files::root;

#[path = "../fuzz/properties/mod.rs"]
mod properties;

/// Checks every seed of a target.
fn check_seeds(target: &str, check: fn(&[u8])) {
    let seeds = root().join("tests/fuzz/seeds").join(target).read_dir().expect("a folder of seeds");
    let mut checked = 0;
    for seed in seeds {
        let path = seed.expect("an entry").path();
        println!("{}", path.display()); // printed if the check fails
        check(&std::fs::read(&path).expect("a seed"));
        checked += 1;
    }
    assert!(checked > 0, "no seeds of {target}");
}

#[test]
fn any_puzzle_text_is_read_the_same_from_a_file_and_a_stream_and_can_be_written_and_read_again() {
    check_seeds("puzzle", properties::puzzle::check);
}

#[test]
fn every_unit_in_any_journal_counts_once() {
    check_seeds("journal", properties::journal::check);
}

#[test]
fn any_trace_is_refused_or_can_be_written_and_read_again() {
    check_seeds("trace", properties::trace::check);
}

#[test]
fn any_folder_of_a_sweep_is_reported_or_refused() {
    check_seeds("report", properties::report::check);
}
