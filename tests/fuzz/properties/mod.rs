//! What holds for any bytes that census reads. The fuzz targets look for bytes for which it does not hold; `tests/library` tries
//! the seeds on every run.

pub mod folder;
pub mod journal;
pub mod puzzle;
pub mod report;
pub mod trace;
