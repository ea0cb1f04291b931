//! Counting many puzzles of one shape with all ranks: one pool, whose units are runs of puzzles, distributed like any other. The
//! results of single puzzles are gathered at the end.

use std::sync::Arc;

use super::count::CountOptions;
use super::run_rank::Rank;
use super::spec::{Command, JobSpec};
use crate::cluster::lifecycle::host::Host;
use crate::cluster::lifecycle::stop::StopReason;
use crate::cluster::schedule::message_loop::Coordinate;
use crate::cluster::schedule::progress::ProgressCallback;
use crate::cluster::schedule::{Distribution, Schedule};
use crate::cluster::worker::unit_id::into_entries;
use crate::cluster::{Cluster, JobError};
use crate::count::batch::{Batch, BatchLimits, PuzzleCount};
use crate::count::{Method, MethodName, Purpose};
use crate::puzzle::{Grid, Puzzle, Shape};

#[derive(Clone, Debug)]
pub struct BatchResult {
    /// The result of each puzzle; none if the count was stopped before.
    pub puzzles: Vec<Option<PuzzleCount>>,
    pub stopped: Option<StopReason>,
    pub hosts: Vec<Host>,
}

/// Counts many puzzles of one shape, each within a budget of nodes, as rank 0. The others are in [`Cluster::run_commands`]. `givens`
/// are those of all puzzles, one after the other. The result of a puzzle that exceeds the budget is incomplete.
pub fn count_batch(
    cluster: &Cluster,
    method: MethodName,
    shape: &Arc<Shape>,
    givens: Vec<u8>,
    options: &CountOptions,
    callback: &mut ProgressCallback,
) -> Result<BatchResult, JobError> {
    let comm = &*cluster.comm;
    let (_active, stop) = cluster.begin_job(options.deadline);
    let puzzles = givens.len() / shape.cells();
    let workers = comm.size().saturating_mul(options.threads);
    let limits = BatchLimits::new(shape.cells(), puzzles, workers, options.chunk, options.limit);
    let empty = Puzzle::new(Arc::clone(shape), Grid::empty(shape.cells()));
    let bound = method.of(&empty, options.search, Purpose::CountBatch, None, &|| false)?;
    let batch = Batch::new(bound, limits, givens);
    let pool = batch.expand(&options.pool(comm.size(), false), &|| false)?;
    // The user's chunk is a number of puzzles.
    let chunk = options.chunk.map(|chunk| chunk.div_ceil(limits.together));
    let distribution =
        Distribution::new(options.schedule.or(Schedule::Steal), chunk, pool.units(), comm.size(), options.threads);
    let job = JobSpec::new(&empty, method, options.search, &batch, pool.units(), distribution);
    cluster.broadcast(&Command::CountBatch(job.clone(), limits));
    let entries = into_entries(pool.bytes, pool.unit_bytes);
    let rank = Rank { cluster, method: &batch, job: &job, journal: None };
    let result = rank.run(entries, Some(Coordinate { stop, known: 0, callback }))?;

    let mut counted = vec![None; puzzles];
    for bytes in comm.gather(&encode(batch)) {
        for answer in PuzzleCount::all_from(bytes.get(1..).unwrap_or_default()) {
            let slot = counted.get_mut(answer.puzzle).filter(|slot| slot.is_none());
            *slot.ok_or_else(|| JobError::Protocol("a puzzle of the batch was counted twice".into()))? = Some(answer);
        }
    }
    let stopped = result.coordinator.stopped;
    let missing = counted.iter().filter(|answer| answer.is_none()).count();
    if stopped.is_none() && missing > 0 {
        return Err(JobError::Protocol(format!("{missing} puzzles of the batch were not counted")));
    }
    Ok(BatchResult { puzzles: counted, stopped, hosts: result.hosts })
}

/// A worker rank's part.
pub(crate) fn join(cluster: &Cluster, job: &JobSpec, limits: BatchLimits) -> Result<(), JobError> {
    let method = cluster.comm.run_with_heartbeat(|| job.method(Purpose::CountBatch))?;
    let batch = Batch::new(method, limits, Vec::new());
    Rank { cluster, method: &batch, job, journal: None }.run(Vec::new(), None)?;
    cluster.comm.gather(&encode(batch));
    Ok(())
}

/// The results of a rank, after one byte more: MPI gets no empty buffer.
fn encode(batch: Batch) -> Vec<u8> {
    [0].into_iter().chain(batch.into_counts().into_iter().flat_map(PuzzleCount::to_bytes)).collect()
}
