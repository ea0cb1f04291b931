//! The methods by name: where each applies, and how it is bound to a puzzle.

use std::fmt;

use serde::{Deserialize, Serialize};

use census_puzzle::{Puzzle, Shape};

use super::bands::{self, Lister, TooSparse, bands, recount_bands};
use super::recount::{RecountVariant, recount_search};
use super::search::{SearchOptions, search_batch, search_with};
use super::{Choice, Method};

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
pub struct Capabilities {
    name: &'static str,
    pub count_help: &'static str,
    pub list_help: &'static str,
    applies: fn(&Shape) -> bool,
    /// The shapes to which it applies, for an error.
    needs: &'static str,
    /// Visits solutions in a tree: the orders of cells and values and the cache have a meaning, and nodes are comparable.
    searches: bool,
    /// The deepest pool, if there is a limit.
    pub max_depth: Option<usize>,
    /// Counts puzzles of one shape together.
    counts_batches: bool,
    /// The config bytes follow from the puzzle, so that they are derived again instead of trusted. Otherwise any are valid.
    pub derives_config: bool,
}

impl MethodName {
    /// In the order of the help.
    pub fn all() -> impl Iterator<Item = MethodName> {
        [MethodName::Search, MethodName::Bands].into_iter()
    }

    pub fn capabilities(self) -> &'static Capabilities {
        match self {
            MethodName::Search => &Capabilities {
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
            MethodName::Bands => &Capabilities {
                name: "bands",
                count_help: "count without visiting, any number of solutions; plain 9×9 only",
                list_help: "plain 9×9 only, in an order of its own, the same for any number of ranks and threads",
                applies: Shape::is_plain_nine,
                needs: "a plain 9×9 with 3×3 boxes",
                searches: false,
                max_depth: Some(bands::MAX_DEPTH),
                counts_batches: false,
                derives_config: false,
            },
        }
    }

    pub fn searches(self) -> bool {
        self.capabilities().searches
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

    /// Binds the method to a puzzle. `config` is the [`Method::config_bytes`] of another rank, because all ranks must agree
    /// on what a unit means. Without it, the preparation of a search may take up to a minute, or until `stop` returns `true`.
    pub fn of(
        self,
        puzzle: &Puzzle,
        options: SearchOptions,
        purpose: Purpose,
        config: Option<&[u8]>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Box<dyn Method>, DoesNotApply> {
        self.check(&puzzle.shape)?;
        Ok(match (self, purpose) {
            (MethodName::Search, Purpose::CountBatch) => search_batch(&puzzle.shape, options),
            (MethodName::Search, Purpose::Recount(variant)) => recount_search(puzzle, options, variant, config, stop),
            (MethodName::Search, Purpose::Count | Purpose::List) => search_with(puzzle, options, config, stop),
            (MethodName::Bands, Purpose::CountBatch) => return Err(DoesNotApply::Batch(self)),
            (MethodName::Bands, Purpose::List) => Box::new(Lister::new(puzzle)?),
            (MethodName::Bands, Purpose::Count) => bands(puzzle, config),
            (MethodName::Bands, Purpose::Recount(variant)) => recount_bands(puzzle, config, variant),
        })
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
        let known = MethodName::all().find(|method| method.capabilities().name == name);
        known.ok_or_else(|| format!("unknown method `{name}`"))
    }
}

impl fmt::Display for MethodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.capabilities().name)
    }
}

/// `Auto` is the one that is expected to be fastest for the puzzle.
pub type MethodChoice = Choice<MethodName>;

impl MethodChoice {
    /// The method that counts puzzles of one shape together, if this choice allows one.
    pub fn for_batch(self) -> Option<MethodName> {
        Some(self.fixed().unwrap_or(MethodName::Search)).filter(|method| method.capabilities().counts_batches)
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
