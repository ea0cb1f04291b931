//! `census list`: every solution, one a line.

use std::io;
use std::path::Path;
use std::slice;

use crate::atomic_file::write_atomically;
use crate::cli::ListArgs;
use crate::cluster::{self, Cluster, CountOptions, JobError, ListEnd, ListResult, Schedule, ScheduleChoice};
use crate::count::MethodChoice;
use crate::report::render::number::grouped;

use super::{
    CommandError, Exit, Outcome, check_method, check_stdout, check_target, complain, deadline, note, read_named, shown,
    threads,
};

pub(super) fn run(cluster: &Cluster, args: &ListArgs) -> Outcome {
    let (file, puzzle) = read_named(&args.puzzle)?;
    let method = MethodChoice::Fixed(args.method);
    check_method(method, args.search, args.share.depth, &puzzle, &file)?;
    if let Some(target) = &args.output {
        check_target(target, slice::from_ref(&args.puzzle.puzzle))?;
    }
    let plan = CountOptions {
        method,
        schedule: ScheduleChoice::Fixed(Schedule::Cyclic),
        chunk: None,
        search: args.search.options(),
        depth: args.share.depth,
        threads: threads(args.share.ranks.threads, cluster),
        limit: args.limit,
        deadline: deadline(args.time_limit),
        journal: None,
        trace: false,
        units: false,
    };
    if let Some(deadline) = plan.deadline {
        cluster.abort_on_blocked_output(deadline);
    }
    let to_file = args.output.as_deref().filter(|&target| target != Path::new("-"));
    let (name, listed) = match to_file {
        None => {
            check_stdout()?;
            ("standard output".into(), cluster::list(cluster, &puzzle, &plan, &mut io::stdout()))
        }
        Some(target) => {
            let listed = write_atomically(target, |file| match cluster::list(cluster, &puzzle, &plan, file)? {
                // The file is whole or it is not there: an early end leaves nothing behind.
                ListResult { end: ListEnd::Stopped(reason), .. } => Err(JobError::Stopped(reason)),
                listed => Ok(listed),
            });
            (shown(target), listed)
        }
    };
    let listed = listed.map_err(|fault| match fault {
        JobError::Output(error) => CommandError::Io { name, error },
        JobError::Method(error) => CommandError::Usage(format!("{file}: {error}")),
        JobError::Stopped(reason) => CommandError::Stopped(format!("{reason}: {name} was not written")),
        other => other.into(),
    })?;
    if let ListEnd::Stopped(reason) = listed.end {
        complain(&format!("{reason}, after {} solutions", listed.solutions));
        return Ok(Exit::JobError);
    }
    if !args.quiet {
        let plural = if listed.solutions == 1 { "" } else { "s" };
        let number = format!("{} solution{plural}", grouped(&listed.solutions.to_string()));
        note(&match listed.end {
            ListEnd::All => format!("listed {number}, which is all\n"),
            ListEnd::Limit => format!("listed {number}, and stopped at the limit\n"),
            ListEnd::BrokenPipe | ListEnd::Stopped(_) => "stopped, as the reader has left\n".into(),
        });
    }
    Ok(if listed.end == ListEnd::All && listed.solutions == 0 { Exit::No } else { Exit::Done })
}
