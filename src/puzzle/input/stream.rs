//! Puzzles one by one from a source of any length, in bounded memory.

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::sync::Arc;

use memchr::memchr2;

use super::ReadOptions;
use super::source::{Source, Text, check_text, text_of, unreadable, without_bom};
use crate::conflict::ConflictCheck;
use crate::error::{ErrorScope, InputError, Position};
use crate::formats::collection::Collection;
use crate::formats::{self, Contents};
use crate::{Grid, ParsedPuzzle, Puzzle, Shape};

/// A longer source is a collection: the largest grid takes some 12 KB.
const HEAD_BYTES: usize = 1 << 20;
/// The longest line. The largest grid takes some 12 KB.
const MAX_LINE_BYTES: usize = 64 << 10;
/// A longer line is skipped if it ends within so many bytes: it may have no end.
const MAX_SKIPPED_BYTES: usize = 64 << 20;

/// The puzzles of a source, one by one, without conflicts.
///
/// Most errors are about one line, and reading continues after it.
pub struct Stream {
    /// A path, `standard input` or `argument`; printable, on one line.
    pub name: Arc<str>,
    /// The length of the source in bytes, if known.
    pub size: Option<u64>,
    raw: Option<Vec<u8>>,
    kind: Kind,
}

enum Kind {
    One(Option<Box<ParsedPuzzle>>),
    Collection(Box<CollectionReader>),
}

/// A puzzle without its givens, which [`Stream::next`] appends to a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamedPuzzle {
    /// The line on which the puzzle begins.
    pub line: usize,
    /// See [`Puzzle::shape`].
    pub shape: Arc<Shape>,
    /// See [`Puzzle::name`].
    pub name: Option<String>,
    /// See [`Puzzle::expected`].
    pub expected: Option<u128>,
}

impl StreamedPuzzle {
    /// The puzzle with its givens.
    pub fn with_givens(self, givens: Vec<u8>) -> Puzzle {
        Puzzle { name: self.name, shape: self.shape, givens: Grid::new(givens), expected: self.expected }
    }
}

impl Stream {
    /// Opens a source and recognises its format. A single puzzle is read at once, a collection line by line.
    pub fn new(source: Source) -> Result<Stream, InputError> {
        let Source { name, mut bytes, size, options } = source;
        let head = head(&mut bytes, size.is_none());
        let (head, complete) = head.map_err(|error| unreadable(&name, &error).with_rest_unread())?;
        check_text(&name, &head)?;
        let text = without_bom(&head);
        if complete {
            let kind = match recognize(&name, &head, options)? {
                Contents::One(parsed) => Kind::One(Some(parsed)),
                Contents::Collection(lines) => {
                    let collection = Collection::new(&name, Some(lines), options);
                    Kind::Collection(CollectionReader::new(Cursor::new(text.to_vec()), collection))
                }
            };
            return Ok(Stream { name, size: Some(head.len() as u64), raw: Some(head), kind });
        }
        // In a collection of jigsaws, which is rejected, the second line is a map. Later lines are checked as they are read.
        let beginning = &head[..head.len().min(MAX_LINE_BYTES)];
        formats::reject_maps(&name, without_bom(&beginning[..last_line_end(beginning).unwrap_or(0)]))?;
        let rest = Cursor::new(text.to_vec()).chain(bytes);
        let kind = Kind::Collection(CollectionReader::new(rest, Collection::new(&name, None, options)));
        Ok(Stream { name, size, raw: None, kind })
    }

    /// Whether the source holds one puzzle in a format for one puzzle.
    pub fn is_one(&self) -> bool {
        matches!(self.kind, Kind::One(_))
    }

    /// All bytes of the source, if they were few enough to be read at once.
    pub fn raw(&self) -> Option<&[u8]> {
        self.raw.as_deref()
    }

