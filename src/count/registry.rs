//! The methods by name: where each applies, and how it is bound to a puzzle.

use std::fmt;

use serde::{Deserialize, Serialize};

use census_puzzle::{Puzzle, Shape};

use super::Method;
use super::bands::{self, TooSparse, bands, bands_from_config, lister, recount_bands};
use super::recount::{RecountVariant, recount_search};
use super::search::{SearchOptions, search_batch, search_from_config, search_until};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum MethodName {
    /// Visits every solution; any shape.
    Search,
    /// Counts without visiting; a plain 9×9.
    Bands,
}

/// What a method is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Counts units.
    Count,
    /// Counts puzzles of one shape: a unit is the givens of any of them.
    CountBatch,
    /// Visits the solutions of units.
    List,
    /// Counts units of [`Purpose::Count`] in another way.
    Recount(RecountVariant),
}

/// What the rest of the program has to know of a method.
struct Capabilities {
    method: MethodName,
    name: &'static str,
    count_help: &'static str,
    list_help: &'static str,
    applies: fn(&Shape) -> bool,
    /// The shapes to which it applies, for an error.
    needs: &'static str,
    /// Visits solutions in a tree: the orders of cells and values and the cache have a meaning, and nodes are comparable.
    searches: bool,
    /// The deepest pool.
    max_depth: Option<usize>,
    /// Counts puzzles of one shape together.
    counts_batches: bool,
    /// The config bytes follow from the puzzle, so that they are derived again instead of trusted. Otherwise any are valid.
    derives_config: bool,
}

const CAPABILITIES: [Capabilities; 2] = [
    Capabilities {
        method: MethodName::Search,
        name: "search",
        count_help: "visit every solution; any shape",
        list_help: "any shape, in the order of the search",
        applies: |_| true,
        needs: "any shape",
        searches: true,
        max_depth: None,
        counts_batches: true,
        derives_config: true,
    },
    Capabilities {
        method: MethodName::Bands,
        name: "bands",
        count_help: "count without visiting, any number of solutions; plain 9×9 only",
        list_help: "plain 9×9 only, in an order of its own, the same for any number of ranks and threads",
        applies: bands::applies,
        needs: "a plain 9×9 with 3×3 boxes",
        searches: false,
        max_depth: Some(bands::MAX_DEPTH),
        counts_batches: false,
        derives_config: false,
    },
];

impl MethodName {
    /// All methods, in the order of the help.
    pub fn all() -> impl Iterator<Item = MethodName> {
        CAPABILITIES.iter().map(|capabilities| capabilities.method)
    }

    fn capabilities(self) -> &'static Capabilities {
        &CAPABILITIES[self as usize]
    }

    pub fn count_help(self) -> &'static str {
        self.capabilities().count_help
    }

    pub fn list_help(self) -> &'static str {
        self.capabilities().list_help
    }

    /// Whether it visits solutions in a tree: the orders of cells and values and the cache have a meaning, and nodes are
    /// comparable.
    pub fn searches(self) -> bool {
        self.capabilities().searches
    }

    /// The deepest pool, if there is a limit.
    pub fn max_depth(self) -> Option<usize> {
        self.capabilities().max_depth
    }

    /// Whether it counts puzzles of one shape together.
    fn counts_batches(self) -> bool {
        self.capabilities().counts_batches
    }

    /// Whether its config bytes follow from the puzzle. Otherwise any are valid.
    pub fn derives_config(self) -> bool {
        self.capabilities().derives_config
    }

    /// The method that counts puzzles of this shape without visiting their solutions, if there is one.
    pub fn without_visiting(shape: &Shape) -> Option<MethodName> {
        MethodName::all().find(|method| !method.searches() && method.check(shape).is_ok())
    }

    pub fn check(self, shape: &Shape) -> Result<(), DoesNotApply> {
        match (self.capabilities().applies)(shape) {
            true => Ok(()),
            false => Err(DoesNotApply::Shape { method: self, order: shape.order(), shape: shape.to_string() }),
        }
    }

    /// Binds the method to a puzzle. The preparation of a search may take up to a minute, or until `stop` returns `true`.
    pub fn of(
        self,
        puzzle: &Puzzle,
        options: SearchOptions,
        purpose: Purpose,
        stop: &dyn Fn() -> bool,
    ) -> Result<Box<dyn Method>, DoesNotApply> {
        self.check(&puzzle.shape)?;
        Ok(match (self, purpose) {
            (MethodName::Search, Purpose::CountBatch) => search_batch(&puzzle.shape, options),
            (MethodName::Search, _) => search_until(puzzle, options, stop),
            (MethodName::Bands, Purpose::Count) => bands(puzzle),
            (MethodName::Bands, Purpose::CountBatch) => return Err(DoesNotApply::Batch(MethodName::Bands)),
            (MethodName::Bands, Purpose::List) => lister(puzzle)?,
            (_, Purpose::Recount(variant)) => return self.recount(puzzle, options, variant, &[], stop),
        })
    }

    /// A method that counts the units of this one, made with these config bytes, in another way.
    pub fn recount(
        self,
        puzzle: &Puzzle,
        options: SearchOptions,
        variant: RecountVariant,
        config: &[u8],
        stop: &dyn Fn() -> bool,
    ) -> Result<Box<dyn Method>, DoesNotApply> {
        self.check(&puzzle.shape)?;
        Ok(match self {
            MethodName::Search => recount_search(puzzle, options, variant, None, stop),
            MethodName::Bands => recount_bands(puzzle, config.first().copied().unwrap_or(0), variant),
        })
    }

    /// The same method on another rank, from [`Method::config_bytes`]: all ranks must agree on what a unit means.
    pub fn from_config(
        self,
        puzzle: &Puzzle,
        options: SearchOptions,
        purpose: Purpose,
        config: &[u8],
    ) -> Result<Box<dyn Method>, DoesNotApply> {
        match (self, purpose) {
            (MethodName::Search, Purpose::Count | Purpose::List) => Ok(search_from_config(puzzle, options, config)),
            (MethodName::Bands, Purpose::Count) => {
                self.check(&puzzle.shape).map(|()| bands_from_config(puzzle, config.first().copied().unwrap_or(0)))
            }
            (MethodName::Search, Purpose::Recount(variant)) => {
                Ok(recount_search(puzzle, options, variant, Some(config), &|| false))
            }
            (MethodName::Bands, Purpose::Recount(variant)) => self.recount(puzzle, options, variant, config, &|| false),
            (MethodName::Search, Purpose::CountBatch) | (MethodName::Bands, Purpose::List | Purpose::CountBatch) => {
                self.of(puzzle, options, purpose, &|| false)
            }
        }
    }
}

