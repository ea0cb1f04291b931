//! Reads the directory of a sweep: its reports, and the log that `scripts/sweep` keeps beside them.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::atomic_file::read_text;
use crate::count::Solutions;
use crate::puzzle::input::source::printable;
use crate::puzzle::{InputError, Position};
use crate::report::json_message;
use crate::report::plan::MAX_WORKERS;
use crate::report::run::{Environment, ResumedFrom, RunReport};
use crate::report::trace;

use super::{FailedRun, Run, Scaling, Sweep};

/// The log of `scripts/sweep`, a line for each run: run, scaling, status, exit code, seconds, time of the end, command.
const RUN_LOG: &str = "runs.tsv";
const SETTINGS: &str = "sweep.conf";
/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// Reads the sweep in a directory. Files that are no report of a single run are ignored; an invalid report is an error.
pub fn open(directory: &Path) -> Result<Sweep, InputError> {
    let name = printable(&directory.to_string_lossy());
    let error = |message: String| InputError::new(&name, None, message);
    let files =
        fs::read_dir(directory).and_then(|files| files.map(|file| Ok(file?.path())).collect::<Result<Vec<_>, _>>());
    let mut files: Vec<PathBuf> = files.map_err(|cause| match cause.kind() {
        ErrorKind::NotFound => error("no such directory".into()),
        ErrorKind::NotADirectory => error("is not a directory: name the one with the reports".into()),
        _ => error(format!("cannot be read: {cause}")),
    })?;
    files.sort();
    let log = read_log(&directory.join(RUN_LOG))?;
    let (mut runs, mut failures) = (Vec::new(), Vec::new());
    for path in &files {
        let (name, ends) = (stem(path), |ending: &str| path.extension() == Some(OsStr::new(ending)));
        if ends("json") {
            let Some(report) = read_report(path)? else { continue };
            if let Some(why) = why_no_measurement(&report) {
                failures.push(FailedRun { name, why });
                continue;
            }
            let logged = log.get(&name).cloned();
            let (scaling, command) = logged.unwrap_or_else(|| (Scaling::Strong, command_of(&report)));
            let trace = Some(trace::beside(path)).filter(|trace| trace.is_file());
            runs.push(Run { name, report, scaling, command: with_other_report(&command), trace });
        } else if ends("failed") && !path.with_extension("json").is_file() {
            failures.push(FailedRun { name, why: failure_reason(path) });
        }
    }
    if runs.is_empty() {
        let complete = if failures.is_empty() { "" } else { "complete " };
        let sweeps: Vec<String> =
            files.iter().filter(|path| path.join(RUN_LOG).is_file()).map(|path| stem(path)).collect();
        return Err(error(match sweeps.is_empty() {
            true => format!("has no report of a {complete}run (`census count --report FILE`, or scripts/sweep)"),
            false => format!("has no report of a {complete}run, but these sweeps: {}", sweeps.join(", ")),
        }));
    }
    let settings = read_text(&directory.join(SETTINGS), MAX_BYTES).ok();
    let absolute = fs::canonicalize(directory).unwrap_or_else(|_| directory.into());
    let name = printable(&absolute.file_name().unwrap_or_default().to_string_lossy());
    Ok(Sweep { name, runs, failures, settings })
}

/// Why the seconds of a report are not those of a complete run, if they are not.
fn why_no_measurement(report: &RunReport) -> Option<String> {
    if let Some(ResumedFrom { units, .. }) = report.resumed_from {
        let why = "its time is not that of a complete run";
        return Some(format!("resumed from a journal ({units} units were done): {why}"));
    }
    let reason = report.result.stopped.as_deref().unwrap_or("stopped");
    (!report.complete).then(|| format!("not complete: {reason}"))
}

fn stem(path: &Path) -> String {
    printable(&path.file_stem().unwrap_or_default().to_string_lossy())
}

