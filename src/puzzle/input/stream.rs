//! Puzzles one after the other, from a source of any length, in bounded memory.
//!
//! Of a collection no more is kept than a piece of the file and what its headers have said. A line that cannot be read is
//! an error with its place, and whoever wants to can go on after it.

use std::io::{self, Cursor, Read};
use std::sync::Arc;

use super::ReadOptions;
use super::source::{Source, Text, check_text, text_of, unreadable, without_mark};
use crate::conflict::Clash;
use crate::error::{ErrorScope, InputError, Position};
use crate::formats::collection::Collection;
use crate::formats::{self, Begun, PuzzleInfo};
use crate::{ParsedPuzzle, Shape};

/// What is read of a source to begin with. The largest grid takes some 12 KB: whatever is larger than this is a collection.
const HEAD_BYTES: usize = 1 << 20;
/// The longest line. The largest grid takes some 12 KB, and a comment should not be a book.
const MAX_LINE_BYTES: usize = 64 << 10;
/// How far a line that is longer is passed over. One that never ends must not be read for ever.
const MAX_PASSED_BYTES: u64 = 64 << 20;
/// How much of a source is in memory, at the most.
const BUFFER_BYTES: usize = 4 * MAX_LINE_BYTES;

/// The puzzles of a source, to be taken one by one.
pub struct Stream {
    /// A path, `standard input` or `argument`; printable, on one line.
    pub name: Arc<str>,
    /// The bytes of the source, where that is known.
    pub size: Option<u64>,
    /// All bytes, where they were few enough to be read at once.
    raw: Option<Arc<[u8]>>,
    kind: Kind,
}

enum Kind {
    One(Option<Box<ParsedPuzzle>>),
    Many(Box<Many>),
}

/// A puzzle, but for its givens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamedPuzzle {
    /// The line on which it begins.
    pub line: usize,
    /// What else is known of it.
    pub about: PuzzleInfo,
}

impl Stream {
    /// The puzzles of a source. If it is not a collection, its one puzzle has then been read.
    pub fn new(source: Source) -> Result<Stream, InputError> {
        let Source { name, mut bytes, size, options } = source;
        let head = head(&mut bytes, size.is_none());
        let (head, whole) = head.map_err(|error| unreadable(&name, &error).breaking_off())?;
        check_text(&name, &head)?;
        if !whole {
            // If they are jigsaws, the second line tells. What follows is looked at when it comes.
            let beginning = &head[..head.len().min(MAX_LINE_BYTES)];
            let ended = beginning.iter().rposition(|byte| b"\r\n".contains(byte)).unwrap_or(0);
            formats::refuse_maps(&name, without_mark(&beginning[..ended]))?;
            let marked = head.len() - without_mark(&head).len();
            let mut bytes = Cursor::new(head).chain(bytes);
            // The mark is there: it has just been seen.
            let _ = bytes.read_exact(&mut [0; 3][..marked]);
            let many = Many::new(Box::new(bytes), Collection::of_lines_to_come(&name, options));
            return Ok(Stream { name, size, raw: None, kind: Kind::Many(many) });
        }
        let size = Some(head.len() as u64);
        let raw: Arc<[u8]> = head.into();
        let kind = match begin(&name, &raw, options)? {
            Begun::One(reading) => Kind::One(Some(reading)),
            Begun::Collection(within) => {
                let bytes = Cursor::new(without_mark(&raw).to_vec());
                Kind::Many(Many::new(Box::new(bytes), Collection::new(&name, within, options)))
            }
        };
        Ok(Stream { name, size, raw: Some(raw), kind })
    }

    /// Whether the source holds one puzzle in a format for one puzzle.
    pub fn is_one(&self) -> bool {
        matches!(self.kind, Kind::One(_))
    }

    /// All bytes of the source, where they were few enough to be read at once.
    pub fn raw(&self) -> Option<&[u8]> {
        self.raw.as_deref()
    }

    /// The bytes that have been read so far.
    pub fn read(&self) -> u64 {
        match &self.kind {
            Kind::One(Some(_)) => 0,
            Kind::One(None) => self.size.unwrap_or(0),
            Kind::Many(many) => many.lines.read,
        }
    }

