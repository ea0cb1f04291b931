//! Puzzles one by one from a stream: the same as from a whole text, however the bytes arrive; bad lines are passed over
//! one by one; nothing makes the reader panic or grow.

use std::io::{self, Cursor, Read};
use std::sync::Arc;

use census_puzzle::input::source::Source;
use census_puzzle::{ErrorScope, Grid, InputError, Puzzle, Stream};
use proptest::prelude::*;
use proptest::sample::select;

use crate::formats::read_bytes;

const LINE: &str = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";

/// Bytes that arrive in pieces of these sizes, in turns.
struct Pieces(Cursor<Vec<u8>>, Vec<usize>, usize);

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.2 += 1;
        let most = self.1[self.2 % self.1.len()].min(buffer.len());
        self.0.read(&mut buffer[..most])
    }
}

/// All that a stream of these bytes holds: puzzles with their lines, and errors.
fn stream(bytes: impl Read + Send + 'static) -> Vec<Result<(usize, Puzzle), InputError>> {
    let mut stream = match Stream::new(Source::new("f", bytes, None)) {
        Ok(stream) => stream,
        Err(error) => return vec![Err(error)],
    };
    let mut found = Vec::new();
    let mut givens = Vec::new();
    while let Some(next) = stream.next(&mut givens) {
        found.push(next.map(|item| {
            let values = givens.split_off(givens.len() - item.about.shape.cells());
            let (name, expected) = (item.about.name, item.about.expected);
            (item.line, Puzzle { name, shape: item.about.shape, givens: Grid::new(values), expected })
        }));
        assert!(givens.is_empty(), "an error leaves nothing behind");
    }
    found
}

fn words(found: Vec<Result<(usize, Puzzle), InputError>>) -> Vec<String> {
    let word = |item: Result<(usize, Puzzle), InputError>| match item {
        Ok((line, puzzle)) => format!("{line}: {}, {:?}, {:?}", puzzle.shape, puzzle.name, puzzle.expected),
        Err(error) => error.to_string(),
    };
    found.into_iter().map(word).collect()
}

/// Lines of which collections are made, most of them good.
fn lines() -> impl Strategy<Value = Vec<u8>> {
    let conflict = LINE.replacen("8.", "88", 1);
    let line = prop_oneof![
        8 => "[1-9.]{81}",
        8 => Just(LINE.to_owned()),
        2 => Just("12..............".to_owned()),
        2 => Just(format!("  {LINE} # easy")),
        1 => Just(conflict),
        1 => select(vec!["# boxes: 3x3", "# boxes: none", "# boxes: 3", "# boxes: 3x4", "# boxes: usual"]).prop_map(String::from),
        1 => select(vec!["# extra: hyper", "# extra: none", "# extra: ?", "# name: x", "# name: y"]).prop_map(String::from),
        1 => select(vec!["# expected: 5", "# expected: x", "#", "", "---", "[State]", "é", "1 2 3"]).prop_map(String::from),
        1 => "[0-9. |x#:]{0,90}",
    ];
    let end = select(vec!["\n", "\n", "\n", "\r\n", "\r"]);
    let bad = prop_oneof![20 => Just(None), 1 => select(b"\xFF\x00\x1b\xC3".to_vec()).prop_map(Some)];
    prop::collection::vec((line, bad, end), 1..40).prop_map(|lines| {
        let of =
            |(line, bad, end): (String, Option<u8>, &str)| [line.as_bytes(), bad.as_slice(), end.as_bytes()].concat();
        lines.into_iter().flat_map(of).collect()
    })
}

