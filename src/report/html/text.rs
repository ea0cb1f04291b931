//! Numbers in sentences. No line ends between a number and its unit.

use crate::report::sweep::analysis::{Case, Group, Series};

/// A duration in a sentence: `3.4 ms`, `0.532 s`, `12.3 s`, `5 min`.
pub fn span(seconds: f64) -> String {
    match seconds {
        0.0 => "0\u{a0}s".into(),
        s if s < 0.000_999_5 => format!("{:.0}\u{a0}µs", s * 1e6),
        s if s < 0.099_95 => format!("{:.1}\u{a0}ms", s * 1e3),
        s if s < 1.0 => format!("{s:.3}\u{a0}s"),
        s if s < 10.0 => format!("{s:.2}\u{a0}s"),
        s if s < 600.0 => format!("{s:.1}\u{a0}s"),
        s => format!("{:.0}\u{a0}min", s / 60.0),
    }
}

/// A share in a sentence: `31 %`, `2.5 %`, `0.04 %`, with a minus sign where it is less than nothing.
pub fn share(share: f64) -> String {
    let percent = (share * 100.0).abs();
    let sign = if share < 0.0 { "−" } else { "" };
    let digits = match percent {
        percent if percent == 0.0 || percent >= 9.95 => 0,
        percent if percent >= 0.95 => 1,
        _ => 2,
    };
    format!("{sign}{percent:.digits$}\u{a0}%")
}

/// The cases on the most workers, with their series: on the most that had a core each, if these are several, because a worker
/// without one is busy and waiting by turns that no schedule decides. Sequential runs are not among them unless there is nothing
/// else.
pub fn largest<'a>(subject: &'a Group<'a>) -> Vec<(&'a Series<'a>, &'a Case<'a>)> {
    let parallel = |(series, _): &(&Series, &Case)| !series.is_sequential || subject.parallel().next().is_none();
    let cases: Vec<(&Series, &Case)> = subject.cases().filter(parallel).collect();
    let most = |with_cores: bool| {
        let cases = cases.iter().filter(|(_, case)| !with_cores || (!case.is_oversubscribed && case.workers > 1));
        cases.map(|(_, case)| case.workers).max()
    };
    let (with_cores, all) = (most(true), most(false));
    let chosen = |case: &Case| match with_cores {
        Some(workers) => case.workers == workers && !case.is_oversubscribed,
        None => Some(case.workers) == all,
    };
    cases.iter().copied().filter(|(_, case)| chosen(case)).collect()
}

/// The one with the least and the one with the most of something; nothing if there is none.
pub fn extremes<T: Copy>(items: &[T], of: impl Fn(T) -> f64) -> Option<(T, T)> {
    let least = items.iter().copied().min_by(|a, b| of(*a).total_cmp(&of(*b)))?;
    let most = items.iter().copied().max_by(|a, b| of(*a).total_cmp(&of(*b)))?;
    Some((least, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glued(text: &str) -> String {
        text.replace(' ', "\u{a0}")
    }

    #[test]
    fn numbers_have_as_many_digits_as_matter() {
        assert_eq!(
            [12e-6, 0.0034, 0.25, 2.345, 42.0, 1200.0].map(span),
            ["12 µs", "3.4 ms", "0.250 s", "2.35 s", "42.0 s", "20 min"].map(glued)
        );
        assert_eq!(
            [0.31, 0.025, 0.0004, 0.0, -0.02].map(share),
            ["31 %", "2.5 %", "0.04 %", "0 %", "−2.0 %"].map(glued)
        );
    }
}