/// The report of a run; `None` for any other JSON.
pub fn read_report(path: &Path) -> Result<Option<RunReport>, InputError> {
    #[derive(Deserialize)]
    struct Head {
        schema: Option<String>,
    }
    let name = printable(&path.to_string_lossy());
    let text = read_text(path, MAX_BYTES).map_err(|error| unreadable(path, &error))?;
    if text.starts_with(trace::MARK) {
        return Err(InputError::new(&name, None, "this is a trace: give the report beside it"));
    }
    let wrong = |error: serde_json::Error| {
        let position = Position { line: error.line().max(1), column: error.column().max(1) };
        InputError::new(&name, Some(position), format!("this is not a report: {}", json_message(&error)))
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
    let is_consistent = ranks == report.ranks.len() && hosts.iter().all(|host| host.cores > 0 && host.ranks <= ranks);
    let counted = report.ranks.iter().map(|rank| rank.solutions).fold(report.pool.solutions_above, Solutions::plus);
    let before = report.resumed_from.as_ref().map_or(Solutions::ZERO, |before| before.solutions);
    let adds_up = !report.result.complete || counted.plus(before) == report.result.solutions;
    let few = (1..=MAX_WORKERS).contains(&(ranks as u64).saturating_mul(threads as u64));
    if !is_consistent || !few || !adds_up || seconds.iter().any(|&seconds| seconds < 0.0) {
        let message = "this report contradicts itself: in its ranks, threads, hosts, seconds or solutions";
        return Err(InputError::new(&name, None, message));
    }
    Ok(Some(report))
}

/// The log of a sweep: scaling and command of each run; empty without a file. The last line about a run counts.
fn read_log(path: &Path) -> Result<HashMap<String, (Scaling, String)>, InputError> {
    let text = match read_text(path, MAX_BYTES) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(HashMap::new()),
        text => text.map_err(|error| unreadable(path, &error))?,
    };
    let mut log = HashMap::new();
    // An incomplete last line is of a run that has not finished.
    for line in text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')).skip(1) {
        let columns: Vec<&str> = line.splitn(7, '\t').collect();
        // A line that was torn when the machine stopped may have been terminated later.
        let &[run, scaling, _status, _code, _seconds, _finished, command] = &columns[..] else { continue };
        let scaling = if scaling == "weak" { Scaling::Weak } else { Scaling::Strong };
        log.insert(run.to_owned(), (scaling, command.to_owned()));
    }
    Ok(log)
}

fn unreadable(path: &Path, error: &io::Error) -> InputError {
    let message = match error.kind() {
        ErrorKind::NotFound => "no such file".into(),
        _ => format!("cannot be read: {error}"),
    };
    InputError::new(&printable(&path.to_string_lossy()), None, message)
}

/// The command of a run without a line in the log.
fn command_of(report: &RunReport) -> String {
    let words: Vec<String> = report.provenance.command.iter().map(|word| shell_quoted(word)).collect();
    let (words, Environment { launcher, ranks, .. }) = (words.join(" "), &report.provenance.environment);
    match launcher {
        None => words,
        Some(launcher) if launcher.starts_with("Slurm") => format!("srun -n {ranks} {words}"),
        Some(_) => format!("mpirun -n {ranks} {words}"),
    }
}

/// The command with another target for its report: a repeated run must not overwrite the measured one.
fn with_other_report(command: &str) -> String {
    let Some((before, rest)) = command.split_once(" --report ") else { return command.into() };
    let (quote, skipped) = if rest.starts_with('\'') { ('\'', 1) } else { (' ', 0) };
    let end = rest[skipped..].find(quote).map_or(rest.len(), |end| end + 2 * skipped);
    format!("{before} --report repeated.json{}", &rest[end..])
}

fn shell_quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// The exit code and the first error message of a failed run, in one line. Other output may be results.
fn failure_reason(path: &Path) -> String {
    let text = read_text(path, MAX_BYTES).unwrap_or_default();
    let starts = |line: &str, starts: &[&str]| starts.iter().any(|start| line.starts_with(start));
    let code = text.lines().find(|line| line.starts_with("exit code:"));
    let error = text.lines().find(|line| starts(line, &["census:", "error:", "slurmstepd:", "srun:"]));
    let is_output = |line: &&str| !line.trim().is_empty() && !starts(line, &["command:", "exit code:"]);
    let reason = error.or_else(|| text.lines().find(is_output));
    let lines: Vec<String> = code.into_iter().chain(reason).map(|line| printable(line.trim())).collect();
    if lines.is_empty() { "failed".into() } else { lines.join("; ") }
}
