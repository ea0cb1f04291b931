//! Reading reports, and validating them against `results/schema.json`.
//!
//! Every report that a run writes is read and validated when the run has ended, even if its test does not read it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::LazyLock;

use serde_json::Value;

use super::schema::Schema;

pub static SCHEMA: LazyLock<Value> =
    LazyLock::new(|| parse(include_str!("../../../results/schema.json"), "the schema"));

#[track_caller]
pub fn read_report(path: &str) -> Value {
    checked(&read(path), path)
}

/// Other JSON, such as the header of a journal.
#[track_caller]
pub fn read_json(path: &str) -> Value {
    parse(&read(path), path)
}

/// Parses a report. An invalid one fails the test.
#[track_caller]
pub fn checked(text: &str, origin: &str) -> Value {
    let report = parse(text, origin);
    let faults = faults(&report);
    assert!(faults.is_empty(), "{origin} is not valid by results/schema.json:\n{}", faults.join("\n"));
    report
}

/// The violations of the schema, one a line.
pub fn faults(report: &Value) -> Vec<String> {
    Schema::new(&SCHEMA).faults(report, "")
}

#[track_caller]
fn parse(text: &str, origin: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{origin}: {error}"))
}

#[track_caller]
fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The report files that the arguments of a run name, with their inodes before the run.
pub(super) struct Targets(Vec<(OsString, Option<u64>)>);

impl Targets {
    pub(super) fn of(arguments: &[OsString]) -> Targets {
        let named = arguments.windows(2).filter(|pair| pair[0] == "--report" || pair[0] == "--json");
        Targets(named.map(|pair| (pair[1].clone(), inode(&pair[1]))).collect())
    }

    /// All new reports, including one in standard output.
    #[track_caller]
    pub(super) fn read(&self, stdout: &str) -> Vec<Value> {
        let new = self.0.iter().filter_map(|(target, before)| {
            let now = inode(target);
            if target == "-" {
                stdout.starts_with('{').then(|| checked(stdout, "the report in standard output"))
            } else {
                (now.is_some() && now != *before).then(|| read_report(target.to_str().expect("a printable path")))
            }
        });
        new.collect()
    }
}

/// The inode of a file. A report is written to a temporary file and renamed, so a new report has another inode.
fn inode(path: &OsStr) -> Option<u64> {
    fs::metadata(path).ok().filter(|data| data.is_file()).map(|data| data.ino())
}
