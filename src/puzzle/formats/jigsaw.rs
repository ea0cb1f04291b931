//! A line of clues and a line of regions, one character per cell.

use super::body::{Document, TextLine, is_empty_mark};
use super::header::Headers;
use super::line::ExpectedOrder;
use super::map::Map;
use super::{WriteError, header, line, one, symbols};
use crate::grid::value_of;
use crate::{InputError, ParsedPuzzle, Puzzle, Regions};

/// The smallest order of a map in a collection: a shorter line is more likely a word.
const MIN_ORDER_OF_MAP: usize = 4;

/// Whether two lines are clues and regions rather than two puzzles.
pub(super) fn detect(document: &Document<'_>) -> bool {
    let [clues, map] = &document.lines[..] else { return false };
    if header::requests_map(document) {
        return true;
    }
    let cells: Vec<char> = map.symbols().collect();
    let order = clues.cells.isqrt();
    match order * order == clues.cells && clues.cells == map.cells {
        true => is_certain_map(&cells, order),
        // A map of the wrong length still has equal neighbours along its rows.
        false => looks_like_map(&cells, cells.len()),
    }
}

/// Rejects two lines of which the second may be a full grid or a map of scattered regions.
pub(super) fn reject_ambiguous_pair(document: &Document<'_>) -> Result<(), InputError> {
    let [clues, second] = &document.lines[..] else { return Ok(()) };
    let cells: Vec<char> = second.symbols().collect();
    if clues.cells == second.cells
        && is_balanced(&cells)
        && clues.symbols().any(|c| value_of(c) == Some(0))
        && !header::requests_no_map(document)
    {
        let message = "this may be a full grid or a region map: write `# regions: usual` above the lines if they are two \
                       grids, `# regions: jigsaw` if this is a map";
        return Err(document.error(second.start(), message).in_source());
    }
    Ok(())
}

/// Whether the symbols of a grid of this order are certainly a map, even of scattered regions.
fn is_certain_map(cells: &[char], order: usize) -> bool {
    looks_like_map(cells, order) || (is_balanced(cells) && repeats(cells, order) > order)
}

/// The number of rows and columns in which a symbol repeats: none in a full grid, few if two of its cells were swapped by
/// mistake, nearly all in a map.
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

/// Whether there are as many different symbols as the order, each equally often: a full grid or a map.
fn is_balanced(cells: &[char]) -> bool {
    let order = cells.len().isqrt();
    if order < MIN_ORDER_OF_MAP || order * order != cells.len() || !cells.iter().all(|c| c.is_alphanumeric()) {
        return false;
    }
    let mut sorted = cells.to_vec();
    sorted.sort_unstable();
    let alike = sorted.chunks(order).all(|label| label[0] == label[order - 1]);
    alike && sorted.chunks(order).map(|label| label[0]).is_sorted_by(|a, b| a < b)
}

/// Whether more than half of the cells have an equal neighbour. In a puzzle, only empty neighbours are equal; in a map, nearly
/// all cells have an equal neighbour. `0` occurs in both and does not count.
fn looks_like_map(cells: &[char], order: usize) -> bool {
    if cells.iter().any(|&c| is_empty_mark(c)) {
        return false;
    }
    let marked = cells.iter().filter(|&&c| c != '0').count();
    let with_neighbour = (0..cells.len()).filter(|&cell| {
        let column = cell % order;
        let equals = |other: Option<usize>| other.and_then(|at| cells.get(at)) == Some(&cells[cell]);
        // Other characters may be marks of empty cells.
        cells[cell] != '0'
            && cells[cell].is_alphanumeric()
            && (equals(cell.checked_sub(1).filter(|_| column > 0))
                || equals(Some(cell + 1).filter(|_| column + 1 < order))
                || equals(cell.checked_sub(order))
                || equals(cell.checked_add(order)))
    });
    with_neighbour.count() * 2 > marked
}

/// Rejects a collection with a region map in it: the puzzle before the map would be read with wrong regions.
pub(super) fn reject_maps(document: &Document<'_>) -> Result<(), InputError> {
    let announced = header::requests_map(document);
    match document.lines.iter().find(|line| is_map(line, announced)) {
        Some(line) => {
            let message = "this is a region map: a collection cannot hold jigsaws; put each in a file of its own";
            Err(document.error(line.start(), message).in_source())
        }
        None => Ok(()),
    }
}

/// Whether a line is a map: certainly, or possibly if a header announces one.
fn is_map(line: &TextLine<'_>, announced: bool) -> bool {
    // The fast path: most lines have empty cells.
    if !line.symbols().all(char::is_alphanumeric) {
        return false;
    }
    let cells: Vec<char> = line.symbols().collect();
    is_balanced(&cells) && (announced || is_certain_map(&cells, cells.len().isqrt()))
}

pub(super) fn read(document: &Document<'_>, headers: Headers) -> Result<ParsedPuzzle, InputError> {
    let (order, cells) = line::cells(document, &document.lines[0], ExpectedOrder::Any)?;
    let map = Map::read(document, &document.lines[1..], order * order, order)?;
    one(document, headers, order, cells, Some(map))
}

pub(super) fn write(puzzle: &Puzzle) -> Result<String, WriteError> {
    let order = puzzle.shape.order();
    let Regions::Jigsaw(map) = puzzle.shape.regions() else { return Err(WriteError::NoMap) };
    let clues = symbols(order, puzzle.givens.values())?;
    let labels: Vec<u8> = map.iter().map(|&region| region + 1).collect();
    let regions = symbols(order, &labels)?;
    let is_certain = is_certain_map(&regions.chars().collect::<Vec<_>>(), order);
    let announced = if is_certain { "" } else { "# regions: jigsaw\n" };
    Ok(header::write(puzzle, true)? + announced + &clues + "\n" + &regions + "\n")
}
