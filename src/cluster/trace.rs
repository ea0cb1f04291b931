//! What a trace records: one line for each unit, or part of a unit, that a worker has counted.

/// A unit, or a part of one that was given away, as one worker counted it. The cost of a unit is that of all its records
/// together; the intervals of all records of a worker are the times at which it was busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitRecord {
    /// The unit's place in the pool.
    pub unit: usize,
    /// The rank that counted it.
    pub rank: usize,
    /// The worker of that rank.
    pub worker: usize,
    /// Nanoseconds from the start of the rank's count phase.
    pub start: u64,
    /// Nanoseconds it took.
    pub nanoseconds: u64,
    /// Nodes visited.
    pub nodes: u64,
    /// Solutions found.
    pub solutions: u128,
}
