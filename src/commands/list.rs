//! `census list`: every solution, one a line.

use std::io;

use crate::cli::ListArgs;
use crate::cluster::{self, Cluster, CountPlan, Fault};
use crate::report::terminal::grouped;
use crate::report::{check_target, write_whole};

use super::{Exit, Failure, Outcome, note, read_one, threads};

pub(super) fn run(cluster: &Cluster, args: &ListArgs) -> Outcome {
    let puzzle = read_one(&args.puzzle)?;
    if let Some(target) = &args.output {
        check_target(target).map_err(|error| Failure::io(target, error))?;
    }
    let plan = CountPlan {
        search: args.search.options(),
        depth: args.share.depth,
        threads: threads(args.share.threads, cluster),
        limit: args.limit,
    };
    let (name, listed) = match &args.output {
        None => ("standard output".into(), cluster::list(cluster, &puzzle, &plan, &mut io::stdout().lock())),
        Some(target) => {
            let listed = write_whole(target, |file| cluster::list(cluster, &puzzle, &plan, file));
            (target.display().to_string(), listed)
        }
    };
    let listed = listed.map_err(|fault| match fault {
        Fault::Output(error) => Failure::Io { name, error },
        other => other.into(),
    })?;
    if !args.quiet {
        let more = if listed.complete { "" } else { ", there may be more" };
        note(&format!("listed {} solutions{more}\n", grouped(&listed.solutions.to_string())));
    }
    Ok(if listed.complete && listed.solutions == 0 { Exit::No } else { Exit::Done })
}
