//! Where a puzzle's text comes from: a file, standard input, or the command line itself.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::ReadOptions;
use crate::error::{InputError, Position};
use crate::formats::nearest_order;
use crate::grid::{MAX_SYMBOL_ORDER, value_of};

/// The most that is taken into memory of one source, in bytes. A device that never ends must not fill it.
pub const MAX_BYTES: usize = 64 << 20;

/// The least number of cells that are taken for a puzzle with a slip rather than for a name.
const LEAST_MEANT: usize = 10;

/// The name of a text that came through standard input.
const STANDARD_INPUT: &str = "standard input";
/// The name of a text that is the argument itself.
pub const ARGUMENT: &str = "argument";

/// A text and where it came from.
#[derive(Clone, Debug)]
pub struct Text {
    /// A path, `standard input` or `argument`; printable, on one line.
    pub name: Arc<str>,
    /// The text, without a byte order mark.
    pub content: String,
    /// The bytes as they were found, for whoever wants to hash them.
    pub raw: Vec<u8>,
    /// How to read it.
    pub options: ReadOptions,
}

impl Text {
    /// Takes bytes for text, if they are: UTF-8 without control bytes other than tabs and line ends.
    pub fn decode(name: &str, raw: Vec<u8>) -> Result<Text, InputError> {
        check_text(&printable(name), &raw)?;
        match text_of(without_mark(&raw)) {
            Ok(content) => {
                let content = content.to_owned();
                Ok(Text { name: printable(name).into(), content, raw, options: ReadOptions::default() })
            }
            Err(bad) => {
                let error = InputError::new(&printable(name), Some(bad.place), bad.to_string());
                Err(if bad.control { error.about_source() } else { error })
            }
        }
    }
}

/// A byte that does not belong in a text.
pub(crate) struct BadByte {
    byte: u8,
    control: bool,
    /// Where it stands in what was looked at.
    pub place: Position,
}

impl fmt::Display for BadByte {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.control { "a control byte" } else { "not UTF-8" };
        write!(f, "this is not a text file: byte 0x{:02X} is {what}", self.byte)
    }
}

/// Takes bytes for text, if they are: UTF-8 without control bytes other than tabs and line ends.
pub(crate) fn text_of(bytes: &[u8]) -> Result<&str, BadByte> {
    let utf8 = std::str::from_utf8(bytes);
    let valid = utf8.as_ref().map_or_else(|error| error.valid_up_to(), |text| text.len());
    let control = bytes[..valid].iter().position(|&byte| is_control(byte));
    match (control, utf8) {
        (None, Ok(text)) => Ok(text),
        (at, _) => {
            let at = at.unwrap_or(valid);
            Err(BadByte { byte: bytes[at], control: at < valid, place: place_of(&bytes[..at]) })
        }
    }
}

/// Whether a byte has no place in a text.
pub(crate) fn is_control(byte: u8) -> bool {
    (byte < b' ' || byte == 0x7F) && !b"\t\r\n".contains(&byte)
}

/// What is often taken for a text, how it begins, and what makes a text of it.
const NO_TEXTS: [(&[u8], &str, &str); 7] = [
    (b"\x1F\x8B", "gzip", "zcat"),
    (b"BZh91AY&SY", "bzip2", "bzcat"),
    (b"\xFD7zXZ\0", "xz", "xzcat"),
    (b"\x28\xB5\x2F\xFD", "zstd", "zstdcat"),
    (b"PK\x03\x04", "zip", "unzip -p"),
    (b"\xFF\xFE", "UTF-16", "iconv -f UTF-16 -t UTF-8"),
    (b"\xFE\xFF", "UTF-16", "iconv -f UTF-16 -t UTF-8"),
];

/// Refuses what is no text, but can be made one.
pub(crate) fn check_text(name: &str, bytes: &[u8]) -> Result<(), InputError> {
    match NO_TEXTS.iter().find(|(start, ..)| bytes.starts_with(start)) {
        Some((_, what, command)) => {
            let message = format!("this is a {what} file: try `{command} FILE | census count -`");
            Err(InputError::new(name, Some(Position { line: 1, column: 1 }), message).about_source())
        }
        None => Ok(()),
    }
}

/// Bytes without the byte order mark that they may begin with.
pub(crate) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

/// Where a text can be had, of which nothing has been read.
pub struct Source {
    /// A path, `standard input` or `argument`; printable, on one line.
    pub name: Arc<str>,
    pub(crate) bytes: Box<dyn Read + Send>,
    /// All bytes of it, where that is known: not those of a pipe, which may be slow.
    pub(crate) size: Option<u64>,
    pub(crate) options: ReadOptions,
}

