//! The method `bands`: counts a plain 9×9 in seconds, however many solutions it has, without visiting them.
//!
//! A box is determined by the digits of its columns and the digits of its rows. Boxes of a band constrain each other only
//! through their rows, boxes of a stack only through their columns. So given the digits of every column of every box, the
//! three bands of a grid can be filled independently: count the fillings of each band for all choices of columns, and join
//! the three counts along the stacks. Read the files in this order, one step each:
//!
//! ```text
//!   partition   the digits of three columns or rows of a box
//!   clues       the clues of a puzzle in an orientation, and the partitions they allow
//!   chain       the compatible partitions of the three boxes of a stack or a band
//!   table       f: the fillings of a band with given columns
//!   symmetry    the permutations of digits and columns that preserve counts, and classes of pairs under them
//!   join        all tables of a count
//!   counter     the sum itself: weights above, dot products below
//!   kernel      its innermost loops, scalar and AVX2, on aligned rows (`aligned`)
//!   choice      the choice of the orientation
//!   pool, unit  splitting a count into units
//!   list        listing solutions by the join
//!   recount     counting units by a search
//! ```

mod aligned;
mod chain;
mod choice;
mod clues;
mod counter;
mod join;
mod kernel;
mod list;
mod partition;
mod pool;
mod recount;
mod symmetry;
mod table;
#[cfg(test)]
mod tests;
mod unit;

use census_puzzle::{Puzzle, Shape};

use super::{Counter, Method, Pool, PoolOptions, PoolTooLarge, RecountVariant};
use clues::Orientation;
use counter::JoinCounter;
use join::Join;
use kernel::Kernel;
use list::Lister;
use recount::SearchRecounter;
use unit::Unit;

pub use list::TooSparse;
pub use pool::MAX_DEPTH;

/// Whether the method applies: to a 9×9 with 3×3 boxes and no other houses.
pub fn applies(shape: &Shape) -> bool {
    shape.is_plain_nine()
}

/// The method for counting a puzzle to which it [applies].
pub fn bands(puzzle: &Puzzle) -> Box<dyn Method> {
    bands_from_config(puzzle, choice::best(puzzle).0)
}

/// The same method on another rank: the numbers of classes, and so units, depend on the orientation.
pub fn bands_from_config(puzzle: &Puzzle, orientation: u8) -> Box<dyn Method> {
    let join = Join::new(puzzle, &choice::orientation(orientation), Kernel::best());
    Box::new(Bands { orientation, join, searched: None })
}

/// Recounts units of the join in an orientation: by a search of the solutions that they stand for, or by the join with its
/// second and third band exchanged, without vector instructions. Classes, and so units, are the same in both.
pub(crate) fn recount_bands(puzzle: &Puzzle, orientation: u8, variant: RecountVariant) -> Box<dyn Method> {
    let original = choice::orientation(orientation);
    let [x, y, z] = original.bands;
    let exchanged = Orientation { bands: [x, z, y], ..original };
    Box::new(match variant {
        RecountVariant::Visit => {
            let join = Join::new(puzzle, &original, Kernel::best());
            Bands { orientation, join, searched: Some((puzzle.clone(), original)) }
        }
        RecountVariant::Mirror => {
            Bands { orientation, join: Join::new(puzzle, &exchanged, Kernel::Scalar), searched: None }
        }
    })
}

/// An estimate of the seconds that counting a puzzle takes on one core, besides fixed costs. The method must apply.
pub fn expected_seconds(puzzle: &Puzzle) -> f64 {
    choice::best(puzzle).1 * 1e-9
}

/// The method for listing a puzzle to which it [applies].
pub fn lister(puzzle: &Puzzle) -> Result<Box<dyn Method>, TooSparse> {
    Ok(Box::new(Lister::new(puzzle)?))
}

struct Bands {
    orientation: u8,
    join: Join,
    /// The puzzle and its orientation, if units are counted by a search.
    searched: Option<(Puzzle, Orientation)>,
}

impl Method for Bands {
    fn unit_bytes(&self) -> usize {
        Unit::BYTES
    }

    fn config_bytes(&self) -> Vec<u8> {
        vec![self.orientation]
    }

    fn expand(&self, plan: &PoolOptions, _: &dyn Fn() -> bool) -> Result<Pool, PoolTooLarge> {
        Ok(pool::pool(&self.join.weights(), self.join.third.count, plan))
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        match &self.searched {
            None => Box::new(JoinCounter::new(&self.join)),
            Some((puzzle, orientation)) => Box::new(SearchRecounter { join: &self.join, puzzle, orientation }),
        }
    }
}
