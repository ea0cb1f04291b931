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