impl Source {
    /// A source of this name.
    pub fn new(name: &str, bytes: impl Read + Send + 'static, size: Option<u64>) -> Source {
        Source { name: printable(name).into(), bytes: Box::new(bytes), size, options: ReadOptions::default() }
    }

    /// The same source, to be read like this.
    pub fn with(self, options: ReadOptions) -> Source {
        Source { options, ..self }
    }

    /// The same; whoever looks can see whether somebody waits for bytes of it. Nobody has to wait for a file.
    pub fn watched(self, waits: Arc<AtomicBool>) -> Source {
        if self.size.is_some() {
            return self;
        }
        Source { bytes: Box::new(Watched { bytes: self.bytes, waits }), ..self }
    }

    /// All of it, as a text.
    pub fn whole(self) -> Result<Text, InputError> {
        let mut raw = Vec::new();
        let found = self.bytes.take(MAX_BYTES as u64 + 1).read_to_end(&mut raw);
        found.map_err(|error| unreadable(&self.name, &error))?;
        if raw.len() > MAX_BYTES {
            let message = format!("larger than {} MiB, the most that is read", MAX_BYTES >> 20);
            return Err(failure(&self.name, &message));
        }
        Ok(Text { options: self.options, ..Text::decode(&self.name, raw)? })
    }
}

/// Bytes, and whether somebody waits for them.
struct Watched {
    bytes: Box<dyn Read + Send>,
    waits: Arc<AtomicBool>,
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.waits.store(true, Ordering::Relaxed);
        let found = self.bytes.read(buffer);
        self.waits.store(false, Ordering::Relaxed);
        found
    }
}

/// All of the text that an argument names, to be read like this.
pub fn load(argument: &str, options: ReadOptions) -> Result<Text, InputError> {
    open(argument)?.with(options).whole()
}

/// Finds the text that an argument names: `-` is standard input, an existing file wins over a puzzle in the argument
/// itself.
pub fn open(argument: &str) -> Result<Source, InputError> {
    use io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound, PermissionDenied};
    if argument == "-" {
        return Ok(Source::new(STANDARD_INPUT, io::stdin(), None));
    }
    match File::open(argument) {
        Ok(file) => match file.metadata() {
            Ok(data) if data.is_dir() => Err(failure(argument, "is a directory")),
            Ok(data) if data.is_file() => Ok(Source::new(argument, file, Some(data.len()))),
            _ => Ok(Source::new(argument, file, None)),
        },
        // A file that is there but closed to us is still what was meant.
        Err(error) if error.kind() == PermissionDenied => Err(unreadable(argument, &error)),
        Err(_) if is_puzzle(argument) => {
            let size = argument.len() as u64;
            Ok(Source::new(ARGUMENT, io::Cursor::new(argument.to_owned()), Some(size)))
        }
        Err(error) => match error.kind() {
            // What cannot even be a path names no file either.
            _ if argument.is_empty() => Err(failure(ARGUMENT, "is empty: expected a file or a puzzle")),
            NotFound | NotADirectory | InvalidFilename | InvalidInput => Err(no_such_file(argument)),
            _ => Err(unreadable(argument, &error)),
        },
    }
}

/// Whether a string that names no file is meant as a puzzle: so many cells and nothing else, or 81 characters whatever
/// they are. If one is wrong, the error can then name its column.
fn is_puzzle(argument: &str) -> bool {
    let cells = argument.chars().count();
    let order = cells.isqrt();
    let fits = |c| value_of(c).is_some_and(|value| usize::from(value) <= order);
    let nothing_else = (4..=MAX_SYMBOL_ORDER).contains(&order) && order * order == cells && argument.chars().all(fits);
    nothing_else || (cells == 81 && !argument.contains('/'))
}

/// A file that is not there, unless a puzzle was meant that has too few cells or too many.
fn no_such_file(argument: &str) -> InputError {
    let values: Option<Vec<u8>> = argument.chars().map(value_of).collect();
    let cells = values.as_ref().map_or(0, Vec::len);
    let most = values.iter().flatten().max().map_or(0, |&value| usize::from(value));
    let nearest = nearest_order(cells).max(4);
    let order = if most > nearest { 9 } else { nearest };
    if cells < LEAST_MEANT || most > order || order > MAX_SYMBOL_ORDER {
        return failure(argument, "no such file");
    }
    let message = format!("no such file, and as a puzzle it has {cells} cells, expected {}", order * order);
    failure(argument, &message)
}

fn failure(name: &str, message: &str) -> InputError {
    InputError::new(&printable(name), None, message)
}

pub(crate) fn unreadable(name: &str, error: &io::Error) -> InputError {
    failure(name, &format!("cannot be read: {error}"))
}

