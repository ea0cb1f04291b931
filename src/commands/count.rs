//! `census count`: all solutions of one puzzle, or of each puzzle of a collection.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use sha2::{Digest, Sha256};

use crate::cli::CountArgs;
use crate::cluster::{self, Cluster, Count, CountPlan, Host, Schedule, ScheduleChoice, StopReason};
use crate::count::Solutions;
use crate::puzzle::grid::push_line;
use crate::puzzle::source;
use crate::puzzle::{InputError, Puzzle, Reading};
use crate::report;
use crate::report::collection::{CollectionReport, CollectionResult, PuzzleLine};
use crate::report::run::{Answer, Config, Provenance, PuzzleFacts, RunReport};
use crate::report::terminal::{grouped, heading, rank_table};
use crate::report::trace::{self, TraceHead};

use super::watch::Watcher;
use super::{Exit, Failure, Outcome, answer, check_method, complain, deadline, note, read, threads};

/// A puzzle to count and where it came from.
struct Entry {
    puzzle: Puzzle,
    file: Arc<str>,
    sha256: Arc<str>,
    line: usize,
    /// Whether its file holds others too.
    among_others: bool,
}

impl Entry {
    /// Where it stands, among several.
    fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }
}

pub(super) fn run(cluster: &Cluster, args: &CountArgs) -> Outcome {
    let started = SystemTime::now();
    let mut entries = Vec::new();
    for argument in &args.puzzles {
        entries.extend(read_entries(argument)?);
    }
    for entry in &entries {
        let place = if entries.len() == 1 { entry.file.to_string() } else { entry.place() };
        check_method(args.method, args.search, args.share.depth, &entry.puzzle, &place)?;
    }
    check_options(args, entries.len())?;
    let plan = CountPlan {
        method: args.method,
        schedule: args.schedule,
        chunk: args.chunk.map(|chunk| chunk as usize),
        search: args.search.options(),
        depth: args.share.depth,
        threads: threads(args.share.threads, cluster),
        limit: args.limit,
        deadline: deadline(args.time_limit),
        trace: args.trace,
    };
    let mut watcher = Watcher::new(args, cluster.launcher().is_some());
    match entries.as_slice() {
        [entry] => count_one(cluster, args, &plan, entry, started, &mut watcher),
        entries => count_each(cluster, args, &plan, entries, started, &mut watcher),
    }
}

/// What can be found out before the work starts.
fn check_options(args: &CountArgs, puzzles: usize) -> Result<(), Failure> {
    if args.chunk.is_some() && args.schedule == ScheduleChoice::Fixed(Schedule::Static) {
        return Err(Failure::Usage(
            "--chunk has no meaning with --schedule static: there every rank gets one block".into(),
        ));
    }
    if args.trace && puzzles > 1 {
        return Err(Failure::Usage(format!("--trace takes one puzzle, and here are {puzzles}")));
    }
    let Some(target) = &args.report else { return Ok(()) };
    if args.trace && target == Path::new("-") {
        return Err(Failure::Usage("--trace goes beside the report: --report needs a file for that".into()));
    }
    let trace = args.trace.then(|| trace::beside(target));
    for target in [Some(target), trace.as_ref()].into_iter().flatten() {
        report::check_target(target).map_err(|error| Failure::io(target, error))?;
    }
    Ok(())
}

fn read_entries(argument: &str) -> Result<Vec<Entry>, InputError> {
    let (text, readings) = read(argument)?;
    let digest = Sha256::digest(&text.raw);
    let sha256: Arc<str> = digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into();
    let among_others = readings.len() > 1;
    let entry = |reading: Reading| {
        let line = reading.places.first().map_or(1, |place| place.line);
        let puzzle = reading.checked()?;
        Ok(Entry { puzzle, file: text.name.clone(), sha256: sha256.clone(), line, among_others })
    };
    readings.into_iter().map(entry).collect()
}

