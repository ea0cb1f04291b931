//! The report of a verification: the JSON schema `census-verify/2`, and what a sample says about the whole.

use std::ops::Range;

use serde::Serialize;

use crate::cluster::{Difference, Phases, RankReport, StopReason, Verified};

use super::render::terminal::grouped;
use super::run::Provenance;
use super::sweep::stats::CONFIDENCE;

/// The most differences that the sentence names.
const NAMED: usize = 3;

/// The largest number of wrong items, of so many, with which a sample of this size would still be without any with a
/// probability of 5 %: the exact bound of a sample without replacement.
pub fn most_wrong(items: usize, sample: usize) -> usize {
    let right = items.saturating_sub(sample);
    let mut none_drawn = 1.0;
    // With one more wrong item, the chance that none is drawn falls by this factor.
    let falls = |wrong: usize| (right - wrong) as f64 / (items - wrong) as f64;
    (0..right)
        .find(|&wrong| {
            none_drawn *= falls(wrong);
            // A chance of 1 in 20 is not below 5 %, however it is rounded.
            none_drawn < (1.0 - CONFIDENCE) * (1.0 - 1e-9)
        })
        .unwrap_or(right)
}

/// What a verification says about itself.
#[derive(Clone, Debug, Serialize)]
pub struct VerificationReport {
    /// `census-verify/2`.
    pub schema: &'static str,
    /// What ran when and where.
    #[serde(flatten)]
    pub provenance: Provenance,
    /// Whether every unit that was drawn was recounted.
    pub complete: bool,
    /// Why not, in words; null where they were.
    pub stopped: Option<String>,
    /// What was verified.
    pub verifies: Verifies,
    /// What was done to recount units.
    pub recount: &'static str,
    /// How units were assigned to ranks.
    pub schedule: String,
    /// The share of the items that was asked for.
    pub share: f64,
    /// Start of the random numbers.
    pub seed: u64,
    /// What an item is: a unit, a line of a journal, or the puzzle.
    pub item: &'static str,
    /// Items there are.
    pub items: usize,
    /// Items drawn.
    pub sampled: usize,
    /// Items recounted to their end.
    pub verified: usize,
    /// Whether all of these have as many solutions as was recorded.
    pub equal: bool,
    /// Those that do not.
    pub differences: Vec<Differs>,
    /// How sure the bound is.
    pub confidence: f64,
    /// The most items that can be wrong; null where some are known to be.
    pub most_wrong: Option<usize>,
    /// All of this in a sentence.
    pub sentence: String,
    /// Seconds by `MPI_Wtime` on rank 0.
    pub phases: Phases,
    /// What each rank did.
    pub ranks: Vec<RankReport>,
}

/// The report that was verified.
#[derive(Clone, Debug, Serialize)]
pub struct Verifies {
    /// The file.
    pub file: String,
    /// The journal, if the solutions of units were taken from one.
    pub journal: Option<String>,
    /// When the run finished.
    pub finished: String,
    /// The solutions that it counted.
    pub solutions: String,
}

/// An item that differs.
#[derive(Clone, Debug, Serialize)]
pub struct Differs {
    /// Its units, by their places in the pool, from 0.
    pub units: String,
    /// The solutions that were recorded.
    pub recorded: String,
    /// The solutions that were recounted.
    pub recounted: String,
}

impl Differs {
    fn of(difference: &Difference) -> Differs {
        let range = |range: &Range<usize>| match range.len() {
            1 => range.start.to_string(),
            _ => format!("{}-{}", range.start, range.end - 1),
        };
        Differs {
            units: difference.units.iter().map(range).collect::<Vec<_>>().join(","),
            recorded: difference.recorded.to_string(),
            recounted: difference.recounted.to_string(),
        }
    }

    /// It in words.
    pub fn words(&self, item: &str) -> String {
        let Differs { units, recorded, recounted } = self;
        match item {
            "puzzle" => format!("recorded {recorded}, recounted {recounted}"),
            _ => format!("unit {units}: recorded {recorded}, recounted {recounted}"),
        }
    }
}

impl VerificationReport {
    /// The report of what a verification came to.
    pub fn new(
        provenance: Provenance,
        verifies: Verifies,
        item: &'static str,
        (share, seed): (f64, u64),
        verified: Verified,
    ) -> Self {
        let Verified { items, sampled, verified: done, stopped, .. } = verified;
        let differences: Vec<Differs> = verified.differences.iter().map(Differs::of).collect();
        let most_wrong = differences.is_empty().then(|| most_wrong(items, done));
        VerificationReport {
            schema: "census-verify/2",
            provenance,
            complete: done == sampled,
            stopped: stopped.map(|reason: StopReason| reason.to_string()),
            verifies,
            recount: verified.recount,
            schedule: verified.schedule.to_string(),
            share,
            seed,
            item,
            items,
            sampled,
            verified: done,
            equal: differences.is_empty(),
            sentence: sentence(item, items, done, &differences),
            differences,
            confidence: CONFIDENCE,
            most_wrong,
            phases: verified.phases,
            ranks: verified.ranks,
        }
    }
}

