//! Reads the directory of a sweep: its reports, and the notes that `scripts/sweep` keeps beside them.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::atomic_file::read_text;
use crate::count::Solutions;
use crate::puzzle::input::source::printable;
use crate::puzzle::{InputError, Position};
use crate::report::plan::MAX_WORKERS;
use crate::report::run::{Environment, RunReport};
use crate::report::trace;

use super::{FailedRun, Run, Scaling, Sweep};

/// What `scripts/sweep` writes down about its runs: run, scaling, status, exit code, seconds, when it finished, the command.
const NOTES: &str = "runs.tsv";
/// The settings of a sweep.
const SETTINGS: &str = "sweep.conf";
/// The most that is read of a file, in bytes.
const MAX_REPORT: u64 = 256 << 20;

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
    let mut sweeps = Vec::new();
    for path in files {
        if path.join(NOTES).is_file() {
            sweeps.push(stem(&path));
        }
        let ends = |ending: &str| path.extension() == Some(OsStr::new(ending));
        if ends("json") {
            let Some(report) = read_report(&path)? else { continue };
            let name = stem(&path);
            let note = notes.get(&name);
            if let Some(before) = &report.resumed_from {
                let why = format!(
                    "taken up from a journal ({} units were done): its time is not of a whole run",
                    before.units
                );
                failures.push(FailedRun { why, name });
                continue;
            }
            if !report.complete {
                let why = report.result.stopped.as_deref().unwrap_or("stopped");
                failures.push(FailedRun { why: format!("not complete: {why}"), name });
                continue;
            }
            let command = elsewhere(&note.map_or_else(|| command_of(&report), |note| note.command.clone()));
            let scaling = note.map_or(Scaling::Strong, |note| note.scaling);
            let trace = Some(trace::beside(&path)).filter(|trace| trace.is_file());
            runs.push(Run { name, report, scaling, command, trace });
        } else if ends("failed") && !path.with_extension("json").is_file() {
            failures.push(FailedRun { name: stem(&path), why: first_words(&path) });
        }
    }
    if runs.is_empty() {
        let failed = if failures.is_empty() { "" } else { " that came to its end" };
        if !sweeps.is_empty() {
            return Err(wrong(format!("holds no report of a run{failed}, but these sweeps: {}", sweeps.join(", "))));
        }
        return Err(wrong(format!(
            "holds no report of a run{failed} (`census count --report FILE`, or scripts/sweep)"
        )));
    }
    let settings = read_text(&directory.join(SETTINGS), MAX_REPORT).ok();
    let place = fs::canonicalize(directory).unwrap_or_else(|_| directory.into());
    let name = printable(&place.file_name().unwrap_or_default().to_string_lossy());
    Ok(Sweep { name, runs, failures, settings })
}

fn stem(path: &Path) -> String {
    printable(&path.file_stem().unwrap_or_default().to_string_lossy())
}

/// The report in a file; nothing for JSON that is something else.
pub fn read_report(path: &Path) -> Result<Option<RunReport>, InputError> {
    #[derive(Deserialize)]
    struct Head {
        schema: Option<String>,
    }
    let name = printable(&path.to_string_lossy());
    let text = read_text(path, MAX_REPORT)
        .map_err(|error| InputError::new(&name, None, format!("cannot be read: {error}")))?;
    let wrong = |error: serde_json::Error| {
        // It says where; that place goes to the front, as in every other message.
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
        let place = Position { line: error.line().max(1), column: error.column().max(1) };
        InputError::new(&name, Some(place), format!("this is not a report: {message}"))
    };
    match serde_json::from_str::<Head>(&text) {
        Ok(Head { schema: Some(schema) }) if schema == "census-run/2" => {}
        Ok(_) => return Ok(None),
        Err(error) if error.is_data() => return Ok(None),
        Err(error) => return Err(wrong(error)),
    }
    let report: RunReport = serde_json::from_str(&text).map_err(wrong)?;
    let Environment { ranks, threads, ref hosts, .. } = report.provenance.environment;
    let phases = report.phases;
    let seconds = [phases.expand, phases.distribute, phases.count, phases.reduce, phases.total];
    let sound = ranks == report.ranks.len() && hosts.iter().all(|host| host.cores > 0 && host.ranks <= ranks);
    let counted = report.ranks.iter().map(|rank| rank.solutions).fold(report.pool.solutions_above, Solutions::plus);
    let before = report.resumed_from.as_ref().map_or(Solutions::ZERO, |before| before.solutions);
    let adds_up = !report.result.complete || counted.plus(before) == report.result.solutions;
    let few = (1..=MAX_WORKERS).contains(&(ranks as u64).saturating_mul(threads as u64));
    if !sound || !few || !adds_up || seconds.iter().any(|&seconds| seconds < 0.0) {
        let message = "this report contradicts itself: in its ranks, threads, hosts, seconds or solutions";
        return Err(InputError::new(&name, None, message));
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
    let text = match read_text(path, MAX_REPORT) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(HashMap::new()),
        Err(error) => return Err(InputError::new(&name, None, format!("cannot be read: {error}"))),
    };
    let mut notes = HashMap::new();
    // A line without an end is one that was not written to its end: its run has not finished.
    for line in text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')).skip(1) {
        let columns: Vec<&str> = line.splitn(7, '\t').collect();
        // One that was torn when the machine stopped may have been ended since.
        let &[run, scaling, _status, _code, _seconds, _finished, command] = &columns[..] else { continue };
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

/// The command with another target for its report: who repeats a run should not lose the one that was measured.
fn elsewhere(command: &str) -> String {
    let Some((before, rest)) = command.split_once(" --report ") else { return command.into() };
    let (quote, skipped) = if rest.starts_with('\'') { ('\'', 1) } else { (' ', 0) };
    let end = rest[skipped..].find(quote).map_or(rest.len(), |end| end + 2 * skipped);
    format!("{before} --report repeated.json{}", &rest[end..])
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// What a failed run left, in one line.
fn first_words(path: &Path) -> String {
    let text = read_text(path, MAX_REPORT).unwrap_or_default();
    // The exit code, and what the program complains of: what else it says may be an answer.
    let complains =
        |line: &&str| ["census:", "error:", "slurmstepd:", "srun:"].iter().any(|start| line.starts_with(start));
    let code = text.lines().find(|line| line.starts_with("exit code:"));
    let is_word =
        |line: &&str| !line.trim().is_empty() && !line.starts_with("command:") && !line.starts_with("exit code:");
    let reason = text.lines().find(complains).or_else(|| text.lines().find(is_word));
    let words: Vec<String> = code.into_iter().chain(reason).map(|line| printable(line.trim())).collect();
    if words.is_empty() { "failed".into() } else { words.join("; ") }
}
