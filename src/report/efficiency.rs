//! Parallel efficiency, by the definitions of the POP centre of excellence.

use serde::{Deserialize, Serialize};

use crate::cluster::{MinMaxSum, Phases, RankReport};

/// Ratios from 0 to 1, higher is better, and rates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Efficiency {
    /// mean(busy) / max(busy): 1 if all ranks have the same amount of work.
    pub load_balance: f64,
    /// mean(nodes) / max(nodes). For fixed schedules (`static`, `cyclic`) it does not depend on the number of cores. For others it does:
    /// ranks that have a core request more units.
    pub load_balance_nodes: f64,
    /// max(busy) / seconds of the count phase: 1 if the busiest rank never waits.
    pub communication: f64,
    /// `load_balance` × `communication`: the share of the count phase in which ranks counted.
    pub parallel: f64,
    /// Solutions per second of the run.
    pub solutions_per_second: f64,
    /// Nodes per second of the run.
    pub nodes_per_second: f64,
}

impl Efficiency {
    /// `busy` has the ranks' busy seconds; `solutions` and `nodes` are those of this run.
    pub fn of(busy: MinMaxSum, ranks: &[RankReport], phases: &Phases, solutions: f64, nodes: f64) -> Efficiency {
        let mean = |sum: f64| sum / ranks.len().max(1) as f64;
        let counted: u64 = ranks.iter().map(|rank| rank.nodes).sum();
        let most = ranks.iter().map(|rank| rank.nodes).max().unwrap_or(0);
        // No work is perfectly balanced, and a ratio may exceed 1 by the resolution of the clocks.
        let ratio = |part: f64, all: f64| if all > 0.0 { (part / all).min(1.0) } else { 1.0 };
        let rate = |amount: f64| if phases.total > 0.0 { amount / phases.total } else { 0.0 };
        let load_balance = ratio(mean(busy.sum), busy.max);
        let communication = ratio(busy.max, phases.count);
        Efficiency {
            load_balance,
            load_balance_nodes: ratio(mean(counted as f64), most as f64),
            communication,
            parallel: load_balance * communication,
            solutions_per_second: rate(solutions),
            nodes_per_second: rate(nodes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
