//! Puzzles: shapes, grids, the formats they are read from and written in, and drawings of them. This crate does not count.
//!
//! A file becomes a [`Puzzle`] in three steps: [`input::source`] reads the text, [`formats::read`] recognises its format and
//! parses it, and [`ParsedPuzzle::checked`] rejects givens that conflict. [`Stream`] takes these steps for one puzzle after
//! another, for collections of any length.
//!
//! ```
//! use census_puzzle::{ParsedPuzzle, Text, formats};
//!
//! // The name is the source in error messages, usually a path.
//! let text = Text::decode("example", b"# expected: 2\n1234341221......\n".to_vec())?;
//! let parsed: Vec<ParsedPuzzle> = formats::read(&text)?;
//! let puzzle = parsed[0].clone().checked()?;
//! assert_eq!(puzzle.shape.to_string(), "boxes 2x2");
//! assert_eq!((puzzle.givens.filled(), puzzle.expected), (10, Some(2)));
//! # Ok::<(), census_puzzle::InputError>(())
//! ```
#![warn(missing_docs)]

mod conflict;
pub mod draw;
mod error;
pub mod formats;
pub mod grid;
pub mod input;
mod shape;

use std::sync::Arc;

pub use conflict::Conflict;
pub use error::{ErrorScope, InputError, Position};
pub use formats::{Format, WriteError};
pub use grid::Grid;
pub use input::source::Text;
pub use input::stream::{Stream, StreamedPuzzle};
pub use input::{ReadOptions, Zero};
pub use shape::{Extras, House, HouseKind, Regions, Shape, ShapeError};

/// A shape, its givens and the headers of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puzzle {
    /// From the header `# name:`.
    pub name: Option<String>,
    /// Puzzles of a collection that have the same shape share it.
    pub shape: Arc<Shape>,
    /// The cells that are filled at the start.
    pub givens: Grid,
    /// The number of solutions that the header `# expected:` states.
    pub expected: Option<u128>,
}

impl Puzzle {
    /// A puzzle without a name and without an expected number of solutions.
    pub fn new(shape: Arc<Shape>, givens: Grid) -> Puzzle {
        Puzzle { name: None, shape, givens, expected: None }
    }
}

/// A puzzle as it was read: its givens are in range, but may conflict.
#[derive(Clone, Debug)]
pub struct ParsedPuzzle {
    /// The puzzle, unchecked.
    pub puzzle: Puzzle,
    /// The source: a path, `standard input` or `argument`.
    pub source: Arc<str>,
    /// The position of each cell in the text.
    pub positions: Vec<Position>,
}

impl ParsedPuzzle {
    /// The line on which the puzzle begins.
    pub fn line(&self) -> usize {
        self.positions.first().map_or(1, |position| position.line)
    }

    /// The puzzle, or the position of the first conflict.
    pub fn checked(self) -> Result<Puzzle, InputError> {
        match self.puzzle.conflicts().first() {
            None => Ok(self.puzzle),
            Some(conflict) => {
                // The second of the equal values is the one that made the conflict.
                let position = self.positions.get(conflict.cells[1]).copied();
                Err(InputError::new(&self.source, position, format!("givens conflict: {conflict}")))
            }
        }
    }
}
