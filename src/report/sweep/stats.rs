//! What repeats of a run say together, and whether two sets of them differ by more than chance.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// How sure an interval is.
pub const CONFIDENCE: f64 = 0.95;
/// A repeat is odd if it is this many times as far from the median as repeats usually are …
const FAR: f64 = 5.0;
/// … and by more than this share of the median: machines are never quite at rest.
const NOTABLE: f64 = 0.1;

/// The middle of some numbers, the mean of the two middle ones where their number is even; nothing if there is none.
pub fn median(numbers: &[f64]) -> Option<f64> {
    quantile(numbers, 0.5)
}

/// The number below which this share of the numbers is, on the line between its neighbours.
pub fn quantile(numbers: &[f64], share: f64) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = share.clamp(0.0, 1.0) * sorted.len().checked_sub(1)? as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    Some(below + (above - below) * place.fract())
}

/// Repeats in short.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// How many.
    pub runs: usize,
    /// The middle one.
    pub median: f64,
    /// The smallest.
    pub least: f64,
    /// The largest.
    pub most: f64,
}

impl Summary {
    /// The summary of some numbers; nothing if there is none.
    pub fn of(numbers: &[f64]) -> Option<Summary> {
        let median = median(numbers)?;
        let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Some(Summary { runs: numbers.len(), median, least, most })
    }

    /// From the smallest to the largest, as a share of the median.
    pub fn spread(&self) -> f64 {
        if self.median > 0.0 { (self.most - self.least) / self.median } else { 0.0 }
    }
}

/// Which of the numbers are far from the others. Of three, one is if the other two agree; fewer cannot tell.
pub fn outliers(numbers: &[f64]) -> Vec<usize> {
    let Some(middle) = median(numbers).filter(|_| numbers.len() >= 3) else { return Vec::new() };
    let distances: Vec<f64> = numbers.iter().map(|number| (number - middle).abs()).collect();
    // 1.4826 median distances are a standard deviation, where deviations are normal.
    let usual = 1.4826 * median(&distances).unwrap_or(0.0);
    if numbers.len() == 3 {
        let mut distances = distances.clone();
        distances.sort_by(f64::total_cmp);
        // One of the distances is 0: that of the middle one itself.
        let agree = distances[1] < NOTABLE * middle.abs() && distances[2] > FAR * distances[1];
        let far = (0..3).filter(|&index| agree && (numbers[index] - middle).abs() > 2.0 * NOTABLE * middle.abs());
        return far.collect();
    }
    let is_far = |&index: &usize| distances[index] > FAR * usual && distances[index] > NOTABLE * middle.abs();
    (0..numbers.len()).filter(is_far).collect()
}

/// How much longer one set of runs takes than another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The second over the first: the ratio of their geometric means.
    pub ratio: f64,
    /// From where to where it may be, with [`CONFIDENCE`]; nothing where there are too few runs to tell.
    pub interval: Option<(f64, f64)>,
    /// The probability of a difference like this by chance alone.
    pub chance: Option<f64>,
}

impl Ratio {
    /// By Welch's test on logarithms: what is the same factor up and down weighs the same, and the two sets may
    /// spread differently. Nothing if a set is empty or a number is not positive.
    pub fn of(first: &[f64], second: &[f64]) -> Option<Ratio> {
        let (first, second) = (Logs::of(first)?, Logs::of(second)?);
        let difference = second.mean - first.mean;
        let ratio = difference.exp();
        let (Some(a), Some(b)) = (first.variance_of_mean(), second.variance_of_mean()) else {
            return Some(Ratio { ratio, interval: None, chance: None });
        };
        let error = (a + b).sqrt();
        if error == 0.0 {
            let chance = if difference == 0.0 { 1.0 } else { 0.0 };
            return Some(Ratio { ratio, interval: Some((ratio, ratio)), chance: Some(chance) });
        }
        let freedom = (a + b).powi(2) / (a * a / (first.count - 1.0) + b * b / (second.count - 1.0));
        let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
        let reach = student.inverse_cdf(0.5 + CONFIDENCE / 2.0) * error;
        let chance = 2.0 * student.cdf(-(difference / error).abs());
        let interval = Some(((difference - reach).exp(), (difference + reach).exp()));
        Some(Ratio { ratio, interval, chance: Some(chance) })
    }
}

/// The logarithms of some positive numbers.
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

    /// Two numbers are the fewest that say how far they spread.
    fn variance_of_mean(&self) -> Option<f64> {
        (self.count >= 2.0).then(|| self.squares / (self.count - 1.0) / self.count)
    }
}

/// Which of many differences are more than chance, by the procedure of Benjamini and Hochberg: among a hundred comparisons of
/// nothing but noise, five would look like a difference one by one. Of those that are called real here, one in twenty may be
/// chance, however many comparisons there are.
pub fn benjamini_hochberg(chances: &[Option<f64>]) -> Vec<bool> {
    let mut known: Vec<f64> = chances.iter().flatten().copied().collect();
    known.sort_by(f64::total_cmp);
    let all = known.len() as f64;
    let passes = |(place, chance): (usize, &f64)| *chance <= (place + 1) as f64 / all * (1.0 - CONFIDENCE);
    let limit = known.iter().enumerate().rfind(|&indexed| passes(indexed)).map(|(_, chance)| *chance);
    chances.iter().map(|chance| chance.zip(limit).is_some_and(|(chance, limit)| chance <= limit)).collect()
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
    fn one_run_far_from_the_others_is_odd_and_ordinary_spread_is_not() {
        assert_eq!(outliers(&[1.0, 1.01, 0.99, 1.02, 1.6]), [4]);
        assert!(outliers(&[1.0, 1.01, 0.99, 1.02, 0.98]).is_empty());
        // Far from the others by their own measure, but by less than a tenth.
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
        close(ratio.chance.unwrap(), 0.0036);
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
        let chances = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
            0.7590, 1.0000,
        ];
        let real = benjamini_hochberg(&chances.map(Some));
        assert_eq!(real.iter().filter(|real| **real).count(), 4);
        assert!(real[..4].iter().all(|real| *real));
        assert_eq!(benjamini_hochberg(&[Some(0.04), None]), [true, false]);
        assert_eq!(benjamini_hochberg(&[Some(0.04), Some(0.2)]), [false, false]);
        assert!(benjamini_hochberg(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn the_other_way_round_is_the_inverse(
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
            let Summary { least, most, .. } = Summary::of(&numbers).unwrap();
            prop_assert!(least <= found && found <= most);
            numbers.reverse();
            prop_assert_eq!(quantile(&numbers, share), Some(found));
        }
    }
}
