//! The side k of a box on the first line, then k⁴ integers with line breaks anywhere (the task "sudokount" of the Marathon of
//! Parallel Programming).

use super::body::{Document, TextLine, quantity, quote};
use super::cells::{Cells, Layout};
use super::header::Headers;
use super::{WriteError, header, integers, one};
use crate::{InputError, ParsedPuzzle, Puzzle};

/// The sides of a box for orders in range.
const SIDES: std::ops::RangeInclusive<usize> = 2..=8;

/// Whether the first line is the side of a box: one small number, with mostly lines of integers after it.
pub(super) fn detect(document: &Document<'_>) -> bool {
    let [first, rest @ ..] = &document.lines[..] else { return false };
    let alone = first.tokens == 1 && first.cells <= 2 && first.tokens().all(|token| token.integer().is_some());
    alone && !first.has_frame() && !rest.is_empty() && rest.iter().filter(|line| line.integers).count() * 2 > rest.len()
}

pub(super) fn read(document: &Document<'_>, headers: Headers) -> Result<ParsedPuzzle, InputError> {
    let (first, rest) = (&document.lines[0], &document.lines[1..]);
    let written = first.text.trim();
    let side = first.tokens().next().and_then(|token| token.integer()).map_or(0, |side| side as usize);
    if !SIDES.contains(&side) {
        let message = format!("box size {} is out of range: expected 2 to 8", quote(written));
        return Err(document.error(first.start(), message));
    }
    let order = side * side;
    let expected = order * order;
    let found: usize = rest.iter().map(|line| line.tokens).sum();
    if found != expected {
        let extra = rest.iter().flat_map(TextLine::tokens).nth(expected).map(|token| token.position);
        let position = extra.unwrap_or_else(|| rest.last().unwrap_or(first).end());
        let message = format!("{} after box size {side}, expected {expected}", quantity(found, "integer"));
        return Err(document.error(position, message));
    }
    let mut cells = Cells::default();
    for line in rest {
        // A line may have any number of cells.
        cells.push(document, line, Layout::Integers, order, line.tokens)?;
    }
    one(document, headers, order, cells, None)
}

pub(super) fn write(puzzle: &Puzzle) -> Result<String, WriteError> {
    let order = puzzle.shape.order();
    let side = order.isqrt();
    if side * side != order {
        return Err(WriteError::NotSquare { order });
    }
    let head = header::write(puzzle, false)? + header::write_zero(puzzle);
    Ok(head + &format!("{side}\n") + &integers::body(puzzle.givens.values(), order))
}