    /// The bytes that have been read so far, for a progress display.
    pub fn read(&self) -> u64 {
        match &self.kind {
            Kind::One(Some(_)) => 0,
            Kind::One(None) => self.size.unwrap_or(0),
            Kind::Collection(reader) => reader.lines.read,
        }
    }

    /// The next puzzle; its givens are appended to `givens`, row by row. After an error with [`ErrorScope::Source`], there are no
    /// more puzzles.
    pub fn next(&mut self, givens: &mut Vec<u8>) -> Option<Result<StreamedPuzzle, InputError>> {
        match &mut self.kind {
            Kind::One(parsed) => {
                let parsed = parsed.take()?;
                let line = parsed.line();
                Some(parsed.checked().map(|Puzzle { name, shape, givens: grid, expected }| {
                    givens.extend(grid.values());
                    StreamedPuzzle { line, shape, name, expected }
                }))
            }
            Kind::Collection(reader) => reader.next(givens),
        }
    }
}

/// Reads the beginning of a source; the flag is true if that is all of it. Of a slow source, reads only until it is recognised
/// as a collection.
fn head(bytes: &mut dyn Read, slow: bool) -> io::Result<(Vec<u8>, bool)> {
    let mut head = Vec::new();
    let mut piece = vec![0; 64 << 10];
    while head.len() <= HEAD_BYTES {
        let read = match bytes.read(&mut piece) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => &piece[..read?],
        };
        if read.is_empty() {
            return Ok((head, true));
        }
        head.extend(read);
        if slow
            && last_line_end(read).is_some()
            && last_line_end(&head).is_some_and(|end| formats::begins_collection(without_bom(&head[..end])))
        {
            break;
        }
    }
    Ok((head, false))
}

fn last_line_end(bytes: &[u8]) -> Option<usize> {
    memchr::memrchr2(b'\n', b'\r', bytes)
}

/// Recognises a source that is complete in memory. In a collection, bytes that are not text make only their own line invalid.
fn recognize(name: &Arc<str>, bytes: &[u8], options: ReadOptions) -> Result<Contents, InputError> {
    let text = Text::decode(name, bytes.to_vec());
    text.and_then(|text| formats::recognize(&Text { options, ..text })).or_else(|error| {
        let readable = |c: char| if c.is_control() && !"\t\r\n".contains(c) { char::REPLACEMENT_CHARACTER } else { c };
        let content = String::from_utf8_lossy(without_bom(bytes)).chars().map(readable).collect();
        match formats::recognize(&Text { name: Arc::clone(name), content, options }) {
            Ok(contents @ Contents::Collection(_)) => Ok(contents),
            _ => Err(error),
        }
    })
}

struct CollectionReader {
    lines: LineReader,
    collection: Collection,
    /// For the shape of the last puzzle.
    check: Option<(Arc<Shape>, ConflictCheck)>,
    /// Whether there has been a puzzle or an error.
    begun: bool,
    ended: bool,
}

impl CollectionReader {
    fn new(bytes: impl Read + Send + 'static, collection: Collection) -> Box<CollectionReader> {
        let lines = LineReader::new(Arc::clone(&collection.source), Box::new(bytes));
        Box::new(CollectionReader { lines, collection, check: None, begun: false, ended: false })
    }

    fn next(&mut self, givens: &mut Vec<u8>) -> Option<Result<StreamedPuzzle, InputError>> {
        let start = givens.len();
        while !self.ended {
            let next = self.next_line(givens).transpose();
            if let Some(Err(error)) = &next {
                givens.truncate(start);
                self.ended |= error.scope() == ErrorScope::Source || error.rest_unread();
            }
            if next.is_some() {
                self.begun = true;
                return next;
            }
        }
        None
    }

