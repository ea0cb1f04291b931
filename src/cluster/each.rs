//! Counting many puzzles of one shape with all ranks, each puzzle by itself: one pool, whose units are runs of puzzles, goes
//! the way of every other pool, and the answers come home at its end.

use std::sync::Arc;

use crate::count::each::{Answer, Each, Terms};
use crate::count::search::search_each;
use crate::count::{Aim, Method, MethodName};
use crate::puzzle::{Grid, Puzzle, Shape};

use super::count::CountPlan;
use super::host::Host;
use super::order::{Job, Order};
use super::part::{check_sums, take_part};
use super::progress::Watch;
use super::schedule::{Deal, Schedule, ScheduleChoice};
use super::stop::{Stop, StopReason};
use super::{Cluster, Fault};

/// What came of many puzzles.
#[derive(Clone, Debug)]
pub struct Answers {
    /// The answer to each puzzle; none where the count was stopped before.
    pub each: Vec<Option<Answer>>,
    /// Why it was stopped, if it was.
    pub stopped: Option<StopReason>,
    /// Where each rank ran.
    pub hosts: Vec<Host>,
}

/// Searches many puzzles of one shape, whose givens are given one behind the other, each of them for a moment. Those that
/// take longer have an answer that is not enough. Called on rank 0; the others take part in [`Cluster::follow`].
pub fn count_each(
    cluster: &Cluster,
    shape: &Arc<Shape>,
    givens: Vec<u8>,
    plan: &CountPlan,
    watch: &mut Watch,
) -> Result<Answers, Fault> {
    let link = &cluster.link;
    let _leading = link.lead();
    let stop = Stop { signals: cluster.signals(), deadline: plan.deadline };
    let puzzles = givens.len() / shape.cells();
    let workers = link.size().saturating_mul(plan.threads);
    let terms = Terms::new(shape.cells(), puzzles, workers, plan.chunk, plan.limit);
    let empty = Puzzle::new(Arc::clone(shape), Grid::empty(shape.cells()));
    let each = Each::new(search_each(shape, plan.search), terms, givens);
    let pool = each.expand(&plan.pool(link.size(), false), &|| false)?;
    let schedule = match plan.schedule {
        ScheduleChoice::Fixed(schedule) => schedule,
        // A unit can be split, and is short.
        ScheduleChoice::Auto => Schedule::Steal,
    };
    // To whoever asks for chunks, the puzzle is the unit.
    let chunk = plan.chunk.map(|chunk| chunk.div_ceil(terms.together));
    let deal = Deal::new(schedule, chunk, pool.units(), link.size(), plan.threads);
    let job = Job::new(&empty, MethodName::Search, plan.search, each.setup(), pool.units(), deal, None);
    cluster.order(&Order::CountEach(job.clone(), terms));
    let part = take_part(cluster, &each, (pool.bytes, None), &job, None, Some((stop, 0, watch)));
    let lines = part.lines()?;
    check_sums(&part.summary, lines.iter().map(|line| &line.rank), job.units, 0)?;
    let mut answers = vec![None; puzzles];
    for bytes in link.gather(&packed(each)) {
        for answer in Answer::all_from(bytes.get(1..).unwrap_or_default()) {
            let place = answers.get_mut(answer.puzzle).filter(|place| place.is_none());
            *place.ok_or_else(|| Fault::Protocol("a puzzle was counted twice, or is none".into()))? = Some(answer);
        }
    }
    if part.led.stopped.is_none() && answers.contains(&None) {
        return Err(Fault::Protocol("puzzles were left out, and nobody asked for that".into()));
    }
    Ok(Answers { each: answers, stopped: part.led.stopped, hosts: lines.into_iter().map(|line| line.host).collect() })
}

/// A rank's part in that.
pub(super) fn follow(cluster: &Cluster, job: &Job, terms: Terms) -> Result<(), Fault> {
    let each = Each::new(cluster.link.stay_in_touch(|| job.method(Aim::CountEach))?, terms, Vec::new());
    take_part(cluster, &each, Default::default(), job, None, None);
    cluster.link.gather(&packed(each));
    Ok(())
}

/// The answers of a rank as bytes. There is always one more: nothing that is handed to MPI may be empty.
fn packed(each: Each) -> Vec<u8> {
    [0].into_iter().chain(each.into_answers().into_iter().flat_map(Answer::to_bytes)).collect()
}
