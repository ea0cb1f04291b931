//! Properties that hold for any bytes that census reads. The fuzz targets search for counterexamples; `tests/library` checks the
//! seeds on every run.

pub mod folder;
pub mod journal;
pub mod puzzle;
pub mod report;
pub mod trace;
