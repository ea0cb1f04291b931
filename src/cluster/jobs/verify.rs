//! Recounting a random share of the units of a count, with all ranks, in another way than they were counted
//! (docs/reliability.md). Units drawn at random form a pool of their own, which is distributed like any other.

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

use super::count::{Phases, RankReport};
use super::pool_recipe::PoolRecipe;
use super::run_rank::Rank;
use super::spec::{Command, JobSpec};
use crate::cluster::journal::{self, JournalHeader, JournalTally};
use crate::cluster::lifecycle::host::Host;
use crate::cluster::lifecycle::stop::StopReason;
use crate::cluster::schedule::message_loop::Coordinate;
use crate::cluster::schedule::progress::ProgressCallback;
use crate::cluster::schedule::{Distribution, Schedule, ScheduleChoice};
use crate::cluster::worker::trace::{UnitSum, sums};
use crate::cluster::worker::unit_id::UnitId;
use crate::cluster::{Cluster, JobError, stop_requested};
use crate::count::search::{DEFAULT_CACHE, SearchOptions};
use crate::count::{MethodName, Pool, Purpose, RecountVariant, Solutions};
use crate::puzzle::Puzzle;

#[derive(Clone, Debug)]
pub enum Tallies {
    /// None: rank 0 counted the puzzle alone.
    None,
    Units(PoolRecipe, Vec<u128>),
    Journal(PathBuf),
}

#[derive(Clone, Debug)]
pub struct Claim {
    pub solutions: u128,
    /// Solutions above the depth.
    pub above: u128,
    pub nodes: u64,
    pub tallies: Tallies,
}

#[derive(Clone, Debug)]
pub struct VerifyOptions {
    /// The share of the units to recount, from 0 to 1; at least one is.
    pub share: f64,
    pub seed: u64,
    pub schedule: ScheduleChoice,
    pub threads: usize,
    pub deadline: Option<Instant>,
}

/// The result of a verification. An item is a unit, or all units of one line of a journal.
#[derive(Clone, Debug)]
pub struct Verified {
    pub recount: &'static str,
    pub items: usize,
    pub sampled: usize,
    /// Items recounted to the end.
    pub verified: usize,
    /// Items with another number of solutions than recorded, in the order of the pool.
    pub differences: Vec<Difference>,
    pub stopped: Option<StopReason>,
    pub schedule: Schedule,
    /// Where the time went; `expand` is the time to make the pool again.
    pub phases: Phases,
    pub ranks: Vec<RankReport>,
    pub hosts: Vec<Host>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its units, by index in the pool.
    pub units: Vec<Range<usize>>,
    pub recorded: Solutions,
    pub recounted: u128,
}

