//! What ranks do together: count a puzzle, count a batch, list solutions, verify a count.

pub(crate) mod batch;
pub(crate) mod count;
pub(crate) mod lines;
pub(crate) mod list;
pub(crate) mod pool_recipe;
pub(crate) mod prepare;
pub(crate) mod result;
pub(crate) mod run_rank;
pub(crate) mod spec;
pub(crate) mod verify;
