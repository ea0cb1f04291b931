//! The arithmetic of schedules: which units each rank gets, and when.

use census::cluster::{Distribution, Schedule, contiguous_blocks};
use proptest::prelude::*;

fn any_distribution() -> impl Strategy<Value = (Distribution, usize)> {
    let schedule = proptest::sample::select(Schedule::all().collect::<Vec<_>>());
    let chunk = proptest::option::of(1usize..300);
    (schedule, chunk, 0usize..20_000, 1usize..600, 1usize..9).prop_map(|(schedule, chunk, units, ranks, threads)| {
        (Distribution::new(schedule, chunk, units, ranks, threads), units)
    })
}

proptest! {
    #[test]
    fn every_unit_is_distributed_exactly_once((distribution, units) in any_distribution()) {
        let permuted: Vec<usize> = distribution.permutation(units).collect();
        let first = distribution.first_blocks(units);
        prop_assert_eq!(first.len(), distribution.ranks);
        let mut next = 0;
        for block in &first {
            prop_assert_eq!(block.start, next, "blocks are consecutive");
            next = block.end;
        }
        let mut distributed = permuted[..next].to_vec();
        let mut requests = 0;
        while next < units {
            let block = distribution.block(units - next);
            prop_assert!(block > 0 && next + block <= units);
            distributed.extend(&permuted[next..next + block]);
            next += block;
            requests += 1;
        }
        prop_assert!(!distribution.schedule.is_fixed() || requests == 0, "a fixed schedule leaves no rest");
        prop_assert_eq!(distribution.block(0), 0);
        distributed.sort_unstable();
        prop_assert!(distributed.into_iter().eq(0..units));
    }

    #[test]
    fn contiguous_blocks_differ_by_at_most_one(units in 0usize..100_000, ranks in 1usize..5000) {
        let blocks = contiguous_blocks(units, ranks);
        let lengths = blocks.iter().map(ExactSizeIterator::len);
        prop_assert!(lengths.clone().max() <= lengths.min().map(|least| least + 1));
    }

    #[test]
    fn cyclic_shares_differ_by_at_most_a_chunk(units in 0usize..20_000, ranks in 1usize..600, chunk in 1usize..99) {
        let blocks = Distribution::new(Schedule::Cyclic, Some(chunk), units, ranks, 1).first_blocks(units);
        let lengths = blocks.iter().map(ExactSizeIterator::len);
        prop_assert!(lengths.clone().max() <= lengths.min().map(|least| least + chunk));
    }

    #[test]
    fn guided_blocks_never_grow_and_never_fall_below_the_chunk((distribution, units) in any_distribution()) {
        let distribution = Distribution { schedule: Schedule::Guided, ..distribution };
        let (mut left, mut before) = (units, usize::MAX);
        while left > 0 {
            let block = distribution.block(left);
            prop_assert!(block <= before && (block >= distribution.chunk || block == left));
            (left, before) = (left - block, block);
        }
    }
}

#[test]
fn worked_examples() {
    let distribution = |schedule, chunk| Distribution::new(schedule, chunk, 10, 3, 1);
    assert_eq!(distribution(Schedule::Static, None).first_blocks(10), [0..4, 4..7, 7..10]);
    let cyclic = distribution(Schedule::Cyclic, Some(2));
    assert_eq!(cyclic.permutation(10).collect::<Vec<_>>(), [0, 1, 6, 7, 2, 3, 8, 9, 4, 5]);
    assert_eq!(cyclic.first_blocks(10), [0..4, 4..8, 8..10]);
    let mut units = b"AaBbCcDdEe".to_vec();
    Distribution::new(Schedule::Cyclic, None, 5, 3, 1).permute(&mut units, 2);
    assert_eq!(units, b"AaDdBbEeCc");
    assert_eq!(distribution(Schedule::Dynamic, Some(2)).first_blocks(10), [0..2, 2..4, 4..6]);
    assert_eq!(distribution(Schedule::Guided, None).first_blocks(10), [0..2, 2..4, 4..5]);
}
