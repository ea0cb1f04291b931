//! The progress of a count, estimated by rank 0 from the reports of all ranks.
//!
//! The remaining units are assumed to cost the mean so far: all seconds spent, those on unfinished units included, divided by the
//! units finished. Units that are being counted are remaining units. (For costs without memory that is the best estimate, and it is not
//! biased by short units, which always finish first.) It is corrected with every unit.

use super::Distribution;
use super::message::RankProgress;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// What rank 0 does before the count phase. All other fields but the seconds are 0 then.
    pub preparing: Option<&'static str>,
    /// Seconds since the phase began.
    pub seconds: f64,
    /// The share of the work that is done, from 0 to 1; `None` before the first unit is.
    pub share: Option<f64>,
    /// Estimated seconds until the end.
    pub left: Option<f64>,
    /// Solutions found so far, `known` included.
    pub solutions: u128,
    /// Solutions above the depth and of earlier runs.
    pub known: u128,
    pub nodes: u64,
    /// Workers that count at this moment.
    pub active: u64,
    pub workers: usize,
}

/// Called a few times a second.
pub type ProgressCallback<'a> = dyn FnMut(&Progress) + 'a;

/// Seconds of work that remain, and seconds until they are done. `first_blocks` are the sizes of the first blocks.
pub(crate) fn estimate<'a>(
    distribution: &Distribution,
    units: usize,
    first_blocks: &[usize],
    ranks: impl Iterator<Item = &'a RankProgress> + Clone,
) -> Option<(f64, f64)> {
    let sum = |value: fn(&RankProgress) -> u64| ranks.clone().map(value).sum::<u64>();
    let done = sum(|rank| rank.units + rank.subtasks);
    if done == 0 {
        return None;
    }
    let mean = ranks.clone().map(|rank| rank.busy).sum::<f64>() / done as f64;
    let (all_units, split) = (units as u64, sum(|rank| rank.split));
    if !distribution.schedule.is_fixed() {
        let work = (all_units + split).saturating_sub(done) as f64 * mean;
        return Some((work, work / (distribution.ranks * distribution.threads) as f64));
    }
    // Each rank counts its own share, and the last one determines the end.
    let work_of = |(rank, &first): (&RankProgress, &usize)| {
        let done = rank.units + rank.subtasks;
        let mean = if done > 0 { rank.busy / done as f64 } else { mean };
        (first as u64 + rank.split).saturating_sub(done) as f64 * mean
    };
    let work = ranks.zip(first_blocks).map(work_of);
    Some((work.clone().sum(), work.fold(0.0, f64::max) / distribution.threads as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::schedule::Schedule;

    fn progress(units: u64, busy: f64) -> RankProgress {
        RankProgress { units, busy, ..RankProgress::default() }
    }

    #[test]
    fn worked_examples() {
        let split = [RankProgress { split: 2, ..progress(1, 2.0) }, RankProgress { subtasks: 1, ..progress(0, 2.0) }];
        for (schedule, units, ranks, expected, what) in [
            (Schedule::Static, 10, [progress(0, 1.0), progress(0, 1.0)], None, "no unit is done"),
            (
                Schedule::Static,
                10,
                [progress(3, 3.0), progress(1, 4.0)],
                Some((18.0, 16.0)),
                "2 × 1 s, and 4 × 4 s on rank 1",
            ),
            (Schedule::Guided, 10, [progress(3, 4.0), progress(1, 4.0)], Some((12.0, 6.0)), "6 × 2 s, for both ranks"),
            (Schedule::Steal, 2, split, Some((4.0, 2.0)), "a unit and a subtask are left"),
        ] {
            let distribution = Distribution::new(schedule, None, units, 2, 1);
            assert_eq!(estimate(&distribution, units, &[units / 2; 2], ranks.iter()), expected, "{schedule}: {what}");
        }
    }
}
