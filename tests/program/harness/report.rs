//! Reports as tests see them: JSON that is what `results/schema.json` says.
//!
//! There is one way to read a report, [`checked`], and whatever reports a run leaves go that way when it has ended, even if
//! nobody reads them: no test can forget.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::LazyLock;

use serde_json::Value;

use super::schema::Schema;

/// The schema of reports.
pub static SCHEMA: LazyLock<Value> =
    LazyLock::new(|| parse(include_str!("../../../results/schema.json"), "the schema"));

/// The report in this file.
#[track_caller]
pub fn read_report(path: &str) -> Value {
    checked(&read(path), path)
}

/// Any other JSON in this file, such as the head of a journal.
#[track_caller]
pub fn read_json(path: &str) -> Value {
    parse(&read(path), path)
}

/// The report with this text, which is from there. Anything else fails the test.
#[track_caller]
pub fn checked(text: &str, origin: &str) -> Value {
    let report = parse(text, origin);
    let faults = faults(&report);
    assert!(faults.is_empty(), "{origin} is not what results/schema.json says:\n{}", faults.join("\n"));
    report
}

/// What is wrong with a report, a line for each fault.
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

/// Where a run was told to leave reports, and what was there before.
pub(super) struct Targets(Vec<(OsString, Option<u64>)>);

impl Targets {
    /// The targets that these arguments name.
    pub(super) fn of(arguments: &[OsString]) -> Targets {
        let named = arguments.windows(2).filter(|pair| pair[0] == "--report" || pair[0] == "--json");
        Targets(named.map(|pair| (pair[1].clone(), file_number(&pair[1]))).collect())
    }

    /// Every report that is there now and was not there before, the one in standard output among them.
    #[track_caller]
    pub(super) fn read(&self, stdout: &str) -> Vec<Value> {
        let left = self.0.iter().filter_map(|(target, before)| {
            let now = file_number(target);
            if target == "-" {
                stdout.starts_with('{').then(|| checked(stdout, "the report in standard output"))
            } else {
                (now.is_some() && now != *before).then(|| read_report(target.to_str().expect("a printable path")))
            }
        });
        left.collect()
    }
}

/// The number of a file, if this is one. A report is written beside its target and renamed: a new one has a new number.
fn file_number(path: &OsStr) -> Option<u64> {
    fs::metadata(path).ok().filter(|data| data.is_file()).map(|data| data.ino())
}
