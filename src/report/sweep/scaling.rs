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
        let (mut aa, mut ab, mut bb, mut a1, mut b1) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for &(workers, seconds) in &points {
            let (a, b) = (1.0 / seconds, 1.0 / (seconds * workers));
            aa += a * a;
            ab += a * b;
            bb += b * b;
            a1 += a;
            b1 += b;
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The example of Karp and Flatt's paper: a speed-up of 1.95 on 2 and of 14.0 on 16 workers.
    #[test]
    fn serial_fractions_of_worked_examples() {
        let rounded = |share: Option<f64>| (share.unwrap() * 1e4).round() / 1e4;
        assert_eq!(rounded(karp_flatt(1.95, 2.0)), 0.0256);
        assert_eq!(rounded(karp_flatt(14.0, 16.0)), 0.0095);
        assert_eq!(karp_flatt(8.0, 8.0), Some(0.0));
        assert_eq!(karp_flatt(1.0, 1.0), None);
        assert!(karp_flatt(9.0, 8.0).unwrap() < 0.0);
        // Gustafson: 1024 workers and a serial share of 0.4 % make 1020 times the work.
        assert_eq!(rounded(gustafson(1019.908, 1024.0)), 0.004);
    }

    #[test]
    fn a_worked_example_of_amdahls_law() {
        // 10 s, of which 1 s is serial.
        let law = Amdahl::fit(&[(1.0, 10.0), (2.0, 5.5), (3.0, 4.0), (9.0, 2.0)]).unwrap();
        assert!((law.serial - 1.0).abs() < 1e-9 && (law.shared - 9.0).abs() < 1e-9, "{law:?}");
        assert!((law.serial_share() - 0.1).abs() < 1e-9);
        assert!((law.seconds(90.0) - 1.1).abs() < 1e-9);
    }

    #[test]
    fn superlinear_scaling_has_no_serial_share_and_no_scaling_has_only_that() {
        assert_eq!(Amdahl::fit(&[(1.0, 10.0), (2.0, 4.0)]).unwrap().serial, 0.0);
        let law = Amdahl::fit(&[(1.0, 4.0), (2.0, 5.0)]).unwrap();
        assert_eq!((law.shared, law.serial_share()), (0.0, 1.0));
        assert_eq!(Amdahl::fit(&[(4.0, 10.0)]), None);
        assert_eq!(Amdahl::fit(&[(4.0, 10.0), (4.0, 11.0)]), None);
    }

    proptest! {
        #[test]
        fn the_fit_finds_the_law_of_exact_points(serial in 0.001..10.0, shared in 0.1..100.0, most in 2..64usize) {
            let law = Amdahl { serial, shared, points: most };
            let points: Vec<(f64, f64)> = (1..=most).map(|n| (n as f64, law.seconds(n as f64))).collect();
            let found = Amdahl::fit(&points).unwrap();
            prop_assert!((found.serial_share() - law.serial_share()).abs() < 1e-6);
        }

        #[test]
        fn karp_and_flatt_find_the_share_of_amdahls_law(share in 0.0..1.0_f64, workers in 2..4096u32) {
            let workers = f64::from(workers);
            let speed_up = 1.0 / (share + (1.0 - share) / workers);
            prop_assert!((karp_flatt(speed_up, workers).unwrap() - share).abs() < 1e-9);
        }
    }
}
