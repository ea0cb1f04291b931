//! A sweep for programs: one row for each run, with units in the headings.

use crate::report::render::number::trimmed;
use crate::report::render::table::{Column, Table};

use super::Run;
use super::analysis::{Analysis, Series};

/// The sweep as comma-separated values, in the order of the analysis. Ratios have no unit.
pub fn text(analysis: &Analysis) -> String {
    let columns: [Column<(&Series, &Run)>; 37] = [
        ("run", |(_, run)| run.name.clone()),
        ("scaling", |(_, run)| format!("{:?}", run.scaling).to_lowercase()),
        ("puzzle", |(_, run)| run.stem().into()),
        ("puzzle_name", |(_, run)| run.puzzle().into()),
        ("puzzle_sha256", |(_, run)| run.report.puzzle.sha256.clone()),
        ("method", |(_, run)| run.report.config.method.clone()),
        ("schedule", |(series, run)| if series.is_sequential { "sequential".into() } else { run.schedule().into() }),
        ("depth", |(_, run)| run.report.config.depth.clone()),
        ("depth_reached_guesses", |(_, run)| optional(&run.report.config.depth_reached)),
        ("ranks", |(_, run)| run.ranks().to_string()),
        ("threads_per_rank", |(_, run)| run.threads().to_string()),
        ("workers", |(_, run)| run.workers().to_string()),
        ("oversubscribed", |(_, run)| run.is_oversubscribed().to_string()),
        ("units", |(_, run)| run.report.pool.units.to_string()),
        ("solutions", |(_, run)| run.report.result.solutions.to_string()),
        ("nodes", |(_, run)| run.report.result.nodes.to_string()),
        ("total_s", |(_, run)| number(run.seconds())),
        ("expand_s", |(_, run)| number(run.report.phases.expand)),
        ("distribute_s", |(_, run)| number(run.report.phases.distribute)),
        ("count_s", |(_, run)| number(run.report.phases.count)),
        ("reduce_s", |(_, run)| number(run.report.phases.reduce)),
        ("busy_mean_s", |(_, run)| number(run.busy_and_wait().0)),
        ("wait_mean_s", |(_, run)| number(run.busy_and_wait().1)),
        ("speed_up", |(series, run)| number(series.speed_up_of(run))),
        ("efficiency", |(series, run)| number(series.speed_up_of(run) / run.workers() as f64)),
        ("load_balance", |(_, run)| number(run.report.efficiency.load_balance)),
        ("load_balance_nodes", |(_, run)| number(run.report.efficiency.load_balance_nodes)),
        ("communication_efficiency", |(_, run)| number(run.report.efficiency.communication)),
        ("parallel_efficiency", |(_, run)| number(run.report.efficiency.parallel)),
        ("nodes_per_s", |(_, run)| format!("{:.0}", run.report.efficiency.nodes_per_second)),
        ("solutions_per_s", |(_, run)| format!("{:.0}", run.report.efficiency.solutions_per_second)),
        ("started_utc", |(_, run)| run.report.provenance.started.clone()),
        ("hosts", |(_, run)| run.environment().hosts.len().to_string()),
        ("mpi_library", |(_, run)| optional(&run.environment().mpi_library)),
        ("commit", |(_, run)| run.program().commit.clone()),
        ("version", |(_, run)| run.program().version.clone()),
        ("command", |(_, run)| run.command.clone()),
    ];
    Table::new(&columns, 0, analysis.runs().map(|(_, series, run)| (series, run))).csv()
}

/// Nanoseconds are the resolution of the clocks.
fn number(number: f64) -> String {
    trimmed(number, 9)
}

fn optional(value: &Option<impl ToString>) -> String {
    value.as_ref().map(ToString::to_string).unwrap_or_default()
}
