//! Statistics of repeats, and tests whether two sets of repeats differ.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The confidence level of intervals and tests.
pub const CONFIDENCE: f64 = 0.95;
/// An outlier is more than this many standard deviations from the median, estimated from the median deviation …
const FAR: f64 = 5.0;
/// … and more than this share of the median: small deviations are normal on any machine.
const NOTABLE: f64 = 0.1;

pub fn median(numbers: &[f64]) -> Option<f64> {
    quantile(numbers, 0.5)
}

/// The quantile, with linear interpolation.
pub fn quantile(numbers: &[f64], share: f64) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let index = share.clamp(0.0, 1.0) * sorted.len().checked_sub(1)? as f64;
    let (below, above) = (sorted[index.floor() as usize], sorted[index.ceil() as usize]);
    Some(below + (above - below) * index.fract())
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    pub runs: usize,
    pub median: f64,
    pub min: f64,
    pub max: f64,
}

impl Sample {
    /// `None` without numbers.
    pub fn of(numbers: &[f64]) -> Option<Sample> {
        let median = median(numbers)?;
        let min = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let max = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Some(Sample { runs: numbers.len(), median, min, max })
    }

    /// The range as a share of the median.
    pub fn spread(&self) -> f64 {
        if self.median > 0.0 { (self.max - self.min) / self.median } else { 0.0 }
    }
}

/// The indices of outliers. One of three numbers is an outlier if the other two agree; of fewer, none is.
pub fn outliers(numbers: &[f64]) -> Vec<usize> {
    let Some(middle) = median(numbers).filter(|_| numbers.len() >= 3) else { return Vec::new() };
    let distances: Vec<f64> = numbers.iter().map(|number| (number - middle).abs()).collect();
    // 1.4826 median distances are a standard deviation, where deviations are normal.
    let usual = 1.4826 * median(&distances).unwrap_or(0.0);
    if numbers.len() == 3 {
        let mut distances = distances.clone();
        distances.sort_by(f64::total_cmp);
        // The first distance is 0: that of the median itself.
        let agree = distances[1] < NOTABLE * middle.abs() && distances[2] > FAR * distances[1];
        let far = (0..3).filter(|&index| agree && (numbers[index] - middle).abs() > 2.0 * NOTABLE * middle.abs());
        return far.collect();
    }
    let is_far = |&index: &usize| distances[index] > FAR * usual && distances[index] > NOTABLE * middle.abs();
    (0..numbers.len()).filter(is_far).collect()
}

/// The ratio of the times of two sets of runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The geometric mean of the second set over that of the first.
    pub ratio: f64,
    /// The interval with [`CONFIDENCE`]; `None` if a set has fewer than two runs.
    pub interval: Option<(f64, f64)>,
    /// The probability of at least this difference if there is none; `None` if a set has fewer than two runs.
    pub p_value: Option<f64>,
}

impl Ratio {
    /// Welch's test on logarithms: a factor counts the same in both directions, and the variances may differ. `None` if a set is
    /// empty or a number is not positive.
    pub fn of(first: &[f64], second: &[f64]) -> Option<Ratio> {
        let (first, second) = (Logs::of(first)?, Logs::of(second)?);
        let difference = second.mean - first.mean;
        let ratio = difference.exp();
        let (Some(a), Some(b)) = (first.variance_of_mean, second.variance_of_mean) else {
            return Some(Ratio { ratio, interval: None, p_value: None });
        };
        let error = (a + b).sqrt();
        if error == 0.0 {
            let p_value = if difference == 0.0 { 1.0 } else { 0.0 };
            return Some(Ratio { ratio, interval: Some((ratio, ratio)), p_value: Some(p_value) });
        }
        let freedom = (a + b).powi(2) / (a * a / (first.count - 1.0) + b * b / (second.count - 1.0));
        let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
        let reach = student.inverse_cdf(0.5 + CONFIDENCE / 2.0) * error;
        let p_value = 2.0 * student.cdf(-(difference / error).abs());
        let interval = Some(((difference - reach).exp(), (difference + reach).exp()));
        Some(Ratio { ratio, interval, p_value: Some(p_value) })
    }
}

/// Statistics of the logarithms of positive numbers.
struct Logs {
    count: f64,
    mean: f64,
    /// `None` for fewer than two numbers.
    variance_of_mean: Option<f64>,
}

impl Logs {
    fn of(numbers: &[f64]) -> Option<Logs> {
        if numbers.is_empty() || numbers.iter().any(|&number| number <= 0.0) {
            return None;
        }
        let count = numbers.len() as f64;
        let mean = numbers.iter().map(|number| number.ln()).sum::<f64>() / count;
        let squares: f64 = numbers.iter().map(|number| (number.ln() - mean).powi(2)).sum();
        let variance_of_mean = (count >= 2.0).then(|| squares / (count - 1.0) / count);
        Some(Logs { count, mean, variance_of_mean })
    }
}

/// Which of many differences are significant, by the procedure of Benjamini and Hochberg: it limits the share of false discoveries
/// to 1 − [`CONFIDENCE`], however many comparisons there are. Single tests would find five differences in a hundred comparisons of
/// noise.
pub fn benjamini_hochberg(p_values: &[Option<f64>]) -> Vec<bool> {
    let mut known: Vec<f64> = p_values.iter().flatten().copied().collect();
    known.sort_by(f64::total_cmp);
    let all = known.len() as f64;
    let passes = |(index, p_value): (usize, &f64)| *p_value <= (index + 1) as f64 / all * (1.0 - CONFIDENCE);
    let limit = known.iter().enumerate().rfind(|&indexed| passes(indexed)).map(|(_, p_value)| *p_value);
    p_values.iter().map(|p_value| p_value.zip(limit).is_some_and(|(p_value, limit)| p_value <= limit)).collect()
}
