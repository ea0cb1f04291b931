//! Work that was never done: what units cost, and who counts which of them with a schedule.

use fastrand::Rng;

/// The units of a puzzle, each with its seconds.
pub struct Workload {
    pub costs: Vec<f64>,
}

impl Workload {
    /// So many units of so many seconds together, of which those in the middle of the pool take longest.
    pub fn new(units: usize, seconds: f64, random: &mut Rng) -> Workload {
        let hill = |unit: usize| (std::f64::consts::PI * (unit as f64 + 0.5) / units as f64).sin();
        let costs: Vec<f64> = (0..units).map(|unit| (2.0 * random.f64() + 1.5 * hill(unit)).exp()).collect();
        let sum: f64 = costs.iter().sum();
        Workload { costs: costs.into_iter().map(|cost| cost / sum * seconds).collect() }
    }

    /// The units that each rank counts, in its order.
    pub fn deal(&self, schedule: &str, ranks: usize) -> Vec<Vec<usize>> {
        let units = self.costs.len();
        let mut dealt = vec![Vec::new(); ranks];
        let mut busy = vec![0.0; ranks];
        for (unit, cost) in self.costs.iter().enumerate() {
            let rank = match schedule {
                "static" => unit * ranks / units,
                "cyclic" => unit % ranks,
                // Whoever has been busy for the shortest time asks next.
                _ => (0..ranks).min_by(|&a, &b| f64::total_cmp(&busy[a], &busy[b])).unwrap_or(0),
            };
            dealt[rank].push(unit);
            busy[rank] += cost;
        }
        dealt
    }
}
