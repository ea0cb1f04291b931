//! The figures and tables of the page, one file each.

pub mod comparison;
pub mod environment;
pub mod forecast;
pub mod overview;
pub mod phases;
pub mod ranks;
pub mod runs;
pub mod scaling;
pub mod serial;
pub mod timeline;
pub mod traces;
pub mod units;

// What most of them need.
use super::cases::{contrast, extremes, largest};
use super::figure::{Figure, id, notes};
use super::plot::{Axis, Picture, Plot, class, key, sign};
use crate::report::render::html::{cell, duration, escaped, percent, sortable_table};
use crate::report::render::number::{column_seconds, grouped, tick, tick_duration, tick_percent};
use crate::report::sweep::analysis::{Analysis, Base, Case, Group, Series};
use crate::report::sweep::{Run, Scaling};
use traces::Traces;
