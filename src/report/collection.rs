//! The report of a run over several puzzles: the JSON schema `census-collection/1`, a line a puzzle.

use serde::{Deserialize, Serialize};

use super::run::{Answer, Config, Provenance};

/// What a run over several puzzles says about itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CollectionReport {
    /// `census-collection/1`.
    pub schema: String,
    /// What ran when and where.
    #[serde(flatten)]
    pub provenance: Provenance,
    /// Whether the run came to the end that was asked for: all solutions of each puzzle, or as many as the limit.
    pub complete: bool,
    /// How each puzzle was counted.
    pub config: Config,
    /// The puzzles, in the order in which they were given.
    pub puzzles: Vec<PuzzleLine>,
    /// All of them together.
    pub result: CollectionResult,
    /// Seconds of the whole run.
    pub seconds: f64,
}

impl CollectionReport {
    /// The report of counting these puzzles.
    pub fn new(
        provenance: Provenance,
        config: Config,
        complete: bool,
        puzzles: Vec<PuzzleLine>,
        result: CollectionResult,
        seconds: f64,
    ) -> Self {
        CollectionReport {
            schema: "census-collection/1".into(),
            provenance,
            complete,
            config,
            puzzles,
            result,
            seconds,
        }
    }
}

/// One puzzle of a collection and what came out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PuzzleLine {
    /// Where it was read from.
    pub file: String,
    /// The line of that file on which it starts.
    pub line: usize,
    /// Its name.
    pub name: Option<String>,
    /// The solutions counted.
    pub solutions: String,
    /// The method that counted them.
    pub method: String,
    /// The nodes visited.
    pub nodes: u64,
    /// Whether these are all solutions.
    pub complete: bool,
    /// Whether that is what the file expects; null where it expects nothing or not all was counted.
    pub matches_expected: Option<bool>,
}

/// What came out of a collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectionResult {
    /// Puzzles counted.
    pub puzzles: usize,
    /// Those with exactly one solution.
    pub unique: usize,
    /// Those with several.
    pub several: usize,
    /// Those with none.
    pub none: usize,
    /// Those whose count is not what their file expects.
    pub unexpected: usize,
}

impl CollectionResult {
    /// One more puzzle.
    pub fn add(&mut self, answer: Answer) {
        self.puzzles += 1;
        match answer.solutions {
            0 => self.none += 1,
            1 => self.unique += 1,
            _ => self.several += 1,
        }
        self.unexpected += usize::from(answer.matches_expected == Some(false));
    }
}
