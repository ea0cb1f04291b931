//! Examples of every format.

use std::sync::Arc;

use census_puzzle::{Extras, Format, Grid, ParsedPuzzle, Puzzle, Regions, Shape, Zero, formats};

use crate::formats::{MIXED, read, read_with, zero};

const INKALA: &str = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";
const JIGSAW6: [u8; 36] =
    [0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 2, 0, 3, 3, 3, 2, 2, 4, 4, 3, 3, 3, 2, 4, 5, 5, 5, 2, 2, 4, 4, 4, 5, 5, 5];
const ROW12: &str = " 0 0 0 0 0 11 0 0 7 6 0 3";

fn only(text: &str) -> ParsedPuzzle {
    let mut parsed = read(text).unwrap_or_else(|error| panic!("{error} of\n{text}"));
    assert_eq!(parsed.len(), 1, "of\n{text}");
    parsed.remove(0)
}

fn inkala() -> Puzzle {
    only(INKALA).puzzle
}

fn rows(line: &str, order: usize) -> Vec<String> {
    line.as_bytes().chunks(order).map(|row| String::from_utf8_lossy(row).into_owned()).collect()
}

#[test]
fn every_drawing_of_a_puzzle_is_read_as_the_puzzle() {
    let plain = rows(INKALA, 9);
    let bars: Vec<String> = plain.iter().map(|r| format!("|{}|{}|{}|", &r[..3], &r[3..6], &r[6..])).collect();
    let drawn = |top: &str, middle: &str| {
        let bands: Vec<String> = bars.chunks(3).map(|band| band.join("\n")).collect();
        format!(" {top}\n{}\n {top}\n", bands.join(&format!("\n{middle}\n")))
    };
    let numbers: Vec<String> =
        plain.iter().map(|r| r.replace('.', "0").chars().map(|c| format!("{c} ")).collect()).collect();
    let drawings = [
        plain.join("\n"),
        plain.join("\r\n").replace('.', "0"),
        plain.join("\r").replace('.', "_"),
        plain.join("\n\n").replace('.', "*"),
        drawn("*-----------*", "|---+---+---|"),
        drawn("+===+===+===+", "+---+---+---+"),
        drawn(".---.---.---.", ":---+---+---:"),
        drawn(":===:===:===:", "|"),
        drawn("---+---+---", "  "),
        drawn("┌───┬───┬───┐", "├───┼───┼───┤").replace('|', "│"),
        drawn("╔═══╦═══╗", "╠═══╬═══╣").replace('|', " ║ "),
        plain.iter().map(|r| format!("{} {} {}\n", &r[..3], &r[3..6], &r[6..])).collect(),
        // Three digits are cells, not an integer.
        plain.iter().map(|r| format!("{} {} {}\n", &r[..3], &r[3..6], &r[6..]).replace('.', "0")).collect(),
        numbers.join("\n"),
        numbers.join(" "),
        plain.join(" "),
        format!("#AInkala\n#D2010\n[Puzzle]\n{}\n[State]\n{}", plain.join("\n"), "1".repeat(80)),
        format!("{}\n[State]\n{}", plain.join("\n"), plain.join("\n")),
        format!("3\n{}", numbers.join("\n")),
        format!("3\n{}", numbers.join(" ")),
        format!("9 0\n{}", plain.join("\n")),
        format!("9 0\n{}", numbers.join("\n")),
        format!("\u{feff}{INKALA}"),
    ];
    for drawing in drawings {
        assert_eq!(only(&drawing).puzzle, inkala(), "of\n{drawing}");
    }
}

#[test]
fn a_nine_by_nine_is_written_in_every_format_that_holds_it() {
    for format in Format::all() {
        match formats::write(&inkala(), format) {
            Ok(text) => assert_eq!(only(&text).puzzle, inkala(), "{format}"),
            Err(error) => assert_eq!(
                (format, error.to_string()),
                (Format::Jigsaw, "the format jigsaw needs a region map, and this puzzle has none".into())
            ),
        }
    }
}

