//! Reads a trace back. Whatever is wrong with it is one error with its line and column.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::str::FromStr;

use crate::cluster::UnitRecord;
use crate::puzzle::input::source::printable;
use crate::puzzle::{InputError, Position};

use super::{COLUMNS, MARK, MessageCost, Trace, TraceHead};

/// The longest line that is read, in bytes: what is no trace must not fill the memory before that is noticed.
const MAX_LINE: u64 = 1 << 20;

/// The trace in a file; `-` is standard input.
pub fn open(path: &str) -> Result<Trace, InputError> {
    if path == "-" {
        return read("standard input", io::stdin().lock());
    }
    let failure = |message: String| InputError::new(&printable(path), None, message);
    match File::open(path) {
        Ok(file) if file.metadata().is_ok_and(|data| data.is_dir()) => Err(failure("is a directory".into())),
        Ok(file) => read(path, BufReader::new(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(failure("no such file".into())),
        Err(error) => Err(failure(format!("cannot be read: {error}"))),
    }
}

/// Reads a trace; errors call it by this name.
pub fn read(name: &str, input: impl BufRead) -> Result<Trace, InputError> {
    let mut lines = Lines { name: printable(name), input, number: 0, bytes: Vec::new() };
    let head = read_head(&mut lines)?;
    match lines.next()? {
        Some(line) if line.text == COLUMNS => {}
        Some(line) => return Err(line.wrong(0, "expected the names of the columns: unit, rank, worker …")),
        None => return Err(lines.wrong(1, "the trace ends before the names of its columns")),
    }
    let mut records = Vec::new();
    while let Some(line) = lines.next()? {
        records.push(read_record(&line, &head)?);
    }
    Ok(Trace { head, records })
}

fn read_head<R: BufRead>(lines: &mut Lines<R>) -> Result<TraceHead, InputError> {
    const NO_TRACE: &str = "this is not a trace: it does not begin with `# census-trace/2`";
    let Some(line) = lines.next()? else { return Err(lines.wrong(1, NO_TRACE)) };
    let Some(json) = line.text.strip_prefix(MARK) else { return Err(line.wrong(0, NO_TRACE)) };
    let head: TraceHead = serde_json::from_str(json).map_err(|error| {
        // It says where in the JSON; the place in the file is said by us.
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
        line.wrong(MARK.len() + error.column().saturating_sub(1), format!("the head of the trace: {message}"))
    })?;
    let MessageCost { latency, request } = head.messages.unwrap_or(MessageCost { latency: 0.0, request: 0.0 });
    let phases = &head.phases;
    let seconds = [phases.expand, phases.distribute, phases.count, phases.reduce, phases.total, latency, request];
    if seconds.iter().any(|&seconds| seconds < 0.0) {
        return Err(line.wrong(0, "the head of the trace: a duration is negative"));
    }
    Ok(head)
}

fn read_record(line: &Line, head: &TraceHead) -> Result<UnitRecord, InputError> {
    let (wanted, found) = (COLUMNS.split('\t').count(), line.text.split('\t').count());
    if found != wanted {
        return Err(line.wrong(line.text.len(), format!("a record has {wanted} columns, this line has {found}")));
    }
    let mut fields = Fields { line, at: 0 };
    Ok(UnitRecord {
        unit: fields.below("unit", head.units)?,
        rank: fields.below("rank", head.ranks)?,
        worker: fields.below("worker", head.threads)?,
        start: fields.number("start_ns")?,
        nanoseconds: fields.number("ns")?,
        nodes: fields.number("nodes")?,
        solutions: fields.number("solutions")?,
        left: 0,
    })
}

/// The fields of a line, one after the other.
struct Fields<'a> {
    line: &'a Line<'a>,
    /// Where in the line the next field begins.
    at: usize,
}

impl Fields<'_> {
    fn number<T: FromStr>(&mut self, column: &str) -> Result<T, InputError> {
        let start = self.at;
        let field = self.line.text[start..].split('\t').next().unwrap_or_default();
        self.at = (start + field.len() + 1).min(self.line.text.len());
        field.parse().map_err(|_| self.line.wrong(start, format!("`{field}` is not a number for `{column}`")))
    }

    fn below(&mut self, column: &str, limit: usize) -> Result<usize, InputError> {
        let start = self.at;
        let number = self.number(column)?;
        if number < limit {
            return Ok(number);
        }
        Err(self.line.wrong(start, format!("there is no {column} {number}: the head says {limit}, counted from 0")))
    }
}

/// One line of a named text.
struct Line<'a> {
    name: &'a str,
    number: usize,
    text: &'a str,
}

impl Line<'_> {
    /// An error at so many bytes of the line.
    fn wrong(&self, at: usize, message: impl Into<String>) -> InputError {
        wrong(self.name, self.number, self.text.as_bytes(), at, message)
    }
}

fn wrong(name: &str, line: usize, bytes: &[u8], at: usize, message: impl Into<String>) -> InputError {
    let before = &bytes[..at.min(bytes.len())];
    let column = String::from_utf8_lossy(before).chars().count() + 1;
    InputError::new(name, Some(Position { line, column }), message)
}

/// A text line by line, without ever holding more than one.
struct Lines<R> {
    name: String,
    input: R,
    number: usize,
    bytes: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    /// The next line. One without an end is the sign of a file that was not written, or not copied, to its end.
    fn next(&mut self) -> Result<Option<Line<'_>>, InputError> {
        self.number += 1;
        self.bytes.clear();
        let found = self.input.by_ref().take(MAX_LINE).read_until(b'\n', &mut self.bytes);
        found.map_err(|error| InputError::new(&self.name, None, format!("cannot be read: {error}")))?;
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let (name, number) = (self.name.as_str(), self.number);
        let Some(bytes) = self.bytes.strip_suffix(b"\n") else {
            let long = self.bytes.len() as u64 == MAX_LINE;
            let message = if long { "this line is too long for a trace" } else { "the file ends within this line" };
            let at = if long { 0 } else { self.bytes.len() };
            return Err(wrong(name, number, &self.bytes, at, message));
        };
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Some(Line { name, number, text })),
            Err(error) => {
                let at = error.valid_up_to();
                let message = format!("this is not a text file: byte 0x{:02X} is not UTF-8", bytes[at]);
                Err(wrong(name, number, bytes, at, message))
            }
        }
    }

    /// An error in the line that was read last, or where one is missing.
    fn wrong(&self, column: usize, message: impl Into<String>) -> InputError {
        InputError::new(&self.name, Some(Position { line: self.number, column }), message)
    }
}
