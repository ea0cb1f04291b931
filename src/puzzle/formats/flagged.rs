//! The order and a flag on the first line, then the rows; if the flag is 1, then the rows of a region map.

use super::body::{Document, quote};
use super::cells::{Cells, Layout};
use super::header::Headers;
use super::map::Map;
use super::{WriteError, check_row_count, header, integers, one, rows};
use crate::grid::MAX_SYMBOL_ORDER;
use crate::shape::{MAX_ORDER, MIN_ORDER};
use crate::{InputError, ParsedPuzzle, Puzzle, Regions};

/// Whether the first line is an order and a flag rather than a row.
pub(super) fn detect(document: &Document<'_>) -> bool {
    let [first, rest @ ..] = &document.lines[..] else { return false };
    let tokens: Vec<_> = first.tokens().take(3).collect();
    let [order, flag] = &tokens[..] else { return false };
    let (Some(order), Some(value)) = (order.integer(), flag.integer()) else { return false };
    if flag.text.len() != 1 {
        return false;
    }
    let Some(next) = rest.first() else { return value <= 1 };
    let order = order as usize;
    if next.cells == first.cells {
        // Two rows of two cells are a grid; more lines are not.
        return order == 2 && value <= 1 && rest.len() > 1;
    }
    // Another flag is a mistake if the rows fit the order.
    value <= 1 || next.cells == order || next.tokens == order
}

pub(super) fn read(document: &Document<'_>, headers: Headers) -> Result<ParsedPuzzle, InputError> {
    let (first, rest) = (&document.lines[0], &document.lines[1..]);
    let tokens: Vec<_> = first.tokens().collect();
    let (written, flag) = (&tokens[0], &tokens[1]);
    let order = written.integer().map_or(0, |order| order as usize);
    if !(MIN_ORDER..=MAX_ORDER).contains(&order) {
        let message = format!("order {} is out of range: expected {MIN_ORDER} to {MAX_ORDER}", quote(written.text));
        return Err(document.error(written.position, message));
    }
    if !matches!(flag.text, "0" | "1") {
        let message = format!("flag {}: expected 1 if a region map follows the rows, else 0", quote(flag.text));
        return Err(document.error(flag.position, message));
    }
    let (grid, map) = rest.split_at(order.min(rest.len()));
    let layout = Layout::of(grid, order);
    let mut cells = Cells::default();
    for row in grid {
        cells.push(document, row, layout, order, order)?;
    }
    check_row_count(document, grid, order, "grid")?;
    if flag.text == "0" {
        check_row_count(document, rest, order, "grid")?;
        return one(document, headers, order, cells, None);
    }
    if map.is_empty() {
        let message = format!("flag 1 announces a region map, but the file ends: expected {order} more rows");
        return Err(document.error(rest[order - 1].end(), message));
    }
    let regions = Map::read(document, &map[..order.min(map.len())], order, order)?;
    check_row_count(document, map, order, "region map")?;
    one(document, headers, order, cells, Some(regions))
}

pub(super) fn write(puzzle: &Puzzle) -> Result<String, WriteError> {
    let order = puzzle.shape.order();
    let map = match puzzle.shape.regions() {
        Regions::Jigsaw(map) => Some(map),
        _ => None,
    };
    let mut text = header::write(puzzle, true)?;
    if order > MAX_SYMBOL_ORDER {
        text += header::write_zero(puzzle);
    }
    text += &format!("{order} {}\n", u8::from(map.is_some()));
    text += &match order {
        0..=MAX_SYMBOL_ORDER => rows::body(puzzle)?,
        _ => integers::body(puzzle.givens.values(), order),
    };
    text += &map.map_or(String::new(), |map| integers::body(map, order));
    Ok(text)
}
