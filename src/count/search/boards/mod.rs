//! Boards: what is known of the cells at a node, and what follows from a guess. One for each kind of shape.

pub(super) mod generic;
pub(super) mod large;
pub(super) mod nine;