/// Verifies a claim about `puzzle` with all ranks, as rank 0. The others are in [`Cluster::run_commands`].
pub fn verify(
    cluster: &Cluster,
    puzzle: &Puzzle,
    claim: &Claim,
    options: &VerifyOptions,
    callback: &mut ProgressCallback,
) -> Result<Verified, JobError> {
    let comm = &*cluster.comm;
    let (_active, stop) = cluster.begin_job(options.deadline);
    let start = comm.wtime();
    let stopped = stop_requested(comm, stop);
    let claimed = claimed_pool(puzzle, claim, &stopped);
    if stopped() {
        return Err(stop.error()); // the pool may be partial
    }
    let ClaimedPool { method: name, config, pool, items } = claimed?;
    let sample: Vec<&JournalTally> =
        sample(items.len(), options.share, options.seed).into_iter().map(|at| &items[at]).collect();
    let recorded = sample.iter().fold(Solutions::ZERO, |sum, item| sum.plus(item.solutions));
    let way = RecountVariant::for_solutions(recorded.exact().unwrap_or(u128::MAX), claim.nodes);
    let search = SearchOptions { cache: DEFAULT_CACHE, ..SearchOptions::default() };
    let config = (!name.capabilities().derives_config).then_some(&*config);
    let method = name.of(puzzle, search, Purpose::Recount(way), config, &stopped)?;
    let units: Vec<usize> = sample.iter().flat_map(|item| item.units.iter().cloned().flatten()).collect();
    let entry = |&unit: &usize| {
        let bytes = &pool.bytes[unit * pool.unit_bytes..][..pool.unit_bytes];
        UnitId::of_unit(unit).to_bytes().into_iter().chain(bytes.iter().copied())
    };
    let entries = units.iter().flat_map(entry).collect();
    let expanded = comm.wtime();

    let schedule = options.schedule.or(Schedule::Steal);
    let distribution = Distribution::new(schedule, None, units.len(), comm.size(), options.threads);
    let mut job = JobSpec::new(puzzle, name, search, &*method, units.len(), distribution);
    job.trace = true;
    cluster.broadcast(&Command::Recount(job.clone(), way));
    let rank = Rank { cluster, method: &*method, job: &job, journal: None };
    let result = rank.run(entries, Some(Coordinate { stop, known: 0, callback }))?;

    let (verified, differences) = compare(&sample, &sums(&result.records));
    let unfinished = sample.len() - verified;
    let stopped = result.coordinator.stopped.filter(|_| unfinished > 0);
    if unfinished > 0 && stopped.is_none() {
        return Err(JobError::Protocol(format!("{unfinished} units unfinished")));
    }
    Ok(Verified {
        recount: way.describe(name, &puzzle.shape),
        items: items.len(),
        sampled: sample.len(),
        verified,
        differences,
        stopped,
        schedule,
        phases: result.phases(start, expanded),
        ranks: result.ranks,
        hosts: result.hosts,
    })
}

/// The pool of a claim, made again, and what was recorded of its units.
struct ClaimedPool {
    method: MethodName,
    config: Vec<u8>,
    pool: Pool,
    items: Vec<JournalTally>,
}

fn claimed_pool(puzzle: &Puzzle, claim: &Claim, stop: &dyn Fn() -> bool) -> Result<ClaimedPool, JobError> {
    let claimed = match &claim.tallies {
        Tallies::None => {
            let bytes = puzzle.givens.values().to_vec();
            let pool = Pool { unit_bytes: bytes.len(), bytes, depth_reached: 0, above: Default::default() };
            let items = vec![JournalTally::unit(0, claim.solutions)];
            return Ok(ClaimedPool { method: MethodName::Search, config: Vec::new(), pool, items });
        }
        Tallies::Units(recipe, solutions) => {
            let pool = make_pool(recipe, puzzle, claim.above, stop)?;
            if solutions.len() != pool.units() {
                let (kept, units) = (solutions.len(), pool.units());
                let reason = format!("it keeps the solutions of {kept} units, but the pool has {units}");
                return Err(JobError::Claim(reason));
            }
            let items = solutions.iter().enumerate().map(|(unit, &solutions)| JournalTally::unit(unit, solutions));
            ClaimedPool { method: recipe.method, config: recipe.config_bytes(), pool, items: items.collect() }
        }
        Tallies::Journal(folder) => {
            let JournalHeader { id, pool: recipe, .. } = &journal::read_header(folder)?;
            let pool = make_pool(recipe, puzzle, claim.above, stop)?;
            let items = journal::tallies(folder, id, &pool)?;
            ClaimedPool { method: recipe.method, config: recipe.config_bytes(), pool, items }
        }
    };
    let above = Solutions::new(claim.above);
    let sum = claimed.items.iter().fold(above, |sum, item| sum.plus(item.solutions));
    if sum != Solutions::new(claim.solutions) {
        let (solutions, above) = (claim.solutions, claim.above);
        return Err(JobError::Claim(format!(
            "it claims {solutions} solutions, but those of its units and the {above} above the depth add up to {sum}"
        )));
    }
    Ok(claimed)
}

