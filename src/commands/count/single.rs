//! `census count`: all solutions of one puzzle, or of each puzzle of a collection.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::cli::CountArgs;
use crate::cluster::{
    self, Cluster, Count, CountOptions, JournalOptions, ResumedFrom, Schedule, ScheduleChoice, StopReason,
};
use crate::count::search::{DEFAULT_CACHE, SearchOptions};
use crate::count::{MethodChoice, MethodName, Solutions};
use crate::puzzle::Puzzle;
use crate::puzzle::grid::push_line;
use crate::report;
use crate::report::render::number::grouped;
use crate::report::render::terminal::{heading, rank_table};
use crate::report::run::{Config, CountOutcome, Provenance, PuzzleFacts, RunReport};
use crate::report::trace::{self, TraceHead};

use super::batch::count_batch;
use super::progress::Watcher;
use super::reader::{Wave, Waves};
use crate::commands::{
    CommandError, Exit, Outcome, answer, check_method_options, check_stdout, check_target, complain, deadline, note,
    output, shown, threads,
};

/// Why a count has no number.
pub(in crate::commands) const BEYOND: &str = "more solutions than 128 bits can count";

/// A puzzle to count and where it came from.
struct Entry {
    puzzle: Puzzle,
    file: Arc<str>,
    sha256: String,
    name: String,
}

pub(in crate::commands) fn run(cluster: &Cluster, args: &CountArgs) -> Outcome {
    let (started, start) = (SystemTime::now(), Instant::now());
    check_method_options(args.method, args.search, args.share.depth)?;
    check_options(args)?;
    let plan = CountOptions {
        method: args.method,
        schedule: args.schedule,
        chunk: args.chunk.map(|chunk| chunk as usize),
        search: SearchOptions { cache: args.cache.unwrap_or(DEFAULT_CACHE), ..args.search.options() },
        depth: args.share.depth,
        threads: threads(args.share.ranks.threads, cluster),
        limit: args.limit,
        deadline: deadline(args.time_limit),
        trace: args.trace,
        units: args.units,
        journal: args.journal.clone().map(|folder| JournalOptions { folder, resume: args.resume }),
    };
    if let Some(deadline) = plan.deadline {
        cluster.abort_on_blocked_output(deadline);
    }
    let mut watcher = Watcher::new(args, cluster.launcher().is_some());
    let mut waves = Waves::new(args)?;
    // One puzzle has answers of another kind: it must be known whether there is a second.
    let mut first = waves.next(2, || cluster.stop_reason(plan.deadline));
    if let Ok(wave) = &mut first {
        // Without an answer before it, what is bad is all there is to tell. There is no trace of several puzzles anyway.
        let options = [("--trace", args.trace), ("--units", args.units), ("--journal", args.journal.is_some())];
        let alone = options.into_iter().find_map(|(option, given)| given.then_some(option));
        if wave.entries.len() < if alone.is_some() { 2 } else { 1 }
            && let Some(failure) = wave.failed.take()
        {
            return Err(failure);
        }
        if let Some(entry) = only(wave) {
            return count_one(cluster, args, &plan, &entry, started, &mut watcher);
        }
        if let Some(option) = alone {
            let (puzzles, more) = (wave.entries.len(), if wave.last { "" } else { " and more" });
            return Err(CommandError::Usage(format!("{option} takes one puzzle, and here are {puzzles}{more}")));
        }
    }
    count_batch(cluster, args, &plan, (waves, first), (started, start), &mut watcher)
}

/// The puzzle, if the first wave is just one, and all there is.
fn only(wave: &Wave) -> Option<Entry> {
    let (entry, puzzle) = wave.only().filter(|_| wave.last && wave.bad.is_empty())?;
    let source = wave.source(entry);
    let digest = Sha256::digest(wave.raw.as_ref()?);
    let name = puzzle.name.clone().unwrap_or_else(|| match source.is_file_of_one() {
        true => source.name.to_string(),
        false => {
            let mut line = Vec::new();
            push_line(&mut line, puzzle.shape.order(), puzzle.givens.values().iter().copied());
            String::from_utf8_lossy(&line).into_owned()
        }
    });
    let sha256 = format!("{digest:x}");
    Some(Entry { puzzle, file: Arc::clone(&source.name), sha256, name })
}

/// What can be found out before anything is read.
fn check_options(args: &CountArgs) -> Result<(), CommandError> {
    if args.chunk.is_some() && args.schedule == ScheduleChoice::Fixed(Schedule::Static) {
        return Err(CommandError::Usage(
            "--chunk has no meaning with --schedule static: there every rank gets one block".into(),
        ));
    }
    if args.cache.is_some() && args.method == MethodChoice::Fixed(MethodName::Bands) {
        return Err(CommandError::Usage("--cache has no meaning with --method bands, which does not search".into()));
    }
    let Some(target) = &args.report else { return check_stdout() };
    if args.trace && target == Path::new("-") {
        return Err(CommandError::Usage("--trace goes beside the report: --report needs a file for that".into()));
    }
    let trace = args.trace.then(|| trace::beside(target));
    for target in [Some(target), trace.as_ref()].into_iter().flatten() {
        check_target(target, &args.puzzles)?;
    }
    Ok(())
}

