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
    pub solutions_per_second: f64,
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