/// One puzzle: a line for each rank, then the totals.
fn count_one(
    cluster: &Cluster,
    args: &CountArgs,
    plan: &CountPlan,
    entry: &Entry,
    started: SystemTime,
    watcher: &mut Watcher,
) -> Outcome {
    let puzzle = &entry.puzzle;
    let name = puzzle.name.clone().unwrap_or_else(|| label(entry));
    if !args.quiet {
        note(&heading(&name, puzzle, cluster.ranks(), plan.threads));
    }
    let count = cluster::count(cluster, puzzle, plan, &mut |progress| watcher.see(puzzle, progress))?;
    watcher.meter.clear();
    let found = found(&count, puzzle, plan, &entry.file)?;
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
    write_report(&report, args)?;
    if let (Some(records), Some(target)) = (&count.records, &args.report) {
        let target = trace::beside(target);
        let written = trace::write(&target, &TraceHead::of(&report), records);
        written.map_err(|error| Failure::io(&target, error))?;
    }

    let mut lines = format!("solutions: {}\n", found.solutions);
    if !args.quiet {
        lines.insert_str(0, &format!("puzzle: {name}\n"));
        let _ = match found.stopped {
            Some(reason) => writeln!(lines, "complete: no, {reason}"),
            None => writeln!(lines, "complete: yes"),
        };
        if let Some(expected) = puzzle.expected {
            let _ = writeln!(lines, "expected: {expected}");
        }
        let _ = writeln!(lines, "nodes: {}", count.nodes);
        let _ = writeln!(lines, "method: {}", count.method);
        if let Some(why) = count.method_why {
            let _ = writeln!(lines, "method chosen: {why}");
        }
        let _ = writeln!(lines, "units: {}", count.units);
        let _ = writeln!(lines, "depth: {}", count.depth_reached);
        let _ = writeln!(lines, "schedule: {}", count.deal.schedule);
        if count.deal.schedule != Schedule::Static {
            let _ = writeln!(lines, "chunk: {}", count.deal.chunk);
        }
        if let Some(why) = count.schedule_why {
            let _ = writeln!(lines, "chosen: {why}");
        }
        let _ = writeln!(lines, "ranks: {}", cluster.ranks());
        let _ = writeln!(lines, "threads: {}", plan.threads);
        let _ = writeln!(lines, "seconds: {:.3}", count.phases.total);
        let _ = writeln!(lines, "expanding: {:.3}", count.phases.expand);
        let _ = writeln!(lines, "load balance: {:.2}", report.efficiency.load_balance);
        if let Some(target) = args.report.as_deref().filter(|&target| target != Path::new("-")) {
            let _ = writeln!(lines, "report: {}", target.display());
            if args.trace {
                let _ = writeln!(lines, "trace: {}", trace::beside(target).display());
            }
        }
    }
    tell(&lines, args)?;
    let exit = exit(found, puzzle, &entry.file);
    if found.stopped.is_some_and(|reason| reason != StopReason::Limit) {
        watcher.see_stopped(puzzle);
    }
    Ok(exit)
}

