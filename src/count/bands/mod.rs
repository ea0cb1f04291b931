//! The method `bands`: counts a plain 9×9 without visiting its solutions, in seconds, however many there are.
//!
//! A box is known by the digits of its columns and the digits of its rows. Boxes of a band only meet through their rows,
//! boxes of a stack only through their columns. So the three bands of a grid can be filled one by one, knowing nothing of
//! each other but which digits stand in which column: count the fillings of each band for all choices of columns, and
//! join the three counts along the stacks. Read the files in this order, each is one step of it:
//!
//! ```text
//!   partition   the digits of three columns or rows, and how they follow one another
//!   frame       the clues of a puzzle in an orientation, and what they demand
//!   chain       the ways in which partitions of a stack or a band follow one another
//!   table       f: the fillings of a band with given columns
//!   symmetry    what may be renamed and swapped, and the classes of pairs under that
//!   join        everything that a count looks up, put together
//!   counter     the sum itself: weights above, dot products below
//!   kernel      its innermost loops, for every processor and for those with wide registers; aligned, what they run over
//!   choice      which way round to count
//!   pool, unit  how a count is cut into units
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

/// Whether the method applies: a 9×9 with 3×3 boxes and no other houses.
pub fn applies(shape: &Shape) -> bool {
    shape.is_plain_nine()
}

/// The join of one puzzle, for counting. It must be one to which the method applies.
pub fn bands(puzzle: &Puzzle) -> Box<dyn Method> {
    bands_from_config(puzzle, choice::best(puzzle).0)
}

/// The same, in the orientation that has been chosen elsewhere: classes and so units are numbered in it.
pub fn bands_from_config(puzzle: &Puzzle, orientation: u8) -> Box<dyn Method> {
    let join = Join::new(puzzle, &choice::orientation(orientation), Kernel::best());
    Box::new(Bands { orientation, join, searched: None })
}

/// Counts the units of the join in an orientation in another way: by a search of the solutions that they stand for, or by the
/// join with its second and third band exchanged, without vector instructions. Classes, and so units, are the same in both.
pub fn recount_bands(puzzle: &Puzzle, orientation: u8, variant: RecountVariant) -> Box<dyn Method> {
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

/// About how many seconds the count of a puzzle should take on one core, besides what every count takes. It must be one to
/// which the method applies.
pub fn expected_seconds(puzzle: &Puzzle) -> f64 {
    choice::best(puzzle).1 * 1e-9
}

/// The join of one puzzle, for listing. It must be one to which the method applies.
pub fn lister(puzzle: &Puzzle) -> Result<Box<dyn Method>, TooSparse> {
    Ok(Box::new(Lister::new(puzzle)?))
}

struct Bands {
    orientation: u8,
    join: Join,
    /// The puzzle in its orientation, if units are counted by a search.
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
        Ok(pool::pool(&self.join.weights(), self.join.third.classes, plan))
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        match &self.searched {
            None => Box::new(JoinCounter::new(&self.join)),
            Some((puzzle, orientation)) => Box::new(SearchRecounter { join: &self.join, puzzle, orientation }),
        }
    }
}
