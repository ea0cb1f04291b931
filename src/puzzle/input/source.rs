//! The text of a puzzle: from a file, standard input, or the command line.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::ReadOptions;
use crate::error::{InputError, Position};
use crate::formats::{nearest_order, split_lines};
use crate::grid::{MAX_SYMBOL_ORDER, value_of};

/// Limits the memory that a source takes: a device may have no end.
const MAX_BYTES: usize = 64 << 20;

/// An argument with at least so many cells is more likely a mistyped puzzle than a file name.
const MIN_CELLS_OF_PUZZLE: usize = 10;

/// The name of the argument itself as a source.
pub const ARGUMENT: &str = "argument";

/// A complete text and its source.
#[derive(Clone, Debug)]
pub struct Text {
    /// A path, `standard input` or `argument`; printable, on one line.
    pub name: Arc<str>,
    /// The text, without a byte order mark.
    pub content: String,
    /// How to read the text.
    pub options: ReadOptions,
}

impl Text {
    /// Decodes UTF-8 without control characters other than tabs and line ends.
    pub fn decode(name: &str, raw: Vec<u8>) -> Result<Text, InputError> {
        let name = printable(name);
        check_text(&name, &raw)?;
        match text_of(without_bom(&raw)) {
            Ok(content) => Ok(Text { name: name.into(), content: content.to_owned(), options: ReadOptions::default() }),
            Err(bad) => {
                let error = InputError::new(&name, Some(bad.position), bad.message);
                Err(if bad.control { error.in_source() } else { error })
            }
        }
    }
}

/// A byte that is not UTF-8, or a control character.
pub(crate) struct BadByte {
    pub message: String,
    control: bool,
    /// Relative to the bytes that were checked.
    pub position: Position,
}

/// Decodes UTF-8 without control characters other than tabs and line ends.
pub(crate) fn text_of(bytes: &[u8]) -> Result<&str, BadByte> {
    let utf8 = std::str::from_utf8(bytes);
    let valid = utf8.as_ref().map_or_else(|error| error.valid_up_to(), |text| text.len());
    let control = bytes[..valid].iter().position(|&byte| is_control(byte));
    match (control, utf8) {
        (None, Ok(text)) => Ok(text),
        (control, _) => {
            let at = control.unwrap_or(valid);
            let what = if control.is_some() { "a control byte" } else { "not UTF-8" };
            let message = format!("this is not a text file: byte 0x{:02X} is {what}", bytes[at]);
            Err(BadByte { message, control: control.is_some(), position: position_after(&bytes[..at]) })
        }
    }
}

pub(crate) fn is_control(byte: u8) -> bool {
    (byte < b' ' || byte == 0x7F) && !b"\t\r\n".contains(&byte)
}

/// Files that are often mistaken for text: first bytes, name, command that converts to text.
const NON_TEXT: [(&[u8], &str, &str); 7] = [
    (b"\x1F\x8B", "gzip", "zcat"),
    (b"BZh91AY&SY", "bzip2", "bzcat"),
    (b"\xFD7zXZ\0", "xz", "xzcat"),
    (b"\x28\xB5\x2F\xFD", "zstd", "zstdcat"),
    (b"PK\x03\x04", "zip", "unzip -p"),
    (b"\xFF\xFE", "UTF-16", "iconv -f UTF-16 -t UTF-8"),
    (b"\xFE\xFF", "UTF-16", "iconv -f UTF-16 -t UTF-8"),
];

/// Rejects compressed files and UTF-16.
pub(crate) fn check_text(name: &str, bytes: &[u8]) -> Result<(), InputError> {
    match NON_TEXT.iter().find(|(start, ..)| bytes.starts_with(start)) {
        Some((_, what, command)) => {
            let message = format!("this is a {what} file: try `{command} FILE | census count -`");
            Err(InputError::new(name, Some(Position { line: 1, column: 1 }), message).in_source())
        }
        None => Ok(()),
    }
}

pub(crate) fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

/// An open source of which nothing has been read.
pub struct Source {
    /// A path, `standard input` or `argument`; printable, on one line.
    pub name: Arc<str>,
    pub(crate) bytes: Box<dyn Read + Send>,
    /// Its length in bytes, if known. A source of unknown length, such as a pipe, may block for long.
    pub(crate) size: Option<u64>,
    pub(crate) options: ReadOptions,
}

impl Source {
    /// A source with default options. `size` is its length in bytes, if known.
    pub fn new(name: &str, bytes: impl Read + Send + 'static, size: Option<u64>) -> Source {
        Source { name: printable(name).into(), bytes: Box::new(bytes), size, options: ReadOptions::default() }
    }

    /// Sets the options.
    pub fn with(self, options: ReadOptions) -> Source {
        Source { options, ..self }
    }

    /// Keeps `waiting` true while a read blocks. A source of known length does not block: for it, `waiting` stays as it is.
    pub fn with_wait_flag(self, waiting: Arc<AtomicBool>) -> Source {
        if self.size.is_some() {
            return self;
        }
        Source { bytes: Box::new(WaitFlag { bytes: self.bytes, waiting }), ..self }
    }
}

struct WaitFlag {
    bytes: Box<dyn Read + Send>,
    waiting: Arc<AtomicBool>,
}

impl Read for WaitFlag {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.waiting.store(true, Ordering::Relaxed);
        let read = self.bytes.read(buffer);
        self.waiting.store(false, Ordering::Relaxed);
        read
    }
}

