//! `census list`: every solution, one a line.

use std::io;
use std::path::Path;
use std::slice;

use crate::cli::ListArgs;
use crate::cluster::{self, Cluster, CountPlan, End, Fault, Listed, Schedule, ScheduleChoice};
use crate::count::MethodChoice;
use crate::report::terminal::grouped;
use crate::whole::write_whole;

use super::{
    Exit, Failure, Outcome, check_method, check_stdout, check_target, complain, deadline, note, read_named, shown,
    threads,
};

pub(super) fn run(cluster: &Cluster, args: &ListArgs) -> Outcome {
    let (file, puzzle) = read_named(&args.puzzle)?;
    let method = MethodChoice::Fixed(args.method);
    check_method(method, args.search, args.share.depth, &puzzle, &file)?;
    if let Some(target) = &args.output {
        check_target(target, slice::from_ref(&args.puzzle.puzzle))?;
    }
    let plan = CountPlan {
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
        cluster.end_blocked_output(deadline);
    }
    let to_file = args.output.as_deref().filter(|&target| target != Path::new("-"));
    let (name, listed) = match to_file {
        None => {
            check_stdout()?;
            ("standard output".into(), cluster::list(cluster, &puzzle, &plan, &mut io::stdout()))
        }
        Some(target) => {
            let listed = write_whole(target, |file| match cluster::list(cluster, &puzzle, &plan, file)? {
                // The file is whole or it is not there: an early end leaves nothing behind.
                Listed { end: End::Stopped(reason), .. } => Err(Fault::Stopped(reason)),
                listed => Ok(listed),
            });
            (shown(target), listed)
        }
    };
    let listed = listed.map_err(|fault| match fault {
        Fault::Output(error) => Failure::Io { name, error },
        Fault::Method(error) => Failure::Usage(format!("{file}: {error}")),
        Fault::Stopped(reason) => Failure::Stopped(format!("{reason}: {name} was not written")),
        other => other.into(),
    })?;
    if let End::Stopped(reason) = listed.end {
        complain(&format!("{reason}, after {} solutions", listed.solutions));
        return Ok(Exit::Fault);
    }
    if !args.quiet {
        let plural = if listed.solutions == 1 { "" } else { "s" };
        let number = format!("{} solution{plural}", grouped(&listed.solutions.to_string()));
        note(&match listed.end {
            End::All => format!("listed {number}, which is all\n"),
            End::Limit => format!("listed {number}, and stopped at the limit\n"),
            End::ReaderLeft | End::Stopped(_) => "stopped, as the reader has left\n".into(),
        });
    }
    Ok(if listed.end == End::All && listed.solutions == 0 { Exit::No } else { Exit::Done })
}