/// A name on one line, whatever the file system allows in it.
pub fn printable(name: &str) -> String {
    let mut printed = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_control() { printed.extend(c.escape_default()) } else { printed.push(c) }
    }
    printed
}

/// The place right after these bytes, which are UTF-8.
fn place_of(before: &[u8]) -> Position {
    let text = String::from_utf8_lossy(before);
    let (mut line, mut column) = (1, 1);
    let mut last = ' ';
    for c in text.chars() {
        match c {
            '\n' if last == '\r' => {}
            '\n' | '\r' => (line, column) = (line + 1, 1),
            _ => column += 1,
        }
        last = c;
    }
    Position { line, column }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const INKALA: &str = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";

    fn load(argument: &str) -> Result<Text, InputError> {
        super::load(argument, ReadOptions::default())
    }

    fn complaint(result: Result<Text, InputError>) -> String {
        result.expect_err("must be refused").to_string()
    }

    #[test]
    fn an_existing_file_wins_and_keeps_its_bytes() {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(b"\xEF\xBB\xBF12\r\n21\r\n").expect("written");
        let path = file.path().to_str().expect("a printable path");
        let text = load(path).expect("a text");
        assert_eq!((&*text.name, &*text.content), (path, "12\r\n21\r\n"));
        assert_eq!(text.raw, b"\xEF\xBB\xBF12\r\n21\r\n");
    }

    #[test]
    fn a_puzzle_may_be_the_argument_itself() {
        let sixteen = format!("1G{}", ".".repeat(254));
        for puzzle in [INKALA, "1...............", &sixteen] {
            let text = load(puzzle).expect("a text");
            assert_eq!((&*text.name, &*text.content), ("argument", puzzle));
        }
    }

    #[test]
    fn eighty_one_characters_are_a_puzzle_even_with_a_wrong_one() {
        assert_eq!(&*load(&INKALA.replace('7', "?")).expect("a text").name, "argument");
    }

    #[test]
    fn anything_else_is_a_file_that_is_not_there() {
        assert_eq!(complaint(load("no-such.sdk")), "no-such.sdk: no such file");
        assert_eq!(complaint(load(&INKALA.replace('7', "/")))[81..], *": no such file");
        assert_eq!(complaint(load("puzzles.sdm")), "puzzles.sdm: no such file");
        assert_eq!(complaint(load("123456789")), "123456789: no such file");
        assert_eq!(complaint(load(&"?".repeat(256)))[256..], *": no such file");
        assert_eq!(complaint(load("/dev/null/x")), "/dev/null/x: no such file");
        assert_eq!(complaint(load("a\nb")), "a\\nb: no such file");
    }

    #[test]
    fn a_puzzle_with_a_slip_in_its_length_is_told_so() {
        let sixteen = format!("1G{}", ".".repeat(253));
        for (argument, cells, expected) in [
            (&INKALA[1..], 80, 81),
            ("5...............", 16, 81),
            ("5300700006", 10, 81),
            ("1..............", 15, 16),
            (&sixteen, 255, 256),
        ] {
            let found = complaint(load(argument));
            let slip = format!("{argument}: no such file, and as a puzzle it has {cells} cells, expected {expected}");
            assert_eq!(found, slip);
        }
        assert_eq!(complaint(load("")), "argument: is empty: expected a file or a puzzle");
    }

    #[test]
    fn a_directory_is_named_as_one() {
        assert_eq!(complaint(load("/")), "/: is a directory");
    }

    #[test]
    fn a_device_that_never_ends_is_refused() {
        assert_eq!(complaint(load("/dev/zero")), "/dev/zero: larger than 64 MiB, the most that is read");
    }

    #[test]
    fn bytes_that_are_no_text_are_named_with_their_place() {
        let cases: [(&[u8], &str); 7] = [
            (b"12\n3\x004", "f:2:2: this is not a text file: byte 0x00 is a control byte"),
            (b"\xEF\xBB\xBF\x7F", "f:1:1: this is not a text file: byte 0x7F is a control byte"),
            (b"1\r\n2\r3\xFF", "f:3:2: this is not a text file: byte 0xFF is not UTF-8"),
            ("é│\u{1b}".as_bytes(), "f:1:3: this is not a text file: byte 0x1B is a control byte"),
            (b"\xFF\xFE1\x00", "f:1:1: this is a UTF-16 file: try `iconv -f UTF-16 -t UTF-8 FILE | census count -`"),
            (b"\x1F\x8B\x08", "f:1:1: this is a gzip file: try `zcat FILE | census count -`"),
            (b"PK\x03\x04", "f:1:1: this is a zip file: try `unzip -p FILE | census count -`"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(complaint(Text::decode("f", bytes.into())), expected);
        }
    }
}
