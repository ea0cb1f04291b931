//! One file for each command: what its options mean, which rooms it walks through, what it prints.

mod check;
mod count;
mod estimate;
mod list;
mod plan;
mod report;
mod show;
mod solve;
mod verify;

use std::fmt::Display;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::cli::{Cli, Command, PuzzleArgs, RankArgs, SearchArgs};
use crate::cluster::{self, Cluster, JobError, Launcher};
use crate::count::{Depth, MethodChoice, MethodName, bands};
use crate::puzzle::input::source::{self, Text, printable};
use crate::puzzle::{ErrorScope, InputError, ParsedPuzzle, Puzzle, ReadOptions, formats};
use crate::report::sweep::warnings::Disagreement;
use crate::{atomic_file, blocking};

/// How a command ends: the exit codes. Of several, the highest tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// The answer is no: no solution, a conflict, a count other than the expected one.
    No = 1,
    /// Bad usage or bad input.
    Usage = 2,
    /// A fault: input or output, the cluster, an overflow; or a run that was stopped before its end.
    JobError = 3,
}

/// Why a command could not do what it was asked.
#[derive(Debug, thiserror::Error)]
enum CommandError {
    #[error(transparent)]
    Input(#[from] InputError),
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    JobError(#[from] JobError),
    #[error("{name}: {error}")]
    Io { name: String, error: io::Error },
    #[error("{0}")]
    Stopped(String),
    #[error(transparent)]
    Disagreement(#[from] Disagreement),
}

impl CommandError {
    fn io(target: &Path, error: io::Error) -> CommandError {
        CommandError::Io { name: shown(target), error }
    }

    /// What of the input it is about, if it is about the input.
    fn subject(&self) -> ErrorScope {
        match self {
            CommandError::Input(error) => error.scope(),
            _ => ErrorScope::Puzzle,
        }
    }

    /// Whether what follows it in its source was not read.
    fn breaks_off(&self) -> bool {
        matches!(self, CommandError::Input(error) if error.rest_unread())
    }

    fn exit(&self) -> Exit {
        match self {
            CommandError::Disagreement(_) => Exit::No,
            CommandError::Input(_) | CommandError::Usage(_) => Exit::Usage,
            CommandError::JobError(
                JobError::Pool(_) | JobError::Method(_) | JobError::ManyUnits { .. } | JobError::Claim(_),
            ) => Exit::Usage,
            CommandError::JobError(JobError::Journal(error)) if error.is_usage() => Exit::Usage,
            CommandError::JobError(_) | CommandError::Io { .. } | CommandError::Stopped(_) => Exit::JobError,
        }
    }
}

type Outcome = Result<Exit, CommandError>;

/// Runs a command and returns the exit code.
pub fn run(cli: &Cli) -> u8 {
    match &cli.command {
        Command::Count(args) => on_all_ranks(&args.share.ranks, |cluster| count::run(cluster, args)),
        Command::List(args) => on_all_ranks(&args.share.ranks, |cluster| list::run(cluster, args)),
        Command::Verify(args) => on_all_ranks(&args.ranks, |cluster| verify::run(cluster, args)),
        Command::Solve(args) => agreed(|| solve::run(args)),
        Command::Check(args) => agreed(|| check::run(args)),
        Command::Show(args) => agreed(|| show::run(args)),
        Command::Estimate(args) => agreed(|| estimate::run(args)),
        Command::Plan(args) => agreed(|| plan::run(args)),
        Command::Report(args) => agreed(|| report::run(args)),
    }
}

/// Whether this process is the one of its job that may speak, as far as the launcher tells: before ranks have met,
/// each of them finds the same mistakes, and one line about them is enough.
fn may_speak() -> bool {
    Launcher::detect().is_none_or(|launcher| launcher.rank.is_none_or(|rank| rank == 0))
}

/// A command that every rank takes part in: rank 0 leads, the others follow until they are dismissed.
fn on_all_ranks(ranks: &RankArgs, lead: impl FnOnce(&Cluster) -> Outcome) -> u8 {
    let cluster = match Cluster::join(ranks.heartbeat_timeout) {
        Ok(cluster) => cluster,
        Err(fault) => return on_one_rank(|| Err(fault.into())),
    };
    if let Err(fault) = cluster.check_ranks(ranks.expect_ranks) {
        let exit = on_one_rank(|| Err(fault.into()));
        cluster.finalize(exit);
        return exit;
    }
    if !cluster.is_coordinator() {
        return cluster.run_commands().unwrap_or_else(|fault| cluster::abort_job(&fault, Exit::JobError as u8));
    }
    let outcome = lead(&cluster);
    if let Err(CommandError::JobError(fault @ JobError::Protocol(_))) = &outcome {
        cluster::abort_job(fault, Exit::JobError as u8); // the others may wait for something else than to be dismissed
    }
    let exit = end(outcome);
    cluster.dismiss(exit);
    exit
}

/// A command for one process, when all of them know that it is one.
fn agreed(command: impl FnOnce() -> Outcome) -> u8 {
    agreed_exit(|| end(command()))
}

/// The same for what has an exit code already, such as a mistake in the arguments.
pub fn agreed_exit(say: impl FnOnce() -> u8) -> u8 {
    let cluster = Cluster::agree();
    let exit = if may_speak() { say() } else { Exit::Done as u8 };
    if let Some(cluster) = cluster {
        cluster.finalize(exit);
    }
    exit
}

/// What one process says or does for all of them: under a launcher the first one, and the others leave in silence. They
/// leave with 0, because a launcher ends the whole job when a process leaves with an error, and the first one may not
/// have spoken by then; its exit code is that of the job.
fn on_one_rank(command: impl FnOnce() -> Outcome) -> u8 {
    if may_speak() { end(command()) } else { Exit::Done as u8 }
}

/// The exit code of an outcome, with a word on what went wrong.
fn end(outcome: Outcome) -> u8 {
    let exit = outcome.unwrap_or_else(|failure| {
        complain(&failure);
        failure.exit()
    });
    exit as u8
}

/// Says on standard error what is wrong: one line, in one write, so that lines of several ranks do not mix. Names in it may
/// have been chosen by others: no part of it moves the cursor or begins a line.
fn complain(message: &dyn Display) {
    note(&format!("census: {}\n", printable(&message.to_string())));
}

/// Writes something that is not an answer to standard error. If nobody listens, that is no reason to fail.
fn note(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// A path on one line, whatever is in it.
fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

/// Finds out before the work starts whether its result can be written when it ends, and over nothing that is read.
fn check_target(target: &Path, inputs: &[String]) -> Result<(), CommandError> {
    let place = fs::canonicalize(target).ok().filter(|place| place.is_file());
    if place.is_some_and(|place| inputs.iter().any(|input| fs::canonicalize(input).is_ok_and(|input| input == place))) {
        return Err(CommandError::Usage(format!("{} is read here: what is written needs another name", shown(target))));
    }
    atomic_file::check_target(target).map_err(|error| CommandError::io(target, error))
}

/// Writes an answer to standard output. A reader that has left has seen enough.
fn answer(text: &str) -> Result<(), CommandError> {
    output(|stdout| stdout.write_all(text.as_bytes())).map(drop)
}

/// Has something written to standard output, and says whether there still is a reader.
fn output(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<bool, CommandError> {
    check_stdout()?;
    let mut stdout = io::stdout().lock();
    match blocking::write(|| write(&mut stdout).and_then(|()| stdout.flush())) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(CommandError::Io { name: "standard output".into(), error })
        }
        written => Ok(written.is_ok()),
    }
}

/// Whether this process was started without a standard output. What it writes there is lost without an error.
pub static STDOUT_CLOSED: AtomicBool = AtomicBool::new(false);

/// Refuses to lose an answer.
fn check_stdout() -> Result<(), CommandError> {
    match STDOUT_CLOSED.load(Ordering::Relaxed) {
        true => Err(CommandError::Io { name: "standard output".into(), error: io::Error::other("is closed") }),
        false => Ok(()),
    }
}

/// What an argument holds, before its givens are checked.
fn read(argument: &str, options: ReadOptions) -> Result<(Text, Vec<ParsedPuzzle>), InputError> {
    let text = source::load(argument, options)?;
    let readings = formats::read(&text)?;
    Ok((text, readings))
}

/// The one puzzle that an argument holds.
fn read_one(args: &PuzzleArgs) -> Result<Puzzle, CommandError> {
    read_named(args).map(|(_, puzzle)| puzzle)
}

/// The same, with the name of its source.
fn read_named(args: &PuzzleArgs) -> Result<(Arc<str>, Puzzle), CommandError> {
    let (text, mut readings) = read(&args.puzzle, args.read.options())?;
    let count = readings.len();
    match readings.pop() {
        Some(reading) if count == 1 => Ok((text.name, reading.checked()?)),
        _ => Err(CommandError::Usage(format!("{}: holds {count} puzzles, but this command takes one", text.name))),
    }
}

/// Whether the method that was asked for is one for this puzzle, and the other options are for this method.
fn check_method(
    method: MethodChoice,
    search: SearchArgs,
    depth: Depth,
    puzzle: &Puzzle,
    place: &str,
) -> Result<(), CommandError> {
    check_method_options(method, search, depth)?;
    let MethodChoice::Fixed(method) = method else { return Ok(()) };
    method.check(&puzzle.shape).map_err(|error| CommandError::Usage(format!("{place}: {error}")))
}

/// Whether the other options are for this method.
fn check_method_options(method: MethodChoice, search: SearchArgs, depth: Depth) -> Result<(), CommandError> {
    if method != MethodChoice::Fixed(MethodName::Bands) {
        return Ok(());
    }
    if let Some(option) = search.given() {
        return Err(CommandError::Usage(format!("{option} has no meaning with --method bands, which does not guess")));
    }
    if matches!(depth, Depth::Fixed(depth) if depth > bands::MAX_DEPTH) {
        return Err(CommandError::Usage(format!("--depth of --method bands is 0 to {}, or auto", bands::MAX_DEPTH)));
    }
    Ok(())
}

/// The moment at which a run that starts now has used up its time.
fn deadline(limit: Option<Duration>) -> Option<Instant> {
    limit.and_then(|limit| Instant::now().checked_add(limit))
}

/// The worker threads of each rank: as asked, or one under a launcher and all cores otherwise.
fn threads(asked: Option<u16>, cluster: &Cluster) -> usize {
    match asked {
        Some(threads) => threads.into(),
        None if cluster.launcher().is_some() => 1,
        None => cluster::cores(),
    }
}
