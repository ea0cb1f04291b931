//! One puzzle: a line for each rank, then the totals.

use std::fmt::Write as _;
use std::path::Path;

use super::progress::ProgressDisplay;
use super::{OVERFLOW, Run, answer_of, check_answer};
use crate::cli::CountArgs;
use crate::cluster::{self, Count, ResumedFrom, Schedule, StopReason, print_error};
use crate::commands::one_puzzle::OnePuzzle;
use crate::commands::streams::{AnswerLines, is_stdout, print_answers, print_stderr, printable_path, write_report};
use crate::commands::{CommandError, Outcome};
use crate::count::Solutions;
use crate::report::efficiency::Efficiency;
use crate::report::render::number::{grouped, percent, plural};
use crate::report::render::terminal::{self, heading, rank_table};
use crate::report::run::{Config, CountOutcome, Provenance, PuzzleFacts, RunReport};
use crate::report::trace::{self, TraceHead};

/// A load balance that needs no hint.
const GOOD_BALANCE: f64 = 0.8;
/// A shorter count phase, in seconds, is not worth balancing.
const WORTH_BALANCING: f64 = 0.1;

pub(super) fn count_one(run: &Run, one: &OnePuzzle, sha256: &str, progress: &mut ProgressDisplay) -> Outcome {
    let (puzzle, args) = (&one.puzzle, run.args);
    let label = one.label();
    run.cluster.signals(); // from now on, they are caught
    if !args.quiet {
        print_stderr(&heading(&label, puzzle, run.cluster.ranks(), run.options.threads));
    }
    let mut resumed = |before: &ResumedFrom, units: usize| {
        if !args.quiet {
            print_stderr(&resumed_text(before, units));
        }
    };
    let mut show = |state: &cluster::Progress| progress.show(puzzle, state);
    let count = cluster::count(run.cluster, puzzle, &run.options, &mut resumed, &mut show)?;
    progress.meter.clear();
    let answer = answer_of(count.solutions, count.complete, count.stopped, puzzle.expected, run.options.limit);
    let report = RunReport::new(
        Provenance::of(run.cluster, run.started, run.options.threads, count.hosts.iter()),
        Config::of(&run.options, Some(&count)),
        PuzzleFacts::of(puzzle, &one.source.name, sha256),
        &count,
        answer,
    );
    if !args.quiet {
        let text = terminal::answer(answer, count.phases.total) + &rank_table(&report.ranks) + &rank_0_text(&count);
        print_stderr(&(text + &imbalance_hint(&count, &report.efficiency)));
    }
    let lines = answer_text(args, &label, puzzle.expected, &count, &report, answer);
    let written = write_answer(args, &lines, &report, &count);
    let exit = check_answer(answer, puzzle.expected, || one.source.name.to_string());
    if answer.stopped.is_some_and(|reason| reason != StopReason::Limit) {
        match &args.journal {
            Some(folder) => print_stderr(&format!(
                "finished units are in the journal: --journal {} --resume continues the count\n",
                printable_path(folder)
            )),
            None => progress.show_hint(puzzle, f64::INFINITY),
        }
    } else {
        progress.show_hint(puzzle, answer.solutions.exact().unwrap_or(u128::MAX) as f64);
    }
    written.map(|()| exit)
}

/// What rank 0 counted beside its units.
fn rank_0_text(count: &Count) -> String {
    if count.units == 0 {
        return "no units to distribute: rank 0 counted the puzzle alone\n".into();
    }
    match count.solutions_above {
        Solutions::ZERO => String::new(),
        above => format!("and {} solutions above the depth, found by the expansion\n", grouped(above)),
    }
}

/// What to try where ranks waited long for the slowest.
fn imbalance_hint(count: &Count, efficiency: &Efficiency) -> String {
    let balance = efficiency.load_balance;
    if balance >= GOOD_BALANCE || count.phases.count < WORTH_BALANCING || count.distribution.schedule.splits_units() {
        return String::new();
    }
    format!("hint: the ranks were busy {} of the time of the slowest one; try --schedule steal\n", percent(balance))
}

