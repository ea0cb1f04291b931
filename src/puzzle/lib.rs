//! WHAT is counted: shapes, grids, the formats they are read from and written in, and drawings of them.
//! Knows nothing of counting.
//!
//! A file becomes a puzzle in three steps: [`input`] finds the text, [`formats`] recognises what it holds and reads
//! it, and [`ParsedPuzzle::checked`] refuses givens that conflict. [`Stream`] takes the same steps puzzle by puzzle, for
//! collections of any length.

pub mod conflict;
pub mod draw;
pub mod error;
pub mod formats;
pub mod grid;
pub mod input;
pub mod shape;

use std::sync::Arc;

pub use conflict::{Clash, Conflict, cell_name};
pub use error::{ErrorScope, InputError, Position};
pub use formats::{Format, WriteError};
pub use grid::Grid;
pub use input::{ReadOptions, Stream, Text, Zero};
pub use shape::{Extras, House, HouseKind, Regions, Shape};

/// A shape and its givens, a name, and, where known, the expected number of solutions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puzzle {
    /// What it is called, where it has a name.
    pub name: Option<String>,
    /// The shape, shared by all the puzzles of a collection.
    pub shape: Arc<Shape>,
    /// The cells that are filled at the start.
    pub givens: Grid,
    /// How many solutions it is known to have.
    pub expected: Option<u128>,
}

impl Puzzle {
    /// A nameless puzzle with these givens.
    pub fn new(shape: Arc<Shape>, givens: Grid) -> Puzzle {
        Puzzle { name: None, shape, givens, expected: None }
    }

    /// Every value that stands more than once in a house.
    pub fn conflicts(&self) -> Vec<Conflict> {
        conflict::conflicts(&self.shape, &self.givens)
    }
}

/// A puzzle as it was read: its givens are in range, but may still conflict.
#[derive(Clone, Debug)]
pub struct ParsedPuzzle {
    /// The puzzle.
    pub puzzle: Puzzle,
    /// Where it was read from: a path, `standard input` or `argument`.
    pub source: Arc<str>,
    /// Where in the text each cell stands.
    pub places: Vec<Position>,
}

impl ParsedPuzzle {
    /// The puzzle, if no two of its givens conflict.
    pub fn checked(self) -> Result<Puzzle, InputError> {
        match self.puzzle.conflicts().first() {
            None => Ok(self.puzzle),
            Some(conflict) => {
                // Point at the second of the pair: the first was fine until it came.
                let place = self.places.get(conflict.cells[1]).copied();
                Err(InputError::new(&self.source, place, format!("givens conflict: {conflict}")))
            }
        }
    }
}