impl From<MethodName> for &'static str {
    fn from(method: MethodName) -> &'static str {
        method.capabilities().name
    }
}

impl TryFrom<String> for MethodName {
    type Error = String;

    fn try_from(name: String) -> Result<MethodName, String> {
        let known = CAPABILITIES.iter().find(|capabilities| capabilities.name == name);
        known.map(|capabilities| capabilities.method).ok_or_else(|| format!("unknown method `{name}`"))
    }
}

impl fmt::Display for MethodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.capabilities().name)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodChoice {
    /// The one that is expected to be fastest for the puzzle.
    Auto,
    Fixed(MethodName),
}

impl MethodChoice {
    /// The method that was asked for, if any.
    pub fn fixed(self) -> Option<MethodName> {
        match self {
            MethodChoice::Auto => None,
            MethodChoice::Fixed(method) => Some(method),
        }
    }

    /// The method that counts puzzles of one shape together, if this choice allows one.
    pub fn for_batch(self) -> Option<MethodName> {
        Some(self.fixed().unwrap_or(MethodName::Search)).filter(|method| method.counts_batches())
    }
}

impl fmt::Display for MethodChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MethodChoice::Auto => f.pad("auto"),
            MethodChoice::Fixed(method) => method.fmt(f),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DoesNotApply {
    #[error("--method {method} needs {}, and this is {order}×{order}, {shape}", method.capabilities().needs)]
    Shape { method: MethodName, order: usize, shape: String },
    /// The tables of `bands` depend on the clues, so a unit of one puzzle means nothing for another.
    #[error("--method {0} counts puzzles one by one, not many of a shape together")]
    Batch(MethodName),
    #[error(transparent)]
    Sparse(#[from] TooSparse),
}

#[cfg(test)]
mod tests {
    use super::*;
    use census_puzzle::{Extras, Grid, Regions};
    use std::sync::Arc;

    #[test]
    fn the_capabilities_of_a_method_stand_at_its_place() {
        for (index, capabilities) in CAPABILITIES.iter().enumerate() {
            assert_eq!(capabilities.method as usize, index);
        }
    }

    #[test]
    fn bands_is_for_a_plain_nine_by_nine_and_search_for_every_shape() {
        let boxes = Regions::Boxes { rows: 3, cols: 3 };
        let plain = Extras::default();
        let shapes = [
            (9, boxes.clone(), plain, Ok(())),
            (9, boxes.clone(), Extras { hyper: true, ..plain }, Err("9×9, boxes 3x3 + hyper")),
            (9, boxes, Extras { diagonals: true, ..plain }, Err("9×9, boxes 3x3 + diagonals")),
            (9, Regions::None, plain, Err("9×9, none")),
            (4, Regions::usual(4), plain, Err("4×4, boxes 2x2")),
        ];
        for (order, regions, extras, expected) in shapes {
            let shape = Shape::new(order, regions, extras).expect("a shape");
            let prefix = "--method bands needs a plain 9×9 with 3×3 boxes, and this is ";
            let expected = expected.map_err(|shape| format!("{prefix}{shape}"));
            assert_eq!(MethodName::Search.check(&shape), Ok(()));
            assert_eq!(MethodName::Bands.check(&shape).map_err(|error| error.to_string()), expected);
            let puzzle = Puzzle::new(Arc::new(shape), Grid::empty(order * order));
            for purpose in [Purpose::Count, Purpose::CountBatch, Purpose::List] {
                let of = |name: MethodName| name.of(&puzzle, SearchOptions::default(), purpose, &|| false).map(drop);
                assert_eq!(of(MethodName::Search), Ok(()));
                assert!(expected.is_ok() || of(MethodName::Bands).is_err());
            }
            if expected.is_ok() {
                let batch = MethodName::Bands.of(&puzzle, SearchOptions::default(), Purpose::CountBatch, &|| false);
                assert_eq!(batch.map(drop), Err(DoesNotApply::Batch(MethodName::Bands)));
                let rebuilt =
                    MethodName::Bands.from_config(&puzzle, SearchOptions::default(), Purpose::CountBatch, &[]);
                assert_eq!(rebuilt.map(drop), Err(DoesNotApply::Batch(MethodName::Bands)));
            }
        }
    }
}