/// Prints the answer, writes the report and the trace, and prints where they are. The answer comes first: a full disk must not
/// cost it. A broken standard output must not cost the report: of two errors, this prints one and returns the other.
fn write_answer(args: &CountArgs, lines: &str, report: &RunReport, count: &Count) -> Result<(), CommandError> {
    let printed = print_answers(lines.as_bytes(), is_stdout(args.report.as_deref()));
    let written = write_files(args, report, count);
    match (printed, written) {
        (Ok(_), Ok(files)) => print_answers(files.as_bytes(), false).map(drop),
        (Err(error), Ok(_)) | (Ok(_), Err(error)) => Err(error),
        (Err(first), Err(second)) => {
            print_error(&first);
            Err(second)
        }
    }
}

fn answer_text(
    args: &CountArgs,
    label: &str,
    expected: Option<u128>,
    count: &Count,
    report: &RunReport,
    answer: CountOutcome,
) -> String {
    if args.quiet {
        return format!("solutions: {}\n", answer.solutions);
    }
    let complete = match answer.stopped {
        Some(reason) => format!("no, {reason}"),
        None if answer.complete => "yes".into(),
        None => format!("no, {OVERFLOW}"),
    };
    let (distribution, environment) = (&count.distribution, &report.provenance.environment);
    let has_chunk = distribution.schedule != Schedule::Static;
    let resumed = |before: &ResumedFrom| format!("{} units, {} solutions", before.units, before.solutions);
    AnswerLines::default()
        .add("puzzle", label)
        .add("solutions", answer.solutions)
        .add("complete", complete)
        .add_some("expected", expected)
        .add("nodes", count.nodes)
        .add_some("cache", count.reduction.cache().summary())
        .add("method", count.method)
        .add_some("method reason", count.method_reason)
        .add("units", count.units)
        .add("depth", count.depth_reached)
        .add("schedule", distribution.schedule)
        .add_some("chunk", has_chunk.then_some(distribution.chunk))
        .add_some("schedule reason", count.schedule_reason)
        .add_some("resumed from", count.resumed_from.as_ref().map(resumed))
        .add("ranks", environment.ranks)
        .add("threads", environment.threads)
        .add("seconds", format_args!("{:.3}", count.phases.total))
        .add("expanding", format_args!("{:.3}", count.phases.expand))
        .add("load balance", format_args!("{:.2}", report.efficiency.load_balance))
        .0
}

/// Writes the report and the trace. Returns the lines that name the files.
fn write_files(args: &CountArgs, report: &RunReport, count: &Count) -> Result<String, CommandError> {
    let mut lines = String::new();
    write_report(report, args.report.as_deref())?;
    let Some(target) = args.report.as_deref().filter(|&target| target != Path::new("-")) else { return Ok(lines) };
    let _ = writeln!(lines, "report: {}", printable_path(target));
    if let Some(tallies) = &count.tallies {
        let _ = writeln!(lines, "units kept: {}", tallies.solutions.len());
    }
    if let Some(records) = &count.records {
        let target = trace::beside(target);
        let written = trace::write(&target, &TraceHead::of(report), records);
        written.map_err(|error| CommandError::io(&target, error))?;
        let _ = writeln!(lines, "trace: {}", printable_path(&target));
    }
    Ok(if args.quiet { String::new() } else { lines })
}

fn resumed_text(before: &ResumedFrom, units: usize) -> String {
    let runs = plural(before.runs as usize, "earlier run", "earlier runs"); // 0 if all their files are damaged
    let mut text = format!("resumed from {runs}: {} of {units} units were done", before.units);
    if before.subtasks_left > 0 {
        text += &format!(", except for {}", plural(before.subtasks_left as usize, "subtask", "subtasks"));
    }
    if before.torn_lines > 0 {
        let torn = plural(before.torn_lines as usize, "torn line", "torn lines");
        text += &format!("; skipped {torn} of the journal");
    }
    text + "\n"
}
