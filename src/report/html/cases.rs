//! The cases that captions are about.

use crate::report::render::html::percent;
use crate::report::sweep::analysis::{Case, Group, Series};

/// The parallel cases on the most workers that had a core each, if these are several: without a core, busy and waiting times depend on
/// the operating system. Otherwise the cases on the most workers. Without parallel cases, the sequential ones.
pub fn largest<'a>(group: &'a Group<'a>) -> Vec<(&'a Series<'a>, &'a Case<'a>)> {
    let is_parallel = group.parallel().next().is_some();
    let mut cases: Vec<(&Series, &Case)> =
        group.cases().filter(|(series, _)| !(is_parallel && series.is_sequential)).collect();
    let most = |cases: &[(&Series, &Case)]| cases.iter().map(|(_, case)| case.workers).max();
    let mut with_cores = cases.clone();
    with_cores.retain(|(_, case)| !case.is_oversubscribed);
    if most(&with_cores) > Some(1) {
        cases = with_cores;
    }
    let most = most(&cases);
    cases.retain(|(_, case)| Some(case.workers) == most);
    cases
}

pub fn extremes<T: Copy>(items: &[T], value: impl Fn(T) -> f64) -> Option<(T, T)> {
    let least = items.iter().copied().min_by(|a, b| value(*a).total_cmp(&value(*b)))?;
    let most = items.iter().copied().max_by(|a, b| value(*a).total_cmp(&value(*b)))?;
    Some((least, most))
}

/// The cases with the smallest and the largest share, in a sentence: `50 % with static, 99 % with steal`.
pub fn contrast(cases: &[(&Series, &Case)], share: impl Fn((&Series, &Case)) -> f64) -> String {
    let Some((least, most)) = extremes(cases, &share) else { return String::new() };
    let text = |case: (&Series, &Case)| format!("{} with {}", percent(share(case)), case.0.label);
    let (least, most) = (text(least), text(most));
    if least == most { least } else { format!("{least}, {most}") }
}
