//! Recounting a random share of the units of a count with all ranks, in another way than they were counted.
//!
//! The pool is made again as the count made it, and must be the same. Some of its units are drawn at random, make a pool of
//! their own, and go the way of every other pool. What comes home is compared, unit by unit, with what the count has kept.

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

use signal_hook::consts::SIGTERM;

use crate::count::search::{SearchOptions, USUAL_CACHE};
use crate::count::{Aim, MethodName, Pool, Solutions, Way};
use crate::puzzle::Puzzle;

use super::count::{Phases, RankLine};
use super::host::Host;
use super::journal::{Item, Kept};
use super::label::Label;
use super::order::{Job, Order};
use super::part::{check_sums, take_part};
use super::progress::Watch;
use super::recipe::PoolRecipe;
use super::schedule::{Deal, Schedule, ScheduleChoice};
use super::stop::{Stop, StopReason};
use super::trace::{UnitSum, collect_records, sums};
use super::{Cluster, Fault, stops};

/// What a count has kept of its units.
#[derive(Clone, Debug)]
pub enum Tallies {
    /// There were none: rank 0 counted the puzzle alone.
    None,
    /// The solutions of each unit of this pool.
    Units(PoolRecipe, Vec<u128>),
    /// The journal in this folder.
    Journal(PathBuf),
}

/// What a count says that it has found.
#[derive(Clone, Debug)]
pub struct Claim {
    /// All solutions.
    pub solutions: u128,
    /// Solutions met above the depth.
    pub above: u128,
    /// Nodes visited.
    pub nodes: u64,
    /// The solutions of its units.
    pub tallies: Tallies,
}

/// How to verify a claim.
#[derive(Clone, Debug)]
pub struct VerifyPlan {
    /// The share of the units to recount, from 0 to 1; at least one unit is.
    pub share: f64,
    /// Start of the random numbers that choose them.
    pub seed: u64,
    /// How units are assigned to ranks.
    pub schedule: ScheduleChoice,
    /// Worker threads of each rank.
    pub threads: usize,
    /// Stop at this moment.
    pub deadline: Option<Instant>,
}

/// What a verification came to. An item is a unit, or all units of a line of a journal.
#[derive(Clone, Debug)]
pub struct Verified {
    /// What was done to recount units.
    pub way: &'static str,
    /// Items there are.
    pub items: usize,
    /// Items drawn.
    pub sampled: usize,
    /// Items that were recounted to their end.
    pub verified: usize,
    /// Items that have another number of solutions than was recorded, in the order of the pool.
    pub differences: Vec<Difference>,
    /// Why it was stopped, if it was.
    pub stopped: Option<StopReason>,
    /// How the units were assigned to ranks.
    pub schedule: Schedule,
    /// Where the time went; `expand` is what it took to make the pool again.
    pub phases: Phases,
    /// What each rank did, in rank order.
    pub ranks: Vec<RankLine>,
    /// Where each rank ran.
    pub hosts: Vec<Host>,
}

/// An item whose recount differs from what was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The units of the item, by their places in the pool, from 0.
    pub units: Vec<Range<usize>>,
    /// The solutions that were recorded.
    pub recorded: Solutions,
    /// The solutions that were recounted.
    pub recounted: u128,
}