/// One puzzle: a line for each rank, then the totals.
fn count_one(
    cluster: &Cluster,
    args: &CountArgs,
    plan: &CountOptions,
    entry: &Entry,
    started: SystemTime,
    watcher: &mut Watcher,
) -> Outcome {
    let puzzle = &entry.puzzle;
    let name = &entry.name;
    cluster.catch_signals();
    if !args.quiet {
        note(&heading(name, puzzle, cluster.ranks(), plan.threads));
    }
    let mut resumed = |before: &ResumedFrom, units: usize| {
        if !args.quiet {
            note(&taken_up(before, units));
        }
    };
    let count = cluster::count(cluster, puzzle, plan, &mut resumed, &mut |progress| watcher.see(puzzle, progress))?;
    watcher.meter.clear();
    let found = answer_of(count.solutions, count.complete, count.stopped, puzzle.expected, plan.limit);
    let report = RunReport::new(
        Provenance::of(cluster, started, plan.threads, count.hosts.iter()),
        Config::of(plan, Some(&count)),
        PuzzleFacts::of(puzzle, &entry.file, &entry.sha256),
        &count,
        found,
    );
    if !args.quiet {
        note(&rank_table(&report.ranks));
        if count.units == 0 {
            note("nothing was left to share: rank 0 counted it alone\n");
        } else if count.solutions_above != Solutions::ZERO {
            let above = grouped(&count.solutions_above.to_string());
            note(&format!("and {above} solutions above the depth, which rank 0 met while it expanded\n"));
        }
    }
    // First the answer: a disk that is full must not cost it.
    let told = tell(answer_lines(args, entry, &count, &report, found).as_bytes(), is_stdout(args.report.as_deref()));
    let written = leave_report(args, &report, &count);
    let told = match (told, &written) {
        (Ok(_), Ok(places)) => tell(places.as_bytes(), false),
        (told, _) => told,
    };
    let exit = exit(found, puzzle.expected, || entry.file.to_string());
    if found.stopped.is_some_and(|reason| reason != StopReason::Limit) {
        match &args.journal {
            Some(folder) => note(&format!("what is finished is kept: --journal {} --resume goes on\n", shown(folder))),
            None => watcher.see_stopped(puzzle),
        }
    }
    match (told, written) {
        (Ok(_), written) => written.map(|_| exit),
        (Err(failure), Ok(_)) => Err(failure),
        (Err(first), Err(second)) => {
            complain(&first);
            Err(second)
        }
    }
}

/// The lines `name: value` of one count.
fn answer_lines(args: &CountArgs, entry: &Entry, count: &Count, report: &RunReport, found: CountOutcome) -> String {
    let mut lines = format!("solutions: {}\n", found.solutions);
    if args.quiet {
        return lines;
    }
    lines.insert_str(0, &format!("puzzle: {}\n", entry.name));
    let _ = match found.stopped {
        Some(reason) => writeln!(lines, "complete: no, {reason}"),
        None if found.complete => writeln!(lines, "complete: yes"),
        None => writeln!(lines, "complete: no, {BEYOND}"),
    };
    if let Some(expected) = entry.puzzle.expected {
        let _ = writeln!(lines, "expected: {expected}");
    }
    let _ = writeln!(lines, "nodes: {}", count.nodes);
    if let Some(words) = count.reduction.cache.summary() {
        let _ = writeln!(lines, "cache: {words}");
    }
    let _ = writeln!(lines, "method: {}", count.method);
    if let Some(why) = count.method_reason {
        let _ = writeln!(lines, "method reason: {why}");
    }
    let _ = writeln!(lines, "units: {}", count.units);
    let _ = writeln!(lines, "depth: {}", count.depth_reached);
    let _ = writeln!(lines, "schedule: {}", count.distribution.schedule);
    if count.distribution.schedule != Schedule::Static {
        let _ = writeln!(lines, "chunk: {}", count.distribution.chunk);
    }
    if let Some(why) = count.schedule_reason {
        let _ = writeln!(lines, "schedule reason: {why}");
    }
    if let Some(before) = &count.resumed_from {
        let _ = writeln!(lines, "resumed from: {} units, {} solutions", before.units, before.solutions);
    }
    let environment = &report.provenance.environment;
    let _ = writeln!(lines, "ranks: {}", environment.ranks);
    let _ = writeln!(lines, "threads: {}", environment.threads);
    let _ = writeln!(lines, "seconds: {:.3}", count.phases.total);
    let _ = writeln!(lines, "expanding: {:.3}", count.phases.expand);
    let _ = writeln!(lines, "load balance: {:.2}", report.efficiency.load_balance);
    lines
}

