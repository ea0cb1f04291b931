//! The laws of scaling against worked examples and each other.

use census::report::sweep::scaling::{Amdahl, gustafson, karp_flatt};
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
