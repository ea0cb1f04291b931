//! The laws of scaling: speed-up, efficiency, and the serial share behind them.

/// The experimentally determined serial fraction of Karp and Flatt: the serial share that alone would explain the speed-up. `None` for
/// one worker; negative for a speed-up above the number of workers.
pub fn karp_flatt(speed_up: f64, workers: f64) -> Option<f64> {
    (workers > 1.0 && speed_up > 0.0).then(|| (1.0 / speed_up - 1.0 / workers) / (1.0 - 1.0 / workers))
}

/// The serial share in weak scaling, by Gustafson's law: speed-up = workers − share × (workers − 1). `None` for one worker.
pub fn gustafson(speed_up: f64, workers: f64) -> Option<f64> {
    (workers > 1.0).then(|| (workers - speed_up) / (workers - 1.0))
}

/// Amdahl's law, fitted to measurements: seconds = serial + shared / workers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amdahl {
    /// Seconds that do not depend on the number of workers.
    pub serial: f64,
    /// Seconds that are divided by the number of workers.
    pub shared: f64,
    /// Numbers of workers in the fit.
    pub points: usize,
}

impl Amdahl {
    /// The least-squares fit to (workers, seconds) by relative errors. `None` for fewer than two numbers of workers.
    pub fn fit(points: &[(f64, f64)]) -> Option<Amdahl> {
        let points: Vec<(f64, f64)> = points.iter().copied().filter(|&(_, seconds)| seconds > 0.0).collect();
        // For each point, serial × a + shared × b should be 1.
        let weights = |&(workers, seconds): &(f64, f64)| (1.0 / seconds, 1.0 / (seconds * workers));
        let sum = |of: fn((f64, f64)) -> f64| points.iter().map(weights).map(of).sum::<f64>();
        let [aa, ab, bb] = [sum(|(a, _)| a * a), sum(|(a, b)| a * b), sum(|(_, b)| b * b)];
        let [a1, b1] = [sum(|(a, _)| a), sum(|(_, b)| b)];
        let determinant = aa * bb - ab * ab;
        if points.len() < 2 || determinant <= 1e-12 * aa * bb {
            return None;
        }
        let (serial, shared) = ((a1 * bb - b1 * ab) / determinant, (b1 * aa - a1 * ab) / determinant);
        // Neither may be negative: then the other alone is fitted.
        let (serial, shared) = match (serial < 0.0, shared < 0.0) {
            (true, _) => (0.0, b1 / bb),
            (_, true) => (a1 / aa, 0.0),
            _ => (serial, shared),
        };
        Some(Amdahl { serial, shared, points: points.len() })
    }

    /// The serial share of the time on one worker.
    pub fn serial_share(&self) -> f64 {
        self.serial / (self.serial + self.shared)
    }

    pub fn seconds(&self, workers: f64) -> f64 {
        self.serial + self.shared / workers
    }
}
