//! The trace of a run: what each unit cost, and when each worker was busy. The file format `census-trace/2`.
//!
//! A text file with tabs, for awk and data frames as much as for `census plan`:
//!
//! ```text
//! # census-trace/2 {"program":{…},"puzzle":{…},"config":{…},"ranks":1,"threads":1,"units":193,"phases":{…},"messages":null}
//! unit    rank    worker  start_ns    ns        nodes   solutions
//! 0       0       0       1041        8213907   71230   26112
//! ```
//!
//! A line is a unit, or a part of one that was given away, as one worker counted it, in the order of the pool. The cost
//! of a unit is that of its lines together. `start_ns` counts from the start of the rank's own count phase: the clocks
//! of two ranks are not compared.

mod read;
#[cfg(test)]
mod tests;

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::cluster::UnitRecord;

use super::run::{Config, Phases, Program, PuzzleFacts, RequestCosts, RunReport};
use crate::atomic_file::write_atomically;

pub use read::{open, read};

/// How the first line begins.
const MARK: &str = "# census-trace/2 ";
/// The second line.
const COLUMNS: &str = "unit\trank\tworker\tstart_ns\tns\tnodes\tsolutions";

/// The run that a trace is of.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TraceHead {
    /// The program that ran.
    pub program: Program,
    /// What was counted.
    pub puzzle: PuzzleFacts,
    /// How it was counted.
    pub config: Config,
    /// The number of ranks.
    pub ranks: usize,
    /// Worker threads of each rank.
    pub threads: usize,
    /// Units of the pool.
    pub units: usize,
    /// Whether all units were counted to their end.
    pub complete: bool,
    /// Seconds of the phases, on rank 0.
    pub phases: Phases,
    /// What asking for a block took; null where nothing was asked for.
    pub messages: Option<MessageCost>,
}

impl TraceHead {
    /// The run of a report.
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

/// What it takes to ask rank 0 for something.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MessageCost {
    /// Seconds from one rank to the other, one way.
    pub latency: f64,
    /// Seconds that rank 0 spends on one request.
    pub request: f64,
}

/// A run, unit by unit.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The run.
    pub head: TraceHead,
    /// What its workers counted.
    pub records: Vec<UnitRecord>,
}

/// A trace that does not tell the cost of every unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{missing} of the {units} units have no record, but a plan needs the cost of every unit")]
pub struct Incomplete {
    /// Units without a record.
    pub missing: usize,
    /// Units of the pool.
    pub units: usize,
}

impl Trace {
    /// The seconds that each unit of the pool took, all its parts together.
    pub fn unit_costs(&self) -> Result<Vec<f64>, Incomplete> {
        let units = self.head.units;
        // The head may promise more units than memory could hold: believe it only once the records are there.
        let mut seen: Vec<usize> = self.records.iter().map(|record| record.unit).filter(|&unit| unit < units).collect();
        seen.sort_unstable();
        seen.dedup();
        if seen.len() < units {
            return Err(Incomplete { missing: units - seen.len(), units });
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

/// Writes a trace to a file, whole or not at all.
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

/// Where the trace of a run goes that leaves this report: `run.json` has `run.trace.tsv` beside it.
pub fn beside(report: &Path) -> PathBuf {
    report.with_extension("trace.tsv")
}
