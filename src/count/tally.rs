//! The results of counting: an exact number of solutions, the nodes visited, the time taken. Tallies merge.

use std::fmt;
use std::str::FromStr;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number of solutions: exact, or an overflow beyond 2¹²⁸ − 1. It never wraps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
impl Serialize for Solutions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.map(|count| count.to_string()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Solutions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Solutions, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map_or(Ok(Solutions::OVERFLOW), |text| text.parse().map_err(D::Error::custom))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a number of solutions: expected decimal digits, up to 2^128 - 1")]
pub struct NotSolutions;

/// Decimal digits without a sign or leading zeros, as [`Display`](fmt::Display) writes them.
impl FromStr for Solutions {
    type Err = NotSolutions;

    fn from_str(text: &str) -> Result<Solutions, NotSolutions> {
        let written = |count: &u128| count.to_string() == text;
        text.parse().ok().filter(written).map(Solutions::new).ok_or(NotSolutions)
    }
}

/// The merged results of counting any number of units.
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
    pub const ZERO: Tally = Tally {
        solutions: Solutions::ZERO,
        nodes: 0,
        units: 0,
        seconds: 0.0,
        longest: 0.0,
        cache: CacheStats { lookups: 0, hits: 0, bytes: 0 },
    };

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_solutions_is_parsed_only_in_its_canonical_form() {
        for count in [0, 1, u128::MAX] {
            assert_eq!(count.to_string().parse(), Ok(Solutions::new(count)));
        }
        let digits = "1".repeat(400);
        for text in ["", "-5", "+5", "05", "1.0", "1e3", " 1", "340282366920938463463374607431768211456", &digits] {
            assert_eq!(text.parse::<Solutions>(), Err(NotSolutions), "{text}");
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
}
