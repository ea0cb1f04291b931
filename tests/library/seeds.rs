//! What scripts/fuzz looks for holds for all its seeds; inputs that once broke something are among them.

use crate::files::root;

#[path = "../fuzz/properties/mod.rs"]
mod properties;

/// Checks every seed of a target.
fn check_seeds(target: &str, check: fn(&[u8])) {
    let seeds = root().join("tests/fuzz/seeds").join(target).read_dir().expect("a folder of seeds");
    let mut checked = 0;
    for seed in seeds {
        let path = seed.expect("an entry").path();
        println!("{}", path.display()); // which one it was, where one fails
        check(&std::fs::read(&path).expect("a seed"));
        checked += 1;
    }
    assert!(checked > 0, "no seeds of {target}");
}

#[test]
fn any_puzzle_text_is_read_alike_as_a_whole_and_as_a_stream_and_survives_writing() {
    check_seeds("puzzle", properties::puzzle::check);
}

#[test]
fn whatever_stands_in_a_journal_counts_once() {
    check_seeds("journal", properties::journal::check);
}

#[test]
fn any_trace_is_read_or_refused_and_survives_writing() {
    check_seeds("trace", properties::trace::check);
}

#[test]
fn whatever_stands_in_the_folder_of_a_sweep_is_told_or_refused() {
    check_seeds("report", properties::report::check);
}