    fn next_line(&mut self, givens: &mut Vec<u8>) -> Result<Option<StreamedPuzzle>, InputError> {
        let CollectionReader { lines, collection, check, begun, ended } = self;
        let Some((number, line)) = lines.next()? else {
            *ended = true;
            let end = if *begun { collection.end() } else { Err(formats::no_puzzle(&collection.source)) };
            return end.map(|()| None);
        };
        let start = givens.len();
        let read = collection.line(number, line, givens).and_then(|puzzle| {
            let Some(puzzle) = puzzle else { return Ok(None) };
            let check = match check {
                Some((shape, check)) if Arc::ptr_eq(shape, &puzzle.shape) => check,
                other => &mut other.insert((Arc::clone(&puzzle.shape), ConflictCheck::new(&puzzle.shape))).1,
            };
            if check.has_conflict(&givens[start..]) {
                collection.parsed(line, puzzle.clone(), givens[start..].to_vec())?.checked()?;
            }
            Ok(Some(puzzle))
        });
        read.map_err(|error| collection.line_error(number, line, error))
    }
}

/// Splits a source into lines that end with LF, CRLF or CR.
struct LineReader {
    name: Arc<str>,
    bytes: BufReader<Box<dyn Read + Send>>,
    /// The last line. Of a line that is too long, the beginning.
    line: Vec<u8>,
    /// Whether the last line ended with a CR, to which an LF may belong.
    after_cr: bool,
    number: usize,
    read: u64,
}

impl LineReader {
    fn new(name: Arc<str>, bytes: Box<dyn Read + Send>) -> LineReader {
        let bytes = BufReader::with_capacity(4 * MAX_LINE_BYTES, bytes);
        LineReader { name, bytes, line: Vec::new(), after_cr: false, number: 0, read: 0 }
    }

    /// The next line and its number; `None` at the end. After a final line end, there is no empty line.
    fn next(&mut self) -> Result<Option<(usize, &[u8])>, InputError> {
        self.line.clear();
        self.number += 1;
        let mut length = 0;
        let ended = loop {
            // Does not wait for a full buffer: the source may be slow.
            let buffer = match self.bytes.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                buffer => buffer.map_err(|error| unreadable(&self.name, &error).with_rest_unread())?,
            };
            if self.after_cr && buffer.first() == Some(&b'\n') {
                self.after_cr = false;
                self.read += 1;
                self.bytes.consume(1);
                continue;
            }
            let end = memchr2(b'\n', b'\r', buffer);
            let piece = &buffer[..end.unwrap_or(buffer.len())];
            // A byte more than allowed shows that the line is too long.
            self.line.extend(&piece[..piece.len().min(MAX_LINE_BYTES + 1 - self.line.len())]);
            self.after_cr = end.is_some_and(|end| buffer[end] == b'\r');
            let (used, last) = (piece.len() + usize::from(end.is_some()), buffer.is_empty());
            self.bytes.consume(used);
            self.read += used as u64;
            length += used;
            if end.is_some() || last {
                break true;
            }
            if length > MAX_SKIPPED_BYTES {
                break false;
            }
        };
        if self.line.len() > MAX_LINE_BYTES {
            return Err(self.too_long(ended));
        }
        Ok((length > 0).then_some((self.number, &self.line)))
    }

    /// The error for a line that is too long. `ended`: whether its end was found, so that reading can continue.
    fn too_long(&self, ended: bool) -> InputError {
        let error = |column, message: String| {
            InputError::new(&self.name, Some(Position { line: self.number, column }), message)
        };
        let bytes = &self.line[..MAX_LINE_BYTES];
        match text_of(bytes) {
            // An error in the last bytes may be a character that was cut.
            Err(bad) if bytes.len() - bad.position.column > 4 => {
                error(bad.position.column, bad.message).in_source().with_rest_unread()
            }
            _ if ended => error(1, format!("a line of more than {} KiB: not a puzzle", MAX_LINE_BYTES >> 10)),
            _ => {
                let limit = MAX_SKIPPED_BYTES >> 20;
                let message = "not a puzzle; the rest of the source is not read";
                error(1, format!("a line of more than {limit} MiB: {message}")).with_rest_unread()
            }
        }
    }
}
