//! Boards: representations of the candidates of a node, and their propagation. One for each kind of shape.

pub(super) mod generic;
pub(super) mod large;
pub(super) mod nine;