/// Several puzzles: a line for each, in the order in which they were given, then a summary.
fn count_each(
    cluster: &Cluster,
    args: &CountArgs,
    plan: &CountPlan,
    entries: &[Entry],
    started: SystemTime,
    watcher: &mut Watcher,
) -> Outcome {
    let start = Instant::now();
    let mut outcome = Exit::Done;
    let mut result = CollectionResult::default();
    let mut total = Solutions::ZERO;
    let mut puzzles = Vec::with_capacity(entries.len());
    let mut hosts: Vec<Host> = Vec::new();
    let mut stopped = None;
    for (number, entry) in entries.iter().enumerate() {
        let place = entry.place();
        watcher.meter.about(format!("puzzle {} of {}: ", number + 1, entries.len()));
        let puzzle = &entry.puzzle;
        let count = cluster::count(cluster, puzzle, plan, &mut |progress| watcher.see(puzzle, progress))?;
        let found = found(&count, puzzle, plan, &place)?;
        hosts = count.hosts;
        if let Some(reason) = found.stopped.filter(|&reason| reason != StopReason::Limit) {
            let (number, all, so_far) = (number + 1, entries.len(), found.solutions);
            complain(&format!("{reason} at puzzle {number} of {all} ({place}), with {so_far} of its solutions so far"));
            stopped = Some(reason);
            outcome = Exit::Fault;
            break;
        }
        watcher.meter.clear();
        tell(&format!("{} {}\n", label(entry), found.solutions), args)?;
        if exit(found, puzzle, &place) == Exit::No {
            outcome = Exit::No;
        }
        result.add(found);
        total = total.plus(Solutions::new(found.solutions));
        puzzles.push(PuzzleLine {
            file: entry.file.to_string(),
            line: entry.line,
            name: puzzle.name.clone(),
            solutions: found.solutions.to_string(),
            method: count.method.to_string(),
            nodes: count.nodes,
            complete: found.complete,
            matches_expected: found.matches_expected,
        });
    }
    watcher.meter.clear();
    let total = total.exact().ok_or_else(|| Failure::Overflow("all puzzles together".into()))?;
    let seconds = start.elapsed().as_secs_f64();
    let provenance = Provenance::of(cluster, started, plan.threads, hosts.iter());
    write_report(
        &CollectionReport::new(provenance, Config::of(plan, None), stopped.is_none(), puzzles, result, seconds),
        args,
    )?;
    let CollectionResult { puzzles, unique, several, none, unexpected } = result;
    let complete = stopped.map_or("yes".into(), |reason| format!("no, {reason}"));
    let summary = format!(
        "puzzles: {puzzles}\nunique: {unique}\nseveral: {several}\nnone: {none}\nunexpected: {unexpected}\n\
         complete: {complete}\nsolutions: {total}\nseconds: {seconds:.3}\n"
    );
    if !args.quiet {
        tell(&summary, args)?;
    }
    Ok(outcome)
}

/// What is told of a count.
fn found(count: &Count, puzzle: &Puzzle, plan: &CountPlan, place: &str) -> Result<Answer, Failure> {
    let counted = count.solutions.exact().ok_or_else(|| Failure::Overflow(place.into()))?;
    // Ranks stop soon after the limit, not at it: how far beyond depends on who was how fast, so that is not told.
    let solutions = plan.limit.map_or(counted, |limit| counted.min(limit.into()));
    let complete = count.complete && solutions == counted;
    let stopped = (!complete).then_some(count.stopped.unwrap_or(StopReason::Limit));
    let matches_expected = match puzzle.expected {
        Some(expected) if complete => Some(solutions == expected),
        Some(expected) if solutions > expected => Some(false),
        _ => None,
    };
    Ok(Answer { solutions, complete, stopped, matches_expected })
}

/// The exit code of an answer, and a word on standard error where the file expects another.
fn exit(found: Answer, puzzle: &Puzzle, place: &str) -> Exit {
    if let Some(reason) = found.stopped.filter(|&reason| reason != StopReason::Limit) {
        complain(&format!("{place}: {reason}, with {} solutions so far", found.solutions));
        return Exit::Fault;
    }
    match (found.matches_expected, puzzle.expected) {
        (Some(false), Some(expected)) => {
            complain(&format!("{place}: counted {}, but {expected} expected", found.solutions));
            Exit::No
        }
        (None, _) if found.solutions == 0 => Exit::No,
        _ => Exit::Done,
    }
}

/// What a puzzle without a name is called: its file where it is alone in it, else what it looks like.
fn label(entry: &Entry) -> String {
    if !entry.among_others && *entry.file != *source::ARGUMENT {
        return entry.file.to_string();
    }
    let mut line = Vec::new();
    push_line(&mut line, entry.puzzle.shape.order(), entry.puzzle.givens.values().iter().copied());
    String::from_utf8_lossy(&line).into_owned()
}

/// Prints answers for people. Where standard output belongs to the report, they make way for it.
fn tell(lines: &str, args: &CountArgs) -> Result<(), Failure> {
    if args.report.as_deref() == Some(Path::new("-")) {
        note(lines);
        return Ok(());
    }
    answer(lines)
}

fn write_report(report: &impl serde::Serialize, args: &CountArgs) -> Result<(), Failure> {
    match &args.report {
        Some(target) if target == Path::new("-") => answer(&report::to_json(report)),
        Some(target) => report::write(report, target).map_err(|error| Failure::io(target, error)),
        None => Ok(()),
    }
}
