//! The report of a verification: the JSON schema `census-verify/2`, with a confidence bound for the items that were not drawn.
//! `docs/report-fields.md` describes all fields.

use std::ops::Range;

use serde::Serialize;

use crate::cluster::{Difference, Phases, RankReport, StopReason, Verified};

use super::render::number::grouped;
use super::run::Provenance;
use super::sweep::stats::CONFIDENCE;

/// The most differences in the sentence.
const NAMED: usize = 3;

/// The largest number of wrong items with which a sample without replacement has none of them with a probability of at least 5 %: the
/// exact (hypergeometric) bound.
pub fn most_wrong(items: usize, sample: usize) -> usize {
    let right = items.saturating_sub(sample);
    let mut none_drawn = 1.0;
    // The factor of this probability for one more wrong item.
    let factor = |wrong: usize| (right - wrong) as f64 / (items - wrong) as f64;
    (0..right)
        .find(|&wrong| {
            none_drawn *= factor(wrong);
            // The tolerance keeps a probability of exactly 5 % despite rounding.
            none_drawn < (1.0 - CONFIDENCE) * (1.0 - 1e-9)
        })
        .unwrap_or(right)
}

#[derive(Clone, Debug, Serialize)]
pub struct VerificationReport {
    pub schema: &'static str,
    #[serde(flatten)]
    pub provenance: Provenance,
    pub complete: bool,
    pub stopped: Option<String>,
    pub verifies: VerifiedCount,
    pub recount: &'static str,
    pub schedule: String,
    pub share: f64,
    pub seed: u64,
    /// `unit`, `line` (of a journal) or `puzzle`.
    pub item: &'static str,
    pub items: usize,
    pub sampled: usize,
    pub verified: usize,
    pub equal: bool,
    pub differences: Vec<ItemDifference>,
    pub confidence: f64,
    pub most_wrong: Option<usize>,
    pub sentence: String,
    pub phases: Phases,
    pub ranks: Vec<RankReport>,
}

#[derive(Clone, Debug, Serialize)]
pub struct VerifiedCount {
    pub file: String,
    pub journal: Option<String>,
    pub finished: String,
    pub solutions: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct ItemDifference {
    /// The indices of its units in the pool: numbers and ranges, separated by commas.
    pub units: String,
    pub recorded: String,
    pub recounted: String,
}

impl ItemDifference {
    fn of(difference: &Difference) -> ItemDifference {
        let range = |range: &Range<usize>| match range.len() {
            1 => range.start.to_string(),
            _ => format!("{}-{}", range.start, range.end - 1),
        };
        ItemDifference {
            units: difference.units.iter().map(range).collect::<Vec<_>>().join(","),
            recorded: difference.recorded.to_string(),
            recounted: difference.recounted.to_string(),
        }
    }

    pub fn text(&self, item: &str) -> String {
        let ItemDifference { units, recorded, recounted } = self;
        match item {
            "puzzle" => format!("recorded {recorded}, recounted {recounted}"),
            _ => format!("unit {units}: recorded {recorded}, recounted {recounted}"),
        }
    }
}

impl VerificationReport {
    pub fn new(
        provenance: Provenance,
        verifies: VerifiedCount,
        item: &'static str,
        (share, seed): (f64, u64),
        verified: Verified,
    ) -> Self {
        let Verified { items, sampled, verified: done, stopped, .. } = verified;
        let differences: Vec<ItemDifference> = verified.differences.iter().map(ItemDifference::of).collect();
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

fn sentence(item: &str, items: usize, verified: usize, differences: &[ItemDifference]) -> String {
    if item == "puzzle" {
        let start = "verified the complete puzzle, which has no units";
        return match differences {
            [] if verified == 0 => "the puzzle was not recounted to its end: nothing is verified".into(),
            [] => format!("{start}: equal"),
            [differs, ..] => format!("{start}: {}", differs.text(item)),
        };
    }
    let plural = if item == "line" { "lines of the journal" } else { "units" };
    let share = if items == 0 { 0.0 } else { 100.0 * verified as f64 / items as f64 };
    let start = format!("verified {} of {} {plural} ({share:.1} %)", grouped(verified), grouped(items));
    match differences {
        [] if verified == 0 => format!("{start}: nothing is verified"),
        [] if verified == items => format!("{start}, all equal: none of the {plural} can be wrong"),
        [] => {
            // Rounded up, because it is a bound.
            let most = (1000.0 * most_wrong(items, verified) as f64 / items as f64).ceil() / 10.0;
            let level = 100.0 * CONFIDENCE;
            format!("{start}, all equal: with {level:.0} % confidence at most {most:.1} % of the {plural} can be wrong")
        }
        _ => {
            let verb = if differences.len() == 1 { "differs" } else { "differ" };
            let named: Vec<String> = differences.iter().take(NAMED).map(|differs| differs.text(item)).collect();
            let more = differences.len().saturating_sub(NAMED);
            let more = if more > 0 { format!("; and {} more", grouped(more)) } else { String::new() };
            format!("{start}, {} {verb}: {}{more}", grouped(differences.len()), named.join("; "))
        }
    }
}
