//! How the values of options are read, and what they are called.

use std::time::Duration;

use clap::ValueEnum;
use clap::builder::PossibleValue;

use crate::cluster::{LostAfter, Schedule, ScheduleChoice};
use crate::count::search::{CellOrder, ValueOrder};
use crate::count::{Depth, MethodChoice, MethodName};
use crate::puzzle::formats::Format;

/// A depth: a number, or `auto`.
pub(super) fn depth(text: &str) -> Result<Depth, String> {
    match text {
        "auto" => Ok(Depth::Auto),
        _ => text.parse().map(Depth::Fixed).map_err(|_| "a depth is a number, or `auto`".into()),
    }
}

/// Bytes: a number, with a unit or without; `off` is none, as 0 is.
pub(super) fn cache(text: &str) -> Result<usize, String> {
    if text == "off" {
        return Ok(0);
    }
    let units = [("K", 10), ("M", 20), ("G", 30), ("", 0)];
    let upper = text.to_uppercase();
    let size = units.into_iter().find_map(|(unit, shift)| Some((upper.strip_suffix(unit)?, shift)));
    // `parse` would take a plus sign.
    let size = size.filter(|(digits, _)| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let bytes = size.and_then(|(digits, shift)| digits.parse::<usize>().ok()?.checked_mul(1 << shift));
    bytes.ok_or_else(|| CACHE.into())
}

const CACHE: &str =
    "a size is a number of bytes, or one with K, M or G (1024 bytes and so on), such as `64M`; `off` or 0 is no cache";

/// A number of ranks of a list.
pub(super) fn ranks(text: &str) -> Result<u32, String> {
    let number = text.trim().parse().ok().filter(|ranks| (1..=1_000_000).contains(ranks));
    number.ok_or_else(|| "numbers of ranks, up to a million, have commas between them: 16,64,256".into())
}

/// A duration: seconds, or with units.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let duration = seconds.or_else(|| humantime::parse_duration(text).ok());
    duration.ok_or_else(|| "a time is a number of seconds, or such as `1h30m`, `5m`, `90s`, `500ms`, `50us`".into())
}

/// How long a rank may be silent: a duration of a second or more, or for ever.
pub(super) fn lost_after(text: &str) -> Result<LostAfter, String> {
    if text == "off" {
        return Ok(LostAfter::Never);
    }
    let patience = duration(text)?;
    let enough = (Duration::from_secs(1)..Duration::from_secs(u32::MAX.into())).contains(&patience);
    enough.then_some(LostAfter::Silence(patience)).ok_or_else(|| "a second is the least, or `off`".into())
}

impl ValueEnum for MethodName {
    fn value_variants<'a>() -> &'a [Self] {
        &[MethodName::Search, MethodName::Bands]
    }

    /// What it says is about listing; what methods are for counts is said of [`MethodChoice`].
    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            MethodName::Search => "any shape, in the order of the search",
            MethodName::Bands => {
                "a plain 9×9 only, in an order of its own, the same for any number of ranks and threads"
            }
        };
        Some(PossibleValue::new(self.to_string()).help(help))
    }
}

impl ValueEnum for MethodChoice {
    fn value_variants<'a>() -> &'a [Self] {
        use MethodChoice::{Auto, Fixed};
        const { &[Fixed(MethodName::Search), Fixed(MethodName::Bands), Auto] }
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            MethodChoice::Fixed(MethodName::Search) => "visit every solution; any shape",
            MethodChoice::Fixed(MethodName::Bands) => {
                "count without visiting, however many there are; a plain 9×9 only"
            }
            MethodChoice::Auto => "search for a moment; if that is not enough, bands where it applies, else search on",
        };
        Some(PossibleValue::new(self.to_string()).help(help))
    }
}

impl ValueEnum for ScheduleChoice {
    fn value_variants<'a>() -> &'a [Self] {
        use ScheduleChoice::{Auto, Fixed};
        const {
            &[
                Fixed(Schedule::Static),
                Fixed(Schedule::Cyclic),
                Fixed(Schedule::Dynamic),
                Fixed(Schedule::Guided),
                Fixed(Schedule::Steal),
                Auto,
            ]
        }
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            ScheduleChoice::Fixed(Schedule::Static) => "contiguous blocks, scattered once",
            ScheduleChoice::Fixed(Schedule::Cyclic) => "dealt to the ranks in turns, scattered once",
            ScheduleChoice::Fixed(Schedule::Dynamic) => "blocks of --chunk units, when a rank asks",
            ScheduleChoice::Fixed(Schedule::Guided) => "shrinking blocks, when a rank asks",
            ScheduleChoice::Fixed(Schedule::Steal) => "as guided; then the busy give parts of their units to the idle",
            ScheduleChoice::Auto => "steal, with a depth to go with it; small trees are not shared",
        };
        Some(PossibleValue::new(self.to_string()).help(help))
    }
}

impl ValueEnum for CellOrder {
    fn value_variants<'a>() -> &'a [Self] {
        &[CellOrder::Fewest, CellOrder::First]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.to_string()))
    }
}

impl ValueEnum for ValueOrder {
    fn value_variants<'a>() -> &'a [Self] {
        &[ValueOrder::Min, ValueOrder::Max]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.to_string()))
    }
}

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Self] {
        &Format::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_depth_is_a_number_or_auto() {
        assert_eq!(depth("auto"), Ok(Depth::Auto));
        assert_eq!(depth("14"), Ok(Depth::Fixed(14)));
        assert!(depth("-1").is_err() && depth("deep").is_err());
    }

    #[test]
    fn a_size_is_a_number_of_bytes_or_has_a_unit() {
        for (text, bytes) in
            [("off", 0), ("0", 0), ("0M", 0), ("1000000", 1_000_000), ("64M", 64 << 20), ("1g", 1 << 30)]
        {
            assert_eq!(cache(text), Ok(bytes), "{text}");
        }
        for text in ["", "M", "-1", "+1", "1.5G", "64 M", "64MB", "on", "99999999999999999999", "99999999999G", "１"] {
            assert_eq!(cache(text), Err(CACHE.to_owned()), "{text}");
        }
    }

    #[test]
    fn ranks_may_be_silent_for_a_second_or_more_or_for_ever() {
        assert_eq!(lost_after("off"), Ok(LostAfter::Never));
        assert_eq!(lost_after("1m"), Ok(LostAfter::Silence(Duration::from_secs(60))));
        for text in ["0", "0.5", "-1", "never", "", "1000years"] {
            assert!(lost_after(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_time_is_a_number_of_seconds_or_has_units() {
        assert_eq!(duration("1.5"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("1h30m"), Ok(Duration::from_secs(5400)));
        for text in ["-1", "soon", "", "nan", "1e30", "inf"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
