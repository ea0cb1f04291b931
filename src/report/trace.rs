//! The trace of a run: the cost of each unit and when each worker counted it. `docs/traces-and-plan.md` describes the file format,
//! `census-trace/2`.

mod read;

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::cluster::UnitRecord;

use super::run::{Config, Phases, Program, PuzzleFacts, RequestCosts, RunReport};
use crate::atomic_file::write_atomically;

pub use read::{open, read};

pub(super) const MARK: &str = "# census-trace/2 ";
const COLUMNS: &str = "unit\trank\tworker\tstart_ns\tns\tnodes\tsolutions";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TraceHead {
    pub program: Program,
    pub puzzle: PuzzleFacts,
    pub config: Config,
    pub ranks: usize,
    pub threads: usize,
    pub units: usize,
    /// Whether all units were counted to the end.
    pub complete: bool,
    /// Seconds on rank 0.
    pub phases: Phases,
    pub messages: Option<MessageCost>,
}

impl TraceHead {
    pub fn of(report: &RunReport) -> TraceHead {
        let messages = report.requests.and_then(|RequestCosts { round_trip, service, .. }| {
            let latency = ((round_trip? - service) / 2.0).max(0.0);
            Some(MessageCost { latency, request: service })
        });
        TraceHead {
            program: report.provenance.program.clone(),
            puzzle: report.puzzle.clone(),
            config: report.config.clone(),
            ranks: report.provenance.environment.ranks,
            threads: report.provenance.environment.threads,
            units: report.pool.units,
            complete: report.result.complete,
            phases: report.phases,
            messages,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MessageCost {
    /// Seconds of a message, one way.
    pub latency: f64,
    /// Seconds that rank 0 spends on one request.
    pub request: f64,
}

#[derive(Clone, Debug)]
pub struct Trace {
    pub head: TraceHead,
    pub records: Vec<UnitRecord>,
}

impl Trace {
    /// Seconds of each unit of the pool, including its subtasks.
    pub fn unit_costs(&self) -> Result<Vec<f64>, String> {
        let units = self.head.units;
        // A corrupt head may have more units than fit into memory: nothing is allocated before the records prove it.
        let mut seen: Vec<usize> = self.records.iter().map(|record| record.unit).filter(|&unit| unit < units).collect();
        seen.sort_unstable();
        seen.dedup();
        if seen.len() < units {
            let missing = units - seen.len();
            return Err(format!(
                "{missing} of the {units} units have no record, but a plan needs the cost of every unit"
            ));
        }
        let mut costs = vec![0.0; units];
        for record in &self.records {
            if let Some(cost) = costs.get_mut(record.unit) {
                *cost += record.nanoseconds as f64 * 1e-9;
            }
        }
        Ok(costs)
    }
}

pub fn write(target: &Path, head: &TraceHead, records: &[UnitRecord]) -> io::Result<()> {
    write_atomically(target, |file| write_to(file, head, records))
}

/// Writes a trace, its records in the order of the pool.
pub fn write_to(out: &mut dyn Write, head: &TraceHead, records: &[UnitRecord]) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    writeln!(out, "{MARK}{}", serde_json::to_string(head)?)?;
    writeln!(out, "{COLUMNS}")?;
    let mut records: Vec<&UnitRecord> = records.iter().collect();
    records.sort_by_key(|record| (record.unit, record.start));
    for UnitRecord { unit, rank, worker, start, nanoseconds, nodes, solutions, .. } in records {
        writeln!(out, "{unit}\t{rank}\t{worker}\t{start}\t{nanoseconds}\t{nodes}\t{solutions}")?;
    }
    out.flush()
}

/// The trace beside a report: `run.trace.tsv` for `run.json`.
pub fn beside(report: &Path) -> PathBuf {
    report.with_extension("trace.tsv")
}