#[test]
fn the_error_says_why_a_puzzle_cannot_be_written() {
    let big = Puzzle::new(Arc::new(Shape::usual(49).expect("a shape")), Grid::empty(49 * 49));
    let jigsaw = Shape::new(6, Regions::Jigsaw(JIGSAW6.into()), Extras::default()).expect("a shape");
    let jigsaw = Puzzle::new(Arc::new(jigsaw), Grid::empty(36));
    let named = Puzzle { name: Some(" x".into()), ..inkala() };
    let six = Puzzle::new(Arc::new(Shape::usual(6).expect("a shape")), Grid::empty(36));
    let message = |puzzle: &Puzzle, format| formats::write(puzzle, format).expect_err("rejected").to_string();
    assert_eq!(
        message(&big, Format::Rows),
        "order 49 has values without a character: only the formats integers, flagged and sudokount can hold it"
    );
    assert_eq!(
        message(&jigsaw, Format::Integers),
        "this format cannot hold the regions of a jigsaw: only the formats flagged and jigsaw can"
    );
    assert_eq!(
        message(&six, Format::Sudokount),
        "the format sudokount takes orders 4, 9, 16, 25, 36, 49 and 64, not 6"
    );
    assert_eq!(
        message(&named, Format::Line),
        "the puzzle's name is blank, or has spaces at an end or control characters in it"
    );
}

#[test]
fn jigsaw_maps_count_from_zero_or_one_or_use_letters() {
    let clues = format!("2.3{}", ".".repeat(33));
    let line = |first: u8| -> String { JIGSAW6.iter().map(|&r| char::from(first + r)).collect() };
    let numbers = |first: u8| -> String {
        JIGSAW6.chunks(6).map(|row| row.iter().map(|r| format!("{} ", r + first)).collect::<String>() + "\n").collect()
    };
    let grid = rows(&clues, 6).join("\n");
    let flagged = |map: &str| format!("6 1\n{grid}\n{map}");
    let joined: Vec<String> = rows(&line(b'0'), 6);
    for text in [
        format!("{clues}\n{}", line(b'0')),
        format!("{clues}\n{}\n", line(b'1')),
        format!("# pretty\n{clues}\n\n{}", line(b'A')),
        format!("{clues}\n{}", line(b'u')),
        flagged(&numbers(0)),
        flagged(&numbers(1)),
        flagged(&joined.join("\n")),
    ] {
        let puzzle = only(&text).puzzle;
        assert_eq!(*puzzle.shape.regions(), Regions::Jigsaw(JIGSAW6.into()), "of\n{text}");
        assert_eq!(puzzle.givens.values()[..4], [2, 0, 3, 0]);
    }
}

#[test]
fn values_may_start_at_0() {
    let line = "..23.5.78...6..0....8...345...4.6..0.5..80.23.8.1..456..4........7.0.234..12.....";
    let shifted = |c: char| if c == '.' { 0 } else { c as u8 - b'0' + 1 };
    let expected: Vec<u8> = line.chars().map(shifted).collect();
    let read_as = |text: &str, options| read_with(text, options).expect("read").remove(0).puzzle.givens;
    assert_eq!(read_as(line, zero(Zero::Value)).values(), expected);
    assert_eq!(only(&format!("# zero: value\n{line}")).puzzle.givens.values(), expected);
    assert_eq!(read(&format!("# zero: value\n{line}\n").repeat(3)).expect("read")[2].puzzle.givens.values(), expected);
    assert_eq!(read_as(line, zero(Zero::Empty)), only(&line.replace('0', ".")).puzzle.givens);
    // An option overrides the header.
    assert_eq!(
        read_as(&format!("# zero: value\n{line}"), zero(Zero::Empty)),
        only(&line.replace('0', ".")).puzzle.givens
    );
    let integers = "0 . . . . 11 . . 7 6 . 3\n".repeat(12);
    assert_eq!(read_as(&integers, zero(Zero::Value)).values()[..12], [1, 0, 0, 0, 0, 12, 0, 0, 8, 7, 0, 4]);
    // If the empty cells are written as 0 and are as many as a value has cells, a header is written.
    let four = Puzzle::new(
        Arc::new(Shape::usual(4).expect("a shape")),
        Grid::new(vec![1, 2, 3, 0, 3, 0, 1, 2, 2, 3, 0, 1, 0, 1, 2, 3]),
    );
    for format in [Format::Integers, Format::Sudokount] {
        let text = formats::write(&four, format).expect("written");
        assert!(text.starts_with("# zero: empty\n"), "{text}");
        assert_eq!(only(&text).puzzle, four);
    }
}

