//! The puzzle of a command that takes one.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::CommandError;
use super::batch_reader::{BatchReader, PuzzleBatch, PuzzleSource};
use crate::cli::PuzzleArgs;
use crate::count::{MethodChoice, MethodName};
use crate::puzzle::Puzzle;

pub(super) struct OnePuzzle {
    pub puzzle: Puzzle,
    pub source: Arc<PuzzleSource>,
    /// SHA-256 of the source; `None` if that was too large or too slow to be read at once.
    pub sha256: Option<String>,
}

impl OnePuzzle {
    /// Reads the puzzle of an argument, which must hold no other and must suit the method.
    pub(super) fn read(args: &PuzzleArgs, method: MethodName) -> Result<OnePuzzle, CommandError> {
        let arguments = vec![args.puzzle.clone()];
        let mut reader = BatchReader::new(arguments, args.read.options(), MethodChoice::Fixed(method), false)?;
        // A second puzzle is enough to refuse the input.
        let mut batch = reader.next(2, || None).map_err(|reason| CommandError::Stopped(reason.to_string()))?;
        if let Some(error) = batch.failed.take() {
            return Err(error);
        }
        OnePuzzle::of(&batch).ok_or_else(|| {
            let source = batch.records.first().map_or("", |record| &record.source.name);
            CommandError::Usage(format!("{source}: holds {}, but this command takes one", batch.size_text()))
        })
    }

    /// The puzzle of a first batch, if the input has no other.
    pub(super) fn of(batch: &PuzzleBatch) -> Option<OnePuzzle> {
        let [record] = &batch.records[..] else { return None };
        let is_all = batch.last && batch.failed.is_none() && batch.skipped.is_empty();
        is_all.then(|| OnePuzzle {
            puzzle: batch.puzzle(record),
            source: Arc::clone(&record.source),
            sha256: batch.raw.as_ref().map(|raw| format!("{:x}", Sha256::digest(raw))),
        })
    }

    /// The name of the puzzle in what is printed.
    pub(super) fn label(&self) -> String {
        let mut label = Vec::new();
        let Puzzle { name, shape, givens, .. } = &self.puzzle;
        self.source.push_label(&mut label, name.as_deref(), shape, givens.values());
        String::from_utf8_lossy(&label).into_owned()
    }
}
