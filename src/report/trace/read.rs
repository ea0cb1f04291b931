//! Reads a trace. Errors have file, line and column.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::str::FromStr;

use crate::cluster::UnitRecord;
use crate::puzzle::input::source::printable;
use crate::puzzle::{InputError, Position};
use crate::report::json_message;

use super::{COLUMNS, MARK, MessageCost, Trace, TraceHead};

/// The longest line in bytes: a file that is no trace must not fill the memory.
const MAX_LINE: u64 = 1 << 20;

/// Reads a file; `-` is standard input.
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

/// `name` is the file in errors.
pub fn read(name: &str, input: impl BufRead) -> Result<Trace, InputError> {
    let mut lines = TraceLines { name: printable(name), input, number: 0, bytes: Vec::new() };
    let head = read_head(&lines.next()?)?;
    let columns = lines.next()?;
    if columns.text != COLUMNS {
        return Err(columns.error(
            0,
            match columns.is_end() {
                true => "the trace ends before the names of its columns",
                false => "expected the names of the columns: unit, rank, worker …",
            },
        ));
    }
    let mut records = Vec::new();
    loop {
        let line = lines.next()?;
        if line.is_end() {
            return Ok(Trace { head, records });
        }
        records.push(read_record(&line, &head)?);
    }
}

fn read_head(line: &TraceLine) -> Result<TraceHead, InputError> {
    let no_trace = || match line.text.starts_with('{') {
        true => line.error(0, "this is not a trace, but perhaps a report: the trace of run.json is run.trace.tsv"),
        false => line.error(0, "this is not a trace: it does not begin with `# census-trace/2`"),
    };
    let json = line.text.strip_prefix(MARK).ok_or_else(no_trace)?;
    let head: TraceHead = serde_json::from_str(json).map_err(|error| {
        let at = MARK.len() + error.column().saturating_sub(1);
        line.error(at, format!("the head of the trace: {}", json_message(&error)))
    })?;
    let MessageCost { latency, request } = head.messages.unwrap_or(MessageCost { latency: 0.0, request: 0.0 });
    let phases = &head.phases;
    let seconds = [phases.expand, phases.distribute, phases.count, phases.reduce, phases.total, latency, request];
    match seconds.iter().any(|&seconds| seconds < 0.0) {
        true => Err(line.error(0, "the head of the trace: a duration is negative")),
        false => Ok(head),
    }
}

fn read_record(line: &TraceLine, head: &TraceHead) -> Result<UnitRecord, InputError> {
    let (wanted, found) = (COLUMNS.split('\t').count(), line.text.split('\t').count());
    if found != wanted {
        return Err(line.error(line.text.len(), format!("a record has {wanted} columns, this line has {found}")));
    }
    let mut fields = Fields { line, at: 0 };
    Ok(UnitRecord {
        unit: fields.below("unit", head.units)?,
        rank: fields.below("rank", head.ranks)? as u32,
        worker: fields.below("worker", head.threads)? as u32,
        start: fields.number("start_ns")?,
        nanoseconds: fields.number("ns")?,
        nodes: fields.number("nodes")?,
        solutions: fields.number("solutions")?,
        left: 0,
    })
}

struct Fields<'a> {
    line: &'a TraceLine<'a>,
    /// The offset of the next field in bytes.
    at: usize,
}

impl Fields<'_> {
    fn number<T: FromStr>(&mut self, column: &str) -> Result<T, InputError> {
        let start = self.at;
        let field = self.line.text[start..].split('\t').next().unwrap_or_default();
        self.at = (start + field.len() + 1).min(self.line.text.len());
        field.parse().map_err(|_| self.line.error(start, format!("`{field}` is not a number for `{column}`")))
    }

    fn below(&mut self, column: &str, limit: usize) -> Result<usize, InputError> {
        let start = self.at;
        let number = self.number(column)?;
        if number < limit {
            return Ok(number);
        }
        Err(self.line.error(start, format!("there is no {column} {number}: the head says {limit}, counted from 0")))
    }
}

struct TraceLine<'a> {
    name: &'a str,
    number: usize,
    /// With the end of the line; empty at the end of the file.
    bytes: &'a [u8],
    text: &'a str,
}

impl TraceLine<'_> {
    fn is_end(&self) -> bool {
        self.bytes.is_empty()
    }

    /// An error at a byte of the line.
    fn error(&self, at: usize, message: impl Into<String>) -> InputError {
        let before = &self.bytes[..at.min(self.bytes.len())];
        let column = String::from_utf8_lossy(before).chars().count() + 1;
        InputError::new(self.name, Some(Position { line: self.number, column }), message)
    }
}

struct TraceLines<R> {
    name: String,
    input: R,
    number: usize,
    bytes: Vec<u8>,
}

impl<R: BufRead> TraceLines<R> {
    /// The next line. A last line without an end is an error: the file is incomplete.
    fn next(&mut self) -> Result<TraceLine<'_>, InputError> {
        self.number += 1;
        self.bytes.clear();
        let found = self.input.by_ref().take(MAX_LINE).read_until(b'\n', &mut self.bytes);
        found.map_err(|error| InputError::new(&self.name, None, format!("cannot be read: {error}")))?;
        let line = TraceLine { name: &self.name, number: self.number, bytes: &self.bytes, text: "" };
        let content = match line.bytes.strip_suffix(b"\n") {
            Some(content) => content.strip_suffix(b"\r").unwrap_or(content),
            None if line.is_end() => line.bytes,
            None if line.bytes.len() as u64 == MAX_LINE => {
                return Err(line.error(0, "this line is too long for a trace"));
            }
            None => return Err(line.error(line.bytes.len(), "the file ends within this line")),
        };
        let text = str::from_utf8(content).map_err(|cause| {
            let at = cause.valid_up_to();
            line.error(at, format!("this is not a text file: byte 0x{:02X} is not UTF-8", content[at]))
        })?;
        Ok(TraceLine { text, ..line })
    }
}
