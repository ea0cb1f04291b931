//! A line of clues and a line of regions, one character a cell in both.

use super::body::{Document, Line, is_empty_mark};
use super::header::Headers;
use super::line::Before;
use super::map::Map;
use super::{WriteError, header, line, one};
use crate::error::InputError;
use crate::grid::{MAX_SYMBOL_ORDER, push_line, value_of};
use crate::{ParsedPuzzle, Puzzle, Regions};

/// The smallest order of a map in a collection: a shorter line is more likely a word.
const LEAST_MAP: usize = 4;

/// Whether two lines are clues and regions, rather than two puzzles.
pub(super) fn detect(document: &Document<'_>) -> bool {
    let [clues, map] = &document.lines[..] else { return false };
    if header::promises_map(document) {
        return true;
    }
    let cells: Vec<char> = map.characters().map(|(_, c)| c).collect();
    let order = clues.cells.isqrt();
    match order * order == clues.cells && clues.cells == map.cells {
        true => shows_itself(&cells, order),
        // A map of the wrong length still shows itself along its rows.
        false => looks_like_map(&cells, cells.len()),
    }
}

/// Refuses two lines of which the second may be a full grid as well as a map of scattered regions.
pub(super) fn refuse_unclear_pair(document: &Document<'_>) -> Result<(), InputError> {
    let [clues, second] = &document.lines[..] else { return Ok(()) };
    let empty = |(_, c): (_, char)| value_of(c) == Some(0);
    let cells: Vec<char> = second.characters().map(|(_, c)| c).collect();
    if clues.cells == second.cells
        && is_balanced(&cells)
        && clues.characters().any(empty)
        && !header::asks_for_no_map(document)
    {
        let message = "this may be a full grid or a map of regions: write `# regions: usual` above the lines if they are \
                       two grids, `# regions: jigsaw` if this is a map";
        return Err(document.error(second.start(), message).about_source());
    }
    Ok(())
}

/// Whether the symbols of a grid of this order are a map for certain, however its regions lie.
fn shows_itself(cells: &[char], order: usize) -> bool {
    looks_like_map(cells, order) || (is_balanced(cells) && repeats(cells, order) > order)
}

/// The rows and columns with a symbol that stands there twice. A full grid has none, and few if two cells were exchanged by
/// mistake; of a map nearly all have one.
fn repeats(cells: &[char], order: usize) -> usize {
    let repeats = |cell: &dyn Fn(usize) -> usize| {
        let mut line: Vec<char> = (0..order).map(|at| cells[cell(at)]).collect();
        line.sort_unstable();
        line.windows(2).any(|pair| pair[0] == pair[1])
    };
    let lines = (0..order)
        .map(|line| usize::from(repeats(&|at| line * order + at)) + usize::from(repeats(&|at| at * order + line)));
    lines.sum()
}

/// Whether there are as many different symbols as an order has, all equally often: a full grid, or a map.
fn is_balanced(cells: &[char]) -> bool {
    let order = cells.len().isqrt();
    if order < LEAST_MAP || order * order != cells.len() || !cells.iter().all(|c| c.is_alphanumeric()) {
        return false;
    }
    let mut sorted = cells.to_vec();
    sorted.sort_unstable();
    let alike = sorted.chunks(order).all(|label| label[0] == label[order - 1]);
    alike && sorted.chunks(order).map(|label| label[0]).is_sorted_by(|a, b| a < b)
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

/// Whether a line is a map: one that shows itself, or is promised.
fn is_map(line: &Line<'_>, promised: bool) -> bool {
    // Most lines have empty cells: these are told without a copy.
    if !line.characters().all(|(_, c)| c.is_alphanumeric()) {
        return false;
    }
    let cells: Vec<char> = line.characters().map(|(_, c)| c).collect();
    is_balanced(&cells) && (promised || shows_itself(&cells, cells.len().isqrt()))
}

pub(super) fn read(document: &Document<'_>, headers: Headers) -> Result<ParsedPuzzle, InputError> {
    let (order, cells) = line::cells(document, &document.lines[0], Before::Nothing)?;
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
    if !shows_itself(&symbols, order) {
        text.extend(b"# regions: jigsaw\n");
    }
    push_line(&mut text, order, puzzle.givens.values().iter().copied());
    text.push(b'\n');
    text.extend(regions);
    text.push(b'\n');
    Ok(String::from_utf8_lossy(&text).into_owned())
}
