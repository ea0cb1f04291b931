//! `census plan`: what other schedules and numbers of ranks would make of a recorded run.

use std::path::Path;

use crate::cli::PlanArgs;
use crate::puzzle::input::source::printable;
use crate::report::plan::{MAX_WORKERS, Plan, PlanOptions, table};
use crate::report::{self, trace};

use super::{CommandError, Exit, Outcome, answer, check_target, note};

pub(super) fn run(args: &PlanArgs) -> Outcome {
    let mut ranks = args.ranks.clone();
    ranks.sort_unstable();
    ranks.dedup();
    let most = ranks.last().copied().unwrap_or(1);
    if u64::from(most) * u64::from(args.threads) > MAX_WORKERS {
        let threads = args.threads;
        return Err(CommandError::Usage(format!(
            "{most} ranks of {threads} threads are more workers than can be simulated"
        )));
    }
    if let Some(target) = &args.json {
        check_target(target, &args.traces)?;
    }
    let mut traces = Vec::with_capacity(args.traces.len());
    for path in &args.traces {
        let name = if path == "-" { "standard input".into() } else { printable(path) };
        traces.push((name, trace::open(path)?));
    }
    let options = PlanOptions {
        ranks: ranks.into_iter().map(|ranks| ranks as usize).collect(),
        threads: args.threads.into(),
        latency: args.latency.map(|latency| latency.as_secs_f64()),
        request: args.request.map(|request| request.as_secs_f64()),
    };
    let plan = Plan::new(&traces, &options).map_err(CommandError::Usage)?;
    drop(traces);
    match &args.json {
        Some(target) if target == Path::new("-") => {
            // Standard output belongs to the JSON.
            note(&table::text(&plan));
            answer(&report::to_json(&plan))?;
        }
        Some(target) => {
            answer(&table::text(&plan))?;
            report::write(&plan, target).map_err(|error| CommandError::io(target, error))?;
        }
        None => answer(&table::text(&plan))?,
    }
    Ok(Exit::Done)
}
