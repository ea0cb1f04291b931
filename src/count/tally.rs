//! The results of counting: an exact number of solutions, the nodes visited, the time taken. Tallies merge.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A number of solutions: exact, or an overflow beyond 2¹²⁸ − 1. It never wraps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Option<String>", try_from = "Option<String>")]
pub struct Solutions(Option<u128>);

impl Solutions {
    pub const ZERO: Solutions = Solutions(Some(0));
    /// More than 2¹²⁸ − 1 solutions.
    pub const OVERFLOW: Solutions = Solutions(None);

    pub fn new(count: u128) -> Solutions {
        Solutions(Some(count))
    }

    /// `None` after an overflow.
    pub fn exact(self) -> Option<u128> {
        self.0
    }

    /// The product. An overflow stays an overflow, unless the other factor is zero.
    pub fn times(self, other: Solutions) -> Solutions {
        if self == Solutions::ZERO || other == Solutions::ZERO {
            return Solutions::ZERO;
        }
        Solutions(self.0.zip(other.0).and_then(|(a, b)| a.checked_mul(b)))
    }

    /// The sum. An overflow stays an overflow.
    pub fn plus(self, other: Solutions) -> Solutions {
        Solutions(self.0.zip(other.0).and_then(|(a, b)| a.checked_add(b)))
    }
}

impl fmt::Display for Solutions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(count) => count.fmt(f),
            None => f.pad("more than 2^128 - 1"),
        }
    }
}

impl Default for Solutions {
    fn default() -> Solutions {
        Solutions::ZERO
    }
}

/// A JSON string, because most readers lose digits of numbers beyond 2⁵³; null after an overflow.
impl From<Solutions> for Option<String> {
    fn from(solutions: Solutions) -> Option<String> {
        solutions.0.map(|count| count.to_string())
    }
}

/// Decimal digits without a sign or leading zeros, as [`Display`](fmt::Display) writes them.
impl TryFrom<Option<String>> for Solutions {
    type Error = &'static str;

    fn try_from(text: Option<String>) -> Result<Solutions, &'static str> {
        let Some(text) = text else { return Ok(Solutions::OVERFLOW) };
        let count = text.parse().ok().filter(|count: &u128| count.to_string() == text);
        count.map(Solutions::new).ok_or("not a number of solutions: expected decimal digits, up to 2^128 - 1")
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    pub solutions: Solutions,
    /// Guesses made, plus one for a root.
    pub nodes: u64,
    /// Units counted completely.
    pub units: u64,
    /// Seconds spent counting, summed over workers.
    pub seconds: f64,
    pub longest: f64,
    pub cache: CacheStats,
}

impl Tally {
    /// Commutative and associative.
    pub fn merge(self, other: Tally) -> Tally {
        Tally {
            solutions: self.solutions.plus(other.solutions),
            nodes: self.nodes.saturating_add(other.nodes),
            units: self.units.saturating_add(other.units),
            seconds: self.seconds + other.seconds,
            longest: self.longest.max(other.longest),
            cache: self.cache.plus(other.cache),
        }
    }
}

/// Use of the memo table (`--cache`): since the start, or since the last report where results are reported repeatedly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheStats {
    pub lookups: u64,
    pub hits: u64,
    pub bytes: u64,
}

impl CacheStats {
    /// A line for people; `None` if there were no lookups.
    pub fn summary(self) -> Option<String> {
        let CacheStats { lookups, hits, bytes } = self;
        let mebibytes = bytes as f64 / f64::from(1 << 20);
        (lookups > 0).then(|| format!("{hits} hits of {lookups} lookups, {mebibytes:.1} MiB"))
    }

    pub fn plus(self, other: CacheStats) -> CacheStats {
        CacheStats {
            lookups: self.lookups.saturating_add(other.lookups),
            hits: self.hits.saturating_add(other.hits),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }
}