proptest! {
    #![proptest_config(crate::cases(1000))]

    #[test]
    fn a_stream_holds_what_the_whole_text_holds_and_ends_it_with_the_same_error(bytes in lines()) {
        let whole = read_bytes(&bytes).and_then(|readings| {
            readings.into_iter().map(|reading| (reading.places[0].line, reading)).map(|(line, reading)| Ok((line, reading.checked()?))).collect()
        });
        let streamed: Result<Vec<_>, _> = stream(Cursor::new(bytes.clone())).into_iter().collect();
        // A text is read before it is checked, a stream line by line: of several errors each tells its first.
        prop_assert_eq!(whole.is_err(), streamed.is_err());
        if let Ok(whole) = whole {
            let whole: Vec<(usize, Puzzle)> = whole;
            prop_assert_eq!(streamed.expect("as the whole text"), whole);
        }
    }

    #[test]
    fn whoever_goes_on_after_bad_lines_gets_all_good_ones_with_their_places(bytes in lines()) {
        let found = stream(Cursor::new(bytes.clone()));
        let last = found.iter().flatten().map(|(line, _)| *line).fold(0, |before, line| {
            assert!(before < line, "lines are in order");
            line
        });
        prop_assert!(last <= bytes.len());
        for item in found {
            match item {
                Ok((_, puzzle)) => prop_assert!(puzzle.conflicts().is_empty()),
                Err(error) => {
                    let text = error.to_string();
                    prop_assert!(text.starts_with("f:") && text.len() < 300 && !text.contains(char::is_control), "{}", text);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(crate::cases(12))]

    #[test]
    fn it_does_not_matter_in_which_pieces_a_long_collection_arrives(
        pieces in prop::collection::vec(1usize..200_000, 1..6),
        end in select(vec!["\n", "\r\n", "\r"]),
        odd in prop::collection::vec((1000usize..13_000, lines()), 0..4),
    ) {
        // More than is read to begin with: nobody looks at it as a whole.
        let mut bytes = b"\xEF\xBB\xBF".to_vec();
        for number in 0..13_000 {
            bytes.extend(LINE.as_bytes());
            bytes.extend(end.as_bytes());
            odd.iter().filter(|(at, _)| *at == number).for_each(|(_, lines)| bytes.extend(lines));
        }
        let expected = stream(Cursor::new(bytes.clone()));
        prop_assert!(expected.iter().flatten().count() >= 13_000 || !odd.is_empty());
        prop_assert_eq!(stream(Pieces(Cursor::new(bytes), pieces, 0)), expected);
    }
}

#[test]
fn a_header_that_is_not_understood_takes_the_puzzles_with_it_whose_shape_it_says() {
    let text = format!("{LINE}\n# boxes: 3\n{LINE}\n{LINE}\n# boxes: usual\n{LINE}\n# expected: x\n{LINE}\n");
    let unknown =
        |line| format!("f:{line}:1: how to read this puzzle is not known: line 2 says it, and was not understood");
    let expected = [
        "1: boxes 3x3, None, None".to_owned(),
        "f:2:10: '3' is not a box such as 3x4 (rows x columns), none, usual or jigsaw".to_owned(),
        unknown(3),
        unknown(4),
        "6: boxes 3x3, None, None".to_owned(),
        "f:7:13: 'x' is not a number of solutions below 2^128".to_owned(),
        "8: boxes 3x3, None, None".to_owned(),
    ];
    assert_eq!(words(stream(Cursor::new(text))), expected);
}

#[test]
fn what_was_said_of_a_bad_puzzle_is_not_taken_for_the_next() {
    let text = format!("{LINE}\n# name: a\n# expected: 7\n{}\n{LINE}\n# name: b\n\u{1b}\n{LINE}\n", &LINE[1..]);
    let expected = [
        "1: boxes 3x3, None, None",
        "f:4:81: this line has 80 cells, expected 81",
        "5: boxes 3x3, None, None",
        "f:7:1: this is not a text file: byte 0x1B is a control byte",
        "8: boxes 3x3, None, None",
    ];
    assert_eq!(words(stream(Cursor::new(text))), expected);
}

#[test]
fn puzzles_of_one_shape_share_it() {
    let found = stream(Cursor::new(format!("{LINE}\n").repeat(20_000)));
    let shapes: Vec<_> = found.iter().flatten().map(|(_, puzzle)| &puzzle.shape).collect();
    assert_eq!(shapes.len(), 20_000);
    assert!(shapes.iter().all(|shape| Arc::ptr_eq(shape, shapes[0])));
}

#[test]
fn a_source_that_never_ends_is_refused_at_its_first_line() {
    let refused = |byte: u8| words(stream(io::repeat(byte)));
    assert_eq!(refused(0), ["f:1:1: this is not a text file: byte 0x00 is a control byte"]);
    let endless = "f:1:1: a line of more than 64 MiB: this is no puzzle, and nothing behind it is read";
    assert_eq!(refused(b'1'), [endless]);
    assert_eq!(refused("é".as_bytes()[0]), ["f:1:1: this is not a text file: byte 0xC3 is not UTF-8"]);
}

#[test]
fn a_line_that_is_too_long_is_one_bad_line_wherever_it_stands_and_in_whatever_pieces_it_comes() {
    let most = 64 << 10;
    let good = |line| format!("{line}: boxes 3x3, None, None");
    let too_long = |line| format!("f:{line}:1: a line of more than 64 KiB: this is no puzzle");
    let head = format!("{LINE}\n");
    for end in ["\n", "\r\n"] {
        for length in [most + 1, most + 2, 4 * most - 1, 4 * most, 4 * most + 1, 2 << 20] {
            let line = "1".repeat(length);
            let text = format!("{head}#{}{end}{line}{end}{LINE}{end}{line}", "x".repeat(most - 1));
            let expected = [good(1), too_long(3), good(4), too_long(5)];
            assert_eq!(words(stream(Cursor::new(text.clone()))), expected, "{length}");
            let pieces = Pieces(Cursor::new(text.into_bytes()), vec![most - 1, 7, 3 * most], 0);
            assert_eq!(words(stream(pieces)), expected, "{length}");
        }
    }
}

#[test]
fn a_collection_that_comes_slowly_is_known_by_its_third_line() {
    /// What comes is all there is until somebody allows more: a read before that would wait for ever.
    struct Slow(Cursor<Vec<u8>>, usize);
    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            assert!((self.0.position() as usize) < self.1, "nobody should wait for more");
            let found = buffer.len().min(self.1 - self.0.position() as usize).min(10);
            self.0.read(&mut buffer[..found])
        }
    }
    for (end, head) in [("\n", ""), ("\r\n", "# name: x\n\n"), ("\n", "\u{feff}# boxes: none\n")] {
        let text = format!("{head}{LINE}{end}{LINE}{end}{LINE}{end}");
        let all = text.len();
        let mut stream = Stream::new(Source::new("f", Slow(Cursor::new(text.into_bytes()), all), None)).expect("read");
        assert!(!stream.is_one());
        for _ in 0..3 {
            assert!(stream.next(&mut Vec::new()).is_some_and(|item| item.is_ok()));
        }
    }
}

#[test]
fn sections_behind_a_long_collection_are_none_of_it() {
    let lines = format!("{LINE}\n").repeat(20_000);
    let found = words(stream(Cursor::new(format!("{lines}[State]\n{LINE}\nwhatever\n[Puzzle]\n{LINE}\n"))));
    assert_eq!(found.len(), 20_001);
    assert_eq!(found[20_000], "20005: boxes 3x3, None, None");
}

#[test]
fn a_long_text_without_a_puzzle_says_so() {
    assert_eq!(words(stream(Cursor::new("# nothing\n".repeat(200_000)))), ["f:1:1: there is no puzzle in here"]);
    let loose = format!("{LINE}\n").repeat(20_000) + "# name: nobody\n";
    let last = stream(Cursor::new(loose)).pop().expect("something").expect_err("an error");
    assert_eq!(last.to_string(), "f:20001:9: this is about the next puzzle, but no puzzle follows");
}

#[test]
fn a_region_map_ends_a_collection_wherever_it_stands() {
    let map: String = (0..81).map(|cell| char::from(b'1' + (cell / 9) as u8)).collect();
    let error = |line| {
        format!("f:{line}:1: this is a map of regions: a collection cannot hold jigsaws, give each a file of its own")
    };
    for times in [2, 20_000] {
        assert_eq!(words(stream(Cursor::new(format!("{LINE}\n{map}\n").repeat(times)))), [error(2)]);
    }
    let late = format!("{LINE}\n").repeat(20_000) + &format!("{map}\n{LINE}\n");
    let found = words(stream(Cursor::new(late)));
    assert_eq!((found.len(), &found[20_000]), (20_001, &error(20_001)));
}

#[test]
fn a_hint_about_tables_is_given_once() {
    let found = words(stream(Cursor::new(format!("a,b\n{}", format!("{LINE},{LINE}\n").repeat(3)))));
    assert_eq!((found.len(), found.iter().filter(|line| line.contains("table")).count()), (4, 1), "{found:?}");
}

#[test]
fn what_is_no_text_is_one_bad_source() {
    let noise: Vec<u8> = (0..3_000_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for bytes in [noise[..5000].to_vec(), noise.clone(), [b"\x1F\x8B", &noise[..]].concat()] {
        let found = stream(Cursor::new(bytes));
        let [Err(error)] = &found[..] else { panic!("{}", found.len()) };
        assert_eq!(error.subject(), ErrorScope::Source, "{error}");
    }
    // After good lines, a zero byte tells.
    let mixed = [format!("{LINE}\n").repeat(3).as_bytes(), b"1\x1b2\n", LINE.as_bytes(), b"\n1\x002\n\n1\n"].concat();
    let found = words(stream(Cursor::new(mixed)));
    assert_eq!(found.len(), 6, "{found:?}");
    assert_eq!(found[5], "f:6:2: this is not a text file: byte 0x00 is a control byte");
}
