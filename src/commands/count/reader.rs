//! The puzzles that arguments name, some tens of thousands at a time: that is all of them that is in memory.
//!
//! A thread of its own reads them, while those before are counted. It adds puzzle by puzzle to the next wave, so that a wave
//! can be had before it is full: what comes through a pipe may come slowly, and is answered as it comes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::{fs, mem, panic, vec};

use crate::cli::CountArgs;
use crate::cluster::StopReason;
use crate::count::MethodChoice;
use crate::puzzle::input::source;
use crate::puzzle::{Grid, Puzzle, ReadOptions, Shape, Stream, StreamedPuzzle};

use crate::commands::CommandError;

/// The most puzzles of a wave, and the bytes that it should not exceed by more than one puzzle, names and all.
const MOST_PUZZLES: usize = 1 << 16;
const MOST_BYTES: usize = 8 << 20;
/// How long to wait for puzzles before looking whether to stop, or to take those that there are.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// The puzzles that arguments name, one wave after the other.
pub(in crate::commands) struct Waves {
    next: Arc<Next>,
    /// Whether the reader waits for a source: one that is slow, if that is seen.
    waits: Arc<AtomicBool>,
    reader: Option<JoinHandle<()>>,
}

/// The wave that is being read.
#[derive(Default)]
struct Next {
    wave: Mutex<Wave>,
    /// Whether it is whole, or has been taken: whoever waits for one of these should look.
    changed: Condvar,
}

impl Next {
    fn lock(&self) -> MutexGuard<'_, Wave> {
        self.wave.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads the puzzles that arguments name.
struct Reader {
    arguments: vec::IntoIter<String>,
    options: ReadOptions,
    method: MethodChoice,
    keep_going: bool,
    /// Whether there is one argument: then nobody has to be told which one is meant.
    only: bool,
    /// The source that is being read, and whether it is waited for.
    stream: Option<Stream>,
    waits: Arc<AtomicBool>,
    givens: Vec<u8>,
    /// The bytes of the sources that have been read to their end, and of all, where that is known.
    read: u64,
    size: Option<u64>,
}

/// What has been read.
enum Step {
    Puzzle(StreamedPuzzle),
    /// The end of a source, with its bytes if they were few.
    Source(Option<Vec<u8>>),
    /// The end of all.
    All,
}

/// Where puzzles come from.
pub(in crate::commands) struct Source {
    pub name: Arc<str>,
    /// Whether it holds one puzzle, and is not made for more.
    pub is_one: bool,
}

impl Source {
    fn of(stream: &Stream) -> Source {
        Source { name: Arc::clone(&stream.name), is_one: stream.is_one() }
    }

    /// Whether it is as good a name as any for its puzzle.
    pub(in crate::commands) fn is_file_of_one(&self) -> bool {
        self.is_one && *self.name != *source::ARGUMENT
    }
}

/// Puzzles that were read together.
#[derive(Default)]
pub(in crate::commands) struct Wave {
    /// Where they come from.
    sources: Vec<Source>,
    /// The puzzles, in the order in which they were given.
    pub entries: Vec<Entry>,
    /// Their givens, by shape, in the same order.
    pub groups: Vec<Group>,
    /// What was passed over.
    pub bad: Vec<CommandError>,
    /// What ended it: the puzzles are those before.
    pub failed: Option<CommandError>,
    /// Whether there is nothing behind it.
    pub last: bool,
    /// The bytes of the last source that was read to its end, if they were few enough to be read at once.
    pub raw: Option<Vec<u8>>,
    /// The share of all bytes that has been read at its end.
    pub share: Option<f64>,
    /// PuzzleInfo as much memory as all of this takes.
    bytes: usize,
    /// The group of the last puzzle.
    group: usize,
}

/// A puzzle among others.
pub(in crate::commands) struct Entry {
    pub source: u32,
    pub group: u32,
    /// The line on which it begins.
    pub line: usize,
    /// What has been said of it; most have nothing.
    pub note: Option<Box<Note>>,
}

/// What has been said of a puzzle.
#[derive(Default)]
pub(in crate::commands) struct Note {
    pub name: Option<String>,
    pub expected: Option<u128>,
}

/// Puzzles of one shape.
pub(in crate::commands) struct Group {
    pub shape: Arc<Shape>,
    pub givens: Vec<u8>,
}

impl Group {
    /// The givens of a puzzle.
    pub(in crate::commands) fn givens_of(&self, puzzle: usize) -> &[u8] {
        let cells = self.shape.cells();
        &self.givens[puzzle * cells..][..cells]
    }
}

impl Entry {
    /// The puzzle as a whole, which has these givens.
    pub(in crate::commands) fn puzzle(&self, shape: &Arc<Shape>, givens: &[u8]) -> Puzzle {
        let note = self.note.as_deref();
        Puzzle {
            name: note.and_then(|note| note.name.clone()),
            expected: note.and_then(|note| note.expected),
            ..Puzzle::new(Arc::clone(shape), Grid::new(givens.to_vec()))
        }
    }
}

impl Waves {
    /// Begins to read.
    pub(in crate::commands) fn new(args: &CountArgs) -> Result<Waves, CommandError> {
        let waits = Arc::new(AtomicBool::new(false));
        let reader = Reader {
            arguments: args.puzzles.clone().into_iter(),
            options: args.read.options(),
            method: args.method,
            keep_going: args.keep_going,
            only: args.puzzles.len() == 1,
            stream: None,
            waits: Arc::clone(&waits),
            givens: Vec::new(),
            read: 0,
            size: args.puzzles.iter().map(|argument| size(argument)).sum(),
        };
        let next = Arc::new(Next::default());
        let shared = Arc::clone(&next);
        let started = thread::Builder::new().spawn(move || reader.read_all(&shared));
        let reader = started.map_err(|error| CommandError::Io { name: "a thread that reads".into(), error })?;
        Ok(Waves { next, waits, reader: Some(reader) })
    }

