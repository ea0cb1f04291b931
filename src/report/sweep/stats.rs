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

/// Statistics of the repeats of a run.
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
        let (Some(a), Some(b)) = (first.variance_of_mean(), second.variance_of_mean()) else {
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
    /// The sum of the squared distances from the mean.
    squares: f64,
}

impl Logs {
    fn of(numbers: &[f64]) -> Option<Logs> {
        if numbers.is_empty() || numbers.iter().any(|&number| number <= 0.0) {
            return None;
        }
        let count = numbers.len() as f64;
        let mean = numbers.iter().map(|number| number.ln()).sum::<f64>() / count;
        let squares = numbers.iter().map(|number| (number.ln() - mean).powi(2)).sum();
        Some(Logs { count, mean, squares })
    }

    /// `None` for fewer than two numbers.
    fn variance_of_mean(&self) -> Option<f64> {
        (self.count >= 2.0).then(|| self.squares / (self.count - 1.0) / self.count)
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 5e-4 * b.abs().max(1.0), "{a} is not {b}");
    }

    #[test]
    fn the_median_is_the_middle_one_or_between_the_two_middle_ones() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
        assert_eq!(quantile(&[0.0, 10.0, 20.0, 30.0, 40.0], 0.25), Some(10.0));
    }

    #[test]
    fn one_run_far_from_the_others_is_an_outlier_and_ordinary_spread_is_not() {
        assert_eq!(outliers(&[1.0, 1.01, 0.99, 1.02, 1.6]), [4]);
        assert!(outliers(&[1.0, 1.01, 0.99, 1.02, 0.98]).is_empty());
        // Many standard deviations, but less than a tenth of the median.
        assert!(outliers(&[1.0, 1.0, 1.0, 1.0, 1.05]).is_empty());
        assert_eq!(outliers(&[1.0, 9.0, 1.01]), [1]);
        assert!(outliers(&[1.0, 1.1, 1.3]).is_empty());
        assert!(outliers(&[1.0, 9.0]).is_empty());
    }

    /// Logs 0, 0.1, 0.2 and 0.5, 0.6, 0.7: each variance 0.01, so the error is √(0.02/3) = 0.08165 with 4 degrees of freedom,
    /// whose 97.5 % point is 2.7764: 0.5 ± 0.22669. And t = 6.1237 has a probability of 0.0036.
    #[test]
    fn a_worked_example_of_a_ratio() {
        let powers = |logs: [f64; 3]| logs.map(f64::exp);
        let ratio = Ratio::of(&powers([0.0, 0.1, 0.2]), &powers([0.5, 0.6, 0.7])).unwrap();
        close(ratio.ratio, 0.5_f64.exp());
        let (low, high) = ratio.interval.unwrap();
        close(low, (0.5 - 0.22669_f64).exp());
        close(high, (0.5 + 0.22669_f64).exp());
        close(ratio.p_value.unwrap(), 0.0036);
    }

    #[test]
    fn one_run_has_a_ratio_and_no_interval() {
        let ratio = Ratio::of(&[2.0], &[1.0, 1.0]).unwrap();
        assert_eq!((ratio.ratio, ratio.interval), (0.5, None));
        assert_eq!(Ratio::of(&[], &[1.0]), None);
        assert_eq!(Ratio::of(&[0.0], &[1.0]), None);
    }

    /// The example of their paper: of these 15, four are below the line from 0.05 / 15 to 0.05.
    #[test]
    fn a_worked_example_of_many_comparisons() {
        let p_values = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
            0.7590, 1.0000,
        ];
        let significant = benjamini_hochberg(&p_values.map(Some));
        assert_eq!(significant.iter().filter(|is| **is).count(), 4);
        assert!(significant[..4].iter().all(|is| *is));
        assert_eq!(benjamini_hochberg(&[Some(0.04), None]), [true, false]);
        assert_eq!(benjamini_hochberg(&[Some(0.04), Some(0.2)]), [false, false]);
        assert!(benjamini_hochberg(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn the_ratio_of_swapped_sets_is_the_inverse(
            a in prop::collection::vec(0.1..10.0, 2..6), b in prop::collection::vec(0.1..10.0, 2..6),
        ) {
            let (there, back) = (Ratio::of(&a, &b).unwrap(), Ratio::of(&b, &a).unwrap());
            close(there.ratio, 1.0 / back.ratio);
            let ((low, high), (back_low, back_high)) = (there.interval.unwrap(), back.interval.unwrap());
            prop_assert!((low * back_high - 1.0).abs() < 1e-6 && (high * back_low - 1.0).abs() < 1e-6);
            prop_assert!(low <= there.ratio && there.ratio <= high);
        }

        #[test]
        fn quantiles_lie_within_and_do_not_depend_on_order(mut numbers in prop::collection::vec(-5.0..5.0, 1..20), share in 0.0..1.0) {
            let found = quantile(&numbers, share).unwrap();
            let Sample { min, max, .. } = Sample::of(&numbers).unwrap();
            prop_assert!(min <= found && found <= max);
            numbers.reverse();
            prop_assert_eq!(quantile(&numbers, share), Some(found));
        }
    }
}
