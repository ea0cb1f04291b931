//! Puzzles one by one from a source of any length, in bounded memory.

use std::io::{self, Cursor, Read};
use std::sync::Arc;

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
const MAX_SKIPPED_BYTES: u64 = 64 << 20;
const BUFFER_BYTES: usize = 4 * MAX_LINE_BYTES;

/// The puzzles of a source, one by one, without conflicts.
///
/// Most errors are about one line, and reading continues after it.
///
/// ```
/// use census_puzzle::Stream;
/// use census_puzzle::input::source::Source;
///
/// let text = "# name: first\n1..............2\n1...........x..2\n1.............12\n";
/// let mut stream = Stream::new(Source::new("four.sdm", text.as_bytes(), None))?;
/// let (mut puzzles, mut errors) = (Vec::new(), Vec::new());
/// let mut givens = Vec::new();
/// while let Some(next) = stream.next(&mut givens) {
///     match next {
///         Ok(puzzle) => puzzles.push(puzzle.with_givens(givens.drain(..).collect())),
///         Err(error) => errors.push(error.to_string()),
///     }
/// }
/// let names: Vec<_> = puzzles.iter().map(|puzzle| puzzle.name.as_deref()).collect();
/// assert_eq!(names, [Some("first"), None]);
/// assert_eq!(errors, ["four.sdm:3:13: the value 33 ('x') is above 4, the order of the grid"]);
/// # Ok::<(), census_puzzle::InputError>(())
/// ```
pub struct Stream {
    /// A path, `standard input` or `argument`; printable, on one line.
    pub name: Arc<str>,
    /// The length of the source in bytes, if known.
    pub size: Option<u64>,
    raw: Option<Arc<[u8]>>,
    kind: Kind,
}

enum Kind {
    One(Option<Box<ParsedPuzzle>>),
    Collection(Box<CollectionReader>),
}

/// A puzzle without its givens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamedPuzzle {
    /// The line on which the puzzle begins.
    pub line: usize,
    /// Its shape and headers.
    pub info: PuzzleInfo,
}

/// The parts of a [`Puzzle`] other than its givens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PuzzleInfo {
    /// See [`Puzzle::shape`].
    pub shape: Arc<Shape>,
    /// See [`Puzzle::name`].
    pub name: Option<String>,
    /// See [`Puzzle::expected`].
    pub expected: Option<u128>,
}

impl StreamedPuzzle {
    /// The puzzle with the givens that [`Stream::next`] has appended.
    pub fn with_givens(self, givens: Vec<u8>) -> Puzzle {
        self.info.with_givens(givens)
    }
}

impl PuzzleInfo {
    pub(crate) fn with_givens(self, givens: Vec<u8>) -> Puzzle {
        let PuzzleInfo { shape, name, expected } = self;
        Puzzle { name, shape, givens: Grid::new(givens), expected }
    }
}

impl Stream {
    /// Opens a source and recognises its format. A single puzzle is read at once, a collection line by line.
    pub fn new(source: Source) -> Result<Stream, InputError> {
        let Source { name, mut bytes, size, options } = source;
        let head = head(&mut bytes, size.is_none());
        let (head, complete) = head.map_err(|error| unreadable(&name, &error).with_rest_unread())?;
        check_text(&name, &head)?;
        if !complete {
            // In a collection of jigsaws, which is rejected, the second line is a map. Later lines are checked as they are read.
            let beginning = &head[..head.len().min(MAX_LINE_BYTES)];
            let end = beginning.iter().rposition(|byte| b"\r\n".contains(byte)).unwrap_or(0);
            formats::reject_maps(&name, without_bom(&beginning[..end]))?;
            let bom = head.len() - without_bom(&head).len();
            let mut start = Cursor::new(head);
            start.set_position(bom as u64);
            let reader = CollectionReader::new(start.chain(bytes), Collection::with_later_sections(&name, options));
            return Ok(Stream { name, size, raw: None, kind: Kind::Collection(reader) });
        }
        let size = Some(head.len() as u64);
        let raw: Arc<[u8]> = head.into();
        let kind = match recognize(&name, &raw, options)? {
            Contents::One(parsed) => Kind::One(Some(parsed)),
            Contents::Collection(lines) => {
                let bytes = Cursor::new(without_bom(&raw).to_vec());
                Kind::Collection(CollectionReader::new(bytes, Collection::new(&name, lines, options)))
            }
        };
        Ok(Stream { name, size, raw: Some(raw), kind })
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
                let line = parsed.positions.first().map_or(1, |position| position.line);
                Some(parsed.checked().map(|puzzle| {
                    givens.extend(puzzle.givens.values());
                    let info = PuzzleInfo { shape: puzzle.shape, name: puzzle.name, expected: puzzle.expected };
                    StreamedPuzzle { line, info }
                }))
            }
            Kind::Collection(reader) => {
                let start = givens.len();
                let next = reader.next(&self.name, givens);
                if matches!(next, Some(Err(_))) {
                    givens.truncate(start);
                }
                next
            }
        }
    }
}

