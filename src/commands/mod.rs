//! One file for each command.

mod batch_reader;
mod check;
mod count;
mod estimate;
mod list;
mod one_puzzle;
mod plan;
mod report;
mod shell;
mod show;
mod solve;
mod streams;
mod verify;

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::atomic_file;
use crate::cli::{Cli, Command, RankArgs, SearchArgs};
use crate::cluster::{self, Cluster, JobError, Launcher, print_error};
use crate::count::{Depth, MethodChoice};
use crate::puzzle::InputError;
use crate::report::sweep::warnings::Disagreement;

pub use streams::STDOUT_CLOSED;
use streams::printable_path;

/// The exit codes. Of several, the highest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    Done = 0,
    /// No solution, a conflict, or a count other than the expected one.
    No = 1,
    /// Bad usage or bad input.
    Usage = 2,
    /// Input or output, the cluster, an overflow; or a run that was stopped before its end.
    Failure = 3,
}

#[derive(Debug, thiserror::Error)]
enum CommandError {
    #[error(transparent)]
    Input(#[from] InputError),
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Job(#[from] JobError),
    #[error("{name}: {error}")]
    Io { name: String, error: io::Error },
    #[error("{0}")]
    Stopped(String),
    #[error(transparent)]
    Disagreement(#[from] Disagreement),
}

impl CommandError {
    fn io(target: &Path, error: io::Error) -> CommandError {
        CommandError::Io { name: printable_path(target), error }
    }

    fn exit(&self) -> Exit {
        match self {
            CommandError::Disagreement(_) => Exit::No,
            CommandError::Input(_) | CommandError::Usage(_) => Exit::Usage,
            CommandError::Job(
                JobError::Pool(_) | JobError::Method(_) | JobError::ManyUnits { .. } | JobError::Claim(_),
            ) => Exit::Usage,
            CommandError::Job(JobError::Journal(error)) if error.is_usage() => Exit::Usage,
            CommandError::Job(_) | CommandError::Io { .. } | CommandError::Stopped(_) => Exit::Failure,
        }
    }
}

type Outcome = Result<Exit, CommandError>;

pub fn run(cli: &Cli) -> u8 {
    match &cli.command {
        Command::Count(args) => on_all_ranks(&args.distribution.ranks, |cluster| count::run(cluster, args)),
        Command::List(args) => on_all_ranks(&args.distribution.ranks, |cluster| list::run(cluster, args)),
        Command::Verify(args) => on_all_ranks(&args.ranks, |cluster| verify::run(cluster, args)),
        Command::Solve(args) => on_one_rank(|| exit_code(solve::run(args))),
        Command::Check(args) => on_one_rank(|| exit_code(check::run(args))),
        Command::Show(args) => on_one_rank(|| exit_code(show::run(args))),
        Command::Estimate(args) => on_one_rank(|| exit_code(estimate::run(args))),
        Command::Plan(args) => on_one_rank(|| exit_code(plan::run(args))),
        Command::Report(args) => on_one_rank(|| exit_code(report::run(args))),
        Command::Completions(args) => on_one_rank(|| exit_code(shell::completions(args))),
        Command::Man(args) => on_one_rank(|| exit_code(shell::man(args))),
    }
}

/// Runs a command on rank 0, while the other ranks run the jobs that it sends.
fn on_all_ranks(ranks: &RankArgs, command: impl FnOnce(&Cluster) -> Outcome) -> u8 {
    let cluster = match Cluster::join(ranks.heartbeat_timeout) {
        Ok(cluster) => cluster,
        Err(error) => return on_first_rank(|| exit_code(Err(error.into()))),
    };
    if let Some(expected) = ranks.expect_ranks.filter(|&expected| expected != cluster.ranks()) {
        let error = JobError::UnexpectedRanks { expected, seen: cluster.ranks() };
        let exit = on_first_rank(|| exit_code(Err(error.into())));
        cluster.finalize(exit);
        return exit;
    }
    if !cluster.is_coordinator() {
        return cluster.run_commands().unwrap_or_else(|error| cluster::abort_job(&error, Exit::Failure as u8));
    }
    let outcome = command(&cluster);
    if let Err(CommandError::Job(error @ JobError::Protocol(_))) = &outcome {
        cluster::abort_job(error, Exit::Failure as u8); // the other ranks may wait for another message than `dismiss` sends
    }
    let exit = exit_code(outcome);
    cluster.dismiss(exit);
    exit
}

/// Runs a command of a single process, or prints an error in the arguments, on the first rank. The other ranks do nothing.
pub fn on_one_rank(command: impl FnOnce() -> u8) -> u8 {
    let cluster = Cluster::agree();
    let exit = on_first_rank(command);
    if let Some(cluster) = cluster {
        cluster.finalize(exit);
    }
    exit
}

/// The launcher names the first rank, because ranks may not have connected. The others return 0: a launcher ends the job when a
/// process returns an error, and the first rank may not have printed its message by then. Its exit code is that of the job.
fn on_first_rank(command: impl FnOnce() -> u8) -> u8 {
    let is_first = Launcher::detect().and_then(|launcher| launcher.rank).is_none_or(|rank| rank == 0);
    if is_first { command() } else { Exit::Done as u8 }
}

/// Prints the error of an outcome, and returns its exit code.
fn exit_code(outcome: Outcome) -> u8 {
    let exit = outcome.unwrap_or_else(|error| {
        print_error(&error);
        error.exit()
    });
    exit as u8
}

/// Checks before the work starts that its result can be written at the end, and that it replaces no input.
fn check_target(target: &Path, inputs: &[String]) -> Result<(), CommandError> {
    let file = fs::canonicalize(target).ok().filter(|file| file.is_file());
    if file.is_some_and(|file| inputs.iter().any(|input| fs::canonicalize(input).is_ok_and(|input| input == file))) {
        let target = printable_path(target);
        return Err(CommandError::Usage(format!("output file {target} is also an input: choose another name")));
    }
    atomic_file::check_target(target).map_err(|error| CommandError::io(target, error))
}

/// Checks that the options of a search and the depth are valid for the method.
fn check_method_options(method: MethodChoice, search: SearchArgs, depth: Depth) -> Result<(), CommandError> {
    let Some(method) = method.fixed() else { return Ok(()) };
    if let Some(option) = search.given().filter(|_| !method.searches()) {
        let message = format!("{option} has no meaning with --method {method}, which does not guess");
        return Err(CommandError::Usage(message));
    }
    match (depth, method.capabilities().max_depth) {
        (Depth::Fixed(depth), Some(max)) if depth > max => {
            Err(CommandError::Usage(format!("--depth of --method {method} is 0 to {max}, or auto")))
        }
        _ => Ok(()),
    }
}

fn deadline(time_limit: Option<Duration>) -> Option<Instant> {
    time_limit.and_then(|limit| Instant::now().checked_add(limit))
}

fn threads(option: Option<u16>, cluster: &Cluster) -> usize {
    match option {
        Some(threads) => threads.into(),
        None if cluster.launcher().is_some() => 1,
        None => cluster::cores(),
    }
}
