//! Streams: the puzzles are those of the complete text, however the bytes arrive; bad lines are skipped one by one; no input
//! makes the reader panic.

use std::io::{self, Cursor, Read};
use std::sync::Arc;

use census_puzzle::grid::push_line;
use census_puzzle::input::source::Source;
use census_puzzle::{ErrorScope, Extras, Format, Grid, InputError, Puzzle, Regions, Shape, Stream, formats};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::formats::read_bytes;

const LINE: &str = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";

/// Bytes that arrive in pieces of these sizes, in turn.
struct Pieces(Cursor<Vec<u8>>, Vec<usize>, usize);

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.2 += 1;
        let most = self.1[self.2 % self.1.len()].min(buffer.len());
        self.0.read(&mut buffer[..most])
    }
}

/// All puzzles of a stream with their lines, and all errors.
fn stream(bytes: impl Read + Send + 'static) -> Vec<Result<(usize, Puzzle), InputError>> {
    let mut stream = match Stream::new(Source::new("f", bytes, None)) {
        Ok(stream) => stream,
        Err(error) => return vec![Err(error)],
    };
    let mut found = Vec::new();
    let mut givens = Vec::new();
    while let Some(next) = stream.next(&mut givens) {
        found.push(next.map(|item| {
            assert_eq!(givens.len(), item.shape.cells());
            (item.line, item.with_givens(givens.split_off(0)))
        }));
        assert!(givens.is_empty(), "an error leaves no values");
    }
    found
}

fn texts(found: Vec<Result<(usize, Puzzle), InputError>>) -> Vec<String> {
    let text = |item: Result<(usize, Puzzle), InputError>| match item {
        Ok((line, puzzle)) => format!("{line}: {}, {:?}, {:?}", puzzle.shape, puzzle.name, puzzle.expected),
        Err(error) => error.to_string(),
    };
    found.into_iter().map(text).collect()
}

/// Lines of a collection, most of them valid.
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
    fn a_stream_has_the_puzzles_of_the_complete_text_or_both_have_an_error(bytes in lines()) {
        let complete: Result<Vec<_>, _> = read_bytes(&bytes).and_then(|parsed| {
            parsed.into_iter().map(|parsed| Ok((parsed.positions[0].line, parsed.checked()?))).collect()
        });
        let streamed: Result<Vec<_>, _> = stream(Cursor::new(bytes.clone())).into_iter().collect();
        // A text is parsed completely before conflicts are checked, a stream line by line: the first errors may differ.
        prop_assert_eq!(complete.is_err(), streamed.is_err());
        if let Ok(complete) = complete {
            prop_assert_eq!(streamed.expect("as the complete text"), complete);
        }
    }

    #[test]
    fn after_bad_lines_valid_puzzles_follow_in_the_order_of_their_lines(bytes in lines()) {
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
    #![proptest_config(crate::cases(200))]

    #[test]
    fn a_stream_rejects_exactly_the_puzzles_with_conflicts(
        order in 4usize..=64,
        (diagonals, hyper) in any::<(bool, bool)>(),
        givens in prop::collection::vec(any::<(Index, u8)>(), 3..12),
    ) {
        let shape = Shape::new(order, Regions::usual(order), Extras { diagonals, hyper });
        let shape = shape.or_else(|_| Shape::usual(order)).expect("a shape");
        let mut puzzle = Puzzle::new(Arc::new(shape), Grid::empty(order * order));
        let written = formats::write(&puzzle, Format::Integers).expect("written");
        let mut text: Vec<u8> = written.lines().filter(|line| line.starts_with('#')).flat_map(|line| [line, "\n"].concat().into_bytes()).collect();
        let mut conflicts = Vec::new();
        for (cell, value) in givens {
            puzzle.givens[cell.index(order * order)] = value % (order as u8 + 1);
            push_line(&mut text, order, puzzle.givens.values().iter().copied());
            text.push(b'\n');
            conflicts.push(!puzzle.conflicts().is_empty());
        }
        let rejected: Vec<bool> = stream(Cursor::new(text)).iter().map(Result::is_err).collect();
        prop_assert_eq!(rejected, conflicts);
    }
}