/// Reads the complete text that an argument refers to; see [`open`].
pub fn load(argument: &str, options: ReadOptions) -> Result<Text, InputError> {
    let Source { name, bytes, .. } = open(argument)?;
    let mut raw = Vec::new();
    bytes.take(MAX_BYTES as u64 + 1).read_to_end(&mut raw).map_err(|error| unreadable(&name, &error))?;
    if raw.len() > MAX_BYTES {
        return Err(failure(&name, &format!("larger than {} MiB, the limit", MAX_BYTES >> 20)));
    }
    Ok(Text { options, ..Text::decode(&name, raw)? })
}

/// Opens the source that an argument refers to: `-` is standard input; an existing file has precedence over a puzzle in the
/// argument itself.
pub fn open(argument: &str) -> Result<Source, InputError> {
    use io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound, PermissionDenied};
    if argument == "-" {
        return Ok(Source::new("standard input", io::stdin(), None));
    }
    match File::open(argument) {
        Ok(file) => match file.metadata() {
            Ok(data) if data.is_dir() => Err(failure(argument, "is a directory")),
            Ok(data) if data.is_file() => Ok(Source::new(argument, file, Some(data.len()))),
            _ => Ok(Source::new(argument, file, None)),
        },
        // The file exists, so a puzzle is not meant.
        Err(error) if error.kind() == PermissionDenied => Err(unreadable(argument, &error)),
        Err(_) if is_puzzle(argument) => {
            let size = argument.len() as u64;
            Ok(Source::new(ARGUMENT, io::Cursor::new(argument.to_owned()), Some(size)))
        }
        Err(_) if argument.is_empty() => Err(failure(ARGUMENT, "is empty: expected a file or a puzzle")),
        // The last two: the argument cannot be a path.
        Err(error) if matches!(error.kind(), NotFound | NotADirectory | InvalidFilename | InvalidInput) => {
            Err(no_such_file(argument))
        }
        Err(error) => Err(unreadable(argument, &error)),
    }
}

/// Whether an argument that is not a file is a puzzle: only cells, as many as an order has; or any 81 characters, so that the
/// error can report the column of a wrong one.
fn is_puzzle(argument: &str) -> bool {
    let order = argument.chars().count().isqrt();
    ((4..=MAX_SYMBOL_ORDER).contains(&order) && is_grid(argument))
        || (argument.chars().count() == 81 && !argument.contains('/'))
}

/// Whether a text is a grid without separators, all of its values in range.
pub(crate) fn is_grid(text: &str) -> bool {
    let cells = text.chars().count();
    let order = cells.isqrt();
    order * order == cells && text.chars().all(|c| value_of(c).is_some_and(|value| usize::from(value) <= order))
}

/// The existing file whose path is most similar, folder by folder.
fn similar_file(argument: &str) -> Option<String> {
    let similar = similar_path(Path::new(argument), |path| path.exists() && !path.is_dir())?;
    Some(similar.to_string_lossy().into_owned())
}

fn similar_path(path: &Path, is_wanted: fn(&Path) -> bool) -> Option<PathBuf> {
    const ENOUGH: f64 = 0.9;
    const MAX_ENTRIES: usize = 10_000;
    let name = path.file_name()?.to_str()?;
    let folder = match path.parent().filter(|folder| *folder != Path::new("")) {
        Some(folder) if folder.is_dir() => folder.to_owned(),
        Some(folder) => similar_path(folder, Path::is_dir)?,
        None => PathBuf::new(),
    };
    if is_wanted(&folder.join(name)) {
        return Some(folder.join(name));
    }
    let entries = if folder == Path::new("") { Path::new(".") } else { &folder }.read_dir().ok()?.take(MAX_ENTRIES);
    let wanted = entries.flatten().filter(|entry| is_wanted(&entry.path()));
    let (similarity, nearest) = wanted
        .filter_map(|entry| entry.file_name().into_string().ok())
        .map(|other| (strsim::jaro_winkler(&other, name), other))
        .max_by(|(a, name_a), (b, name_b)| a.total_cmp(b).then(name_b.cmp(name_a)))?;
    (similarity >= ENOUGH).then(|| folder.join(nearest))
}

/// The error for a missing file, which mentions the number of cells if a puzzle was probably meant.
fn no_such_file(argument: &str) -> InputError {
    let values: Option<Vec<u8>> = argument.chars().map(value_of).collect();
    let cells = values.as_ref().map_or(0, Vec::len);
    let largest = values.iter().flatten().max().map_or(0, |&value| usize::from(value));
    let nearest = nearest_order(cells).max(4);
    let order = if largest > nearest { 9 } else { nearest };
    if cells < MIN_CELLS_OF_PUZZLE || largest > order || order > MAX_SYMBOL_ORDER {
        return match similar_file(argument) {
            Some(similar) => failure(argument, &format!("no such file; did you mean `{}`?", printable(&similar))),
            None => failure(argument, "no such file"),
        };
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

/// Escapes control characters, which file names may contain, so that the text fits on one line.
pub fn printable(text: &str) -> String {
    let mut printed = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() { printed.extend(c.escape_default()) } else { printed.push(c) }
    }
    printed
}

/// The position after these bytes, which are UTF-8.
fn position_after(before: &[u8]) -> Position {
    let text = String::from_utf8_lossy(before);
    let (last, line) = split_lines(&text).zip(1..).last().unwrap_or(("", 1));
    Position { line, column: last.chars().count() + 1 }
}
