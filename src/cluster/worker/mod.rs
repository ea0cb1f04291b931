//! The workers of one rank: their queue, the ids of units, and traces.

pub(crate) mod pool;
pub(crate) mod trace;
pub(crate) mod unit_id;
