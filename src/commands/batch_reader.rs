//! The batch reader: reads the puzzles that arguments name in batches of some tens of thousands, so that memory is bounded.
//!
//! A thread reads while earlier puzzles are counted. It appends to the next batch puzzle by puzzle, so that a batch can be taken
//! before it is full: puzzles that arrive slowly through a pipe are answered as they arrive.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::{fs, mem, panic, vec};

use parking_lot::{Condvar, Mutex};

use super::CommandError;
use crate::cluster::StopReason;
use crate::count::MethodChoice;
use crate::puzzle::grid::push_line;
use crate::puzzle::input::source;
use crate::puzzle::{Grid, Puzzle, ReadOptions, Shape, Stream, StreamedPuzzle};

/// A batch is full when it has as many puzzles, or as many bytes, which one puzzle may exceed.
const MAX_PUZZLES: usize = 1 << 16;
const MAX_BYTES: usize = 8 << 20;
const POLL_INTERVAL: Duration = Duration::from_millis(20);

pub(super) struct BatchReader {
    next: Arc<NextBatch>,
    /// Whether the thread waits for bytes of a pipe or a device.
    waits: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// The batch that is being read.
#[derive(Default)]
struct NextBatch {
    batch: Mutex<PuzzleBatch>,
    /// Notified when the batch is finished, and when it was taken.
    changed: Condvar,
}

/// The thread that reads.
struct ReaderThread {
    arguments: vec::IntoIter<String>,
    options: ReadOptions,
    method: MethodChoice,
    keep_going: bool,
    /// Whether there is one argument: then an error about its only puzzle needs no line number.
    single_argument: bool,
    stream: Option<Stream>,
    waits: Arc<AtomicBool>,
    givens: Vec<u8>,
    /// Bytes of the sources that were read to their end.
    bytes_read: u64,
    /// Bytes of all sources, if known.
    bytes_total: Option<u64>,
}

enum Step {
    Puzzle(StreamedPuzzle),
    /// The end of a source, with its bytes if they were read at once.
    EndOfSource(Option<Vec<u8>>),
    EndOfInput,
}

#[derive(Clone)]
pub(super) struct PuzzleSource {
    pub name: Arc<str>,
    /// Whether its format is one for a single puzzle.
    is_one: bool,
}

/// Puzzles that were read together.
#[derive(Default)]
pub(super) struct PuzzleBatch {
    sources: Vec<PuzzleSource>,
    /// In input order.
    pub records: Vec<PuzzleRecord>,
    pub groups: Vec<ShapeGroup>,
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
    /// Approximate memory.
    bytes: usize,
}

/// A puzzle of a batch. Its givens are in its group.
pub(super) struct PuzzleRecord {
    source: u32,
    pub group: u32,
    /// Position in the group.
    pub index: u32,
    /// The line on which it begins.
    pub line: usize,
    /// Most puzzles have none.
    pub annotations: Option<Box<Annotations>>,
}

/// The headers of a puzzle.
pub(super) struct Annotations {
    pub name: Option<String>,
    pub expected: Option<u128>,
}

/// The puzzles of one shape, in input order.
pub(super) struct ShapeGroup {
    pub shape: Arc<Shape>,
    pub givens: Vec<u8>,
}

impl BatchReader {
    /// Starts to read.
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
            stream: None,
            waits: Arc::clone(&waits),
            givens: Vec::new(),
            bytes_read: 0,
            bytes_total: arguments.iter().map(|argument| size(argument)).sum(),
            arguments: arguments.into_iter(),
        };
        let next = Arc::new(NextBatch::default());
        let shared = Arc::clone(&next);
        let thread = thread::Builder::new().spawn(move || reader.run(&shared));
        let thread = thread.map_err(|error| CommandError::Io { name: "reader thread".into(), error })?;
        Ok(BatchReader { next, waits, thread: Some(thread) })
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
            // The thread has finished the last batch or has panicked.
            if let Some(thread) = self.thread.take_if(|thread| thread.is_finished())
                && let Err(panicked) = thread.join()
            {
                panic::resume_unwind(panicked);
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
            if let Err(error) = step.and_then(|step| self.add(step, &mut batch)) {
                if self.keep_going {
                    batch.bytes += size_of::<CommandError>() + error.to_string().len();
                    batch.skipped.push(error);
                } else {
                    batch.failed = Some(error);
                }
            }
            let read = self.bytes_read + self.stream.as_ref().map_or(0, Stream::read);
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
        let stream = match &mut self.stream {
            Some(stream) => stream,
            None => {
                let Some(argument) = self.arguments.next() else { return Ok(Step::EndOfInput) };
                let source = source::open(&argument)?.with(self.options);
                self.stream.insert(Stream::new(source.with_wait_flag(Arc::clone(&self.waits)))?)
            }
        };
        self.givens.clear();
        if let Some(puzzle) = stream.next(&mut self.givens) {
            return Ok(Step::Puzzle(puzzle?));
        }
        self.bytes_read += stream.size.unwrap_or(0);
        let raw = stream.raw().map(<[u8]>::to_vec);
        self.stream = None;
        Ok(Step::EndOfSource(raw))
    }

