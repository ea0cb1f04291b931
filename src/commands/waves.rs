//! The puzzles that arguments name, some tens of thousands at a time: that is all of them that is in memory.

use std::fs;
use std::mem;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::{thread, vec};

use crate::cli::CountArgs;
use crate::count::MethodChoice;
use crate::puzzle::{Grid, Puzzle, Shape, Stream, source, stream};

use super::Failure;

/// The most puzzles and the most bytes of givens that are in memory.
const MOST_PUZZLES: usize = 1 << 16;
const MOST_BYTES: usize = 8 << 20;

/// Reads the puzzles that arguments name, one wave after the other.
pub(super) struct Waves {
    arguments: vec::IntoIter<String>,
    method: MethodChoice,
    keep_going: bool,
    /// Whether there is one argument: then nobody has to be told which one is meant.
    only: bool,
    /// The source that is being read.
    stream: Option<Stream>,
    givens: Vec<u8>,
    /// The bytes of the sources that have been read to their end, and of all, where that is known.
    read: u64,
    size: Option<u64>,
    /// The bytes of the last source, if they were few.
    raw: Option<Vec<u8>>,
}

/// Where puzzles come from.
pub(super) struct Source {
    pub name: Arc<str>,
    /// Whether it holds one puzzle, and is not made for more.
    pub is_one: bool,
}

impl Source {
    fn of(stream: &Stream) -> Source {
        Source { name: Arc::clone(&stream.name), is_one: stream.is_one() }
    }

    /// Whether it is as good a name as any for its puzzle.
    pub(super) fn is_file_of_one(&self) -> bool {
        self.is_one && *self.name != *source::ARGUMENT
    }
}

/// Puzzles that were read together.
#[derive(Default)]
pub(super) struct Wave {
    /// Where they come from.
    sources: Vec<Source>,
    /// The puzzles, in the order in which they were given.
    pub entries: Vec<Entry>,
    /// Their givens, by shape, in the same order.
    pub groups: Vec<Group>,
    /// What was passed over.
    pub bad: Vec<Failure>,
    /// What ended it: the puzzles are those before.
    pub failed: Option<Failure>,
    /// Whether there is nothing behind it.
    pub last: bool,
    /// The share of all bytes that has been read at its end.
    pub share: Option<f64>,
    bytes: usize,
    /// The group of the last puzzle.
    group: usize,
}

/// A puzzle among others.
pub(super) struct Entry {
    pub source: u32,
    pub group: u32,
    /// The line on which it begins.
    pub line: usize,
    /// What has been said of it; most have nothing.
    pub note: Option<Box<Note>>,
}

/// What has been said of a puzzle.
#[derive(Default)]
pub(super) struct Note {
    pub name: Option<String>,
    pub expected: Option<u128>,
}

/// Puzzles of one shape.
pub(super) struct Group {
    pub shape: Arc<Shape>,
    pub givens: Vec<u8>,
}

impl Group {
    /// The givens of a puzzle.
    pub(super) fn givens_of(&self, puzzle: usize) -> &[u8] {
        let cells = self.shape.cells();
        &self.givens[puzzle * cells..][..cells]
    }
}

impl Entry {
    /// The puzzle as a whole, which has these givens.
    pub(super) fn puzzle(&self, shape: &Arc<Shape>, givens: &[u8]) -> Puzzle {
        let note = self.note.as_deref();
        Puzzle {
            name: note.and_then(|note| note.name.clone()),
            expected: note.and_then(|note| note.expected),
            ..Puzzle::new(Arc::clone(shape), Grid::new(givens.to_vec()))
        }
    }
}

impl Waves {
    pub(super) fn new(args: &CountArgs) -> Waves {
        Waves {
            arguments: args.puzzles.clone().into_iter(),
            method: args.method,
            keep_going: args.keep_going,
            only: args.puzzles.len() == 1,
            stream: None,
            givens: Vec::new(),
            read: 0,
            size: args.puzzles.iter().map(|argument| size(argument)).sum(),
            raw: None,
        }
    }

    /// The bytes of the last source, if they were few enough to be read at once.
    pub(super) fn raw(&self) -> Option<&[u8]> {
        self.raw.as_deref()
    }

