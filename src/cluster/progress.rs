//! How far a count is: what rank 0 makes of the ranks' news.
//!
//! Nobody knows what the units that are left will cost. They are taken to cost what units have cost so far, and a unit
//! that somebody is at counts as one that is left: so the mean cost is all the seconds spent, those on unfinished units
//! included, divided by the units finished. (For costs without memory that is the best guess there is, and it does not
//! fall for the short units that are always finished first.) It is corrected with every unit.

use super::message::News;
use super::schedule::Deal;

/// How far a count is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Seconds since the count phase began.
    pub seconds: f64,
    /// The share of the work that is done, from 0 to 1; `None` as long as there is nothing to guess from.
    pub share: Option<f64>,
    /// Seconds until the end, as far as can be told.
    pub left: Option<f64>,
    /// Solutions found so far, those that were known before included.
    pub solutions: u128,
    /// Solutions that were known when the count phase began.
    pub known: u128,
    /// Nodes visited so far.
    pub nodes: u64,
    /// Workers that count at this moment.
    pub active: u64,
    /// Workers there are.
    pub workers: usize,
}

/// Is told a few times a second how far a count is.
pub type Watch<'a> = dyn FnMut(&Progress) + 'a;

/// Seconds of work that are left, and seconds until they are done, if units go on to cost what they have cost so far.
/// `first` are the units that each rank got before the count began.
pub(super) fn outlook<'a>(
    deal: &Deal,
    units: usize,
    first: &[usize],
    news: impl Iterator<Item = &'a News> + Clone,
) -> Option<(f64, f64)> {
    let sum = |what: fn(&News) -> u64| news.clone().map(what).sum::<u64>();
    let done = sum(|news| news.units + news.parts);
    if done == 0 {
        return None;
    }
    let mean = news.clone().map(|news| news.busy).sum::<f64>() / done as f64;
    let (all_units, split) = (units as u64, sum(|news| news.split));
    if !deal.schedule.is_fixed() {
        let work = (all_units + split).saturating_sub(done) as f64 * mean;
        return Some((work, work / (deal.ranks * deal.threads) as f64));
    }
    // Every rank has its own, and the last one to finish decides.
    let rank = |(news, &first): (&News, &usize)| {
        let done = news.units + news.parts;
        let mean = if done > 0 { news.busy / done as f64 } else { mean };
        (first as u64 + news.split).saturating_sub(done) as f64 * mean
    };
    let ranks = news.zip(first).map(rank);
    Some((ranks.clone().sum(), ranks.fold(0.0, f64::max) / deal.threads as f64))
}

#[cfg(test)]
mod tests {
    use super::super::schedule::Schedule;
    use super::*;

    fn news(units: u64, busy: f64) -> News {
        News { units, busy, ..News::default() }
    }

    #[test]
    fn nothing_is_foretold_before_the_first_unit_is_done() {
        let deal = Deal::new(Schedule::Static, None, 10, 2, 1);
        assert_eq!(outlook(&deal, 10, &[5, 5], [news(0, 1.0), news(0, 1.0)].iter()), None);
    }

    #[test]
    fn with_blocks_that_are_asked_for_all_workers_share_what_is_left() {
        let deal = Deal::new(Schedule::Guided, None, 10, 2, 1);
        // Four units done in eight seconds, six left: twelve seconds of work for two.
        assert_eq!(outlook(&deal, 10, &[2, 2], [news(3, 4.0), news(1, 4.0)].iter()), Some((12.0, 6.0)));
    }

    #[test]
    fn with_blocks_that_are_fixed_the_slowest_rank_decides() {
        let deal = Deal::new(Schedule::Static, None, 10, 2, 1);
        // Rank 0 has two left at one second each, rank 1 has four left at four seconds each.
        assert_eq!(outlook(&deal, 10, &[5, 5], [news(3, 3.0), news(1, 4.0)].iter()), Some((18.0, 16.0)));
    }

    #[test]
    fn parts_that_were_split_off_are_work_too() {
        let deal = Deal::new(Schedule::Steal, None, 2, 2, 1);
        let news = [News { split: 2, ..news(1, 2.0) }, News { parts: 1, ..news(0, 2.0) }];
        assert_eq!(outlook(&deal, 2, &[1, 1], news.iter()), Some((4.0, 2.0)));
    }
}
