//! The batch reader: reads the puzzles that arguments name in batches of some tens of thousands, so that memory is bounded.
//!
//! A thread reads while earlier puzzles are counted. It appends to the next batch puzzle by puzzle, so that a batch can be taken
//! before it is full: puzzles that arrive slowly through a pipe are answered as they arrive.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use std::{fs, mem, vec};

use parking_lot::{Condvar, Mutex};

use super::CommandError;
use crate::cluster::StopReason;
use crate::count::MethodChoice;
use crate::puzzle::grid::push_line;
use crate::puzzle::input::source;
use crate::puzzle::{Puzzle, ReadOptions, Shape, Stream, StreamedPuzzle};

/// A batch is full when it has as many puzzles, or as many bytes of givens, names and errors, which one puzzle may exceed.
const MAX_PUZZLES: usize = 1 << 16;
const MAX_BYTES: usize = 8 << 20;
const POLL_INTERVAL: Duration = Duration::from_millis(20);

pub(super) struct BatchReader {
    next: Arc<NextBatch>,
    /// Whether the thread waits for bytes of a pipe or a device.
    waits: Arc<AtomicBool>,
}

#[derive(Default)]
struct NextBatch {
    batch: Mutex<PuzzleBatch>,
    /// Notified when the batch is finished, and when it was taken.
    changed: Condvar,
}

struct ReaderThread {
    arguments: vec::IntoIter<String>,
    options: ReadOptions,
    method: MethodChoice,
    keep_going: bool,
    /// Whether there is one argument: then an error about its only puzzle needs no line number.
    single_argument: bool,
    source: Option<(Stream, Arc<PuzzleSource>)>,
    waits: Arc<AtomicBool>,
    givens: Vec<u8>,
    /// The shape of the last puzzle. The method applies to it.
    shape: Option<Arc<Shape>>,
    /// Bytes of the sources that were read to their end.
    bytes_read: u64,
    /// Bytes of all sources, if known.
    bytes_total: Option<u64>,
}

enum Step {
    Puzzle(Arc<PuzzleSource>, StreamedPuzzle),
    /// The end of a source, with its bytes if they were read at once.
    EndOfSource(Option<Vec<u8>>),
    EndOfInput,
}

pub(super) struct PuzzleSource {
    pub name: Arc<str>,
    /// Whether its format is one for a single puzzle.
    is_one: bool,
}

#[derive(Default)]
pub(super) struct PuzzleBatch {
    /// In input order.
    pub records: Vec<PuzzleRecord>,
    /// Of all puzzles, one after the other.
    givens: Vec<u8>,
    /// Errors that were skipped (`--keep-going`).
    pub skipped: Vec<CommandError>,
    /// The error that ended the batch, after its puzzles.
    pub failed: Option<CommandError>,
    /// Whether it ends the input.
    pub last: bool,
    /// The bytes of the last source that ended, if they were read at once.
    pub raw: Option<Vec<u8>>,
    /// The fraction of all bytes that was read by its end, if known.
    pub fraction_read: Option<f64>,
    /// Of givens, names and errors.
    bytes: usize,
}

/// A puzzle of a batch, which has its givens.
pub(super) struct PuzzleRecord {
    pub source: Arc<PuzzleSource>,
    pub puzzle: StreamedPuzzle,
    /// Where its givens begin among those of the batch.
    givens: usize,
}

impl BatchReader {
    /// Starts to read. A panic of the thread ends the process, as on every thread.
    pub(super) fn new(
        arguments: Vec<String>,
        options: ReadOptions,
        method: MethodChoice,
        keep_going: bool,
    ) -> Result<BatchReader, CommandError> {
        let waits = Arc::new(AtomicBool::new(false));
        let reader = ReaderThread {
            options,
            method,
            keep_going,
            single_argument: arguments.len() == 1,
            source: None,
            waits: Arc::clone(&waits),
            givens: Vec::new(),
            shape: None,
            bytes_read: 0,
            bytes_total: arguments.iter().map(|argument| size(argument)).sum(),
            arguments: arguments.into_iter(),
        };
        let next = Arc::new(NextBatch::default());
        let shared = Arc::clone(&next);
        let started = thread::Builder::new().spawn(move || reader.run(&shared));
        started.map_err(|error| CommandError::Io { name: "reader thread".into(), error })?;
        Ok(BatchReader { next, waits })
    }