    /// The next puzzles. After something that cannot be read there are more only for who wants to keep going.
    pub(super) fn next(&mut self) -> Wave {
        let mut wave = Wave { sources: self.stream.iter().map(Source::of).collect(), ..Wave::default() };
        while wave.entries.len() + wave.bad.len() < MOST_PUZZLES && wave.bytes < MOST_BYTES {
            let failure = match self.step(&mut wave) {
                Ok(true) => continue,
                Ok(false) => {
                    wave.last = true;
                    break;
                }
                Err(failure) => failure,
            };
            if !self.keep_going {
                wave.failed = Some(failure);
                break;
            }
            wave.bad.push(failure);
        }
        let read = self.read + self.stream.as_ref().map_or(0, Stream::read);
        wave.share = self.size.filter(|&size| size > 0).map(|size| (read as f64 / size as f64).min(1.0));
        wave
    }

    /// Reads on while the puzzles read so far are counted, one wave ahead.
    pub(super) fn ahead(mut self) -> Result<Receiver<Wave>, Failure> {
        let (sender, receiver) = mpsc::sync_channel(0);
        let read = move || {
            let mut ended = false;
            while !ended {
                let wave = self.next();
                ended = wave.last || wave.failed.is_some();
                ended |= sender.send(wave).is_err(); // nobody wants to know the rest
            }
        };
        let started = thread::Builder::new().spawn(read);
        started.map_err(|error| Failure::Io { name: "a thread that reads".into(), error })?;
        Ok(receiver)
    }

    /// Reads one puzzle, or begins or ends a source. Says whether there is more.
    fn step(&mut self, wave: &mut Wave) -> Result<bool, Failure> {
        let Some(stream) = &mut self.stream else {
            let Some(argument) = self.arguments.next() else { return Ok(false) };
            let stream = Stream::new(source::open(&argument)?)?;
            wave.sources.push(Source::of(&stream));
            self.stream = Some(stream);
            return Ok(true);
        };
        self.givens.clear();
        match stream.next(&mut self.givens) {
            Some(item) => self.add(item?, wave)?,
            None => {
                self.read += stream.size.unwrap_or(0);
                self.raw = stream.raw().map(<[u8]>::to_vec);
                self.stream = None;
            }
        }
        Ok(true)
    }

    /// Adds the puzzle that has just been read.
    fn add(&self, item: stream::Item, wave: &mut Wave) -> Result<(), Failure> {
        let stream::Item { line, about } = item;
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
        wave.bytes += self.givens.len();
        let said = about.name.is_some() || about.expected.is_some();
        let note = said.then(|| Box::new(Note { name: about.name, expected: about.expected }));
        wave.entries.push(Entry { source: wave.sources.len() as u32 - 1, group: group as u32, line, note });
        Ok(())
    }

    /// Whether the method that was asked for is one for puzzles of this shape, of which this is one.
    fn check(&self, shape: &Shape, line: usize, source: Option<&Source>) -> Result<(), Failure> {
        let MethodChoice::Fixed(method) = self.method else { return Ok(()) };
        method.check(shape).map_err(|error| {
            let source = source.map(|source| (&*source.name, source.is_one && self.only));
            match source.unwrap_or_default() {
                (name, true) => Failure::Usage(format!("{name}: {error}")),
                (name, false) => Failure::Usage(format!("{name}:{line}: {error}")),
            }
        })
    }
}

impl Wave {
    /// The source of a puzzle.
    pub(super) fn source(&self, entry: &Entry) -> &Source {
        &self.sources[entry.source as usize]
    }

    /// The puzzle, if there is just one.
    pub(super) fn only(&self) -> Option<(&Entry, Puzzle)> {
        let [entry] = &self.entries[..] else { return None };
        let group = &self.groups[entry.group as usize];
        Some((entry, entry.puzzle(&group.shape, group.givens_of(0))))
    }

    /// Leaves the wave without its failure.
    pub(super) fn take_failure(&mut self) -> Result<(), Failure> {
        mem::take(&mut self.failed).map_or(Ok(()), Err)
    }
}

/// The bytes of a source, where that is known before it is read.
fn size(argument: &str) -> Option<u64> {
    match fs::metadata(argument) {
        Ok(data) if data.is_file() => Some(data.len()),
        Ok(_) => None,
        Err(_) if argument == "-" => None,
        Err(_) => Some(0), // a puzzle in the argument itself takes no time to read
    }
}