/// Reads the beginning of a source; the flag is true if that is all of it. Of a slow source, reads only until it is recognised
/// as a collection.
fn head(bytes: &mut dyn Read, slow: bool) -> io::Result<(Vec<u8>, bool)> {
    let mut head = Vec::new();
    let mut piece = vec![0; 64 << 10];
    while head.len() <= HEAD_BYTES {
        let read = read(bytes, &mut piece)?;
        if read == 0 {
            return Ok((head, true));
        }
        head.extend(&piece[..read]);
        let ends = |&byte: &u8| byte == b'\n' || byte == b'\r';
        let lines = || head.iter().rposition(ends).map(|end| without_bom(&head[..end]));
        if slow && piece[..read].iter().any(ends) && lines().is_some_and(formats::begins_collection) {
            break;
        }
    }
    Ok((head, false))
}

/// Reads the available bytes; blocks for the first one.
fn read(bytes: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match bytes.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

/// Recognises a source that is complete in memory. In a collection, bytes that are not text make only their own line invalid.
fn recognize(name: &str, raw: &[u8], options: ReadOptions) -> Result<Contents, InputError> {
    let text = Text::decode(name, raw.to_vec());
    text.and_then(|text| formats::recognize(&Text { options, ..text })).or_else(|error| {
        let readable = |c: char| if c.is_control() && !"\t\r\n".contains(c) { char::REPLACEMENT_CHARACTER } else { c };
        let content = String::from_utf8_lossy(without_bom(raw)).chars().map(readable).collect();
        match formats::recognize(&Text { name: name.into(), content, raw: Vec::new(), options }) {
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
        let lines = LineReader::new(Box::new(bytes));
        Box::new(CollectionReader { lines, collection, check: None, begun: false, ended: false })
    }

    fn next(&mut self, name: &str, givens: &mut Vec<u8>) -> Option<Result<StreamedPuzzle, InputError>> {
        while !self.ended {
            let next = self.next_line(name, givens);
            self.begun |= next.is_some();
            self.ended |= matches!(&next, Some(Err(error)) if error.scope() == ErrorScope::Source);
            if next.is_some() {
                return next;
            }
        }
        None
    }

    /// The puzzle or the error of the next line, if there is one on it.
    fn next_line(&mut self, name: &str, givens: &mut Vec<u8>) -> Option<Result<StreamedPuzzle, InputError>> {
        let start = givens.len();
        let (number, line) = match self.lines.next() {
            Ok(Some(line)) => line,
            Ok(None) => {
                self.ended = true;
                let end = if self.begun { self.collection.end() } else { Err(formats::no_puzzle(name)) };
                return end.err().map(Err);
            }
            Err(failed) => {
                self.ended = !matches!(failed, LineFailure::TooLong { ended: true, .. });
                return Some(Err(failed.error(name)));
            }
        };
        let info = match self.collection.line(number, line, givens) {
            Ok(Some(info)) => info,
            Ok(None) => return None,
            Err(error) => return Some(Err(self.collection.line_error(number, line, error))),
        };
        let check = match &mut self.check {
            Some((shape, check)) if Arc::ptr_eq(shape, &info.shape) => check,
            other => &mut other.insert((Arc::clone(&info.shape), ConflictCheck::new(&info.shape))).1,
        };
        if check.has_conflict(&givens[start..]) {
            let parsed = self.collection.parsed(number, line, info.clone(), givens[start..].to_vec());
            if let Err(error) = parsed.and_then(ParsedPuzzle::checked) {
                return Some(Err(self.collection.line_error(number, line, error)));
            }
        }
        Some(Ok(StreamedPuzzle { line: number, info }))
    }
}

/// Splits a source into lines that end with LF, CRLF or CR.
struct LineReader {
    bytes: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// The first byte of the buffer that has not been returned.
    start: usize,
    /// Whether the source has ended.
    last: bool,
    /// Whether the last line ended with a CR, to which an LF may belong.
    after_cr: bool,
    number: usize,
    read: u64,
}

enum LineFailure {
    Unreadable(io::Error),
    TooLong {
        number: usize,
        /// The first bytes of the line.
        bytes: Vec<u8>,
        /// Whether the end of the line was found, so that reading can continue.
        ended: bool,
    },
}

impl LineFailure {
    fn error(self, name: &str) -> InputError {
        match self {
            LineFailure::Unreadable(error) => unreadable(name, &error).with_rest_unread(),
            LineFailure::TooLong { number, bytes, ended } => {
                let at = |column| Some(Position { line: number, column });
                match text_of(&bytes) {
                    // An error in the last bytes may be a character that was cut.
                    Err(bad) if bytes.len() - bad.position.column > 4 => {
                        InputError::new(name, at(bad.position.column), bad.to_string()).in_source().with_rest_unread()
                    }
                    _ if ended => {
                        let message = format!("a line of more than {} KiB: not a puzzle", MAX_LINE_BYTES >> 10);
                        InputError::new(name, at(1), message)
                    }
                    _ => {
                        let limit = MAX_SKIPPED_BYTES >> 20;
                        let message = format!(
                            "a line of more than {limit} MiB: not a puzzle; the rest of the source is not read"
                        );
                        InputError::new(name, at(1), message).with_rest_unread()
                    }
                }
            }
        }
    }
}

impl LineReader {
    fn new(bytes: Box<dyn Read + Send>) -> LineReader {
        LineReader { bytes, buffer: Vec::new(), start: 0, last: false, after_cr: false, number: 0, read: 0 }
    }

    /// The next line and its number; `None` at the end. After a final line end, there is no empty line.
    fn next(&mut self) -> Result<Option<(usize, &[u8])>, LineFailure> {
        let mut searched = 0;
        loop {
            if self.after_cr && self.start < self.buffer.len() {
                self.after_cr = false;
                if self.buffer[self.start] == b'\n' {
                    self.start += 1;
                    self.read += 1;
                }
            }
            let rest = &self.buffer[self.start..];
            let end = end_of_line(&rest[searched..]).map(|end| searched + end);
            let end = end.or((self.last && !rest.is_empty()).then_some(rest.len()));
            if end.unwrap_or(rest.len()) > MAX_LINE_BYTES {
                return Err(self.too_long());
            }
            if let Some(end) = end {
                self.after_cr = rest.get(end) == Some(&b'\r');
                let line = self.start..self.start + end;
                self.start = (line.end + 1).min(self.buffer.len());
                self.read += (self.start - line.start) as u64;
                self.number += 1;
                return Ok(Some((self.number, &self.buffer[line])));
            }
            if self.last {
                return Ok(None);
            }
            searched = rest.len();
            self.fill().map_err(LineFailure::Unreadable)?;
        }
    }

    /// Skips a line that is too long, up to a limit.
    fn too_long(&mut self) -> LineFailure {
        let bytes = self.buffer[self.start..][..MAX_LINE_BYTES].to_vec();
        self.number += 1;
        let mut skipped = 0;
        let ended = loop {
            let rest = &self.buffer[self.start..];
            let end = end_of_line(rest);
            let length = end.map_or(rest.len(), |end| end + 1);
            self.after_cr = end.is_some_and(|end| rest[end] == b'\r');
            self.start += length;
            self.read += length as u64;
            skipped += length as u64;
            if end.is_some() || self.last {
                break true;
            }
            if skipped > MAX_SKIPPED_BYTES {
                break false;
            }
            if let Err(error) = self.fill() {
                return LineFailure::Unreadable(error);
            }
        };
        LineFailure::TooLong { number: self.number, bytes, ended }
    }

    /// Appends the available bytes to the rest of the buffer. Does not wait for a full buffer: the source may be slow.
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.start);
        self.start = 0;
        let kept = self.buffer.len();
        self.buffer.resize(BUFFER_BYTES, 0);
        let read = read(&mut self.bytes, &mut self.buffer[kept..]);
        self.buffer.truncate(kept + read.as_ref().copied().unwrap_or(0));
        self.last = read? == 0;
        Ok(())
    }
}

/// The index of the first line end.
fn end_of_line(bytes: &[u8]) -> Option<usize> {
    const PIECE: usize = 32;
    let ends = |&byte: &u8| byte == b'\n' || byte == b'\r';
    // Without an early exit, the bytes of a piece are compared with vector instructions.
    let piece = bytes.chunks(PIECE).position(|piece| piece.iter().fold(false, |any, byte| any | ends(byte)))?;
    bytes[piece * PIECE..].iter().position(ends).map(|at| piece * PIECE + at)
}