/// Verifies what a count of `puzzle` claims, with all ranks. Called on rank 0; the others take part in [`Cluster::follow`].
pub fn verify(
    cluster: &Cluster,
    puzzle: &Puzzle,
    claim: &Claim,
    plan: &VerifyPlan,
    watch: &mut Watch,
) -> Result<Verified, Fault> {
    let link = &cluster.link;
    let _leading = link.lead();
    let stop = Stop { signals: cluster.signals(), deadline: plan.deadline };
    let start = link.seconds();
    let stopping = stop.clone();
    let stopped = stops(link, &stopping);
    let made = Made::again(puzzle, claim, &stopped);
    if stopped() {
        // A pool that was not expanded to its end cannot be compared.
        return Err(Fault::Stopped(stop.reason().unwrap_or(StopReason::Signal(SIGTERM))));
    }
    let Made { method: name, setup, pool, items } = made?;
    let sample: Vec<&Item> = sample(items.len(), plan.share, plan.seed).into_iter().map(|at| &items[at]).collect();
    let known = sample.iter().fold(Solutions::ZERO, |sum, item| sum.plus(item.solutions));
    let way = Way::for_solutions(known.exact().unwrap_or(u128::MAX), claim.nodes);
    let search = SearchOptions { cache: USUAL_CACHE, ..SearchOptions::default() };
    let method = name.recount(puzzle, search, way, &setup, &stopped)?;
    let places: Vec<usize> = sample.iter().flat_map(|item| item.units.iter().cloned().flatten()).collect();
    let units = places.iter().flat_map(|place| &pool.bytes[place * pool.unit_bytes..][..pool.unit_bytes]);
    let (units, labels) = (units.copied().collect(), places.iter().flat_map(|&place| Label::whole(place).to_bytes()));
    let expanded = link.seconds();

    let schedule = match plan.schedule {
        ScheduleChoice::Fixed(schedule) => schedule,
        ScheduleChoice::Auto => Schedule::Steal,
    };
    let deal = Deal::new(schedule, None, places.len(), link.size(), plan.threads);
    let mut job = Job::new(puzzle, name, search, method.setup(), places.len(), deal, None);
    (job.trace, job.labelled) = (true, true);
    cluster.order(&Order::Recount(job.clone(), way));
    let lead = Some((stop, 0, watch));
    let part = take_part(cluster, &*method, (units, Some(labels.collect())), &job, None, lead);
    let phases = part.phases(start, expanded, link.seconds());

    let lines = part.lines()?;
    let records = collect_records(link, part.records, lines.iter().map(|line| line.records).sum());
    let (ranks, hosts): (Vec<_>, Vec<_>) = lines.into_iter().map(|line| (line.rank, line.host)).unzip();
    check_sums(&part.summary, ranks.iter(), places.len(), 0)?;
    let (verified, differences) = compare(&sample, &sums(&records));
    if verified < sample.len() && part.led.stopped.is_none() {
        return Err(Fault::Protocol("units were left unfinished, and nobody asked for that".into()));
    }
    Ok(Verified {
        way: way.describe(name, &puzzle.shape),
        items: items.len(),
        sampled: sample.len(),
        verified,
        differences,
        stopped: part.led.stopped.filter(|_| verified < sample.len()),
        schedule,
        phases,
        ranks,
        hosts,
    })
}

/// The pool of a claim, made again, and what was recorded of its units.
struct Made {
    method: MethodName,
    setup: Vec<u8>,
    pool: Pool,
    items: Vec<Item>,
}

impl Made {
    fn again(puzzle: &Puzzle, claim: &Claim, stop: &dyn Fn() -> bool) -> Result<Made, Fault> {
        let made = match &claim.tallies {
            Tallies::None => return Ok(Made::whole(puzzle, claim.solutions)),
            Tallies::Units(recipe, solutions) => {
                let pool = make(recipe, puzzle, claim.above, stop)?;
                if solutions.len() != pool.units() {
                    let (kept, units) = (solutions.len(), pool.units());
                    return Err(Fault::Claim(format!("the solutions of {kept} units are kept, and there are {units}")));
                }
                let items = solutions.iter().enumerate().map(|(place, &solutions)| Item::unit(place, solutions));
                Made { method: recipe.method, setup: recipe.setup(), pool, items: items.collect() }
            }
            Tallies::Journal(folder) => {
                let journal = Kept::open(folder)?;
                let recipe = journal.recipe();
                let pool = make(recipe, puzzle, claim.above, stop)?;
                let items = journal.items(&pool)?;
                Made { method: recipe.method, setup: recipe.setup(), pool, items }
            }
        };
        let above = Solutions::new(claim.above);
        let sum = made.items.iter().fold(above, |sum, item| sum.plus(item.solutions));
        if sum != Solutions::new(claim.solutions) {
            let (solutions, above) = (claim.solutions, claim.above);
            return Err(Fault::Claim(format!(
                "it says {solutions} solutions, but its units and the {above} above them add up to {sum}"
            )));
        }
        Ok(made)
    }

    /// The whole puzzle as one unit, where there was nothing to share.
    fn whole(puzzle: &Puzzle, solutions: u128) -> Made {
        let bytes = puzzle.givens.values().to_vec();
        let pool = Pool { unit_bytes: bytes.len(), bytes, depth_reached: 0, above: Default::default() };
        Made { method: MethodName::Search, setup: Vec::new(), pool, items: vec![Item::unit(0, solutions)] }
    }
}

/// The pool of a recipe.
fn make(recipe: &PoolRecipe, puzzle: &Puzzle, above: u128, stop: &dyn Fn() -> bool) -> Result<Pool, Fault> {
    if !recipe.is_of(puzzle) {
        return Err(Fault::Claim("its units are those of another puzzle".into()));
    }
    // How a search is set up follows from the puzzle. What was learned before it takes candidates out: that is not believed,
    // but learned again. Any orientation of bands is as good as another.
    let derived = match recipe.method {
        MethodName::Search => recipe.method.of(puzzle, recipe.search(), Aim::Count, stop)?.setup() == recipe.setup(),
        MethodName::Bands => true,
    };
    let (_, pool, _) = recipe.make(puzzle, recipe.search(), stop)?;
    if !derived || !recipe.makes(&pool) {
        let why = "this program cuts the puzzle into other units (pool_sha256 differs): it can be verified by the version \
                   that counted it, or counted anew";
        return Err(Fault::Claim(why.into()));
    }
    if pool.above.solutions != Solutions::new(above) {
        let met = pool.above.solutions;
        return Err(Fault::Claim(format!("it says {above} solutions above the depth, and there are {met}")));
    }
    Ok(pool)
}

