//! The text of a puzzle from a file, standard input or the argument itself.

use std::io::Write;

use census_puzzle::input::source;
use census_puzzle::{InputError, ReadOptions, Text};

const INKALA: &str = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";

fn load(argument: &str) -> Result<Text, InputError> {
    source::load(argument, ReadOptions::default())
}

fn message(result: Result<Text, InputError>) -> String {
    result.expect_err("must be rejected").to_string()
}

#[test]
fn an_existing_file_has_precedence() {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(b"\xEF\xBB\xBF12\r\n21\r\n").expect("written");
    let path = file.path().to_str().expect("a printable path");
    let text = load(path).expect("a text");
    assert_eq!((&*text.name, &*text.content), (path, "12\r\n21\r\n"));
}

#[test]
fn a_puzzle_may_be_the_argument_itself() {
    let sixteen = format!("1G{}", ".".repeat(254));
    for puzzle in [INKALA, "1...............", &sixteen] {
        let text = load(puzzle).expect("a text");
        assert_eq!((&*text.name, &*text.content), ("argument", puzzle));
    }
}

#[test]
fn any_81_characters_are_a_puzzle() {
    assert_eq!(&*load(&INKALA.replace('7', "?")).expect("a text").name, "argument");
}

#[test]
fn anything_else_is_a_missing_file() {
    assert_eq!(message(load("no-such.sdk")), "no-such.sdk: no such file");
    assert_eq!(message(load(&INKALA.replace('7', "/")))[81..], *": no such file");
    assert_eq!(message(load("puzzles.sdm")), "puzzles.sdm: no such file");
    assert_eq!(message(load("123456789")), "123456789: no such file");
    assert_eq!(message(load(&"?".repeat(256)))[256..], *": no such file");
    assert_eq!(message(load("/dev/null/x")), "/dev/null/x: no such file");
    assert_eq!(message(load("a\nb")), "a\\nb: no such file");
}

#[test]
fn the_error_for_a_puzzle_of_the_wrong_length_says_so() {
    let sixteen = format!("1G{}", ".".repeat(253));
    for (argument, cells, expected) in [
        (&INKALA[1..], 80, 81),
        ("5...............", 16, 81),
        ("5300700006", 10, 81),
        ("1..............", 15, 16),
        (&sixteen, 255, 256),
    ] {
        let found = message(load(argument));
        let expected = format!("{argument}: no such file, and as a puzzle it has {cells} cells, expected {expected}");
        assert_eq!(found, expected);
    }
    assert_eq!(message(load("")), "argument: is empty: expected a file or a puzzle");
}

#[test]
fn a_directory_is_rejected() {
    assert_eq!(message(load("/")), "/: is a directory");
}

#[test]
fn an_endless_device_is_rejected() {
    assert_eq!(message(load("/dev/zero")), "/dev/zero: larger than 64 MiB, the limit");
}

#[test]
fn bytes_that_are_not_text_are_reported_with_their_position() {
    let cases: [(&[u8], &str); 7] = [
        (b"12\n3\x004", "f:2:2: this is not a text file: byte 0x00 is a control byte"),
        (b"\xEF\xBB\xBF\x7F", "f:1:1: this is not a text file: byte 0x7F is a control byte"),
        (b"1\r\n2\r3\xFF", "f:3:2: this is not a text file: byte 0xFF is not UTF-8"),
        ("é│\u{1b}".as_bytes(), "f:1:3: this is not a text file: byte 0x1B is a control byte"),
        (b"\xFF\xFE1\x00", "f:1:1: this is a UTF-16 file: try `iconv -f UTF-16 -t UTF-8 FILE | census count -`"),
        (b"\x1F\x8B\x08", "f:1:1: this is a gzip file: try `zcat FILE | census count -`"),
        (b"PK\x03\x04", "f:1:1: this is a zip file: try `unzip -p FILE | census count -`"),
    ];
    for (bytes, expected) in cases {
        assert_eq!(message(Text::decode("f", bytes.into())), expected);
    }
}
