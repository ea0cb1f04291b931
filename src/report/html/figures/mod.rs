//! The figures and tables of the page, one file each.

pub mod comparison;
pub(in crate::report::html) mod environment;
pub(in crate::report::html) mod forecast;
pub(in crate::report::html) mod overview;
pub(in crate::report::html) mod phases;
pub(in crate::report::html) mod ranks;
pub(in crate::report::html) mod runs;
pub(in crate::report::html) mod scaling;
pub(in crate::report::html) mod serial;
pub(in crate::report::html) mod timeline;
pub(in crate::report::html) mod traces;
pub(in crate::report::html) mod units;
