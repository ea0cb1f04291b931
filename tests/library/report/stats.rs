//! Statistics against worked examples.

use census::report::sweep::stats::{CONFIDENCE, Ratio, Sample, benjamini_hochberg, median, outliers, quantile};
use census::report::verification::most_wrong;
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
        0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590,
        1.0000,
    ];
    let significant = benjamini_hochberg(&p_values.map(Some));
    assert_eq!(significant.iter().filter(|is| **is).count(), 4);
    assert!(significant[..4].iter().all(|is| *is));
    assert_eq!(benjamini_hochberg(&[Some(0.04), None]), [true, false]);
    assert_eq!(benjamini_hochberg(&[Some(0.04), Some(0.2)]), [false, false]);
    assert!(benjamini_hochberg(&[]).is_empty());
}

/// The number of samples without the first `wrong` items, and of all samples, by enumeration.
fn enumerate(items: u32, sample: u32, wrong: u32) -> (u64, u64) {
    let samples = (0u32..1 << items).filter(|set| set.count_ones() == sample);
    samples.fold((0, 0), |(without, all), set| (without + u64::from(set & ((1 << wrong) - 1) == 0), all + 1))
}

#[test]
fn the_bound_is_that_of_enumerating_every_sample() {
    for items in 0..=12 {
        for sample in 0..=items {
            let likely = |wrong: &u32| {
                let (without, all) = enumerate(items, sample, *wrong);
                without as f64 / all as f64 >= 1.0 - CONFIDENCE - 1e-12
            };
            let expected = (0..=items).rev().find(likely).unwrap_or(0);
            assert_eq!(most_wrong(items as usize, sample as usize), expected as usize, "{sample} of {items}");
        }
    }
}

#[test]
fn the_bound_of_a_small_sample_is_near_the_rule_of_three() {
    for (items, sample, most) in [(100_000, 1000, 300), (1_000_000, 300, 10_000)] {
        let bound = most_wrong(items, sample);
        assert!(bound <= most && bound > most * 98 / 100, "{bound} of {items}");
    }
    assert_eq!((most_wrong(0, 0), most_wrong(7, 0), most_wrong(7, 7), most_wrong(1 << 20, 1 << 20)), (0, 7, 0, 0));
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
