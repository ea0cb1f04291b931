//! Many puzzles, one per line (`.sdm`), read line by line in bounded memory.
//!
//! A header about the shape applies to all puzzles after it, one with a name or an expected count to the next puzzle only.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::body::{Document, TextLine, split_lines};
use super::cells::Cells;
use super::header::{Changed, Headers};
use super::line::ExpectedOrder;
use super::{jigsaw, line, rows, table};
use crate::grid::value_of;
use crate::input::source::{is_control, text_of};
use crate::{InputError, ParsedPuzzle, Position, ReadOptions, Shape, StreamedPuzzle, Text, Zero};

/// Reads the puzzles on these lines of a text.
pub(super) fn read(text: &Text, puzzle_lines: RangeInclusive<usize>) -> Result<Vec<ParsedPuzzle>, InputError> {
    let mut collection = Collection::new(&text.name, Some(puzzle_lines), text.options);
    let mut puzzles = Vec::new();
    for (line, number) in split_lines(&text.content).zip(1..) {
        let mut values = Vec::new();
        if let Some(puzzle) = collection.line(number, line.as_bytes(), &mut values)? {
            puzzles.push(collection.parsed(line.as_bytes(), puzzle, values)?);
        }
    }
    collection.end()?;
    Ok(puzzles)
}

/// The state that earlier lines of a collection leave for the next ones.
pub(crate) struct Collection {
    pub(crate) source: Arc<str>,
    /// The lines on which puzzles are; headers may be anywhere.
    puzzle_lines: RangeInclusive<usize>,
    /// Whether section titles change `puzzle_lines`, because the sections are not known in advance.
    sections: bool,
    headers: Headers,
    /// The shapes of earlier puzzles under the current headers, one for each order.
    shapes: Vec<Arc<Shape>>,
    /// The order of the last puzzle; `None` if a header announces that it may change.
    order: Option<usize>,
    /// Whether there has been a puzzle.
    begun: bool,
    options: ReadOptions,
    /// Whether the hint about tables has been given, once per source.
    hinted: bool,
}

impl Collection {
    /// A collection with its puzzles on these lines; `None` if its sections are not known in advance.
    pub(crate) fn new(
        source: &Arc<str>,
        puzzle_lines: Option<RangeInclusive<usize>>,
        options: ReadOptions,
    ) -> Collection {
        Collection {
            source: Arc::clone(source),
            sections: puzzle_lines.is_none(),
            puzzle_lines: puzzle_lines.unwrap_or(1..=usize::MAX),
            headers: Headers::default(),
            shapes: Vec::new(),
            order: None,
            begun: false,
            options,
            hinted: false,
        }
    }

