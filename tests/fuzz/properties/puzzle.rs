//! The puzzle reader: it does not panic, a stream has the puzzles of the complete text, and a puzzle that is written is read back
//! as the same puzzle.

use std::io::{self, Cursor, Read};

use census::puzzle::input::source::Source;
use census::puzzle::{Format, InputError, ParsedPuzzle, Puzzle, ReadOptions, Stream, Text, Zero, draw, formats};

/// The most puzzles of a collection that are written and read back.
const MAX_WRITTEN: usize = 3;

/// All kinds of options. The length of the input selects one.
const OPTIONS: [ReadOptions; 4] = [
    ReadOptions { zero: None, mixed: false },
    ReadOptions { zero: None, mixed: true },
    ReadOptions { zero: Some(Zero::Value), mixed: false },
    ReadOptions { zero: Some(Zero::Empty), mixed: true },
];

pub fn check(data: &[u8]) {
    let options = OPTIONS[data.len() % OPTIONS.len()];
    let text = Text::decode("f", data.to_vec());
    let parsed = text.and_then(|text| formats::read(&Text { options, ..text }));
    if let Ok(parsed) = &parsed {
        parsed.iter().take(MAX_WRITTEN).for_each(|parsed| check_writing(&parsed.puzzle));
    }
    let complete = parsed.and_then(|parsed| parsed.into_iter().map(numbered).collect::<Result<Vec<_>, _>>());
    let bytes = || Cursor::new(data.to_vec());
    for (source, what) in [
        (Source::new("f", bytes(), Some(data.len() as u64)), "a file"),
        (Source::new("f", bytes(), None), "a pipe"),
        (Source::new("f", Pieces(bytes(), 1 + data.len() % 50), None), "a slow pipe"),
    ] {
        let streamed = stream(source.with(options));
        // A text is parsed completely before conflicts are checked, a stream line by line: the first errors may differ.
        assert_eq!(
            complete.as_ref().ok(),
            streamed.as_ref().ok(),
            "{what}: {:?}, {:?}",
            complete.as_ref().err(),
            streamed.as_ref().err()
        );
        for error in [complete.as_ref().err(), streamed.as_ref().err()].into_iter().flatten() {
            let message = error.to_string();
            assert!(message.starts_with("f:") && !message.contains(char::is_control), "{message:?}");
        }
    }
}

/// Bytes that arrive in pieces of this size.
struct Pieces(Cursor<Vec<u8>>, usize);

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = self.1.min(buffer.len());
        self.0.read(&mut buffer[..most])
    }
}

/// A puzzle without conflicts, and the line on which it begins.
fn numbered(parsed: ParsedPuzzle) -> Result<(usize, Puzzle), InputError> {
    let line = parsed.positions[0].line;
    Ok((line, parsed.checked()?))
}

/// All puzzles of a stream, or its first error. Reads to the end in either case.
fn stream(source: Source) -> Result<Vec<(usize, Puzzle)>, InputError> {
    let mut stream = Stream::new(source)?;
    let (mut found, mut first_error) = (Vec::new(), None);
    let mut givens = Vec::new();
    while let Some(next) = stream.next(&mut givens) {
        match next {
            Ok(item) => {
                assert_eq!(givens.len(), item.shape.cells());
                found.push((item.line, item.with_givens(givens.split_off(0))));
            }
            Err(error) => first_error = first_error.or(Some(error)),
        }
        assert!(givens.is_empty(), "an error leaves no values");
    }
    first_error.map_or(Ok(found), Err)
}

fn check_writing(puzzle: &Puzzle) {
    for conflict in puzzle.conflicts() {
        assert!(!conflict.to_string().is_empty());
    }
    for format in Format::all() {
        let Ok(text) = formats::write(puzzle, format) else { continue };
        let read = Text::decode("f", text.clone().into_bytes()).and_then(|text| formats::read(&text));
        match read.as_deref() {
            Ok([parsed]) => assert_eq!(&parsed.puzzle, puzzle, "as {format}:\n{text}"),
            Ok(others) => panic!("as {format}, {} puzzles:\n{text}", others.len()),
            Err(error) => panic!("as {format}, {error}:\n{text}"),
        }
    }
    assert!(!draw::grid(&puzzle.shape, &puzzle.givens).is_empty());
}
