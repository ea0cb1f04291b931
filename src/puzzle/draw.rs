//! Drawings of a grid or its candidates in a frame of Unicode box-drawing characters.
//!
//! Lines are heavy around the grid and between regions and light inside a region. Hyper boxes and diagonals are not
//! drawn: they cross the regions, and a cell has only four sides. [`houses`] names them instead. Every line of a
//! drawing ends with a line break and contains only the frame, spaces and the contents of the cells, so
//! [`formats::read`](crate::formats::read), which skips box-drawing characters, reads the drawing of a grid back.

use crate::conflict::cell_name;
use crate::grid::{MAX_SYMBOL_ORDER, symbol};
use crate::{Grid, HouseKind, Regions, Shape};

/// The widest drawing of candidates, in characters; wider ones are listed cell by cell.
const MAX_WIDTH: usize = 200;

/// Draws a grid with its values as numbers, aligned to the right, and `.` for an empty cell.
///
/// # Panics
/// If the grid does not have as many cells as the shape.
pub fn grid(shape: &Shape, grid: &Grid) -> String {
    let width = if shape.order() <= 9 { 1 } else { 2 };
    let text = |&value: &u8| match value {
        0 => format!("{:>width$}", '.'),
        _ => format!("{value:>width$}"),
    };
    framed(shape, &grid.values().iter().map(text).collect::<Vec<_>>())
}

/// Draws the candidates of each cell: value v is a candidate if bit v − 1 of `candidates[cell]` is set.
///
/// Up to order 35, candidates are symbols without separators (`147`, `9AC`), above numbers with commas. A cell without
/// candidates is `!`. A drawing wider than 200 characters, which does not fit on a screen, is replaced by a drawing of the
/// grid, in which cells with one candidate are filled, and one line for each other cell: `r1c1: 1 4 7`, or `r1c1: !`.
///
/// # Panics
/// If there are not as many candidates as the shape has cells.
pub fn candidates(shape: &Shape, candidates: &[u64]) -> String {
    let order = shape.order();
    let mut texts: Vec<String> = candidates.iter().map(|&bits| candidate_text(order, bits)).collect();
    let widths: Vec<usize> =
        (0..order).map(|col| texts.iter().skip(col).step_by(order).map(String::len).max().unwrap_or(0)).collect();
    // Each cell has a space on either side and a line on its left; one line more closes the frame.
    if widths.iter().map(|width| width + 3).sum::<usize>() + 1 > MAX_WIDTH {
        return candidate_list(shape, candidates);
    }
    for (cell, text) in texts.iter_mut().enumerate() {
        *text = format!("{text:<width$}", width = widths[cell % order]);
    }
    framed(shape, &texts)
}

/// The houses of a shape as text: `9 rows, 9 columns, 9 boxes of 3x3, 2 diagonals, 4 hyper boxes`.
pub fn houses(shape: &Shape) -> String {
    let order = shape.order();
    let mut text = format!("{order} rows, {order} columns");
    match shape.regions() {
        Regions::Boxes { rows, cols } => text += &format!(", {order} boxes of {rows}x{cols}"),
        Regions::Jigsaw(_) => text += &format!(", {order} jigsaw regions"),
        Regions::None => {}
    }
    if shape.extras().diagonals {
        text += ", 2 diagonals";
    }
    match shape.houses().iter().filter(|house| matches!(house.kind, HouseKind::Hyper(_))).count() {
        0 => {}
        1 => text += ", 1 hyper box",
        count => text += &format!(", {count} hyper boxes"),
    }
    text
}

fn values(order: usize, bits: u64) -> impl Iterator<Item = u8> {
    (1..=order as u8).filter(move |value| bits >> (value - 1) & 1 == 1)
}

fn candidate_text(order: usize, bits: u64) -> String {
    let text = if order <= MAX_SYMBOL_ORDER {
        values(order, bits).filter_map(symbol).collect()
    } else {
        joined(order, bits, ",")
    };
    if text.is_empty() { "!".into() } else { text }
}

fn candidate_list(shape: &Shape, candidates: &[u64]) -> String {
    let order = shape.order();
    let only = |&bits: &u64| {
        let mut values = values(order, bits);
        values.next().filter(|_| values.next().is_none())
    };
    let decided = Grid::new(candidates.iter().map(|bits| only(bits).unwrap_or(0)).collect());
    let mut out = grid(shape, &decided);
    for (cell, &bits) in candidates.iter().enumerate().filter(|&(cell, _)| decided[cell] == 0) {
        let numbers = joined(order, bits, " ");
        let numbers = if numbers.is_empty() { "!" } else { &numbers };
        out += &format!("{}: {numbers}\n", cell_name(order, cell));
    }
    out
}

fn joined(order: usize, bits: u64, separator: &str) -> String {
    values(order, bits).map(|value| value.to_string()).collect::<Vec<_>>().join(separator)
}

/// Draws a frame around one text for each cell. All texts of a column must have the same width.
fn framed(shape: &Shape, texts: &[String]) -> String {
    let order = shape.order();
    assert_eq!(texts.len(), shape.cells(), "one text for each cell");
    let regions = shape.region_map().unwrap_or_else(|| vec![0; shape.cells()]);
    // Rows and columns count from 1 here; 0 and order + 1 are outside.
    let region = |row: usize, col: usize| {
        let inside = (1..=order).contains(&row) && (1..=order).contains(&col);
        inside.then(|| regions[(row - 1) * order + col - 1])
    };
    let right_of = |row, col| Weight::between(region(row, col), region(row, col + 1));
    let below = |row, col| Weight::between(region(row, col), region(row + 1, col));

    let mut out = String::new();
    for row in 0..=order {
        if row > 0 {
            for col in 0..=order {
                if col > 0 {
                    out.extend([" ", &texts[(row - 1) * order + col - 1], " "]);
                }
                let side = right_of(row, col);
                out.push(joint(side, side, Weight::None, Weight::None));
            }
            out.push('\n');
        }
        for col in 0..=order {
            let left = below(row, col);
            if col > 0 {
                let line = joint(Weight::None, Weight::None, left, left);
                out.extend(std::iter::repeat_n(line, texts[col - 1].len() + 2));
            }
            out.push(joint(right_of(row, col), right_of(row + 1, col), left, below(row, col + 1)));
        }
        out.push('\n');
    }
    out
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weight {
    None,
    Light,
    Heavy,
}

impl Weight {
    /// The weight of the line between two neighbours, given by their regions; `None` is outside the grid.
    fn between(one: Option<u8>, other: Option<u8>) -> Weight {
        match (one, other) {
            (None, None) => Weight::None,
            _ if one == other => Weight::Light,
            _ => Weight::Heavy,
        }
    }
}

/// The box-drawing character whose arms have these weights.
fn joint(up: Weight, down: Weight, left: Weight, right: Weight) -> char {
    // The row is 3·up + down, the column 3·left + right.
    const JOINTS: [&str; 9] = [
        " ╶╺╴─╼╸╾━",
        "╷┌┍┐┬┮┑┭┯",
        "╻┎┏┒┰┲┓┱┳",
        "╵└┕┘┴┶┙┵┷",
        "│├┝┤┼┾┥┽┿",
        "╽┟┢┧╁╆┪╅╈",
        "╹┖┗┚┸┺┛┹┻",
        "╿┞┡┦╀╄┩╃╇",
        "┃┠┣┨╂╊┫╉╋",
    ];
    JOINTS[3 * up as usize + down as usize].chars().nth(3 * left as usize + right as usize).unwrap_or(' ')
}
