//! The puzzle reader: it does not panic, a stream holds what the whole text holds, and what was read and written is read again as
//! the same puzzle.

use std::io::{self, Cursor, Read};

use census::puzzle::input::source::Source;
use census::puzzle::{Format, Grid, InputError, ParsedPuzzle, Puzzle, ReadOptions, Stream, Text, Zero, draw, formats};

/// Of a collection, so many puzzles are written and read again.
const MOST_WRITTEN: usize = 3;

/// What a reader may be told. The length of an input decides.
const OPTIONS: [ReadOptions; 4] = [
    ReadOptions { zero: None, mixed: false },
    ReadOptions { zero: None, mixed: true },
    ReadOptions { zero: Some(Zero::Value), mixed: false },
    ReadOptions { zero: Some(Zero::Empty), mixed: true },
];

pub fn check(data: &[u8]) {
    let options = OPTIONS[data.len() % OPTIONS.len()];
    let text = Text::decode("f", data.to_vec());
    let readings = text.and_then(|text| formats::read(&Text { options, ..text }));
    if let Ok(readings) = &readings {
        readings.iter().take(MOST_WRITTEN).for_each(|reading| survives_writing(&reading.puzzle));
    }
    let whole = readings.and_then(|readings| readings.into_iter().map(numbered).collect::<Result<Vec<_>, _>>());
    let bytes = || Cursor::new(data.to_vec());
    for (source, what) in [
        (Source::new("f", bytes(), Some(data.len() as u64)), "a file"),
        (Source::new("f", bytes(), None), "a pipe"),
        (Source::new("f", Pieces(bytes(), 1 + data.len() % 50), None), "a slow pipe"),
    ] {
        let streamed = stream(source.with(options));
        // A text is read before it is checked, a stream line by line: of several errors each tells its first.
        assert_eq!(
            whole.as_ref().ok(),
            streamed.as_ref().ok(),
            "{what}: {:?}, {:?}",
            whole.as_ref().err(),
            streamed.as_ref().err()
        );
        for error in [whole.as_ref().err(), streamed.as_ref().err()].into_iter().flatten() {
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
fn numbered(reading: ParsedPuzzle) -> Result<(usize, Puzzle), InputError> {
    let line = reading.places[0].line;
    Ok((line, reading.checked()?))
}

/// All puzzles of a stream, or its first error. It is read to its end in any case.
fn stream(source: Source) -> Result<Vec<(usize, Puzzle)>, InputError> {
    let mut stream = Stream::new(source)?;
    let (mut found, mut first_error) = (Vec::new(), None);
    let mut givens = Vec::new();
    while let Some(next) = stream.next(&mut givens) {
        match next {
            Ok(item) => {
                let values = givens.split_off(givens.len() - item.about.shape.cells());
                let (name, expected) = (item.about.name, item.about.expected);
                found.push((item.line, Puzzle { name, shape: item.about.shape, givens: Grid::new(values), expected }));
            }
            Err(error) => first_error = first_error.or(Some(error)),
        }
        assert!(givens.is_empty(), "an error leaves nothing behind");
    }
    first_error.map_or(Ok(found), Err)
}

fn survives_writing(puzzle: &Puzzle) {
    for conflict in puzzle.conflicts() {
        assert!(!conflict.to_string().is_empty());
    }
    for format in Format::ALL {
        let Ok(text) = formats::write(puzzle, format) else { continue };
        let read = Text::decode("f", text.clone().into_bytes()).and_then(|text| formats::read(&text));
        match read.as_deref() {
            Ok([again]) => assert_eq!(&again.puzzle, puzzle, "as {format}:\n{text}"),
            Ok(others) => panic!("as {format}, {} puzzles:\n{text}", others.len()),
            Err(error) => panic!("as {format}, {error}:\n{text}"),
        }
    }
    assert!(!draw::grid(&puzzle.shape, &puzzle.givens).is_empty());
}
