//! A line of clues and a line of regions, one character a cell in both.

use super::body::{Document, Line, is_empty_mark};
use super::header::Headers;
use super::map::Map;
use super::{WriteError, header, line, one};
use crate::error::InputError;
use crate::grid::{MAX_SYMBOL_ORDER, push_line};
use crate::{Puzzle, Reading, Regions};

/// The smallest order of a map in a collection: a shorter line is more likely a word.
const LEAST_MAP: usize = 4;

/// Whether two lines are clues and regions, rather than two puzzles.
pub(super) fn recognise(document: &Document<'_>) -> bool {
    let [clues, map] = &document.lines[..] else { return false };
    if header::promises_map(document) {
        return true;
    }
    let cells: Vec<char> = map.characters().map(|(_, c)| c).collect();
    let order = clues.cells.isqrt();
    let whole = order * order == clues.cells && clues.cells == map.cells;
    // A map of the wrong length still shows itself along its rows.
    looks_like_map(&cells, if whole { order } else { cells.len() })
}

/// Whether more than half of the cells have a neighbour with the same symbol. In a puzzle no neighbours are equal
/// but empty ones; in a map nearly all have one. `0` may be either, so it has no say.
fn looks_like_map(cells: &[char], order: usize) -> bool {
    if cells.iter().any(|&c| is_empty_mark(c)) {
        return false;
    }
    let marked = cells.iter().filter(|&&c| c != '0').count();
    let with_neighbour = (0..cells.len()).filter(|&cell| {
        let column = cell % order;
        let equals = |other: Option<usize>| other.and_then(|at| cells.get(at)) == Some(&cells[cell]);
        // What is no label is somebody's empty cell.
        cells[cell] != '0'
            && cells[cell].is_alphanumeric()
            && (equals(cell.checked_sub(1).filter(|_| column > 0))
                || equals(Some(cell + 1).filter(|_| column + 1 < order))
                || equals(cell.checked_sub(order))
                || equals(cell.checked_add(order)))
    });
    with_neighbour.count() * 2 > marked
}

/// Refuses a collection with a region map in it, for what stands before such a line is no plain puzzle.
pub(super) fn refuse_maps(document: &Document<'_>) -> Result<(), InputError> {
    let promised = header::promises_map(document);
    match document.lines.iter().find(|line| is_map(line, promised)) {
        Some(line) => Err(document.error(line.start(), MAP_AMONG_PUZZLES).about_source()),
        None => Ok(()),
    }
}

const MAP_AMONG_PUZZLES: &str =
    "this is a map of regions: a collection cannot hold jigsaws, give each a file of its own";

/// Whether a line is a map: as many different labels as an order has, all equally often, and most beside their like or promised.
fn is_map(line: &Line<'_>, promised: bool) -> bool {
    let order = line.cells.isqrt();
    if order < LEAST_MAP || order * order != line.cells || !line.characters().all(|(_, c)| c.is_alphanumeric()) {
        return false;
    }
    let cells: Vec<char> = line.characters().map(|(_, c)| c).collect();
    let mut sorted = cells.clone();
    sorted.sort_unstable();
    let alike = sorted.chunks(order).all(|label| label[0] == label[order - 1]);
    let differ = sorted.chunks(order).map(|label| label[0]).is_sorted_by(|a, b| a < b);
    alike && differ && (promised || looks_like_map(&cells, order))
}

pub(super) fn read(document: &Document<'_>, headers: Headers) -> Result<Reading, InputError> {
    let (order, cells) = line::cells(document, &document.lines[0], None)?;
    let map = Map::read(document, &document.lines[1..], order * order, order)?;
    one(document, headers, order, cells, Some(map))
}

pub(super) fn write(puzzle: &Puzzle) -> Result<String, WriteError> {
    let order = puzzle.shape.order();
    let Regions::Jigsaw(map) = puzzle.shape.regions() else { return Err(WriteError::NoMap) };
    if order > MAX_SYMBOL_ORDER {
        return Err(WriteError::Symbols { order });
    }
    let mut regions = Vec::new();
    push_line(&mut regions, order, map.iter().map(|&region| region + 1));
    let symbols: Vec<char> = regions.iter().map(|&byte| char::from(byte)).collect();
    let mut text = header::write(puzzle, true)?.into_bytes();
    if !looks_like_map(&symbols, order) {
        // Regions scattered over the grid are not recognised by their looks.
        text.extend(b"# regions: jigsaw\n");
    }
    push_line(&mut text, order, puzzle.givens.values().iter().copied());
    text.push(b'\n');
    text.extend(regions);
    text.push(b'\n');
    Ok(String::from_utf8_lossy(&text).into_owned())
}