    /// Reads the next line. If it is a puzzle, its givens are appended to `values`; after an error, values may be appended, too.
    /// Reading can continue after an error.
    pub(crate) fn line(
        &mut self,
        number: usize,
        bytes: &[u8],
        values: &mut Vec<u8>,
    ) -> Result<Option<StreamedPuzzle>, InputError> {
        let zero = self.zero();
        let same_order = |shape: &&Arc<Shape>| self.options.mixed || self.order == Some(shape.order());
        let mut known = self.shapes.iter().filter(same_order);
        if self.puzzle_lines.contains(&number)
            && let Some(shape) = known.find(|shape| shape.cells() == bytes.len())
            && plain_cells(bytes, shape.order(), zero, values)
        {
            let shape = Arc::clone(shape);
            self.order = Some(shape.order());
            let (name, expected) = self.headers.next();
            return Ok(Some(StreamedPuzzle { line: number, shape, name, expected }));
        }
        let source = Arc::clone(&self.source);
        let text = self.text(number, bytes);
        if text.is_err() {
            self.headers.next(); // the name and the expected count were for this line
        }
        let document = Document::new(&source, number, text?, zero);
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
            self.puzzle_lines = number + 1..=last;
            return Ok(None);
        }
        let Some(line) = document.lines.first().filter(|_| self.puzzle_lines.contains(&number)) else {
            return Ok(None);
        };
        let shape = self.cells(&document, line).and_then(|(order, cells)| {
            values.extend(cells.values);
            self.shape(&document, order, line)
        });
        // Also after an error: the name and the expected count were for this line.
        let (name, expected) = self.headers.next();
        Ok(Some(StreamedPuzzle { line: number, shape: shape?, name, expected }))
    }

    fn cells(&mut self, document: &Document<'_>, line: &TextLine<'_>) -> Result<(usize, Cells), InputError> {
        let before = match self.order {
            None => ExpectedOrder::Any,
            Some(order) if self.options.mixed => ExpectedOrder::Likely(order),
            Some(order) => ExpectedOrder::Required(order),
        };
        line::cells(document, line, before).map_err(|error| {
            let hint = if self.hinted { None } else { table::hint(line, !self.begun) };
            self.hinted |= hint.is_some();
            error.with_hint(&hint.unwrap_or_default())
        })
    }

    /// Rejects a name or an expected count without a puzzle after it.
    pub(crate) fn end(&self) -> Result<(), InputError> {
        self.headers.check_used(&Document::new(&self.source, 1, "", None))
    }

    /// The puzzle of the line that was read last, with the positions of its cells.
    pub(crate) fn parsed(
        &self,
        bytes: &[u8],
        puzzle: StreamedPuzzle,
        values: Vec<u8>,
    ) -> Result<ParsedPuzzle, InputError> {
        let number = puzzle.line;
        let document = Document::new(&self.source, number, self.text(number, bytes)?, self.zero());
        let cells = document.lines.first().map(|line| line::cells(&document, line, ExpectedOrder::Any));
        Ok(ParsedPuzzle {
            puzzle: puzzle.with_givens(values),
            source: Arc::clone(&self.source),
            positions: cells.transpose()?.map_or(Vec::new(), |(_, cells)| cells.positions),
        })
    }

    /// Replaces the error for a line if the line is a region map, which ends the collection.
    pub(crate) fn line_error(&self, number: usize, bytes: &[u8], error: InputError) -> InputError {
        let text = String::from_utf8_lossy(bytes);
        jigsaw::reject_maps(&Document::new(&self.source, number, &text, None)).err().unwrap_or(error)
    }

    /// The meaning of 0 in the next puzzle, if it is set.
    fn zero(&self) -> Option<Zero> {
        self.options.zero.or(self.headers.zero())
    }

    fn text<'a>(&self, number: usize, bytes: &'a [u8]) -> Result<&'a str, InputError> {
        text_of(bytes).map_err(|bad| {
            let Position { line, column } = bad.position;
            let position = Position { line: number + line - 1, column };
            let error = InputError::new(&self.source, Some(position), bad.message);
            // In a text, one line is wrong. In a binary file, every line would be: one error is enough.
            let binary = bytes.contains(&0) || (!self.begun && bytes.iter().any(|&byte| is_control(byte)));
            if binary { error.in_source().with_rest_unread() } else { error }
        })
    }

    fn shape(&mut self, document: &Document<'_>, order: usize, line: &TextLine<'_>) -> Result<Arc<Shape>, InputError> {
        let shape = match self.shapes.iter().find(|shape| shape.order() == order) {
            Some(shape) => Arc::clone(shape),
            None => {
                let shape = self.headers.shape(document, order, None, line.start())?;
                self.shapes.push(Arc::clone(&shape));
                shape
            }
        };
        (self.order, self.begun) = (Some(order), true);
        Ok(shape)
    }
}

/// The value of each byte that is a cell; for other bytes, more than any order.
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

/// A fast path for lines of `order`² cells without spaces, frames or comments: appends the values. Returns false, and appends
/// none, for a line that needs the general path, [`line::cells`].
fn plain_cells(line: &[u8], order: usize, zero: Option<Zero>, values: &mut Vec<u8>) -> bool {
    if zero == Some(Zero::Value) {
        return false;
    }
    let start = values.len();
    values.extend(line.iter().map(|&byte| VALUES[usize::from(byte)]));
    let most = usize::from(values[start..].iter().fold(0, |most, &value| most.max(value)));
    // Without the value n, a 0 may be a value.
    let unambiguous = || {
        let zeros = line.iter().filter(|&&byte| byte == b'0').count();
        let empty = values[start..].iter().filter(|&&value| value == 0).count();
        zeros == 0 || (zeros == empty && zeros != order)
    };
    let is_plain = most <= order && (zero.is_some() || most == order || unambiguous());
    if !is_plain {
        values.truncate(start);
    }
    is_plain
}
