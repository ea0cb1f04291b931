//! Many puzzles, one a line (`.sdm`).
//!
//! A header about the shape holds for all the puzzles after it, one with a name or a count for the next puzzle only.
//!
//! Lines come one by one, so that a file of any length can be read. Most are cells and nothing else: for these there is a
//! short way, which comes to the same.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::body::{Document, Line, split_lines};
use super::cells::Cells;
use super::header::{Changed, Headers};
use super::line::Before;
use super::{jigsaw, line, rows, table};
use crate::error::{InputError, Position};
use crate::grid::value_of;
use crate::input::source::{is_control, text_of};
use crate::shape::{MAX_ORDER, MIN_ORDER};
use crate::{Grid, ParsedPuzzle, Puzzle, ReadOptions, Shape, Text, Zero};

/// Reads a collection whose puzzles stand on these lines.
pub(super) fn read(text: &Text, within: RangeInclusive<usize>) -> Result<Vec<ParsedPuzzle>, InputError> {
    let mut collection = Collection::new(&text.name, within, text.options);
    let mut readings = Vec::new();
    for (line, number) in split_lines(&text.content).zip(1..) {
        let mut values = Vec::new();
        if let Some(about) = collection.line(number, line.as_bytes(), &mut values)? {
            readings.push(collection.reading(number, line.as_bytes(), about, values)?);
        }
    }
    collection.end()?;
    Ok(readings)
}

/// What has been read of a collection so far, as far as it matters to what comes.
pub(crate) struct Collection {
    source: Arc<str>,
    /// The lines on which puzzles stand; comments may stand anywhere.
    within: RangeInclusive<usize>,
    /// Whether sections that begin on the way say on which lines, because nobody has looked ahead.
    sections: bool,
    headers: Headers,
    /// The shapes that puzzles have had under the present headers, the last one in front.
    shapes: Vec<Arc<Shape>>,
    /// The order of the puzzle before; none where a header has announced that it may change.
    order: Option<usize>,
    /// Whether there has been a puzzle.
    begun: bool,
    options: ReadOptions,
    /// Whether something has been said about tables: once is enough.
    hinted: bool,
}

/// What is known of a puzzle besides its givens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PuzzleInfo {
    /// Its shape.
    pub shape: Arc<Shape>,
    /// Its name.
    pub name: Option<String>,
    /// How many solutions it is known to have.
    pub expected: Option<u128>,
}

impl Collection {
    /// A collection of which nothing has been read, with puzzles on these lines.
    pub(crate) fn new(source: &Arc<str>, within: RangeInclusive<usize>, options: ReadOptions) -> Collection {
        let (source, headers, shapes) = (Arc::clone(source), Headers::default(), Vec::new());
        let (order, begun, hinted) = (None, false, false);
        Collection { source, within, sections: false, headers, shapes, order, begun, options, hinted }
    }

    /// The same of lines that nobody has looked at.
    pub(crate) fn of_lines_to_come(source: &Arc<str>, options: ReadOptions) -> Collection {
        Collection { sections: true, ..Collection::new(source, 1..=usize::MAX, options) }
    }

    /// Reads the next line. If it is a puzzle, its givens go behind `values`. After an error, there may be something there,
    /// too; whoever wants to can go on with the next line.
    pub(crate) fn line(
        &mut self,
        number: usize,
        bytes: &[u8],
        values: &mut Vec<u8>,
    ) -> Result<Option<PuzzleInfo>, InputError> {
        let zero = self.zero();
        let plain = self.within.contains(&number).then(|| plain_cells(bytes, zero, values)).flatten();
        if let (Some(order), Some(shape)) = (plain, self.shapes.first())
            && shape.order() == order
            && self.order == plain
        {
            let shape = Arc::clone(shape);
            let (name, expected) = self.headers.next();
            return Ok(Some(PuzzleInfo { shape, name, expected }));
        }
        let source = Arc::clone(&self.source);
        let text = self.text(number, bytes);
        if text.is_err() {
            self.headers.next(); // it was about what stands here, whatever that is
        }
        let document = Document::line(&source, number, text?, zero);
        for comment in &document.comments {
            let added = self.headers.add(&document, comment);
            if !matches!(added, Ok(Changed::Nothing)) {
                self.shapes.clear();
            }
            if added? == Changed::Regions {
                self.order = None;
            }
        }
        if let Some(section) = document.lines.first().and_then(rows::section_of).filter(|_| self.sections) {
            let last = if rows::is_puzzle_section(section) { usize::MAX } else { number };
            self.within = number + 1..=last;
            return Ok(None);
        }
        let Some(line) = document.lines.first().filter(|_| self.within.contains(&number)) else { return Ok(None) };
        // What was said about this puzzle is not about the next, whether this one can be read or not.
        let start = values.len() - plain.map_or(0, |order| order * order);
        let read = match plain.filter(|&order| self.options.mixed || self.order.is_none_or(|before| before == order)) {
            Some(order) => Ok(order),
            None => self.cells(&document, line).map(|(order, cells)| {
                values.truncate(start);
                values.extend(cells.values);
                order
            }),
        };
        let shape = read.and_then(|order| self.shape(&document, order, line));
        let (name, expected) = self.headers.next();
        Ok(Some(PuzzleInfo { shape: shape?, name, expected }))
    }

