//! Reads the directory of a sweep: its reports, and the notes that `scripts/sweep` keeps beside them.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::puzzle::source::printable;
use crate::puzzle::{InputError, Place};
use crate::report::run::{Environment, RunReport};
use crate::report::trace;

use super::{Failure, Run, Scaling, Sweep};

/// What `scripts/sweep` writes down about its runs: run, scaling, status, exit code, seconds, when it finished, the command.
const NOTES: &str = "runs.tsv";
/// The settings of a sweep.
const SETTINGS: &str = "sweep.conf";

/// The sweep in a directory. What is no report of a single run is passed over; a report that cannot be read is an error.
pub fn open(directory: &Path) -> Result<Sweep, InputError> {
    let name = printable(&directory.to_string_lossy());
    let wrong = |message: String| InputError::new(&name, None, message);
    let files =
        fs::read_dir(directory).and_then(|files| files.map(|file| Ok(file?.path())).collect::<Result<Vec<_>, _>>());
    let mut files: Vec<PathBuf> = files.map_err(|error| match error.kind() {
        ErrorKind::NotFound => wrong("no such directory".into()),
        ErrorKind::NotADirectory => wrong("is not a directory: give the one that holds the reports".into()),
        _ => wrong(format!("cannot be read: {error}")),
    })?;
    files.sort();
    let notes = read_notes(&directory.join(NOTES))?;
    let (mut runs, mut failures) = (Vec::new(), Vec::new());
    for path in files {
        let ends = |ending: &str| path.extension() == Some(OsStr::new(ending));
        if ends("json") {
            let Some(report) = read_report(&path)? else { continue };
            let name = stem(&path);
            let note = notes.get(&name);
            if !report.complete {
                let why = report.result.stopped.as_deref().unwrap_or("stopped");
                failures.push(Failure { why: format!("not complete: {why}"), name });
                continue;
            }
            let command = note.map_or_else(|| command_of(&report), |note| note.command.clone());
            let scaling = note.map_or(Scaling::Strong, |note| note.scaling);
            let trace = Some(trace::beside(&path)).filter(|trace| trace.is_file());
            runs.push(Run { name, report, scaling, command, trace });
        } else if ends("failed") && !path.with_extension("json").is_file() {
            failures.push(Failure { name: stem(&path), why: first_words(&path) });
        }
    }
    if runs.is_empty() {
        let failed = if failures.is_empty() { "" } else { " that came to its end" };
        return Err(wrong(format!(
            "holds no report of a run{failed} (`census count --report FILE`, or scripts/sweep)"
        )));
    }
    let settings = fs::read_to_string(directory.join(SETTINGS)).ok();
    let place = fs::canonicalize(directory).unwrap_or_else(|_| directory.into());
    let name = printable(&place.file_name().unwrap_or_default().to_string_lossy());
    Ok(Sweep { name, runs, failures, settings })
}

fn stem(path: &Path) -> String {
    printable(&path.file_stem().unwrap_or_default().to_string_lossy())
}

/// The report in a file; nothing for JSON that is something else.
fn read_report(path: &Path) -> Result<Option<RunReport>, InputError> {
    #[derive(Deserialize)]
    struct Head {
        schema: Option<String>,
    }
    let name = printable(&path.to_string_lossy());
    let text =
        fs::read_to_string(path).map_err(|error| InputError::new(&name, None, format!("cannot be read: {error}")))?;
    let wrong = |error: serde_json::Error| {
        // It says where; that place goes to the front, as in every other message.
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
        let place = Place { line: error.line().max(1), column: error.column().max(1) };
        InputError::new(&name, Some(place), format!("this is not a report: {message}"))
    };
    match serde_json::from_str::<Head>(&text) {
        Ok(Head { schema: Some(schema) }) if schema == "census-run/1" => {}
        Ok(_) => return Ok(None),
        Err(error) if error.is_data() => return Ok(None),
        Err(error) => return Err(wrong(error)),
    }
    let report: RunReport = serde_json::from_str(&text).map_err(wrong)?;
    let Environment { ranks, threads, .. } = report.provenance.environment;
    let phases = report.phases;
    let seconds = [phases.expand, phases.distribute, phases.count, phases.reduce, phases.total];
    if ranks == 0 || threads == 0 || seconds.iter().any(|&seconds| seconds < 0.0) {
        return Err(InputError::new(&name, None, "this report has no ranks, no threads, or a negative duration"));
    }
    Ok(Some(report))
}

/// What is known about a run besides its report.
struct Note {
    scaling: Scaling,
    command: String,
}

/// The notes of a sweep, by run; none where there is no such file. Of several lines about a run, the last one holds.
fn read_notes(path: &Path) -> Result<HashMap<String, Note>, InputError> {
    let name = printable(&path.to_string_lossy());
    let text = match fs::read(path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(HashMap::new()),
        Err(error) => return Err(InputError::new(&name, None, format!("cannot be read: {error}"))),
    };
    let mut notes = HashMap::new();
    // A line without an end is one that was not written to its end: its run has not finished.
    for (index, line) in text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')).enumerate().skip(1) {
        let columns: Vec<&str> = line.splitn(7, '\t').collect();
        let &[run, scaling, _status, _code, _seconds, _finished, command] = &columns[..] else {
            let place = Place { line: index + 1, column: 1 };
            return Err(InputError::new(&name, Some(place), "a run has 7 columns here, with tabs between"));
        };
        let scaling = if scaling == "weak" { Scaling::Weak } else { Scaling::Strong };
        notes.insert(run.to_owned(), Note { scaling, command: command.into() });
    }
    Ok(notes)
}

/// What has to be typed for a run of which only the report is known.
fn command_of(report: &RunReport) -> String {
    let words: Vec<String> = report.provenance.command.iter().map(|word| quoted(word)).collect();
    let environment = &report.provenance.environment;
    match environment.launcher.as_deref() {
        None => words.join(" "),
        Some(launcher) if launcher.starts_with("Slurm") => format!("srun -n {} {}", environment.ranks, words.join(" ")),
        Some(_) => format!("mpirun -n {} {}", environment.ranks, words.join(" ")),
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// What a failed run left, in one line.
fn first_words(path: &Path) -> String {
    let text = fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let is_word = |line: &&str| !line.trim().is_empty() && !line.starts_with("command:");
    let words: Vec<String> = text.lines().filter(is_word).take(2).map(|line| printable(line.trim())).collect();
    if words.is_empty() { "failed".into() } else { words.join("; ") }
}