    /// Waits for the next wave, which has so many puzzles at least unless it is the last, or for a reason to stop. As long as
    /// the reader has something to read, a wave is filled.
    pub(in crate::commands) fn next(
        &mut self,
        least: usize,
        stop: impl Fn() -> Option<StopReason>,
    ) -> Result<Wave, StopReason> {
        loop {
            let wave = self.next.lock();
            let waited = self.next.changed.wait_timeout_while(wave, BETWEEN_LOOKS, |wave| !wave.is_whole());
            let mut wave = waited.unwrap_or_else(PoisonError::into_inner).0;
            if wave.is_whole() || (self.waits.load(Ordering::Relaxed) && wave.items() >= least) {
                self.next.changed.notify_one();
                return Ok(mem::take(&mut *wave));
            }
            drop(wave);
            if let Some(reason) = stop() {
                return Err(reason);
            }
            // A reader that has left has filled the last wave, or has panicked.
            if let Some(reader) = self.reader.take_if(|reader| reader.is_finished())
                && let Err(panicked) = reader.join()
            {
                panic::resume_unwind(panicked);
            }
        }
    }
}

impl Reader {
    /// Reads to the end, or to what cannot be read: after that there is more only for who wants to keep going.
    fn read_all(mut self, next: &Next) {
        loop {
            let step = self.step();
            let room = next.changed.wait_while(next.lock(), |wave| wave.is_whole());
            let mut wave = room.unwrap_or_else(PoisonError::into_inner);
            if let Err(failure) = step.and_then(|step| self.add(step, &mut wave)) {
                if self.keep_going {
                    wave.bytes += size_of::<CommandError>() + failure.to_string().len();
                    wave.bad.push(failure);
                } else {
                    wave.failed = Some(failure);
                }
            }
            let read = self.read + self.stream.as_ref().map_or(0, Stream::read);
            wave.share = self.size.filter(|&size| size > 0).map(|size| (read as f64 / size as f64).min(1.0));
            if wave.is_whole() {
                next.changed.notify_one();
            }
            if wave.last || wave.failed.is_some() {
                return;
            }
        }
    }