    /// The order and the cells of a line, or what is wrong with it.
    fn cells(&mut self, document: &Document<'_>, line: &Line<'_>) -> Result<(usize, Cells), InputError> {
        let before = match self.order {
            None => Before::Nothing,
            Some(order) if self.options.mixed => Before::Likely(order),
            Some(order) => Before::Binding(order),
        };
        line::cells(document, line, before).map_err(|error| {
            let hint = if self.hinted { None } else { table::hint(line, !self.begun) };
            self.hinted |= hint.is_some();
            error.with_hint(&hint.unwrap_or_default())
        })
    }

    /// The end of the collection: refuses a name or a count that no puzzle follows.
    pub(crate) fn end(&self) -> Result<(), InputError> {
        self.headers.check_used(&Document::line(&self.source, 1, "", None))
    }

    /// A puzzle that has just been read, with the places of its cells.
    pub(crate) fn reading(
        &self,
        number: usize,
        bytes: &[u8],
        about: PuzzleInfo,
        values: Vec<u8>,
    ) -> Result<ParsedPuzzle, InputError> {
        let document = Document::line(&self.source, number, self.text(number, bytes)?, self.zero());
        let cells = document.lines.first().map(|line| line::cells(&document, line, Before::Nothing));
        let PuzzleInfo { shape, name, expected } = about;
        let puzzle = Puzzle { name, shape, givens: Grid::new(values), expected };
        Ok(ParsedPuzzle {
            puzzle,
            source: Arc::clone(&self.source),
            places: cells.transpose()?.map_or(Vec::new(), |(_, cells)| cells.places),
        })
    }

    /// What is wrong with a line that is no puzzle: it may be a region map, and then there is nothing more to be had.
    pub(crate) fn wrong(&self, number: usize, bytes: &[u8], error: InputError) -> InputError {
        let text = String::from_utf8_lossy(bytes);
        jigsaw::refuse_maps(&Document::line(&self.source, number, &text, None)).err().unwrap_or(error)
    }

    /// What 0 stands for in the next puzzle, where that has been said.
    fn zero(&self) -> Option<Zero> {
        self.options.zero.or(self.headers.zero())
    }

    fn text<'a>(&self, number: usize, bytes: &'a [u8]) -> Result<&'a str, InputError> {
        text_of(bytes).map_err(|bad| {
            let Position { line, column } = bad.place;
            let place = Position { line: number + line - 1, column };
            let error = InputError::new(&self.source, Some(place), bad.to_string());
            // A slip of the keyboard is a bad line; of what is no text at all, every line would be.
            let binary = bytes.contains(&0) || (!self.begun && bytes.iter().any(|&byte| is_control(byte)));
            if binary { error.about_source() } else { error }
        })
    }

    fn shape(&mut self, document: &Document<'_>, order: usize, line: &Line<'_>) -> Result<Arc<Shape>, InputError> {
        match self.shapes.iter().position(|shape| shape.order() == order) {
            Some(at) => self.shapes.swap(0, at),
            None => {
                let shape = self.headers.shape(document, order, None, line.start())?;
                self.shapes.insert(0, shape);
            }
        }
        (self.order, self.begun) = (Some(order), true);
        Ok(Arc::clone(&self.shapes[0]))
    }
}

/// The value of each byte that is a cell; more than any order for every other byte.
const VALUES: [u8; 256] = {
    let mut values = [u8::MAX; 256];
    let mut byte = 0;
    while byte < 128 {
        if let Some(value) = value_of(byte as u8 as char) {
            values[byte] = value;
        }
        byte += 1;
    }
    values
};

/// The order of a line that is cells from end to end, as many as an order has, and all in range. Its values go behind
/// `values`.
fn plain_cells(line: &[u8], zero: Option<Zero>, values: &mut Vec<u8>) -> Option<usize> {
    let order = line.len().isqrt();
    if order * order != line.len() || !(MIN_ORDER..=MAX_ORDER).contains(&order) || zero == Some(Zero::Value) {
        return None;
    }
    let start = values.len();
    values.extend(line.iter().map(|&byte| VALUES[usize::from(byte)]));
    let most = usize::from(values[start..].iter().fold(0, |most, &value| most.max(value)));
    // Without the value n, a 0 may be meant as a value: that takes a closer look.
    let clear = || {
        let zeros = line.iter().filter(|&&byte| byte == b'0').count();
        let empty = values[start..].iter().filter(|&&value| value == 0).count();
        zeros == 0 || (zeros == empty && zeros != order)
    };
    if most > order || !(zero.is_some() || most == order || clear()) {
        values.truncate(start);
        return None;
    }
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_short_way_comes_to_the_same_as_the_long_one(
            line in prop_oneof![
                "[0-9._*]{81}", "[0-8]{81}", "[0-8.]{81}", "[0-4._]{16}", "[1-9A-Ga-g._]{256}", "[0-9A-G.]{256}", "[0-9.]{80,82}", "[1-9.|, x-]{81}",
            ],
            zero in prop_oneof![Just(None), Just(Some(Zero::Empty)), Just(Some(Zero::Value))],
        ) {
            let mut values = Vec::new();
            let source: Arc<str> = "f".into();
            let document = Document::line(&source, 1, &line, zero);
            let long = document.lines.first().map(|found| line::cells(&document, found, Before::Nothing));
            match plain_cells(line.as_bytes(), zero, &mut values) {
                Some(order) => {
                    let (long_order, cells) = long.expect("a line of cells").expect("all in range");
                    prop_assert_eq!((order, values), (long_order, cells.values));
                }
                None => prop_assert!(values.is_empty()),
            }
        }
    }
}
