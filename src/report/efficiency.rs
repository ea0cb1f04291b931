//! How well the ranks were used: the definitions of the POP centre of excellence.

use serde::{Deserialize, Serialize};

use crate::cluster::{MinMaxSum, Phases, RankReport};

/// Ratios from 0 to 1, higher is better, and the rates they lead to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Efficiency {
    /// mean(busy) / max(busy): 1 when all ranks have the same amount of work.
    pub load_balance: f64,
    /// The same in nodes instead of seconds. Where shares are fixed (`static`, `cyclic`), that is what it would be if every rank had a
    /// core to itself; where ranks ask for work, those that have a core get more of it.
    pub load_balance_nodes: f64,
    /// max(busy) / count phase: 1 when the busiest rank never waits.
    pub communication: f64,
    /// The product of both: the share of the count phase that ranks spent counting.
    pub parallel: f64,
    /// Solutions a second of the whole run.
    pub solutions_per_second: f64,
    /// Nodes a second of the whole run.
    pub nodes_per_second: f64,
}

impl Efficiency {
    /// From the ranks' busy seconds, what each of them did, the seconds of the phases, and what came of them.
    pub fn of(busy: MinMaxSum, ranks: &[RankReport], phases: &Phases, solutions: f64, nodes: f64) -> Efficiency {
        let mean = |sum: f64| sum / ranks.len().max(1) as f64;
        let counted: u64 = ranks.iter().map(|rank| rank.nodes).sum();
        let most = ranks.iter().map(|rank| rank.nodes).max().unwrap_or(0);
        // No work at all is perfectly balanced, and clocks may differ by their resolution.
        let ratio = |part: f64, whole: f64| if whole > 0.0 { (part / whole).min(1.0) } else { 1.0 };
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