    fn add(&self, step: Step, batch: &mut PuzzleBatch) -> Result<(), CommandError> {
        match step {
            Step::Puzzle(puzzle) => return self.add_puzzle(puzzle, batch),
            Step::EndOfSource(raw) => batch.raw = raw,
            Step::EndOfInput => batch.last = true,
        }
        Ok(())
    }

    fn add_puzzle(&self, puzzle: StreamedPuzzle, batch: &mut PuzzleBatch) -> Result<(), CommandError> {
        let StreamedPuzzle { line, info } = puzzle;
        if let Some(stream) = &self.stream
            && !batch.sources.last().is_some_and(|source| Arc::ptr_eq(&source.name, &stream.name))
        {
            batch.sources.push(PuzzleSource { name: Arc::clone(&stream.name), is_one: stream.is_one() });
        }
        let last = batch.records.last().map(|record| record.group as usize);
        let last = last.filter(|&last| Arc::ptr_eq(&batch.groups[last].shape, &info.shape));
        let index = match last.or_else(|| batch.groups.iter().position(|group| group.shape == info.shape)) {
            Some(index) => index,
            None => {
                self.check_method(&info.shape, line, batch.sources.last())?;
                batch.groups.push(ShapeGroup { shape: Arc::clone(&info.shape), givens: Vec::new() });
                batch.groups.len() - 1
            }
        };
        let group = &mut batch.groups[index];
        let index_in_group = group.givens.len() / group.shape.cells();
        group.givens.extend(&self.givens);
        let (name, expected) = (info.name, info.expected);
        let has_annotations = name.is_some() || expected.is_some();
        let name_bytes = name.as_ref().map_or(0, String::len);
        let annotation_bytes = if has_annotations { size_of::<Annotations>() + name_bytes } else { 0 };
        batch.bytes += self.givens.len() + size_of::<PuzzleRecord>() + annotation_bytes;
        batch.records.push(PuzzleRecord {
            source: batch.sources.len() as u32 - 1,
            group: index as u32,
            index: index_in_group as u32,
            line,
            annotations: has_annotations.then(|| Box::new(Annotations { name, expected })),
        });
        Ok(())
    }

    /// Checks that the method applies to the shape of this puzzle.
    fn check_method(&self, shape: &Shape, line: usize, source: Option<&PuzzleSource>) -> Result<(), CommandError> {
        let MethodChoice::Fixed(method) = self.method else { return Ok(()) };
        method.check(shape).map_err(|error| {
            let name = source.map_or("", |source| &source.name);
            CommandError::Usage(match source.is_some_and(|source| source.is_one && self.single_argument) {
                true => format!("{name}: {error}"),
                false => format!("{name}:{line}: {error}"),
            })
        })
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

    /// Puzzles and errors.
    fn items(&self) -> usize {
        self.records.len() + self.skipped.len()
    }

    pub(super) fn source(&self, record: &PuzzleRecord) -> &PuzzleSource {
        &self.sources[record.source as usize]
    }

    pub(super) fn shape(&self, record: &PuzzleRecord) -> &Arc<Shape> {
        &self.groups[record.group as usize].shape
    }

    pub(super) fn givens(&self, record: &PuzzleRecord) -> &[u8] {
        let group = &self.groups[record.group as usize];
        let cells = group.shape.cells();
        &group.givens[record.index as usize * cells..][..cells]
    }

    pub(super) fn puzzle(&self, record: &PuzzleRecord) -> Puzzle {
        Puzzle {
            name: record.name().map(Into::into),
            expected: record.expected(),
            ..Puzzle::new(Arc::clone(self.shape(record)), Grid::new(self.givens(record).to_vec()))
        }
    }

    /// How many puzzles a first batch shows the input to have.
    pub(super) fn size_text(&self) -> String {
        format!("{}{} puzzles", if self.last { "" } else { "at least " }, self.records.len())
    }
}

impl PuzzleRecord {
    pub(super) fn name(&self) -> Option<&str> {
        self.annotations.as_ref()?.name.as_deref()
    }

    pub(super) fn expected(&self) -> Option<u128> {
        self.annotations.as_ref()?.expected
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