fn make_pool(recipe: &PoolRecipe, puzzle: &Puzzle, above: u128, stop: &dyn Fn() -> bool) -> Result<Pool, JobError> {
    if !recipe.is_of(puzzle) {
        return Err(JobError::Claim("its units belong to another puzzle".into()));
    }
    // The configuration of a search follows from the puzzle. It may contain candidates that CDCL has ruled out: these are not
    // trusted, but derived again.
    let derived = !recipe.method.capabilities().derives_config
        || recipe.method.of(puzzle, recipe.search(), Purpose::Count, None, stop)?.config_bytes()
            == recipe.config_bytes();
    let (_, pool, _) = recipe.make(puzzle, recipe.search(), stop)?;
    if !derived || !recipe.makes(&pool) {
        let reason = "this version of census divides the puzzle into other units (pool_sha256 differs): verify it with the version \
                      that counted it, or count again";
        return Err(JobError::Claim(reason.into()));
    }
    if pool.above.solutions != Solutions::new(above) {
        let found = pool.above.solutions;
        return Err(JobError::Claim(format!("it claims {above} solutions above the depth, but there are {found}")));
    }
    Ok(pool)
}

/// A sample without replacement of the numbers below `items`, in random order: this share of them, at least one. The same on
/// every machine for the same seed.
fn sample(items: usize, share: f64, seed: u64) -> Vec<usize> {
    let wanted = ((items as f64 * share).ceil() as usize).clamp(1, items.max(1)).min(items);
    let mut random = fastrand::Rng::with_seed(seed);
    let mut numbers: Vec<usize> = (0..items).collect();
    for at in 0..wanted {
        numbers.swap(at, random.usize(at..items));
    }
    numbers.truncate(wanted);
    numbers
}

/// The number of items recounted to the end, and those of them that differ.
fn compare(sample: &[&JournalTally], sums: &HashMap<usize, UnitSum>) -> (usize, Vec<Difference>) {
    let (mut verified, mut differences) = (0, Vec::new());
    for item in sample {
        let units = item.units.iter().cloned().flatten();
        let mut finished = units.map(|unit| sums.get(&unit).filter(|sum| sum.left == 0).map(|sum| sum.solutions));
        let Some(recounted) = finished.try_fold(0, |sum: u128, unit| Some(sum.saturating_add(unit?))) else { continue };
        verified += 1;
        if item.solutions != Solutions::new(recounted) {
            differences.push(Difference { units: item.units.clone(), recorded: item.solutions, recounted });
        }
    }
    differences.sort_by_key(|difference| difference.units.first().map(|range| range.start));
    (verified, differences)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_sample_has_its_size_and_no_duplicates_and_is_reproducible(items in 0usize..500, share in 0.0..=1.0f64, seed: u64) {
            let drawn = sample(items, share, seed);
            prop_assert_eq!(&drawn, &sample(items, share, seed));
            let wanted = (items as f64 * share).ceil() as usize;
            prop_assert_eq!(drawn.len(), wanted.max(usize::from(items > 0)));
            let mut sorted = drawn;
            sorted.sort_unstable();
            sorted.dedup();
            prop_assert_eq!(sorted.len(), wanted.max(usize::from(items > 0)));
            prop_assert!(sorted.last().is_none_or(|&last| last < items));
        }
    }

    #[test]
    fn every_number_is_drawn_about_equally_often() {
        let mut times = [0; 20];
        (0..10_000).for_each(|seed| sample(20, 0.25, seed).into_iter().for_each(|number| times[number] += 1));
        // The mean is 2500, the standard deviation 43.
        assert!(times.iter().all(|times| (2250..2750).contains(times)), "{times:?}");
    }

    #[test]
    fn an_item_differs_if_the_sum_of_its_units_does_and_is_verified_if_all_are_finished() {
        let sum = |solutions, left| UnitSum { solutions, left };
        let sums = [(0, sum(5, 0)), (1, sum(2, 0)), (2, sum(4, 0)), (3, sum(9, 1)), (5, sum(8, 0))].into();
        let line =
            |units: Range<usize>, solutions| JournalTally { units: vec![units], solutions: Solutions::new(solutions) };
        let items = [line(0..2, 7), line(2..3, 6), line(3..4, 9), line(4..6, 8)];
        let (verified, differences) = compare(&items.each_ref(), &sums);
        // The third was not finished, and of the fourth a unit was not begun.
        assert_eq!(verified, 2);
        assert_eq!(
            differences,
            [Difference { units: items[1].units.clone(), recorded: Solutions::new(6), recounted: 4 }]
        );
    }
}
