//! What ranks do together: count a puzzle, count a batch, list solutions, verify a count.
//!
//! ```text
//!   count        expand, scatter, count, reduce       spec         what rank 0 broadcasts: command and job
//!   batch        the same for many puzzles            prepare      choose the method, expand the pool, choose the schedule
//!   list, lines  all solutions, in order              run_rank     one rank's scatter, count and reduce
//!   verify       units counted again                  pool_recipe  how to make a pool again
//!                                                     result       what a count returns
//! ```

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
