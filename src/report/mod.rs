//! WHAT a run says of itself: the JSON reports, the efficiency formulas, sweeps of runs, the page with plots, and what
//! goes to the terminal.

pub mod batch;
pub mod efficiency;
pub mod html;
pub mod plan;
pub mod render;
pub mod run;
pub mod sweep;
pub mod trace;
pub mod units;
pub mod verification;

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use crate::atomic_file::write_atomically;

/// A report as text.
pub fn to_json(report: &impl Serialize) -> String {
    // A report is made of names, numbers and lists: there is nothing in it that JSON cannot say.
    serde_json::to_string_pretty(report).unwrap_or_default() + "\n"
}

/// Writes a report to a file, whole or not at all.
pub fn write(report: &impl Serialize, target: &Path) -> io::Result<()> {
    write_atomically(target, |file| file.write_all(to_json(report).as_bytes()))
}