#[test]
fn two_lines_are_two_puzzles_unless_the_second_is_a_map() {
    let solved = "1234341221434321";
    assert_eq!(read(&format!("{solved}\n{solved}")).expect("read").len(), 2);
    assert_eq!(read(&format!("{INKALA}\n{INKALA}")).expect("read").len(), 2);
    assert_eq!(read(&format!("{INKALA}\n{}", "0".repeat(81))).expect("read").len(), 2);
    assert_eq!(read(&format!("{solved}\n1122112233443344")).expect("read").len(), 1);
}

#[test]
fn lines_of_integers_may_have_two_digits() {
    let text = format!("# boxes: 4x3\n{}", [ROW12; 12].join("\n"));
    let puzzle = only(&text).puzzle;
    assert_eq!(*puzzle.shape.regions(), Regions::Boxes { rows: 4, cols: 3 });
    assert_eq!(puzzle.givens.values()[..12], [0, 0, 0, 0, 0, 11, 0, 0, 7, 6, 0, 3]);
    assert_eq!(only(&[ROW12; 12].join(" ")).puzzle.givens, puzzle.givens);
    let framed = [ROW12; 12].map(|row| format!("│{row} │\n")).join("├────┤\n");
    assert_eq!(only(&framed).puzzle.givens, puzzle.givens);
    let padded = text.replace(" 0", " 00").replace(" 7", " 07").replace(" 6", " 06").replace(" 3", " 03");
    assert_eq!(only(&padded).puzzle.givens, puzzle.givens);
}

#[test]
fn solutions_listed_as_integers_are_a_collection() {
    let line: String = (0..49 * 49).map(|cell| format!("{} ", (cell / 49 + cell % 49) % 49 + 1)).collect();
    let parsed = read(&format!("{line}\n{line}\n{line}\n")).expect("read");
    assert_eq!(parsed.len(), 3);
    assert_eq!(parsed[2].puzzle.givens.values()[47..51], [48, 49, 2, 3]);
    let error = read(&format!("{line}\n{}\n", &line[2..])).expect_err("a cell is missing").to_string();
    assert_eq!(error, format!("f:2:{}: this line has 2400 cells, expected 2401", line.len() - 2));
}

#[test]
fn the_number_of_lines_decides_between_a_grid_and_a_collection() {
    assert_eq!(read(&["1..............2"; 15].join("\n")).expect("read").len(), 15);
    assert_eq!(read(&["1..............2"; 17].join("\n")).expect("read").len(), 17);
    assert_eq!(read(&[INKALA; 81].join("\n")).expect("read").len(), 81, "no grid is as large as 81 lines of 81");
    assert_eq!(read("12\n21").expect("read").len(), 1);
    assert_eq!(only("2 0\n1.\n.1").puzzle.shape.order(), 2);
    assert_eq!(only("1 0\n0 0").puzzle.shape.order(), 2);
}