    /// The next puzzle, without conflicts; its givens go behind `givens`. An error is about one line, as a rule, and the
    /// next puzzle can be had after it; where the source cannot be read on, there is nothing more.
    pub fn next(&mut self, givens: &mut Vec<u8>) -> Option<Result<StreamedPuzzle, InputError>> {
        match &mut self.kind {
            Kind::One(reading) => {
                let reading = reading.take()?;
                let line = reading.places.first().map_or(1, |place| place.line);
                Some(reading.checked().map(|puzzle| {
                    givens.extend(puzzle.givens.values());
                    let about = PuzzleInfo { shape: puzzle.shape, name: puzzle.name, expected: puzzle.expected };
                    StreamedPuzzle { line, about }
                }))
            }
            Kind::Many(many) => {
                let start = givens.len();
                let next = many.next(&self.name, givens);
                if matches!(next, Some(Err(_))) {
                    givens.truncate(start);
                }
                next
            }
        }
    }
}

/// Reads the beginning of a source, and says whether that is all of it. Of a slow source no more is read than it takes to know
/// that it is a collection.
fn head(bytes: &mut dyn Read, slow: bool) -> io::Result<(Vec<u8>, bool)> {
    let mut head = Vec::new();
    let mut piece = vec![0; 64 << 10];
    while head.len() <= HEAD_BYTES {
        let found = read(bytes, &mut piece)?;
        if found == 0 {
            return Ok((head, true));
        }
        head.extend(&piece[..found]);
        let ends = |&byte: &u8| byte == b'\n' || byte == b'\r';
        let lines = || head.iter().rposition(ends).map(|end| without_mark(&head[..end]));
        if slow && piece[..found].iter().any(ends) && lines().is_some_and(formats::begins_collection) {
            break;
        }
    }
    Ok((head, false))
}

/// Reads what is there, but waits for at least one byte unless there are no more.
fn read(bytes: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match bytes.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            found => return found,
        }
    }
}

/// What the bytes of a small source are. A collection may have bytes in it that are no text: then their line is bad, not
/// all of it.
fn begin(name: &str, raw: &[u8], options: ReadOptions) -> Result<Begun, InputError> {
    let whole = Text::decode(name, raw.to_vec());
    whole.and_then(|text| formats::begin(&Text { options, ..text })).or_else(|error| {
        let readable = |c: char| if c.is_control() && !"\t\r\n".contains(c) { char::REPLACEMENT_CHARACTER } else { c };
        let text = String::from_utf8_lossy(without_mark(raw)).chars().map(readable).collect();
        match formats::begin(&Text { name: name.into(), content: text, raw: Vec::new(), options }) {
            Ok(begun @ Begun::Collection(_)) => Ok(begun),
            _ => Err(error),
        }
    })
}

/// The puzzles of a collection.
struct Many {
    lines: Lines,
    collection: Collection,
    clash: Option<(Arc<Shape>, Clash)>,
    /// Whether there has been a puzzle or an error.
    begun: bool,
    ended: bool,
}

impl Many {
    fn new(bytes: Box<dyn Read + Send>, collection: Collection) -> Box<Many> {
        Box::new(Many { lines: Lines::new(bytes), collection, clash: None, begun: false, ended: false })
    }

    fn next(&mut self, name: &str, givens: &mut Vec<u8>) -> Option<Result<StreamedPuzzle, InputError>> {
        while !self.ended {
            let next = self.next_line(name, givens);
            self.begun |= next.is_some();
            self.ended |= matches!(&next, Some(Err(error)) if error.subject() == ErrorScope::Source);
            if next.is_some() {
                return next;
            }
        }
        None
    }

    /// What the next line holds, if that is a puzzle or an error.
    fn next_line(&mut self, name: &str, givens: &mut Vec<u8>) -> Option<Result<StreamedPuzzle, InputError>> {
        let start = givens.len();
        let (number, line) = match self.lines.next() {
            Ok(Some(line)) => line,
            Ok(None) => {
                self.ended = true;
                let end = if self.begun { self.collection.end() } else { Err(formats::nothing_in(name)) };
                return end.err().map(Err);
            }
            Err(failed) => {
                // Behind a line that is too long, others may follow, if it has an end.
                self.ended = !matches!(failed, LineFailure::TooLong { ended: true, .. });
                return Some(Err(failed.error(name)));
            }
        };
        let about = match self.collection.line(number, line, givens) {
            Ok(Some(about)) => about,
            Ok(None) => return None,
            Err(error) => return Some(Err(self.collection.wrong(number, line, error))),
        };
        let clash = match &mut self.clash {
            Some((shape, clash)) if Arc::ptr_eq(shape, &about.shape) => clash,
            other => &mut other.insert((Arc::clone(&about.shape), Clash::new(&about.shape))).1,
        };
        if clash.is_in(&givens[start..]) {
            let reading = self.collection.reading(number, line, about.clone(), givens[start..].to_vec());
            if let Err(error) = reading.and_then(ParsedPuzzle::checked) {
                return Some(Err(self.collection.wrong(number, line, error)));
            }
        }
        Some(Ok(StreamedPuzzle { line: number, about }))
    }
}

