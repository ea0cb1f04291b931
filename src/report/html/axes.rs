//! Axes of plots: scales, ticks and labels.

use std::collections::BTreeSet;

pub struct Axis {
    pub low: f64,
    pub high: f64,
    is_log: bool,
    /// Each with its text.
    pub ticks: Vec<(f64, String)>,
    pub label: String,
}

impl Axis {
    /// Numbers of ranks or workers on a logarithmic scale.
    pub fn workers(workers: &BTreeSet<usize>, label: &str) -> Axis {
        let low = workers.first().copied().unwrap_or(1).max(1) as f64;
        let high = workers.last().copied().unwrap_or(1).max(1) as f64;
        // A tick that would overlap the previous one is left out.
        let gap = (high / low).max(2.0).log2() / 11.0;
        let mut ticks: Vec<(f64, String)> = Vec::new();
        for &workers in workers {
            let at = workers as f64;
            if ticks.last().is_none_or(|(last, _)| (at / last).log2() >= gap) {
                ticks.push((at, workers.to_string()));
            }
        }
        Axis { low: low / 1.25, high: high * 1.25, is_log: true, ticks, label: label.into() }
    }

    /// Positive numbers on a logarithmic scale, with ticks at 1, 2 and 5 times the powers of ten.
    pub fn log(numbers: impl Iterator<Item = f64>, label: &str, unit: fn(f64) -> String) -> Axis {
        // Limits the number of ticks for values that no run has.
        let numbers: Vec<f64> =
            numbers.filter(|number| *number > 0.0).map(|number| number.clamp(1e-15, 1e15)).collect();
        let low = numbers.iter().copied().reduce(f64::min).unwrap_or(1.0) / 1.3;
        let high = numbers.iter().copied().reduce(f64::max).unwrap_or(1.0) * 1.3;
        let decades = (high / low).log10();
        let steps: &[f64] = match decades {
            decades if decades > 5.0 => &[1.0],
            decades if decades > 2.2 => &[1.0, 3.0],
            _ => &[1.0, 2.0, 5.0],
        };
        let every = ((decades / 8.0).ceil() as i32).max(1);
        let powers = (low.log10().floor() as i32..=high.log10().ceil() as i32).filter(|power| power % every == 0);
        let ticks = powers.flat_map(|power| steps.iter().map(move |step| step * 10_f64.powi(power)));
        let mut ticks: Vec<f64> = ticks.filter(|at| (low..=high).contains(at)).collect();
        if ticks.len() < 2 {
            // Less than a factor of two: the ticks of a linear scale.
            ticks = linear_ticks(low, high);
            ticks.retain(|at| *at > 0.0);
        }
        let ticks = ticks.into_iter().map(|at| (at, unit(at))).collect();
        Axis { low, high, is_log: true, ticks, label: label.into() }
    }

    pub fn linear(low: f64, high: f64, label: &str, unit: fn(f64) -> String) -> Axis {
        let high = if high > low { high } else { low + 1.0 };
        let ticks = linear_ticks(low, high).into_iter().map(|at| (at, unit(at))).collect();
        Axis { low, high, is_log: false, ticks, label: label.into() }
    }

    /// The position of a number, from 0 to 1.
    pub fn position(&self, number: f64) -> f64 {
        let position = match self.is_log {
            true => (number.max(f64::MIN_POSITIVE) / self.low).ln() / (self.high / self.low).ln(),
            false => (number - self.low) / (self.high - self.low),
        };
        position.clamp(-0.02, 1.02)
    }
}

/// Four to six round numbers.
fn linear_ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|step| step * power).find(|step| *step >= rough * 0.99);
    let step = step.unwrap_or(power * 10.0);
    let ticks = ((low / step).ceil() as i64..).map(|index| index as f64 * step);
    ticks.take_while(|tick| *tick <= high * (1.0 + 1e-9)).take(20).collect()
}