/// What a sample says about the whole.
fn sentence(item: &str, items: usize, verified: usize, differences: &[Differs]) -> String {
    let plural = match item {
        "puzzle" => {
            return match differences {
                [] if verified == 0 => "the puzzle was not recounted to its end: nothing is verified".into(),
                [] => "verified the whole puzzle, which was not cut into units: equal".into(),
                [differs, ..] => {
                    format!("verified the whole puzzle, which was not cut into units: {}", differs.words(item))
                }
            };
        }
        "line" => "lines of the journal",
        _ => "units",
    };
    let number = |number: usize| grouped(&number.to_string());
    let share = if items == 0 { 0.0 } else { 100.0 * verified as f64 / items as f64 };
    let start = format!("verified {} of {} {plural} ({share:.1} %)", number(verified), number(items));
    if !differences.is_empty() {
        let verb = if differences.len() == 1 { "differs" } else { "differ" };
        let named: Vec<String> = differences.iter().take(NAMED).map(|differs| differs.words(item)).collect();
        let more = differences.len().saturating_sub(NAMED);
        let more = if more > 0 { format!("; and {} more", number(more)) } else { String::new() };
        return format!("{start}, {} {verb}: {}{more}", number(differences.len()), named.join("; "));
    }
    if verified == 0 {
        return format!("{start}: nothing is known about the others");
    }
    let percent = 100.0 * CONFIDENCE;
    match most_wrong(items, verified) {
        0 if verified == items => format!("{start}, all equal: none of the {plural} can be wrong"),
        // Rounded up: it is a bound.
        most => {
            let most = (1000.0 * most as f64 / items as f64).ceil() / 10.0;
            format!(
                "{start}, all equal: with {percent:.0} % confidence at most {most:.1} % of the {plural} can be wrong"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In how many of all samples of so many items the first `wrong` ones are not, and how many samples there are: by drawing
    /// every one of them.
    fn drawn(items: u32, sample: u32, wrong: u32) -> (u64, u64) {
        let samples = (0u32..1 << items).filter(|set| set.count_ones() == sample);
        samples.fold((0, 0), |(without, all), set| (without + u64::from(set & ((1 << wrong) - 1) == 0), all + 1))
    }

    #[test]
    fn the_bound_is_that_of_drawing_every_sample() {
        for items in 0..=12 {
            for sample in 0..=items {
                let likely = |wrong: &u32| {
                    let (without, all) = drawn(items, sample, *wrong);
                    without as f64 / all as f64 >= 1.0 - CONFIDENCE - 1e-12
                };
                let expected = (0..=items).rev().find(likely).unwrap_or(0);
                assert_eq!(most_wrong(items as usize, sample as usize), expected as usize, "{sample} of {items}");
            }
        }
    }

    #[test]
    fn the_bound_is_near_the_rule_of_three_where_samples_are_small() {
        for (items, sample, most) in [(100_000, 1000, 300), (1_000_000, 300, 10_000)] {
            let bound = most_wrong(items, sample);
            assert!(bound <= most && bound > most * 98 / 100, "{bound} of {items}");
        }
        assert_eq!((most_wrong(0, 0), most_wrong(7, 0), most_wrong(7, 7), most_wrong(1 << 20, 1 << 20)), (0, 7, 0, 0));
    }

    #[test]
    fn the_sentence_says_how_many_and_what_follows() {
        let differs = |unit: usize| Differs { units: unit.to_string(), recorded: "5".into(), recounted: "4".into() };
        let four: Vec<Differs> = [3, 7, 8, 9].map(differs).into();
        let sentences = [
            (
                sentence("unit", 1024, 52, &[]),
                "verified 52 of 1,024 units (5.1 %), all equal: with 95 % confidence at most 5.4 % of the units can be wrong",
            ),
            (
                sentence("unit", 20, 20, &[]),
                "verified 20 of 20 units (100.0 %), all equal: none of the units can be wrong",
            ),
            (sentence("unit", 20, 0, &[]), "verified 0 of 20 units (0.0 %): nothing is known about the others"),
            (
                sentence("line", 20, 4, &four[..1]),
                "verified 4 of 20 lines of the journal (20.0 %), 1 differs: unit 3: recorded 5, recounted 4",
            ),
            (
                sentence("unit", 20, 4, &four),
                "verified 4 of 20 units (20.0 %), 4 differ: unit 3: recorded 5, recounted 4; unit 7: recorded 5, recounted 4; unit 8: recorded 5, recounted 4; and 1 more",
            ),
            (sentence("puzzle", 1, 1, &[]), "verified the whole puzzle, which was not cut into units: equal"),
        ];
        for (sentence, expected) in sentences {
            assert_eq!(sentence, expected);
        }
    }
}
