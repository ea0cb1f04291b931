//! Variants: the options in which series differ, and their labels.

use std::iter;

use super::{Run, Sweep};
use crate::cluster::Schedule;

/// The options that may differ between runs of the same puzzle, except the number of ranks.
pub(crate) type Variant = [String; FIELDS];
pub(super) const FIELDS: usize = 8;
pub(super) const NAMES: [&str; FIELDS] =
    ["schedule", "method", "depth", "threads", "cells", "values", "cache", "limit"];

pub(super) fn variant(run: &Run) -> Variant {
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

/// Stands for the schedule of runs without a launcher.
pub(super) const SEQUENTIAL: &str = "sequential";
/// All values of the field `schedule`, in the order of tables and colours.
fn schedules() -> impl Iterator<Item = &'static str> {
    iter::once(SEQUENTIAL).chain(Schedule::all().map(Schedule::name)).chain(["auto"])
}

pub(super) fn sort_key(variant: &Variant) -> (usize, Variant) {
    (schedules().position(|schedule| schedule == variant[0]).unwrap_or(usize::MAX), variant.clone())
}

/// A label with these fields, such as `static, depth 4`. Schedules and methods need no name.
pub(super) fn label(variant: &Variant, shown: &[bool; FIELDS]) -> String {
    let fields = (0..FIELDS).filter(|&field| shown[field] && !variant[field].is_empty());
    let texts = fields.map(|field| match field {
        0 | 1 => variant[field].clone(),
        _ => format!("{} {}", NAMES[field], variant[field]),
    });
    texts.collect::<Vec<String>>().join(", ")
}

/// The labels of a sweep: they contain only what differs between its runs.
pub(super) struct Labels {
    variants: Vec<Variant>,
    pub shown: [bool; FIELDS],
}

impl Labels {
    pub fn of(sweep: &Sweep) -> Labels {
        let mut variants: Vec<Variant> = sweep.runs.iter().map(variant).collect();
        variants.sort_by_key(sort_key);
        variants.dedup();
        let is_alone = variants.iter().all(|variant| variant[0] == SEQUENTIAL);
        let shown = shown(variants.iter().filter(|variant| is_alone || variant[0] != SEQUENTIAL));
        Labels { variants, shown }
    }

    /// The index of the colour. If only schedules differ, a schedule has the same colour in every sweep.
    pub fn style(&self, variant: &Variant) -> usize {
        let index = match self.shown[1..].contains(&true) {
            true => self.variants.iter().position(|other| other == variant),
            false => schedules().position(|schedule| schedule == variant[0]),
        };
        index.unwrap_or(self.variants.len())
    }
}

/// The schedule, and the fields in which variants differ. A field that does not apply, such as the order of cells to `bands`, is no
/// difference.
pub(super) fn shown<'a>(variants: impl Iterator<Item = &'a Variant>) -> [bool; FIELDS] {
    let variants: Vec<&Variant> = variants.collect();
    std::array::from_fn(|field| {
        let mut values = variants.iter().map(|variant| &variant[field]).filter(|value| !value.is_empty());
        field == 0 || values.next().is_some_and(|first| values.any(|value| value != first))
    })
}