/// Numbers below `items`, drawn without replacement: such a share of them, and at least one, in the order of the draw. The same
/// for the same seed, wherever it is drawn.
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

/// How many items were recounted to their end, and those of them that differ.
fn compare(sample: &[&Item], sums: &HashMap<usize, UnitSum>) -> (usize, Vec<Difference>) {
    let (mut verified, mut differences) = (0, Vec::new());
    for item in sample {
        let units = item.units.iter().cloned().flatten();
        let mut done = units.map(|unit| sums.get(&unit).filter(|sum| sum.left == 0).map(|sum| sum.solutions));
        // Of an item that was not recounted to its end, nothing can be said.
        let Some(recounted) = done.try_fold(0, |sum: u128, unit| Some(sum.saturating_add(unit?))) else { continue };
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
    use super::super::auto::Choice;
    use super::*;
    use crate::count::{Depth, PoolPlan};
    use crate::puzzle::{Extras, Grid, Regions, Shape};
    use proptest::prelude::*;
    use std::sync::Arc;

    proptest! {
        #[test]
        fn a_sample_has_its_size_and_no_number_twice_and_is_the_same_again(items in 0usize..500, share in 0.0..=1.0f64, seed: u64) {
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
    fn every_number_is_drawn_about_equally_often_and_another_seed_draws_others() {
        let mut times = [0; 20];
        (0..10_000).for_each(|seed| sample(20, 0.25, seed).into_iter().for_each(|number| times[number] += 1));
        // The mean is 2500, the standard deviation 43.
        assert!(times.iter().all(|times| (2250..2750).contains(times)), "{times:?}");
    }

    #[test]
    fn what_a_search_is_said_to_have_learned_is_not_believed() {
        // A cyclic Latin square, of which four cells are open that can be filled in two ways.
        let mut givens: Vec<u8> = (0..18 * 18).map(|cell| (cell / 18 + cell % 18) as u8 % 18 + 1).collect();
        [0, 9, 9 * 18, 9 * 18 + 9].into_iter().for_each(|cell| givens[cell] = 0);
        let shape = Shape::new(18, Regions::None, Extras::default()).expect("a shape");
        let puzzle = Puzzle::new(Arc::new(shape), Grid::new(givens));
        let plan = PoolPlan { depth: Depth::Fixed(0), units: 1, keep_solved: false, max_bytes: 1 << 20 };
        let recipe = |setup: &[u8]| {
            let method =
                MethodName::Search.again(&puzzle, SearchOptions::default(), Aim::Count, setup).expect("a search");
            let pool = method.expand(&plan, &|| false).expect("a small pool");
            let above = pool.above.solutions.exact().expect("few");
            let choice = Choice {
                name: MethodName::Search,
                method,
                method_why: None,
                pool,
                pool_plan: plan,
                schedule: Schedule::Static,
                schedule_why: None,
            };
            (PoolRecipe::of(&puzzle, SearchOptions::default(), &choice), above)
        };
        let ((honest, above), (forged, more)) = (recipe(&[]), recipe(&[1]));
        assert_eq!((honest.units, above, forged.units, more), (1, 0, 0, 1), "the forged one has lost a solution");
        assert!(make(&honest, &puzzle, above, &|| false).is_ok());
        let refused = make(&forged, &puzzle, more, &|| false).expect_err("refused");
        assert!(refused.to_string().contains("cuts the puzzle into other units"), "{refused}");
    }

    #[test]
    fn an_item_differs_if_its_units_together_do_and_counts_if_all_of_them_are_done() {
        let sum = |solutions, left| UnitSum { solutions, left };
        let sums = [(0, sum(5, 0)), (1, sum(2, 0)), (2, sum(4, 0)), (3, sum(9, 1)), (5, sum(8, 0))].into();
        let line = |units: Range<usize>, solutions| Item { units: vec![units], solutions: Solutions::new(solutions) };
        let items = [line(0..2, 7), line(2..3, 6), line(3..4, 9), line(4..6, 8)];
        let (verified, differences) = compare(&items.each_ref(), &sums);
        // The third was not done to its end, and of the fourth a unit was not begun.
        assert_eq!(verified, 2);
        assert_eq!(
            differences,
            [Difference { units: items[1].units.clone(), recorded: Solutions::new(6), recounted: 4 }]
        );
    }
}
