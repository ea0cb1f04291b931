//! Parallel efficiency against a worked example.

use census::report::efficiency::Efficiency;
use census::report::run::{MinMaxSum, Phases, RankReport};

fn phases(count: f64, total: f64) -> Phases {
    Phases { expand: 0.0, distribute: 0.0, count, reduce: 0.0, total }
}

fn rank(nodes: u64) -> RankReport {
    RankReport { nodes, ..RankReport::default() }
}

#[test]
fn a_worked_example() {
    // Four ranks that were busy for 4, 2, 2 and 4 seconds.
    let busy = MinMaxSum { min: 2.0, max: 4.0, sum: 12.0 };
    let ranks = [400, 200, 200, 200].map(rank);
    let efficiency = Efficiency::of(busy, &ranks, &phases(5.0, 10.0), 1000.0, 5000.0);
    assert_eq!(efficiency.load_balance, 0.75);
    assert_eq!(efficiency.load_balance_nodes, 0.625);
    assert_eq!(efficiency.communication, 0.8);
    assert!((efficiency.parallel - 0.6).abs() < 1e-12);
    assert_eq!(efficiency.solutions_per_second, 100.0);
    assert_eq!(efficiency.nodes_per_second, 500.0);
}

#[test]
fn no_work_is_balanced_and_divides_by_nothing() {
    let efficiency = Efficiency::of(MinMaxSum::of(0.0), &[0, 0].map(rank), &phases(0.0, 0.0), 1.0, 1.0);
    assert_eq!((efficiency.load_balance, efficiency.parallel), (1.0, 1.0));
    assert_eq!(efficiency.solutions_per_second, 0.0);
}
