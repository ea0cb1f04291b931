//! `census plan`: simulates a recorded run with other schedules and numbers of ranks.

use super::streams::{is_stdout, print_stderr, print_stdout, write_report};
use super::{CommandError, Exit, Outcome, check_target};
use crate::cli::PlanArgs;
use crate::puzzle::input::source::printable;
use crate::report::plan::{MAX_WORKERS, Plan, PlanOptions, table};
use crate::report::trace;

pub(super) fn run(args: &PlanArgs) -> Outcome {
    let mut ranks = args.ranks.0.clone();
    ranks.sort_unstable();
    ranks.dedup();
    let max_ranks = ranks.last().copied().unwrap_or(1);
    if u64::from(max_ranks) * u64::from(args.threads) > MAX_WORKERS {
        let threads = args.threads;
        return Err(CommandError::Usage(format!(
            "{max_ranks} ranks of {threads} threads are more than the {MAX_WORKERS} workers that can be simulated"
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
    let text = table::text(&plan);
    match is_stdout(args.json.as_deref()) {
        true => print_stderr(&text),
        false => print_stdout(&text)?,
    }
    write_report(&plan, args.json.as_deref())?;
    Ok(Exit::Done)
}
