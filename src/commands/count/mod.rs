//! `census count`: all solutions of one puzzle, or of each puzzle of a collection.

mod batch;
mod output;
mod printer;
pub(super) mod progress;
mod single;

use std::time::{Instant, SystemTime};

use super::batch_reader::BatchReader;
use super::one_puzzle::OnePuzzle;
use super::streams::{check_stdout, is_stdout};
use super::{CommandError, Exit, Outcome, check_method_options, check_target, deadline, threads};
use crate::cli::CountArgs;
use crate::cluster::{Cluster, CountOptions, JournalOptions, Schedule, ScheduleChoice, StopReason, print_error};
use crate::count::Solutions;
use crate::count::search::{DEFAULT_CACHE, SearchOptions};
use crate::report::run::CountOutcome;
use crate::report::trace;
use batch::count_batches;
use progress::ProgressDisplay;
use single::count_one;

const OVERFLOW: &str = "more solutions than 128 bits can count";

struct Run<'a> {
    cluster: &'a Cluster,
    args: &'a CountArgs,
    options: CountOptions,
    started: SystemTime,
    start: Instant,
}

impl Run<'_> {
    fn stop_reason(&self) -> Option<StopReason> {
        self.cluster.stop_reason(self.options.deadline)
    }
}

pub(super) fn run(cluster: &Cluster, args: &CountArgs) -> Outcome {
    let (started, start) = (SystemTime::now(), Instant::now());
    check_method_options(args.method, args.search, args.distribution.depth)?;
    check_options(args)?;
    let run = Run { cluster, args, options: count_options(cluster, args), started, start };
    cluster.abort_on_blocked_output(run.options.deadline);
    let mut progress = ProgressDisplay::new(args, cluster.launcher().is_some());
    let mut reader = BatchReader::new(args.puzzles.clone(), args.read.options(), args.method, args.keep_going)?;
    // The output for one puzzle is another than for several: wait until it is known whether there is a second.
    let mut first = reader.next(2, || run.stop_reason());
    if let Ok(batch) = &mut first {
        // Nothing will be counted before an error of the input.
        let min_puzzles = if option_for_one_puzzle(args).is_some() { 2 } else { 1 };
        if let Some(error) = batch.failed.take_if(|_| batch.records.len() < min_puzzles) {
            return Err(error);
        }
        if let Some(one) = OnePuzzle::of(batch)
            && let Some(sha256) = &one.sha256
        {
            return count_one(&run, &one, sha256, &mut progress);
        }
        if let Some(option) = option_for_one_puzzle(args) {
            let puzzles = batch.size_text();
            return Err(CommandError::Usage(format!("{option} takes one puzzle, but the input holds {puzzles}")));
        }
    }
    count_batches(&run, reader, first, &mut progress)
}

/// The first option that was given and does not work with a collection.
fn option_for_one_puzzle(args: &CountArgs) -> Option<&'static str> {
    let options = [("--trace", args.trace), ("--units", args.units), ("--journal", args.journal.is_some())];
    options.into_iter().find_map(|(option, given)| given.then_some(option))
}

fn count_options(cluster: &Cluster, args: &CountArgs) -> CountOptions {
    CountOptions {
        method: args.method,
        schedule: args.schedule,
        chunk: args.chunk.map(|chunk| chunk as usize),
        search: SearchOptions { cache: args.cache.unwrap_or(DEFAULT_CACHE), ..args.search.options() },
        depth: args.distribution.depth,
        threads: threads(args.distribution.ranks.threads, cluster),
        limit: args.limit,
        deadline: deadline(args.time_limit),
        trace: args.trace,
        units: args.units,
        journal: args.journal.clone().map(|folder| JournalOptions { folder, resume: args.resume }),
    }
}

/// Checks what can be checked before anything is read.
fn check_options(args: &CountArgs) -> Result<(), CommandError> {
    if args.chunk.is_some() && args.schedule == ScheduleChoice::Fixed(Schedule::Static) {
        return Err(CommandError::Usage(
            "--chunk has no meaning with --schedule static: each rank gets one block".into(),
        ));
    }
    if args.cache.is_some()
        && let Some(method) = args.method.fixed().filter(|method| !method.searches())
    {
        let message = format!("--cache has no meaning with --method {method}, which does not search");
        return Err(CommandError::Usage(message));
    }
    let Some(target) = &args.report else { return check_stdout() };
    if args.trace && is_stdout(Some(target)) {
        return Err(CommandError::Usage("--trace writes a file beside the report: --report must name a file".into()));
    }
    check_target(target, &args.puzzles)?;
    if args.trace { check_target(&trace::beside(target), &args.puzzles) } else { Ok(()) }
}

/// The answer that is reported for a count.
fn answer_of(
    counted: Solutions,
    complete: bool,
    stopped: Option<StopReason>,
    expected: Option<u128>,
    limit: Option<u64>,
) -> CountOutcome {
    // Ranks stop soon after the limit, not at it. By how much they exceed it depends on timing, so the limit is reported.
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

/// The exit code of an answer. Prints an error where it is not complete or not the expected one.
fn check_answer(answer: CountOutcome, expected: Option<u128>, location: impl Fn() -> String) -> Exit {
    if let Some(reason) = answer.stopped.filter(|&reason| reason != StopReason::Limit) {
        print_error(&format!("{}: {reason}, with {} solutions so far", location(), answer.solutions));
        return Exit::Failure;
    }
    if answer.solutions.exact().is_none() {
        print_error(&format!("{}: {OVERFLOW}", location()));
        return Exit::Failure;
    }
    match (answer.matches_expected, expected) {
        (Some(false), Some(expected)) => {
            print_error(&format!("{}: counted {}, but {expected} expected", location(), answer.solutions));
            Exit::No
        }
        (None, _) if answer.solutions == Solutions::ZERO => Exit::No,
        _ => Exit::Done,
    }
}
