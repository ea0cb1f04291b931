//! Axes of plots: where numbers go, and which of them are written.

/// One axis: where numbers go, which of them are written, and what they are.
pub struct Axis {
    low: f64,
    high: f64,
    is_log: bool,
    /// The numbers that are written, and how.
    pub ticks: Vec<(f64, String)>,
    /// What they are.
    pub label: String,
}

impl Axis {
    /// Numbers of ranks or workers, each at its power of two.
    pub fn workers(workers: &[usize], label: &str) -> Axis {
        let low = workers.first().copied().unwrap_or(1).max(1) as f64;
        let high = workers.last().copied().unwrap_or(1).max(1) as f64;
        // Names of numbers that stand too close would overlap: the later one is left out.
        let room = (high / low).max(2.0).log2() / 11.0;
        let mut ticks: Vec<(f64, String)> = Vec::new();
        for &workers in workers {
            let at = workers as f64;
            if ticks.last().is_none_or(|(last, _)| (at / last).log2() >= room) {
                ticks.push((at, workers.to_string()));
            }
        }
        Axis { low: low / 1.25, high: high * 1.25, is_log: true, ticks, label: label.into() }
    }

    /// Positive numbers over several orders of magnitude, at 1, 2 and 5 times the powers of ten.
    pub fn log(numbers: impl Iterator<Item = f64>, label: &str, unit: fn(f64) -> String) -> Axis {
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for number in numbers.filter(|number| *number > 0.0) {
            // Nothing that is measured is further from one than this.
            let number = number.clamp(1e-15, 1e15);
            low = low.min(number);
            high = high.max(number);
        }
        if high == 0.0 {
            (low, high) = (1.0, 1.0);
        }
        let (low, high) = (low / 1.3, high * 1.3);
        let mut ticks = Vec::new();
        let decades = (high / low).log10();
        let steps: &[f64] = if decades > 5.0 {
            &[1.0]
        } else if decades > 2.2 {
            &[1.0, 3.0]
        } else {
            &[1.0, 2.0, 5.0]
        };
        let every = ((decades / 8.0).ceil() as i32).max(1);
        for power in low.log10().floor() as i32..=high.log10().ceil() as i32 {
            for step in steps {
                let at = step * 10_f64.powi(power);
                if (low..=high).contains(&at) && power.rem_euclid(every) == 0 {
                    ticks.push((at, unit(at)));
                }
            }
        }
        if ticks.len() < 2 {
            // Less than a factor of two: some round numbers of the line between.
            ticks = linear_ticks(low, high).into_iter().filter(|at| *at > 0.0).map(|at| (at, unit(at))).collect();
        }
        Axis { low, high, is_log: true, ticks, label: label.into() }
    }

    /// From one number to another.
    pub fn linear(low: f64, high: f64, label: &str, unit: fn(f64) -> String) -> Axis {
        let high = if high > low { high } else { low + 1.0 };
        let ticks = linear_ticks(low, high).into_iter().map(|at| (at, unit(at))).collect();
        Axis { low, high, is_log: false, ticks, label: label.into() }
    }

    /// The same without names on it.
    pub fn without_ticks(mut self) -> Axis {
        self.ticks.clear();
        self
    }

    /// Where a number is on the axis, from 0 to 1.
    pub fn place(&self, number: f64) -> f64 {
        let place = match self.is_log {
            true => (number.max(f64::MIN_POSITIVE) / self.low).ln() / (self.high / self.low).ln(),
            false => (number - self.low) / (self.high - self.low),
        };
        place.clamp(-0.02, 1.02)
    }

    /// The ends.
    pub fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }
}

/// Some four to six round numbers.
fn linear_ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|step| step * power).find(|step| *step >= rough * 0.99);
    let step = step.unwrap_or(power * 10.0);
    let mut ticks = Vec::new();
    let mut index = (low / step).ceil() as i64;
    while index as f64 * step <= high * (1.0 + 1e-9) && ticks.len() < 20 {
        ticks.push(index as f64 * step);
        index += 1;
    }
    ticks
}

/// Seconds on an axis: `2 ms`, `0.5 s`, `30 s`.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        0.0 => "0".into(),
        s if s < 0.000_995 => format!("{} µs", trimmed(s * 1e6)),
        s if s < 0.0995 => format!("{} ms", trimmed(s * 1e3)),
        s => format!("{} s", trimmed(s)),
    }
}

/// A ratio on an axis.
pub fn ratio(ratio: f64) -> String {
    trimmed(ratio)
}

/// A share on an axis.
pub fn percent(share: f64) -> String {
    format!("{} %", trimmed(share * 100.0))
}

/// Two digits behind the point at the most, and no more than needed.
fn trimmed(number: f64) -> String {
    let text = format!("{number:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, name)| name.as_str()).collect()
    }

    #[test]
    fn axes_have_round_numbers_within_their_ends() {
        assert_eq!(names(&Axis::linear(0.0, 1.1, "", ratio)), ["0", "0.25", "0.5", "0.75", "1"]);
        assert_eq!(names(&Axis::log([0.3, 4.0].into_iter(), "", seconds)), ["0.5 s", "1 s", "2 s", "5 s"]);
        assert_eq!(
            names(&Axis::log([1e-5, 1.0].into_iter(), "", seconds)),
            ["10 µs", "100 µs", "1 ms", "10 ms", "0.1 s", "1 s"]
        );
        assert_eq!(names(&Axis::workers(&[1, 2, 3, 4, 8, 16], "")), ["1", "2", "3", "4", "8", "16"]);
    }

    #[test]
    fn odd_numbers_make_no_axis_without_an_end() {
        for axis in [
            Axis::log([].into_iter(), "", seconds),
            Axis::log([0.0].into_iter(), "", seconds),
            Axis::linear(0.0, 0.0, "", ratio),
        ] {
            let (low, high) = axis.ends();
            assert!(low.is_finite() && high.is_finite() && low < high);
            assert!(axis.place(f64::MAX).is_finite() && axis.place(0.0).is_finite());
        }
        assert!(names(&Axis::log([f64::MIN_POSITIVE, f64::INFINITY].into_iter(), "", seconds)).len() < 12);
        let most: Vec<usize> = (1..=400).collect();
        assert!(names(&Axis::workers(&most, "")).len() <= 12);
    }
}