/// Leaves the report and the trace where they were asked for. Returns the lines that say where.
fn leave_report(args: &CountArgs, report: &RunReport, count: &Count) -> Result<String, CommandError> {
    let mut lines = String::new();
    write_report(report, args.report.as_deref())?;
    let Some(target) = args.report.as_deref().filter(|target| !is_stdout(Some(target))) else { return Ok(lines) };
    let _ = writeln!(lines, "report: {}", shown(target));
    if let Some(kept) = &count.tallies {
        let _ = writeln!(lines, "units kept: {}", kept.solutions.len());
    }
    if let Some(records) = &count.records {
        let target = trace::beside(target);
        let written = trace::write(&target, &TraceHead::of(report), records);
        written.map_err(|error| CommandError::io(&target, error))?;
        let _ = writeln!(lines, "trace: {}", shown(&target));
    }
    Ok(if args.quiet { String::new() } else { lines })
}

/// What a count has taken over from the runs before it, in words.
fn taken_up(before: &ResumedFrom, units: usize) -> String {
    let ResumedFrom { runs, torn_lines, .. } = before;
    let runs = if *runs == 1 { "a run".into() } else { format!("{runs} runs") }; // none, if all of their files are damaged
    let mut words = format!("taken up from {runs} before: {} of {units} units were done", before.units);
    if before.subtasks_left > 0 {
        let _ = write!(words, ", but for {} subtasks", before.subtasks_left);
    }
    match torn_lines {
        0 => {}
        1 => words.push_str("; 1 line of the journal was not whole and was passed over"),
        lines => {
            let _ = write!(words, "; {lines} lines of the journal were not whole and were passed over");
        }
    }
    words + "\n"
}

/// What is told of a count that has found so many solutions, all of them or not.
pub(in crate::commands) fn answer_of(
    counted: Solutions,
    complete: bool,
    stopped: Option<StopReason>,
    expected: Option<u128>,
    limit: Option<u64>,
) -> CountOutcome {
    // Ranks stop soon after the limit, not at it: how far beyond depends on who was how fast, so that is not told.
    let solutions = match (limit.map(u128::from), counted.exact()) {
        (Some(limit), counted) if counted.is_none_or(|counted| counted > limit) => Solutions::new(limit),
        _ => counted,
    };
    let complete = complete && solutions == counted && counted.exact().is_some();
    let stopped = match counted.exact() {
        _ if complete => None,
        None if limit.is_none() => stopped,
        _ => Some(stopped.unwrap_or(StopReason::Limit)),
    };
    let matches_expected = match (expected, solutions.exact()) {
        (Some(expected), Some(solutions)) if complete => Some(solutions == expected),
        (Some(expected), solutions) if solutions.is_none_or(|solutions| solutions > expected) => Some(false),
        _ => None,
    };
    CountOutcome { solutions, complete, stopped, matches_expected }
}

/// The exit code of an answer, and a word on standard error where the file expects another.
pub(in crate::commands) fn exit(found: CountOutcome, expected: Option<u128>, place: impl Fn() -> String) -> Exit {
    if let Some(reason) = found.stopped.filter(|&reason| reason != StopReason::Limit) {
        complain(&format!("{}: {reason}, with {} solutions so far", place(), found.solutions));
        return Exit::JobError;
    }
    if found.solutions.exact().is_none() {
        complain(&format!("{}: {BEYOND}", place()));
        return Exit::JobError;
    }
    match (found.matches_expected, expected) {
        (Some(false), Some(expected)) => {
            complain(&format!("{}: counted {}, but {expected} expected", place(), found.solutions));
            Exit::No
        }
        (None, _) if found.solutions == Solutions::ZERO => Exit::No,
        _ => Exit::Done,
    }
}

/// Prints answers for people, and says whether somebody still reads them. Where standard output belongs to the report, they
/// make way for it.
pub(in crate::commands) fn tell(lines: &[u8], beside_report: bool) -> Result<bool, CommandError> {
    if beside_report {
        note(&String::from_utf8_lossy(lines));
        return Ok(true);
    }
    output(|stdout| stdout.write_all(lines))
}

/// Whether a report goes to standard output.
pub(in crate::commands) fn is_stdout(report: Option<&Path>) -> bool {
    report == Some(Path::new("-"))
}

/// Writes a report where it is wanted, if it is.
pub(in crate::commands) fn write_report(report: &impl Serialize, target: Option<&Path>) -> Result<(), CommandError> {
    match target {
        Some(target) if target == Path::new("-") => answer(&report::to_json(report)),
        Some(target) => report::write(report, target).map_err(|error| CommandError::io(target, error)),
        None => Ok(()),
    }
}