/// The lines of a source, whether they end with LF, CRLF or CR.
struct Lines {
    bytes: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// The bytes of the buffer that have not been looked at, up to its end.
    start: usize,
    /// Whether there is nothing behind the buffer.
    last: bool,
    /// Whether the last line ended with a CR, to which an LF may belong.
    after_cr: bool,
    number: usize,
    read: u64,
}

/// Why there is no next line.
enum LineFailure {
    Unreadable(io::Error),
    /// These are the first of its bytes; its end may not have been found.
    TooLong {
        number: usize,
        bytes: Vec<u8>,
        ended: bool,
    },
}

impl LineFailure {
    fn error(self, name: &str) -> InputError {
        match self {
            LineFailure::Unreadable(error) => unreadable(name, &error).breaking_off(),
            LineFailure::TooLong { number, bytes, ended } => {
                let (column, message) = match text_of(&bytes) {
                    // The last character may have been cut in two.
                    Err(bad) if bytes.len() - bad.place.column > 4 => {
                        let place = Position { line: number, column: bad.place.column };
                        return InputError::new(name, Some(place), bad.to_string()).about_source();
                    }
                    _ if ended => (1, format!("a line of more than {} KiB: this is no puzzle", MAX_LINE_BYTES >> 10)),
                    _ => {
                        let most = MAX_PASSED_BYTES >> 20;
                        (1, format!("a line of more than {most} MiB: this is no puzzle, and nothing behind it is read"))
                    }
                };
                let error = InputError::new(name, Some(Position { line: number, column }), message);
                if ended { error } else { error.breaking_off() }
            }
        }
    }
}

impl Lines {
    fn new(bytes: Box<dyn Read + Send>) -> Lines {
        Lines { bytes, buffer: Vec::new(), start: 0, last: false, after_cr: false, number: 0, read: 0 }
    }

    /// The next line and its number; nothing at the end. An end of line at the very end begins no further one.
    fn next(&mut self) -> Result<Option<(usize, &[u8])>, LineFailure> {
        let mut looked = 0;
        loop {
            if self.after_cr && self.start < self.buffer.len() {
                self.after_cr = false;
                if self.buffer[self.start] == b'\n' {
                    self.start += 1;
                    self.read += 1;
                }
            }
            let rest = &self.buffer[self.start..];
            let end = end_of_line(&rest[looked..]).map(|end| looked + end);
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
            looked = rest.len();
            self.fill().map_err(LineFailure::Unreadable)?;
        }
    }

    /// Passes over a line that is too long, if it has an end that is not too far.
    fn too_long(&mut self) -> LineFailure {
        let bytes = self.buffer[self.start..][..MAX_LINE_BYTES].to_vec();
        self.number += 1;
        let mut passed = 0;
        let ended = loop {
            let rest = &self.buffer[self.start..];
            let end = end_of_line(rest);
            let length = end.map_or(rest.len(), |end| end + 1);
            self.after_cr = end.is_some_and(|end| rest[end] == b'\r');
            self.start += length;
            self.read += length as u64;
            passed += length as u64;
            if end.is_some() || self.last {
                break true;
            }
            if passed > MAX_PASSED_BYTES {
                break false;
            }
            if let Err(error) = self.fill() {
                return LineFailure::Unreadable(error);
            }
        };
        LineFailure::TooLong { number: self.number, bytes, ended }
    }

    /// Reads on, behind what is left in the buffer: no more than is there, so that nobody waits for a slow source without need.
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.start);
        self.start = 0;
        let kept = self.buffer.len();
        self.buffer.resize(BUFFER_BYTES, 0);
        let found = read(&mut self.bytes, &mut self.buffer[kept..]);
        self.buffer.truncate(kept + found.as_ref().copied().unwrap_or(0));
        self.last = found? == 0;
        Ok(())
    }
}

/// Where the first line ends.
fn end_of_line(bytes: &[u8]) -> Option<usize> {
    const TOGETHER: usize = 32;
    let ends = |&byte: &u8| byte == b'\n' || byte == b'\r';
    // All bytes of a piece are compared at once: a line has none but one.
    let piece = bytes.chunks(TOGETHER).position(|piece| piece.iter().fold(false, |any, byte| any | ends(byte)))?;
    bytes[piece * TOGETHER..].iter().position(ends).map(|at| piece * TOGETHER + at)
}
