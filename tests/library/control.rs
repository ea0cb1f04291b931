//! Progress, limits and budgets of the workers of a process, and the arithmetic of counts.

use census_count::{Control, Solutions};
use proptest::prelude::*;

proptest! {
    #[test]
    fn reports_add_up_beyond_64_bits(reports in proptest::collection::vec(0..u128::MAX >> 5, 0..20)) {
        let control = Control::new(None);
        for &solutions in &reports {
            prop_assert!(control.report(solutions, 1));
        }
        prop_assert_eq!((control.found(), control.nodes()), (reports.iter().sum(), reports.len() as u64));
    }
}

#[test]
fn reports_of_all_workers_count() {
    const EACH: u128 = 1 << 58; // the sum exceeds 64 bits
    let control = Control::new(None);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..10_000).for_each(|_| assert!(control.report(EACH, 1))));
        }
    });
    assert_eq!((control.found(), control.nodes()), (EACH * 40_000, 40_000));
}

#[test]
fn a_limit_stops_the_workers_when_it_is_reached_and_not_before() {
    for limit in [5, u64::MAX] {
        let control = Control::new(Some(limit));
        assert!(control.report((limit - 1).into(), 0));
        assert!(!control.report(1, 0) && control.stopped());
        assert_eq!(control.found(), limit.into());
        for more_than_64_bits in [1 << 64, u128::MAX] {
            let control = Control::new(Some(limit));
            assert!(!control.report(more_than_64_bits, 1) && control.found() == more_than_64_bits);
        }
    }
}

#[test]
fn without_a_limit_only_a_stop_ends_the_work() {
    let control = Control::new(None);
    assert!(control.report(u128::MAX, 1));
    assert!(control.report(1, 1) && control.found() == u128::MAX, "a sum beyond 128 bits does not wrap");
    control.stop();
    assert!(!control.report(0, 1));
}

#[test]
fn a_budget_of_nodes_stops_the_workers_whatever_they_find() {
    let control = Control::new(None).with_budget(1000);
    assert!(control.report(5000, 999));
    assert!(!control.report(0, 1));
    assert_eq!((control.found(), control.nodes()), (5000, 1000));
}

#[test]
fn a_number_of_solutions_is_parsed_only_in_its_canonical_form() {
    let parse = |text: &str| Solutions::try_from(Some(text.to_owned()));
    for count in [0, 1, u128::MAX] {
        assert_eq!(parse(&count.to_string()), Ok(Solutions::new(count)));
    }
    let digits = "1".repeat(400);
    for text in ["", "-5", "+5", "05", "1.0", "1e3", " 1", "340282366920938463463374607431768211456", &digits] {
        assert!(parse(text).is_err(), "{text}");
    }
}

#[test]
fn a_sum_beyond_128_bits_is_an_overflow_and_stays_one() {
    let most = Solutions::new(u128::MAX);
    assert_eq!(most.plus(Solutions::ZERO), most);
    assert_eq!(most.plus(Solutions::new(1)), Solutions::OVERFLOW);
    assert_eq!(Solutions::OVERFLOW.plus(Solutions::ZERO), Solutions::OVERFLOW);
    assert_eq!(Solutions::ZERO.plus(Solutions::OVERFLOW).exact(), None);
}
