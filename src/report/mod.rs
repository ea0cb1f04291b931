//! Reports of runs: JSON, efficiency, traces, plans, sweeps, pages with plots, and text for terminals.

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

/// A report as JSON. Reports have no values that JSON cannot represent.
pub fn to_json(report: &impl Serialize) -> String {
    serde_json::to_string_pretty(report).unwrap_or_default() + "\n"
}

/// Writes a report to a file, atomically.
pub fn write(report: &impl Serialize, target: &Path) -> io::Result<()> {
    write_atomically(target, |file| file.write_all(to_json(report).as_bytes()))
}

/// An error in JSON without its position, which errors of census have in front.
fn json_message(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message).into()
}
