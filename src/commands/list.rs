//! `census list`: every solution, one on each line.

use std::io;
use std::slice;

use super::one_puzzle::OnePuzzle;
use super::streams::{check_stdout, is_stdout, print_stderr, printable_path};
use super::{CommandError, Exit, Outcome, check_method_options, check_target, deadline, threads};
use crate::atomic_file::write_atomically;
use crate::cli::ListArgs;
use crate::cluster::{
    self, Cluster, CountOptions, JobError, ListEnd, ListResult, Schedule, ScheduleChoice, print_error,
};
use crate::count::MethodChoice;
use crate::report::render::number::grouped;

pub(super) fn run(cluster: &Cluster, args: &ListArgs) -> Outcome {
    let method = MethodChoice::Fixed(args.method);
    check_method_options(method, args.search, args.distribution.depth)?;
    let OnePuzzle { puzzle, source, .. } = OnePuzzle::read(&args.puzzle, args.method)?;
    if let Some(target) = &args.output {
        check_target(target, slice::from_ref(&args.puzzle.puzzle))?;
    }
    let options = CountOptions {
        method,
        schedule: ScheduleChoice::Fixed(Schedule::Cyclic),
        chunk: None,
        search: args.search.options(),
        depth: args.distribution.depth,
        threads: threads(args.distribution.ranks.threads, cluster),
        limit: args.limit,
        deadline: deadline(args.time_limit),
        journal: None,
        trace: false,
        units: false,
    };
    cluster.abort_on_blocked_output(options.deadline);
    let to_file = args.output.as_deref().filter(|target| !is_stdout(Some(target)));
    let (name, listed) = match to_file {
        None => {
            check_stdout()?;
            ("standard output".into(), cluster::list(cluster, &puzzle, &options, &mut io::stdout()))
        }
        Some(target) => {
            let listed = write_atomically(target, |file| match cluster::list(cluster, &puzzle, &options, file)? {
                // An error discards the incomplete file.
                ListResult { end: ListEnd::Stopped(reason), .. } => Err(JobError::Stopped(reason)),
                listed => Ok(listed),
            });
            (printable_path(target), listed)
        }
    };
    let listed = listed.map_err(|error| match error {
        JobError::Output(error) => CommandError::Io { name, error },
        JobError::Method(error) => CommandError::Usage(format!("{}: {error}", source.name)),
        JobError::Stopped(reason) => CommandError::Stopped(format!("{reason}: {name} was not written")),
        other => other.into(),
    })?;
    if let ListEnd::Stopped(reason) = listed.end {
        print_error(&format!("{reason}, after {} solutions", listed.solutions));
        return Ok(Exit::Failure);
    }
    if !args.quiet {
        let plural = if listed.solutions == 1 { "" } else { "s" };
        let number = format!("{} solution{plural}", grouped(listed.solutions));
        print_stderr(&match listed.end {
            ListEnd::All => format!("listed {number}, which is all\n"),
            ListEnd::Limit => format!("listed {number}, and stopped at the limit\n"),
            ListEnd::BrokenPipe | ListEnd::Stopped(_) => "stopped: the reader of the output has closed it\n".into(),
        });
    }
    Ok(if listed.end == ListEnd::All && listed.solutions == 0 { Exit::No } else { Exit::Done })
}