    /// Waits for the next batch or a reason to stop. A batch that is not full is returned only at the end of the input, or while
    /// the thread waits for more input and at least `min_items` puzzles and errors have arrived.
    pub(super) fn next(
        &mut self,
        min_items: usize,
        stop: impl Fn() -> Option<StopReason>,
    ) -> Result<PuzzleBatch, StopReason> {
        loop {
            let mut batch = self.next.batch.lock();
            self.next.changed.wait_while_for(&mut batch, |batch| !batch.is_finished(), POLL_INTERVAL);
            if batch.is_finished() || (self.waits.load(Ordering::Relaxed) && batch.items() >= min_items) {
                self.next.changed.notify_one();
                return Ok(mem::take(&mut *batch));
            }
            drop(batch);
            if let Some(reason) = stop() {
                return Err(reason);
            }
        }
    }
}

impl ReaderThread {
    /// Reads to the end of the input, or to the first error unless `keep_going`.
    fn run(mut self, next: &NextBatch) {
        loop {
            let step = self.step();
            let mut batch = next.batch.lock();
            next.changed.wait_while(&mut batch, |batch| batch.is_finished());
            match step {
                Ok(Step::Puzzle(source, puzzle)) => batch.add(source, puzzle, &self.givens),
                Ok(Step::EndOfSource(raw)) => batch.raw = raw,
                Ok(Step::EndOfInput) => batch.last = true,
                Err(error) if self.keep_going => {
                    batch.bytes += size_of::<CommandError>() + error.to_string().len();
                    batch.skipped.push(error);
                }
                Err(error) => batch.failed = Some(error),
            }
            let read = self.bytes_read + self.source.as_ref().map_or(0, |(stream, _)| stream.read());
            let total = self.bytes_total.filter(|&total| total > 0);
            batch.fraction_read = total.map(|total| (read as f64 / total as f64).min(1.0));
            if batch.is_finished() {
                next.changed.notify_one();
            }
            if batch.last || batch.failed.is_some() {
                return;
            }
        }
    }

    fn step(&mut self) -> Result<Step, CommandError> {
        let (stream, source) = match &mut self.source {
            Some(source) => source,
            None => {
                let Some(argument) = self.arguments.next() else { return Ok(Step::EndOfInput) };
                let source = source::open(&argument)?.with(self.options);
                let stream = Stream::new(source.with_wait_flag(Arc::clone(&self.waits)))?;
                let source = PuzzleSource { name: Arc::clone(&stream.name), is_one: stream.is_one() };
                self.source.insert((stream, Arc::new(source)))
            }
        };
        self.givens.clear();
        if let Some(puzzle) = stream.next(&mut self.givens) {
            let (puzzle, source) = (puzzle?, Arc::clone(source));
            self.check_method(&puzzle, &source)?;
            return Ok(Step::Puzzle(source, puzzle));
        }
        self.bytes_read += stream.size.unwrap_or(0);
        let raw = stream.raw().map(<[u8]>::to_vec);
        self.source = None;
        Ok(Step::EndOfSource(raw))
    }