#[test]
fn values_or_headers_decide_what_sixteen_lines_of_sixteen_are() {
    let orders = |text: &str| -> Vec<usize> {
        let parsed = read(text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
        parsed.iter().map(|parsed| parsed.puzzle.shape.order()).collect()
    };
    let (four, empty) = ("1..............2", ".".repeat(16));
    let sixteen = |line: &str| format!("{line}\n").repeat(16);
    // Several givens and no value above 4: unlikely for a grid of 16×16.
    assert_eq!(orders(&sixteen(four)), [4; 16]);
    assert_eq!(orders(&format!("{four}\n{}", sixteen(&empty)[17..].to_owned())), [16], "two givens do not decide");
    assert_eq!(orders(&sixteen("1..............G")), [16]);
    // Without givens, it is the grid, unless a header decides otherwise.
    assert_eq!(orders(&sixteen(&empty)), [16]);
    assert_eq!(orders(&format!("# boxes: 2x2\n{}", sixteen(&empty))), [4; 16]);
    assert_eq!(orders(&format!("# boxes: 4x4\n{}", sixteen(four))), [16]);
    assert_eq!(orders(&format!("# boxes: none\n{}", sixteen(four))), [16]);
    let named = format!("# name: a\n{empty}\n# name: b\n{}", sixteen(&empty)[17..].to_owned());
    assert_eq!(orders(&named), [4; 16]);
    // Any other number of lines is a collection.
    for lines in (2..=15).chain([17, 31, 32]) {
        assert_eq!(orders(&format!("{empty}\n").repeat(lines)), vec![4; lines]);
    }
    // A header with the boxes of a grid makes it a grid with a missing row.
    let error = read(&format!("# boxes: 4x4\n{}", &sixteen(&empty)[17..])).expect_err("a row is missing").to_string();
    assert_eq!(error, "f:16:17: the grid has 15 rows, expected 16");
}

#[test]
fn lines_of_different_sizes_and_headers_between_them_make_a_collection() {
    let (four, five, six) = (".".repeat(16), "1".to_owned() + &".".repeat(24), ".".repeat(36));
    let count = |text: String| read_with(&text, MIXED).unwrap_or_else(|error| panic!("{error} in\n{text}")).len();
    assert_eq!(count(format!("{four}\n{INKALA}\n")), 2);
    assert_eq!(count(format!("{}{INKALA}\n", format!("{four}\n").repeat(15))), 16);
    assert_eq!(count(format!("{four}\n{six}\n{five}\n")), 3);
    assert_eq!(count(format!("# name: a\n{six}\n# name: b\n{six}\n")), 2);
    assert_eq!(count(format!("# expected: 1\n{five}\n{five}\n# expected: 2\n{five}\n")), 3);
    // Two consecutive grids are not nine puzzles each.
    let grid = rows(INKALA, 9).join("\n");
    let error = read(&format!("# name: a\n{grid}\n# name: b\n{grid}\n")).expect_err("two grids").to_string();
    assert_eq!(error, "f:11:9: 'name' contradicts line 1");
}

#[test]
fn shape_headers_apply_to_all_later_puzzles_and_names_and_counts_to_one() {
    let text = format!(
        "# a list\n{INKALA}\n# name: second: the X\n# extra: diagonals\n# expected: 1,734\n{INKALA}\n{INKALA}\n\
         # extra: none\n# boxes: none\n{INKALA}\n# boxes: usual\n{INKALA}\n# boxes: 2x2\n{}\n",
        ".".repeat(16)
    );
    let puzzles: Vec<Puzzle> = read(&text).expect("read").into_iter().map(|r| r.puzzle).collect();
    let shapes: Vec<String> = puzzles.iter().map(|p| p.shape.to_string()).collect();
    let nine = "boxes 3x3";
    assert_eq!(shapes, [nine, "boxes 3x3 + diagonals", "boxes 3x3 + diagonals", "none", nine, "boxes 2x2"]);
    assert_eq!((puzzles[1].name.as_deref(), puzzles[1].expected), (Some("second: the X"), Some(1734)));
    assert_eq!((&puzzles[2].name, puzzles[2].expected), (&None, None));
    assert!(Arc::ptr_eq(&puzzles[1].shape, &puzzles[2].shape));
}

#[test]
fn headers_are_read_in_any_case_and_with_spaces_and_separators() {
    let read_as = |header: &str| {
        let puzzle = only(&format!("# {header}\n{}", ".".repeat(256))).puzzle;
        puzzle.expected.map_or(puzzle.shape.to_string(), |count| count.to_string())
    };
    for (header, expected) in [
        ("boxes: 2x8", "boxes 2x8"),
        ("boxes: 8 X 2", "boxes 8x2"),
        ("boxes: 2×8", "boxes 2x8"),
        ("regions: None", "none"),
        ("extra: diagonals", "boxes 4x4 + diagonals"),
        ("extras: Hyper", "boxes 4x4 + hyper"),
        ("extra: diagonal, hyper", "boxes 4x4 + diagonals + hyper"),
        ("extra: none", "boxes 4x4"),
        ("expected: 28200960", "28200960"),
        ("expected: 28,200,960", "28200960"),
        ("expected: 28_200_960", "28200960"),
        ("expected: 340282366920938463463374607431768211455", "340282366920938463463374607431768211455"),
    ] {
        assert_eq!(read_as(header), expected, "{header}");
    }
    for (key, values) in [
        ("boxes", &["3", "+4x4", "4x4x4", "65x1", "99999999999999999999999x1"][..]),
        ("extra", &["diagonals, none", "windows", ""]),
        ("expected", &["340282366920938463463374607431768211456", "", "1,", "-1", "+1", "1 000"]),
    ] {
        for value in values {
            let error = read(&format!("# {key}: {value}\n{}", ".".repeat(256))).expect_err(value).to_string();
            assert!(error.contains("' is not a "), "{error}");
        }
    }
}

#[test]
fn the_headers_that_are_needed_to_read_a_puzzle_back_are_written() {
    let shape = Shape::new(4, Regions::usual(4), Extras { diagonals: true, hyper: false }).expect("a shape");
    let mut puzzle = Puzzle { expected: Some(12), ..Puzzle::new(Arc::new(shape), Grid::empty(16)) };
    puzzle.givens[0] = 3;
    let text = formats::write(&puzzle, Format::Line).expect("written");
    assert_eq!(text, "# extra: diagonals\n# expected: 12\n3...............\n");
}

#[test]
fn headers_of_a_single_puzzle_may_be_anywhere() {
    let grid = rows(INKALA, 9);
    let text = format!(
        "{}\n  # Expected: 1\n{}\n#NAME: Inkala\n#extra: hyper\n# extra: diagonals",
        grid[..4].join("\n"),
        grid[4..].join("\n")
    );
    let puzzle = only(&text).puzzle;
    assert_eq!((puzzle.name.as_deref(), puzzle.expected), (Some("Inkala"), Some(1)));
    assert_eq!(puzzle.shape.extras(), Extras { diagonals: true, hyper: true });
}

#[test]
fn givens_that_conflict_are_read_and_then_rejected_at_their_position() {
    let error = only(&INKALA.replacen("8.", "88", 1)).checked().expect_err("rejected");
    assert_eq!(error.to_string(), "f:1:2: givens conflict: 8 occurs 2 times in row 1: r1c1, r1c2");
}

#[test]
fn a_large_collection_shares_its_shape() {
    let text = format!("{INKALA}\n").repeat(49_000);
    let parsed = read(&text).expect("read");
    assert_eq!(parsed.len(), 49_000);
    assert!(parsed.iter().all(|p| Arc::ptr_eq(&p.puzzle.shape, &parsed[0].puzzle.shape)));
}

#[test]
fn long_invalid_inputs_are_rejected_quickly() {
    for text in [
        "1 ".repeat(2_000_000),
        "1\n".repeat(2_000_000),
        "#\n".repeat(2_000_000),
        "# name: x\n".repeat(500_000),
        "|".repeat(4_000_000),
        "12 1\n".repeat(800_000),
        "[Puzzle]\n".repeat(400_000),
        format!("8\n{}", "64 ".repeat(1_000_000)),
        "\r".repeat(4_000_000),
    ] {
        assert!(read(&text).is_err());
    }
}
