//! The method `bands`: counts a plain 9×9 in seconds, however many solutions it has, without visiting them.
//!
//! `docs/bands.md` explains the method, with an example, and lists these files in the order to read them in.

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

use census_puzzle::Puzzle;

use super::{Counter, Method, Pool, PoolOptions, PoolTooLarge, RecountVariant};
use clues::Orientation;
use counter::JoinCounter;
use join::Join;
use kernel::Kernel;
use pool::Unit;
use recount::SearchRecounter;

pub use list::{Lister, TooSparse};
pub use pool::MAX_DEPTH;

/// The method for counting a plain 9×9. `config` is that of another rank, if the method was made there: the numbers of
/// classes, and so units, depend on the orientation.
pub fn bands(puzzle: &Puzzle, config: Option<&[u8]>) -> Box<dyn Method> {
    let number = orientation(puzzle, config);
    let join = Join::new(puzzle, &choice::orientation(number), Kernel::best());
    Box::new(Bands { orientation: number, join, searched: None })
}

/// Recounts units of the join in an orientation: by a search of the solutions that they stand for, or by the join with its
/// second and third band exchanged, without vector instructions. Classes, and so units, are the same in both.
pub(crate) fn recount_bands(puzzle: &Puzzle, config: Option<&[u8]>, variant: RecountVariant) -> Box<dyn Method> {
    let number = orientation(puzzle, config);
    let original = choice::orientation(number);
    let (join, searched) = match variant {
        RecountVariant::Visit => (Join::new(puzzle, &original, Kernel::best()), Some((puzzle.clone(), original))),
        RecountVariant::Mirror => {
            let [x, y, z] = original.bands;
            let exchanged = Orientation { bands: [x, z, y], ..original };
            (Join::new(puzzle, &exchanged, Kernel::Scalar), None)
        }
    };
    Box::new(Bands { orientation: number, join, searched })
}

fn orientation(puzzle: &Puzzle, config: Option<&[u8]>) -> u8 {
    config.map_or_else(|| choice::best(puzzle).0, |config| config.first().copied().unwrap_or(0))
}

/// An estimate of the seconds that counting a puzzle takes on one core, besides fixed costs. The method must apply.
pub fn expected_seconds(puzzle: &Puzzle) -> f64 {
    choice::best(puzzle).1 * 1e-9
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
