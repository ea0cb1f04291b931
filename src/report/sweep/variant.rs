//! Ways of counting: what tells series from each other, and the words for it.

use super::{Run, Sweep};

/// A way of counting: what may differ between runs of the same puzzle, but for the number of ranks.
pub(crate) type Way = [String; FIELDS];
pub(super) const FIELDS: usize = 8;
/// What each of them is called in a label; the first needs no word, it is the schedule.
const WORDS: [&str; FIELDS] = ["", "", "depth ", "threads ", "cells ", "values ", "cache ", "limit "];

pub(super) fn way(run: &Run) -> Way {
    let config = &run.report.config;
    let option = |option: &Option<String>| option.clone().unwrap_or_default();
    let sequential = run.is_sequential();
    [
        if sequential { SEQUENTIAL.into() } else { run.schedule().to_owned() },
        run.method().to_owned(),
        config.depth.clone(),
        if sequential { String::new() } else { run.threads().to_string() },
        option(&config.cells),
        option(&config.values),
        config.cache.map(|bytes| bytes.to_string()).unwrap_or_default(),
        option(&config.limit),
    ]
}

/// The word for runs without a launcher, in the place of their schedule.
pub(super) const SEQUENTIAL: &str = "sequential";
/// The order in which ways are told: as the schedules are in [`Schedule`](crate::cluster::Schedule).
const ORDER: [&str; 7] = [SEQUENTIAL, "static", "cyclic", "dynamic", "guided", "steal", "auto"];

pub(super) fn rank_of(way: &Way) -> (usize, Way) {
    (ORDER.iter().position(|schedule| *schedule == way[0]).unwrap_or(ORDER.len()), way.clone())
}

/// What is said of a way in these fields, such as `static, depth 4`.
pub(super) fn label(way: &Way, said: &[bool; FIELDS]) -> String {
    let said = (0..FIELDS).filter(|&field| said[field] && !way[field].is_empty());
    said.map(|field| format!("{}{}", WORDS[field], way[field])).collect::<Vec<String>>().join(", ")
}

/// The words for the ways of a sweep: only what differs between its runs is said.
pub(super) struct Labels {
    ways: Vec<Way>,
    /// The fields that are said.
    pub differs: [bool; FIELDS],
}

impl Labels {
    pub fn of(sweep: &Sweep) -> Labels {
        let mut ways: Vec<Way> = sweep.runs.iter().map(way).collect();
        ways.sort_by_key(rank_of);
        ways.dedup();
        let parallel: Vec<&Way> = ways.iter().filter(|way| way[0] != SEQUENTIAL).collect();
        let all = if parallel.is_empty() { ways.iter().collect() } else { parallel };
        let mut differs: [bool; FIELDS] = std::array::from_fn(|field| differs(all.iter().copied(), field));
        differs[0] = true;
        Labels { ways, differs }
    }

    /// Schedules look the same in all sweeps, where nothing else differs.
    pub fn style(&self, way: &Way) -> usize {
        let place = match self.differs[1..].contains(&true) {
            true => self.ways.iter().position(|other| other == way),
            false => ORDER.iter().position(|schedule| *schedule == way[0]),
        };
        place.unwrap_or(self.ways.len())
    }
}

/// Whether ways are told apart by a field. What does not apply to a way, such as the order of cells to `bands`, is no difference.
pub(super) fn differs<'a>(ways: impl Iterator<Item = &'a Way>, field: usize) -> bool {
    let mut values = ways.map(|way| &way[field]).filter(|value| !value.is_empty());
    values.next().is_some_and(|first| values.any(|value| value != first))
}
