//! What a report claims of its units is not trusted.

use std::sync::Arc;

use census::cluster::{self, Claim, Cluster, CountOptions, JobError, Schedule, ScheduleChoice, Tallies, VerifyOptions};
use census::count::search::SearchOptions;
use census::count::{Depth, MethodChoice, MethodName, PoolOptions, Purpose};
use census::puzzle::{Extras, Grid, Puzzle, Regions, Shape};
use sha2::{Digest, Sha256};

#[test]
fn a_forged_configuration_of_a_search_is_refused() {
    // A cyclic Latin square, of which four cells are open that can be filled in two ways.
    let mut givens: Vec<u8> = (0..18 * 18).map(|cell| (cell / 18 + cell % 18) as u8 % 18 + 1).collect();
    [0, 9, 9 * 18, 9 * 18 + 9].into_iter().for_each(|cell| givens[cell] = 0);
    let shape = Shape::new(18, Regions::None, Extras::default()).expect("a shape");
    let puzzle = Puzzle::new(Arc::new(shape), Grid::new(givens));
    let (search, depth) = (SearchOptions::default(), Depth::Fixed(0));
    let options = CountOptions {
        method: MethodChoice::Fixed(MethodName::Search),
        schedule: ScheduleChoice::Fixed(Schedule::Static),
        chunk: None,
        search,
        depth,
        threads: 1,
        limit: None,
        deadline: None,
        trace: false,
        units: true,
        journal: None,
    };
    let cluster = Cluster::join(None).expect("a single process");
    let count = cluster::count(&cluster, &puzzle, &options, &mut |_, _| {}, &mut |_| {}).expect("a count");
    let honest = count.tallies.expect("the solutions of its units");
    assert_eq!(honest.solutions, [2]);

    // With this configuration, a solution is lost.
    let config = [1];
    let method = MethodName::Search.of(&puzzle, search, Purpose::Count, Some(&config), &|| false).expect("a search");
    let pool_options = PoolOptions { depth, units: 1, keep_solved: false, max_bytes: 1 << 20 };
    let pool = method.expand(&pool_options, &|| false).expect("a small pool");
    let above = pool.above.solutions.exact().expect("few");
    assert_eq!((pool.units(), above), (0, 1));
    let mut forged = honest.pool.clone();
    forged.config = hex::encode(config);
    (forged.units, forged.pool_sha256) = (0, hex::encode(Sha256::digest(&pool.bytes)));

    let verify = |solutions, above, tallies| {
        let claim = Claim { solutions, above, nodes: 1, tallies };
        let options = VerifyOptions { share: 1.0, seed: 0, schedule: options.schedule, threads: 1, deadline: None };
        cluster::verify(&cluster, &puzzle, &claim, &options, &mut |_| {})
    };
    let verified = verify(2, 0, Tallies::Units(honest.pool, honest.solutions)).expect("a right claim");
    assert_eq!((verified.verified, verified.differences.len()), (1, 0));
    let Err(JobError::Claim(reason)) = verify(1, above, Tallies::Units(forged, Vec::new())) else {
        panic!("a forged configuration is trusted");
    };
    assert!(reason.contains("divides the puzzle into other units"), "{reason}");
}