proptest! {
    #![proptest_config(crate::cases(12))]

    #[test]
    fn a_long_collection_may_arrive_in_any_pieces(
        pieces in prop::collection::vec(1usize..200_000, 1..6),
        end in select(vec!["\n", "\r\n", "\r"]),
        odd in prop::collection::vec((1000usize..13_000, lines()), 0..4),
    ) {
        // More than the head that is read to recognise the format.
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
fn an_invalid_header_about_the_shape_makes_the_puzzles_after_it_invalid() {
    let text = format!("{LINE}\n# boxes: 3\n{LINE}\n{LINE}\n# boxes: usual\n{LINE}\n# expected: x\n{LINE}\n");
    let skipped = |line| format!("f:{line}:1: puzzle not read: the header on line 2, which applies to it, is invalid");
    let expected = [
        "1: boxes 3x3, None, None".to_owned(),
        "f:2:10: '3' is not a box such as 3x4 (rows x columns), none, usual or jigsaw".to_owned(),
        skipped(3),
        skipped(4),
        "6: boxes 3x3, None, None".to_owned(),
        "f:7:13: 'x' is not a number of solutions below 2^128".to_owned(),
        "8: boxes 3x3, None, None".to_owned(),
    ];
    assert_eq!(texts(stream(Cursor::new(text))), expected);
}

#[test]
fn headers_of_a_bad_puzzle_do_not_apply_to_the_next() {
    let text = format!("{LINE}\n# name: a\n# expected: 7\n{}\n{LINE}\n# name: b\n\u{1b}\n{LINE}\n", &LINE[1..]);
    let expected = [
        "1: boxes 3x3, None, None",
        "f:4:81: this line has 80 cells, expected 81",
        "5: boxes 3x3, None, None",
        "f:7:1: this is not a text file: byte 0x1B is a control byte",
        "8: boxes 3x3, None, None",
    ];
    assert_eq!(texts(stream(Cursor::new(text))), expected);
}

#[test]
fn puzzles_of_one_shape_share_it() {
    let found = stream(Cursor::new(format!("{LINE}\n").repeat(20_000)));
    let shapes: Vec<_> = found.iter().flatten().map(|(_, puzzle)| &puzzle.shape).collect();
    assert_eq!(shapes.len(), 20_000);
    assert!(shapes.iter().all(|shape| Arc::ptr_eq(shape, shapes[0])));
}

#[test]
fn an_endless_source_is_rejected_at_its_first_line() {
    let rejected = |byte: u8| texts(stream(io::repeat(byte)));
    assert_eq!(rejected(0), ["f:1:1: this is not a text file: byte 0x00 is a control byte"]);
    let endless = "f:1:1: a line of more than 64 MiB: not a puzzle; the rest of the source is not read";
    assert_eq!(rejected(b'1'), [endless]);
    assert_eq!(rejected("é".as_bytes()[0]), ["f:1:1: this is not a text file: byte 0xC3 is not UTF-8"]);
}

#[test]
fn a_line_that_is_too_long_is_one_bad_line_anywhere_and_in_any_pieces() {
    let most = 64 << 10;
    let good = |line| format!("{line}: boxes 3x3, None, None");
    let too_long = |line| format!("f:{line}:1: a line of more than 64 KiB: not a puzzle");
    let head = format!("{LINE}\n");
    for end in ["\n", "\r\n"] {
        for length in [most + 1, most + 2, 4 * most - 1, 4 * most, 4 * most + 1, 2 << 20] {
            let line = "1".repeat(length);
            let text = format!("{head}#{}{end}{line}{end}{LINE}{end}{line}", "x".repeat(most - 1));
            let expected = [good(1), too_long(3), good(4), too_long(5)];
            assert_eq!(texts(stream(Cursor::new(text.clone()))), expected, "{length}");
            let pieces = Pieces(Cursor::new(text.into_bytes()), vec![most - 1, 7, 3 * most], 0);
            assert_eq!(texts(stream(pieces)), expected, "{length}");
        }
    }
}

#[test]
fn a_slow_collection_is_recognised_at_its_third_line() {
    /// A pipe whose writer has stopped after so many bytes: a read beyond them would block.
    struct Slow(Cursor<Vec<u8>>, usize);
    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            assert!((self.0.position() as usize) < self.1, "the reader must not wait for more");
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
fn sections_after_a_long_collection_are_not_part_of_it() {
    let lines = format!("{LINE}\n").repeat(20_000);
    let found = texts(stream(Cursor::new(format!("{lines}[State]\n{LINE}\nwhatever\n[Puzzle]\n{LINE}\n"))));
    assert_eq!(found.len(), 20_001);
    assert_eq!(found[20_000], "20005: boxes 3x3, None, None");
}

#[test]
fn a_long_text_without_a_puzzle_is_rejected() {
    assert_eq!(texts(stream(Cursor::new("# nothing\n".repeat(200_000)))), ["f:1:1: no puzzle found"]);
    let loose = format!("{LINE}\n").repeat(20_000) + "# name: nobody\n";
    let last = stream(Cursor::new(loose)).pop().expect("something").expect_err("an error");
    assert_eq!(last.to_string(), "f:20001:9: this header applies to the next puzzle, but no puzzle follows");
}

#[test]
fn a_region_map_ends_a_collection_on_any_line() {
    let map: String = (0..81).map(|cell| char::from(b'1' + (cell / 9) as u8)).collect();
    let error = |line| {
        format!("f:{line}:1: this is a region map: a collection cannot hold jigsaws; put each in a file of its own")
    };
    for times in [2, 20_000] {
        assert_eq!(texts(stream(Cursor::new(format!("{LINE}\n{map}\n").repeat(times)))), [error(2)]);
    }
    let late = format!("{LINE}\n").repeat(20_000) + &format!("{map}\n{LINE}\n");
    let found = texts(stream(Cursor::new(late)));
    assert_eq!((found.len(), &found[20_000]), (20_001, &error(20_001)));
}

#[test]
fn the_hint_about_tables_is_given_once() {
    let found = texts(stream(Cursor::new(format!("a,b\n{}", format!("{LINE},{LINE}\n").repeat(3)))));
    assert_eq!((found.len(), found.iter().filter(|line| line.contains("table")).count()), (4, 1), "{found:?}");
}

#[test]
fn a_binary_file_is_one_bad_source() {
    let noise: Vec<u8> = (0..3_000_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for bytes in [noise[..5000].to_vec(), noise.clone(), [b"\x1F\x8B", &noise[..]].concat()] {
        let found = stream(Cursor::new(bytes));
        let [Err(error)] = &found[..] else { panic!("{}", found.len()) };
        assert_eq!(error.scope(), ErrorScope::Source, "{error}");
    }
    // After valid lines, a zero byte marks a binary file.
    let mixed = [format!("{LINE}\n").repeat(3).as_bytes(), b"1\x1b2\n", LINE.as_bytes(), b"\n1\x002\n\n1\n"].concat();
    let found = texts(stream(Cursor::new(mixed)));
    assert_eq!(found.len(), 6, "{found:?}");
    assert_eq!(found[5], "f:6:2: this is not a text file: byte 0x00 is a control byte");
}
