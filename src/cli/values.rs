//! The values of options: parsers, names and help texts.

use std::fmt::Display;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::cluster::{HeartbeatTimeout, Schedule, ScheduleChoice};
use crate::count::search::{CellOrder, ValueOrder};
use crate::count::{Depth, MethodChoice, MethodName};
use crate::puzzle::Zero;
use crate::puzzle::formats::Format;

pub(super) fn depth(text: &str) -> Result<Depth, String> {
    match text {
        "auto" => Ok(Depth::Auto),
        _ => text.parse().map(Depth::Fixed).map_err(|_| "a depth is a number, or `auto`".into()),
    }
}

/// A number of bytes.
pub(super) fn cache(text: &str) -> Result<usize, String> {
    if text == "off" {
        return Ok(0);
    }
    let units = [("K", 10), ("M", 20), ("G", 30), ("", 0)];
    let upper = text.to_uppercase();
    let size = units.into_iter().find_map(|(unit, shift)| Some((upper.strip_suffix(unit)?, shift)));
    // `parse` would accept a plus sign.
    let size = size.filter(|(digits, _)| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let bytes = size.and_then(|(digits, shift)| digits.parse::<usize>().ok()?.checked_mul(1 << shift));
    bytes.ok_or_else(|| CACHE.into())
}

const CACHE: &str =
    "a size is a number of bytes, or a number with K, M or G (powers of 1024), such as `64M`; `off` or 0 is no cache";

/// Numbers of ranks, separated by commas or blanks.
#[derive(Clone, Debug)]
pub struct RankList(pub Vec<u32>);

pub(super) fn ranks(text: &str) -> Result<RankList, String> {
    let number = |word: &str| word.parse().ok().filter(|ranks| (1..=1_000_000).contains(ranks));
    let words = text.split([',', ' ']).filter(|word| !word.is_empty());
    let numbers = words.map(number).collect::<Option<Vec<u32>>>().filter(|numbers| !numbers.is_empty());
    numbers
        .map(RankList)
        .ok_or_else(|| "numbers of ranks are 1 to 1,000,000, separated by commas or blanks, such as `16,64,256`".into())
}

/// A share above 0: a percentage, or a number up to 1.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let (number, total) = text.strip_suffix('%').map_or((text, 1.0), |percent| (percent, 100.0));
    let share = number.trim_end().parse().ok().map(|number: f64| number / total);
    let share = share.filter(|&share| share > 0.0 && share <= 1.0);
    share.ok_or_else(|| "a share is a percentage, such as `5%`, or a number up to 1, such as `0.05`".into())
}

pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let duration = seconds.or_else(|| humantime::parse_duration(text).ok());
    duration.ok_or_else(|| {
        "a time is a number of seconds, or has units, such as `1h30m`, `5m`, `90s`, `500ms`, `50us`".into()
    })
}

pub(super) fn heartbeat_timeout(text: &str) -> Result<HeartbeatTimeout, String> {
    if text == "off" {
        return Ok(HeartbeatTimeout::Off);
    }
    let timeout = duration(text)?;
    let in_range = (Duration::from_secs(1)..Duration::from_secs(u32::MAX.into())).contains(&timeout);
    in_range.then_some(HeartbeatTimeout::After(timeout)).ok_or_else(|| "the timeout is at least 1s, or `off`".into())
}

/// One of these values, by its display name.
fn one_of<T>(choices: impl IntoIterator<Item = (T, Option<&'static str>)>) -> impl TypedValueParser<Value = T>
where
    T: Copy + Display + Send + Sync + 'static,
{
    let choices: Vec<_> = choices.into_iter().collect();
    let named = |(value, help): &(T, Option<&'static str>)| PossibleValue::new(value.to_string()).help(*help);
    PossibleValuesParser::new(choices.iter().map(named)).try_map(move |name| {
        let chosen = choices.iter().find(|(value, _)| value.to_string() == name);
        chosen.map(|(value, _)| *value).ok_or_else(|| name.clone()) // cannot fail: the name is a possible value
    })
}

pub(super) fn list_method() -> impl TypedValueParser<Value = MethodName> {
    one_of(MethodName::all().map(|method| (method, Some(method.capabilities().list_help))))
}

pub(super) fn count_method() -> impl TypedValueParser<Value = MethodChoice> {
    let auto = "search for a moment; if that is not enough, use bands if it applies, or else continue the search";
    let methods = MethodName::all().map(|method| (MethodChoice::Fixed(method), Some(method.capabilities().count_help)));
    one_of(methods.chain([(MethodChoice::Auto, Some(auto))]))
}

pub(super) fn schedule() -> impl TypedValueParser<Value = ScheduleChoice> {
    let auto = "steal, with a depth that suits it; rank 0 counts small trees alone";
    let schedules = Schedule::all().map(|schedule| (ScheduleChoice::Fixed(schedule), Some(schedule.help())));
    one_of(schedules.chain([(ScheduleChoice::Auto, Some(auto))]))
}

pub(super) fn cells() -> impl TypedValueParser<Value = CellOrder> {
    one_of([
        (CellOrder::Fewest, Some("a cell with the fewest candidates")),
        (CellOrder::First, Some("the first empty cell, as in the textbook")),
    ])
}

pub(super) fn values() -> impl TypedValueParser<Value = ValueOrder> {
    one_of([(ValueOrder::Min, Some("ascending")), (ValueOrder::Max, Some("descending"))])
}

pub(super) fn zero() -> impl TypedValueParser<Value = Zero> {
    one_of([
        (Zero::Value, Some("the lowest value: values are 0 to n-1, and are read as 1 to n")),
        (Zero::Empty, Some("an empty cell, like other marks of empty cells")),
    ])
}

pub(super) fn format() -> impl TypedValueParser<Value = Format> {
    one_of(Format::all().map(|format| (format, Some(format.help()))))
}