    /// Checks that the method applies to the shape of this puzzle.
    fn check_method(&mut self, puzzle: &StreamedPuzzle, source: &PuzzleSource) -> Result<(), CommandError> {
        let StreamedPuzzle { shape, line, .. } = puzzle;
        if self.shape.as_ref().is_none_or(|last| !Arc::ptr_eq(last, shape)) {
            if let Some(method) = self.method.fixed() {
                let name = &source.name;
                method.check(shape).map_err(|error| {
                    CommandError::Usage(match source.is_one && self.single_argument {
                        true => format!("{name}: {error}"),
                        false => format!("{name}:{line}: {error}"),
                    })
                })?;
            }
            self.shape = Some(Arc::clone(shape));
        }
        Ok(())
    }
}

impl PuzzleSource {
    /// Appends the label of a puzzle: its name, its file if that holds one puzzle, or its givens.
    pub(super) fn push_label(&self, line: &mut Vec<u8>, name: Option<&str>, shape: &Shape, givens: &[u8]) {
        match name {
            Some(name) => line.extend(name.as_bytes()),
            None if self.is_one && *self.name != *source::ARGUMENT => line.extend(self.name.as_bytes()),
            None => push_line(line, shape.order(), givens.iter().copied()),
        }
    }
}

impl PuzzleBatch {
    /// Whether nothing more is added to it.
    fn is_finished(&self) -> bool {
        self.last || self.failed.is_some() || self.items() >= MAX_PUZZLES || self.bytes >= MAX_BYTES
    }

    fn items(&self) -> usize {
        self.records.len() + self.skipped.len()
    }

    fn add(&mut self, source: Arc<PuzzleSource>, puzzle: StreamedPuzzle, givens: &[u8]) {
        self.bytes += givens.len() + puzzle.name.as_ref().map_or(0, String::len);
        self.records.push(PuzzleRecord { source, puzzle, givens: self.givens.len() });
        self.givens.extend(givens);
    }

    pub(super) fn givens(&self, record: &PuzzleRecord) -> &[u8] {
        &self.givens[record.givens..][..record.puzzle.shape.cells()]
    }

    pub(super) fn puzzle(&self, record: &PuzzleRecord) -> Puzzle {
        record.puzzle.clone().with_givens(self.givens(record).to_vec())
    }

    /// How many puzzles a first batch shows the input to have.
    pub(super) fn size_text(&self) -> String {
        format!("{}{} puzzles", if self.last { "" } else { "at least " }, self.records.len())
    }
}

/// The bytes of a source, if they are known before it is read.
fn size(argument: &str) -> Option<u64> {
    match fs::metadata(argument) {
        _ if argument == "-" => None, // standard input, even if a file has this name
        Ok(data) if data.is_file() => Some(data.len()),
        Ok(_) => None,
        Err(_) => Some(0), // a puzzle in the argument itself takes no time to read
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::MethodName;
    use std::io::Write;

    /// The first batch of a file of so many times this text.
    fn first_batch(text: &str, times: usize) -> PuzzleBatch {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        (0..times).for_each(|_| file.write_all(text.as_bytes()).expect("written"));
        let path = file.path().to_str().expect("a printable path").to_owned();
        let method = MethodChoice::Fixed(MethodName::Search);
        let reader = BatchReader::new(vec![path], ReadOptions::default(), method, true);
        reader.expect("a reader").next(1, || None).expect("a batch")
    }

    #[test]
    fn names_and_errors_count_towards_the_size_of_a_batch() {
        let (puzzle, long) = (".".repeat(81), "x".repeat(60_000));
        let all = 200;
        let most = MAX_BYTES / long.len() + 1;
        let named = first_batch(&format!("# name: {long}\n{puzzle}\n"), all);
        assert!(!named.last && (1..=most).contains(&named.records.len()), "{} names", named.records.len());
        let bad = first_batch(&format!("# boxes: {long}\n{puzzle}\n"), all);
        let text: usize = bad.skipped.iter().map(|error| error.to_string().len()).sum();
        assert!(bad.skipped.len() > all && bad.bytes > text, "{} for {text} bytes of text", bad.bytes);
        let short = first_batch(&format!("# name: x\n{puzzle}\n"), all);
        assert!(short.last && short.records.len() == all);
    }
}