    /// Reads one puzzle, or to the end of a source.
    fn step(&mut self) -> Result<Step, CommandError> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            None => {
                let Some(argument) = self.arguments.next() else { return Ok(Step::All) };
                let source = source::open(&argument)?.with(self.options);
                self.stream.insert(Stream::new(source.with_wait_flag(Arc::clone(&self.waits)))?)
            }
        };
        self.givens.clear();
        if let Some(item) = stream.next(&mut self.givens) {
            return Ok(Step::Puzzle(item?));
        }
        self.read += stream.size.unwrap_or(0);
        let raw = stream.raw().map(<[u8]>::to_vec);
        self.stream = None;
        Ok(Step::Source(raw))
    }

    /// Adds to a wave what has just been read.
    fn add(&self, step: Step, wave: &mut Wave) -> Result<(), CommandError> {
        match step {
            Step::Puzzle(item) => return self.add_puzzle(item, wave),
            Step::Source(raw) => wave.raw = raw,
            Step::All => wave.last = true,
        }
        Ok(())
    }

    fn add_puzzle(&self, item: StreamedPuzzle, wave: &mut Wave) -> Result<(), CommandError> {
        let StreamedPuzzle { line, info: about } = item;
        if let Some(stream) = &self.stream
            && !wave.sources.last().is_some_and(|source| Arc::ptr_eq(&source.name, &stream.name))
        {
            wave.sources.push(Source::of(stream));
        }
        let group = match wave.groups.get(wave.group) {
            Some(group) if Arc::ptr_eq(&group.shape, &about.shape) => wave.group,
            _ => match wave.groups.iter().position(|group| group.shape == about.shape) {
                Some(group) => group,
                None => {
                    self.check(&about.shape, line, wave.sources.last())?;
                    wave.groups.push(Group { shape: about.shape, givens: Vec::new() });
                    wave.groups.len() - 1
                }
            },
        };
        wave.group = group;
        wave.groups[group].givens.extend(&self.givens);
        let said = about.name.is_some() || about.expected.is_some();
        let note_bytes = if said { size_of::<Note>() + about.name.as_ref().map_or(0, String::len) } else { 0 };
        wave.bytes += self.givens.len() + size_of::<Entry>() + note_bytes;
        let note = said.then(|| Box::new(Note { name: about.name, expected: about.expected }));
        wave.entries.push(Entry { source: wave.sources.len() as u32 - 1, group: group as u32, line, note });
        Ok(())
    }

    /// Whether the method that was asked for is one for puzzles of this shape, of which this is one.
    fn check(&self, shape: &Shape, line: usize, source: Option<&Source>) -> Result<(), CommandError> {
        let MethodChoice::Fixed(method) = self.method else { return Ok(()) };
        method.check(shape).map_err(|error| {
            let source = source.map(|source| (&*source.name, source.is_one && self.only));
            match source.unwrap_or_default() {
                (name, true) => CommandError::Usage(format!("{name}: {error}")),
                (name, false) => CommandError::Usage(format!("{name}:{line}: {error}")),
            }
        })
    }
}

impl Wave {
    /// Whether nothing more will be added to it.
    fn is_whole(&self) -> bool {
        self.last || self.failed.is_some() || self.items() >= MOST_PUZZLES || self.bytes >= MOST_BYTES
    }

    /// Puzzles, and what should have been some.
    fn items(&self) -> usize {
        self.entries.len() + self.bad.len()
    }

    /// The source of a puzzle.
    pub(in crate::commands) fn source(&self, entry: &Entry) -> &Source {
        &self.sources[entry.source as usize]
    }

    /// The puzzle, if there is just one.
    pub(in crate::commands) fn only(&self) -> Option<(&Entry, Puzzle)> {
        let [entry] = &self.entries[..] else { return None };
        let group = &self.groups[entry.group as usize];
        Some((entry, entry.puzzle(&group.shape, group.givens_of(0))))
    }
}

/// The bytes of a source, where that is known before it is read.
fn size(argument: &str) -> Option<u64> {
    match fs::metadata(argument) {
        _ if argument == "-" => None, // even if there is a file of that name: it is not what is read
        Ok(data) if data.is_file() => Some(data.len()),
        Ok(_) => None,
        Err(_) => Some(0), // a puzzle in the argument itself takes no time to read
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;
    use std::io::Write;

    /// The first wave of a file of so many times this text.
    fn first_wave(text: &str, times: usize) -> Wave {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        (0..times).for_each(|_| file.write_all(text.as_bytes()).expect("written"));
        let path = file.path().to_str().expect("a printable path");
        let cli = Cli::try_parse_from(["census", "count", path, "--keep-going"]).expect("options of count");
        let Command::Count(args) = cli.command else { panic!("this is count") };
        Waves::new(&args).expect("waves").next(1, || None).expect("a wave")
    }

    #[test]
    fn names_and_what_is_wrong_take_room_in_a_wave() {
        let (puzzle, long) = (".".repeat(81), "x".repeat(60_000));
        let all = 200;
        let most = MOST_BYTES / long.len() + 1;
        let named = first_wave(&format!("# name: {long}\n{puzzle}\n"), all);
        assert!(!named.last && (1..=most).contains(&named.entries.len()), "{} names", named.entries.len());
        let bad = first_wave(&format!("# boxes: {long}\n{puzzle}\n"), all);
        let words: usize = bad.bad.iter().map(|failure| failure.to_string().len()).sum();
        assert!(bad.bad.len() > all && bad.bytes > words, "{} for {words} of words", bad.bytes);
        let short = first_wave(&format!("# name: x\n{puzzle}\n"), all);
        assert!(short.last && short.entries.len() == all);
    }
}
