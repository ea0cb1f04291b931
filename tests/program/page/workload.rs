//! Synthetic work: the cost of units, and which rank counts which of them.

use fastrand::Rng;

pub struct Workload {
    /// Seconds of each unit.
    pub costs: Vec<f64>,
}

impl Workload {
    /// Units of so many seconds together. Those in the middle of the pool take longest.
    pub fn new(units: usize, seconds: f64, random: &mut Rng) -> Workload {
        let hill = |unit: usize| (std::f64::consts::PI * (unit as f64 + 0.5) / units as f64).sin();
        let costs: Vec<f64> = (0..units).map(|unit| (2.0 * random.f64() + 1.5 * hill(unit)).exp()).collect();
        let sum: f64 = costs.iter().sum();
        Workload { costs: costs.into_iter().map(|cost| cost / sum * seconds).collect() }
    }

    /// The units of each rank, in the order in which it counts them.
    pub fn distribute(&self, schedule: &str, ranks: usize) -> Vec<Vec<usize>> {
        let units = self.costs.len();
        let mut units_of_rank = vec![Vec::new(); ranks];
        let mut busy = vec![0.0; ranks];
        for (unit, cost) in self.costs.iter().enumerate() {
            let rank = match schedule {
                "static" => unit * ranks / units,
                "cyclic" => unit % ranks,
                // The rank with the shortest busy time requests the next unit.
                _ => (0..ranks).min_by(|&a, &b| f64::total_cmp(&busy[a], &busy[b])).unwrap_or(0),
            };
            units_of_rank[rank].push(unit);
            busy[rank] += cost;
        }
        units_of_rank
    }
}
