//! The position and the message of every error in the formats.

use census_puzzle::Regions;

use crate::formats::{MIXED, read, read_with};

const GRID: &str =
    "530070000\n600195000\n098000060\n800060003\n400803001\n700020006\n060000280\n000419005\n000080079\n";
const LINE: &str = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";
const MAP: &str = "0 1 1 1 1 1\n0 0 0 0 0 1\n2 2 2 3 3 3\n2 2 2 3 3 3\n4 4 4 5 5 5\n4 4 4 5 5 5\n";
const SIX: &str = "2.3...\n......\n......\n......\n......\n......\n";

fn assert_errors(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let found = match read(text) {
            Ok(parsed) => format!("{} puzzles", parsed.len()),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, *expected, "of\n{text}");
    }
}

#[test]
fn a_text_without_a_puzzle_is_rejected() {
    for text in ["", "\n\n", "# name: nobody\n", "---\n|  |\n", "\u{feff}"] {
        assert_errors(&[(text, "f:1:1: no puzzle found")]);
    }
}

#[test]
fn errors_in_a_line() {
    assert_errors(&[
        (&LINE[1..], "f:1:81: this line has 80 cells, expected 81"),
        (&format!("{LINE}1"), "f:1:82: this line has 82 cells, expected 81"),
        (&LINE.replace("36", "3?"), "f:1:13: '?' is not a cell: expected 1 to 9, or . 0 _ * for an empty one"),
        (&LINE.replace("36", "3A"), "f:1:13: the value 10 ('A') is above 9, the order of the grid"),
        (
            &format!("  {}", LINE.replace("36", "3-")),
            "f:1:15: '-' is not a cell: expected 1 to 9, or . 0 _ * for an empty one",
        ),
        // The order with the nearest number of cells is expected.
        (&LINE.repeat(2)[..90], "f:1:82: this line has 90 cells, expected 81"),
        (&LINE.repeat(2)[..91], "f:1:92: this line has 91 cells, expected 100"),
        ("123", "f:1:4: this line has 3 cells, expected 4"),
        ("12", "f:1:1: 2 cells on one line: expected the square of an order from 2 to 64"),
        ("1", "f:1:1: 1 cell on one line: expected the square of an order from 2 to 64"),
        (&".".repeat(65 * 65), "f:1:1: 4225 cells on one line: expected the square of an order from 2 to 64"),
        (
            &format!("{}?", ".".repeat(143)),
            "f:1:144: '?' is not a cell: expected 1 to 9, A to C, or . 0 _ * for an empty one",
        ),
    ]);
}

#[test]
fn errors_in_a_collection() {
    let short = format!("# easy\n{LINE}\n{LINE}\n{}\n{LINE}\n", &LINE[2..]);
    let wrong = format!("{LINE}\n\n{}\n", LINE.replace('8', "x"));
    let boxes = format!("{LINE}\n# boxes: 3x4\n{LINE}\n");
    let hyper = format!("# boxes: none\n# extra: hyper\n{LINE}\n{LINE}\n");
    let loose = format!("{LINE}\n{LINE}\n# expected: 5\n");
    let twice = format!("{LINE}\n# name: a\n# name: b\n{LINE}\n");
    assert_errors(&[
        (&short, "f:4:80: this line has 79 cells, expected 81"),
        (&wrong, "f:3:1: the value 33 ('x') is above 9, the order of the grid"),
        (&boxes, "f:2:10: boxes of 3x4 have 12 cells, but the order is 9 (the puzzle on line 3)"),
        (&hyper, "f:2:10: hyper boxes need square boxes (2x2, 3x3, 4x4 …) (the puzzle on line 3)"),
        (&loose, "f:3:13: this header applies to the next puzzle, but no puzzle follows"),
        (&twice, "f:3:9: 'name' contradicts line 2"),
    ]);
}

#[test]
fn a_table_gets_a_hint_and_a_mistake_does_not() {
    let hint = |command: &str| format!("; if this is a table (CSV), extract the column of puzzles: `{command}`");
    let unnamed = |command: &str| hint(command) + ", where N is its number";
    let rows = |separator: &str| format!("{LINE}{separator}{LINE}\n{LINE}{separator}{LINE}\n");
    let wrong = "is not a cell: expected 1 to 9, or . 0 _ * for an empty one";
    assert_errors(&[
        (
            &format!("quizzes,solutions\n{}", rows(",")),
            &format!(
                "f:1:1: the value 26 ('q') is above 4, the order of the grid{}",
                unnamed("tail -n +2 FILE | cut -d, -fN")
            ),
        ),
        (
            &format!("# sudokus\nquizzes\tsolutions\n{}", rows("\t")),
            &format!(
                "f:2:1: the value 26 ('q') is above 4, the order of the grid{}",
                unnamed("tail -n +3 FILE | cut -fN")
            ),
        ),
        (&rows(","), &format!("f:1:164: this line has 162 cells, expected 169{}", hint("cut -d, -f1 FILE"))),
        (&rows("\t"), &format!("f:1:164: this line has 162 cells, expected 169{}", hint("cut -f1 FILE"))),
        (&format!("7,{LINE}\n"), &format!("f:1:83: this line has 82 cells, expected 81{}", hint("cut -d, -f2 FILE"))),
        (&format!("\"{LINE}\",\"easy\"\n"), &format!("f:1:1: '\"' {wrong}{}", hint("cut -d, -f1 FILE | tr -d '\"'"))),
        (&format!("\"{LINE}\"\n"), &format!("f:1:1: '\"' {wrong}{}", hint("tr -d '\"' < FILE"))),
        (&format!("{LINE};1\n"), &format!("f:1:82: ';' {wrong}{}", hint("cut -d';' -f1 FILE"))),
        // A wrong line after good lines is not a title.
        (&format!("{LINE}\nquizzes;solutions\n"), &format!("f:2:8: ';' {wrong}{}", unnamed("cut -d';' -fN FILE"))),
        // Commas between cells do not make a table of puzzles.
        (&"1,".repeat(80), "f:1:160: this line has 80 cells, expected 81; an empty cell is written as . or 0"),
        (
            &"123\t456\t\t".repeat(13),
            "f:1:116: this line has 78 cells, expected 81; an empty cell is written as . or 0",
        ),
    ]);
}

#[test]
fn a_collection_expects_lines_of_the_same_length() {
    let after = |line: &str| format!("{LINE}\n{LINE}\n{line}\n{LINE}\n");
    let four = ".".repeat(16);
    assert_errors(&[
        (&after("12345"), "f:3:6: this line has 5 cells, expected 81, as in the lines before"),
        (&after("1"), "f:3:2: this line has 1 cell, expected 81, as in the lines before"),
        (&after("Easy"), "f:3:5: this line has 4 cells, expected 81, as in the lines before"),
        (&after("easy ones"), "f:3:10: this line has 8 cells, expected 81, as in the lines before"),
        (&after("easy?"), "f:3:5: '?' is not a cell: expected 1 to 9, or . 0 _ * for an empty one"),
        (&after(&LINE[1..]), "f:3:81: this line has 80 cells, expected 81"),
        (&format!("12345\n{LINE}\n"), "f:1:5: this line has 5 cells, expected 4"),
        (
            &after(&four),
            "f:3:17: this line has 16 cells, expected 81, as in the lines before; for an order of 4, write `# boxes: usual` above it or add --mixed",
        ),
        (&after(&format!("# boxes: 2x2\n{four}\n{four}\n# boxes: usual")), "5 puzzles"),
        (
            &after(&format!("# name: four\n{four}")),
            "f:4:17: this line has 16 cells, expected 81, as in the lines before; for an order of 4, write `# boxes: usual` above it or add --mixed",
        ),
    ]);
    let mixed = |text: &str| read_with(text, MIXED).map(|parsed| parsed.len()).map_err(|error| error.to_string());
    assert_eq!(mixed(&after(&four)), Ok(4));
    let error = "f:4:6: this line has 5 cells, expected 81, as in the lines before";
    assert_eq!(mixed(&after(&format!("{four}\n{LINE}\n12345"))), Err(error.replace("f:4", "f:5")));
}

#[test]
fn a_grid_in_which_0_may_be_a_value_or_an_empty_cell_is_rejected() {
    let message = |why: &str, n: usize| {
        let last = n - 1;
        format!(
            "0 may be a value or an empty cell: {why}, and no cell has the value {n}; `--zero value` reads the values as 0 to {last}, `--zero empty` as 1 to {n}"
        )
    };
    let marked = |n| message("'.' marks empty cells, too", n);
    let full = |n: usize| message(&format!("it occurs {n} times, as a value of a full grid does"), n);
    let line = "..23.5.78...6..0....8...345...4.6..0.5..80.23.8.1..456..4........7.0.234..12.....";
    let rows =
        |text: &str| text.as_bytes().chunks(9).map(|row| String::from_utf8_lossy(row) + "\n").collect::<String>();
    let row12 = "0 . . . . 11 . . 7 6 . 3\n";
    let hexadecimal: String = (0..256).map(|cell| format!("{:X}", (cell / 16 * 4 + cell / 64 + cell) % 16)).collect();
    let hexadecimal_rows: String =
        hexadecimal.as_bytes().chunks(16).map(|row| String::from_utf8_lossy(row) + "\n").collect();
    assert_errors(&[
        (line, &format!("f:1:16: {}", marked(9))),
        (&rows(line), &format!("f:2:7: {}", marked(9))),
        (&format!("{LINE}\n{LINE}\n{line}\n"), &format!("f:3:16: {}", marked(9))),
        (&format!("{LINE}\n{LINE}\n  {line}\n"), &format!("f:3:18: {}", marked(9))),
        (&row12.repeat(12), &format!("f:1:1: {}", marked(12))),
        (&hexadecimal, &format!("f:1:1: {}", full(16))),
        (&hexadecimal_rows, &format!("f:1:1: {}", full(16))),
        (&format!("{hexadecimal}\n").repeat(3), &format!("f:1:1: {}", full(16))),
        // With the value n, or without another mark, it is an empty cell.
        (&line.replace('8', "9"), "1 puzzles"),
        (&line.replace('.', "0"), "1 puzzles"),
        (&row12.replace("11", "12").repeat(12), "1 puzzles"),
        // A header decides.
        (&format!("# zero: empty\n{line}"), "1 puzzles"),
        (&format!("# zero: value\n{}", rows(line)), "1 puzzles"),
        (&format!("{LINE}\n# zero: value\n{line}\n{line}\n"), "3 puzzles"),
        (&format!("# zero: 1\n{line}"), "f:1:9: '1' is not a meaning of 0: value or empty"),
    ]);
    let nine = format!("# zero: value\n{LINE}");
    assert_errors(&[(&nine, "f:2:23: the value 9 is above 8, the largest value of order 9 when values start at 0")]);
}

#[test]
fn two_lines_that_may_be_a_puzzle_and_its_regions_are_rejected_unless_a_header_decides() {
    // A Latin square: every label six times, once in each row and column.
    let latin = "123456345612561234234561456123612345";
    let clues = ".".repeat(36);
    let message = "this may be a full grid or a region map: write `# regions: usual` above the lines if they are two grids, \
                 `# regions: jigsaw` if this is a map";
    // A region has the cells at the same position of each box.
    let groups = "123123123456456456789789789".repeat(3);
    assert_errors(&[
        (&format!("{clues}\n{latin}\n"), &format!("f:2:1: {message}")),
        (&format!("# regions: usual\n{clues}\n{latin}\n"), "2 puzzles"),
        (&format!("# regions: jigsaw\n{clues}\n{latin}\n"), "1 puzzles"),
        (&format!("{latin}\n{latin}\n"), "2 puzzles"),
        (&format!("{LINE}\n{groups}\n"), "1 puzzles"),
        (
            &format!("{LINE}\n{groups}\n{LINE}\n{groups}\n"),
            "f:2:1: this is a region map: a collection cannot hold jigsaws; put each in a file of its own",
        ),
    ]);
    assert!(matches!(
        read(&format!("{LINE}\n{groups}\n")).expect("read")[0].puzzle.shape.regions(),
        Regions::Jigsaw(_)
    ));
}

#[test]
fn a_collection_of_jigsaws_is_rejected() {
    let clues = ".".repeat(36);
    let map: String = MAP.split_whitespace().collect();
    let letters = map.chars().map(|c| char::from(c as u8 - b'0' + b'a')).collect::<String>();
    // Every label six times, but rarely with an equal neighbour.
    let scattered = "123456345612561234234561456123612345";
    let swapped = "182753649943682175675491283154237896369845721287169534521974368438526917796318452";
    let message = "this is a region map: a collection cannot hold jigsaws; put each in a file of its own";
    assert_errors(&[
        (&format!("{clues}\n{map}\n{clues}\n{map}\n"), &format!("f:2:1: {message}")),
        (&format!("# name: a\n{clues}\n{letters}\n# name: b\n{clues}\n{letters}\n"), &format!("f:3:1: {message}")),
        (&format!("{clues}\n{clues}\n{clues}\n  {map}\n"), &format!("f:4:3: {message}")),
        (&format!("# regions: jigsaw\n{clues}\n{scattered}\n").repeat(2), &format!("f:3:1: {message}")),
        // A solved grid has all its values equally often, too, even if two cells have been swapped.
        (&format!("{LINE}\n{LINE}\n{swapped}\n"), "3 puzzles"),
    ]);
}

#[test]
fn a_puzzle_with_unusual_empty_cells_is_not_a_region_map() {
    let message = "'·' is not a cell: expected 1 to 9, or . 0 _ * for an empty one";
    assert_errors(&[(&format!("{LINE}\n{}\n", LINE.replace('.', "·")), &format!("f:2:2: {message}"))]);
}

#[test]
fn errors_in_rows() {
    let rows: Vec<&str> = GRID.lines().collect();
    assert_errors(&[
        (&GRID.replace("098000060", "09800006"), "f:3:9: this line has 8 cells, expected 9"),
        (&GRID.replace("098000060", "0 9 8|0 0 0 0|0 6 0"), "f:3:19: this line has 10 cells, expected 9"),
        (&rows[..8].join("\n"), "f:8:10: the grid has 8 rows, expected 9"),
        (&format!("{GRID}\n---\n 123456789"), "f:12:2: the grid has 10 rows, expected 9"),
        (&GRID.repeat(3), "f:10:1: the grid has 27 rows, expected 9: one grid per file, or one puzzle per line"),
        (&GRID.replace("195", "1-5"), "f:2:5: '-' is not a cell: expected 1 to 9, or . 0 _ * for an empty one"),
        (
            &GRID.replace("098000060", "--x------"),
            "f:3:1: '-' is not a cell: expected 1 to 9, or . 0 _ * for an empty one",
        ),
        (&GRID.replace("195", "1?5"), "f:2:5: '?' is not a cell: expected 1 to 9, or . 0 _ * for an empty one"),
        (&GRID.replace("195", "1B5"), "f:2:5: the value 11 ('B') is above 9, the order of the grid"),
        // A line ends with LF, CRLF or CR.
        ("1...\r\n\r2...\r\r\n3...\n4..x", "f:6:4: the value 33 ('x') is above 4, the order of the grid"),
        ("12\n3.\n", "f:2:1: the value 3 is above 2, the order of the grid"),
        ("1\n2.\n.\n", "f:1:1: rows of 1 cell: expected an order from 2 to 64"),
        ("[Puzzle]\n[State]\n12\n", "f:1:1: expected a [Puzzle] section with the rows of a grid"),
        ("\n  [State]\n12\n21", "f:2:3: expected a [Puzzle] section with the rows of a grid"),
        (
            &"..........\n".repeat(10).replacen('.', "?", 1),
            "f:1:1: '?' is not a cell: expected 1 to 9, A, or . 0 _ * for an empty one",
        ),
        ("{\"puzzle\": 1}\n{}\n", "f:1:1: '{' is not a cell: expected 1 to 2, or . 0 _ * for an empty one"),
    ]);
}

#[test]
fn errors_in_integers() {
    let grid: Vec<String> = (0..12).map(|i| (0..12).map(|j| format!("{:>3}", (i + j) % 13)).collect()).collect();
    let complete = grid.join("\n");
    let short = complete.replacen(" 12", "   ", 1);
    let long = complete.replacen(" 12", " 12 1", 1);
    assert_errors(&[
        (&short, "f:2:34: this line has 11 cells, expected 12"),
        (&long, "f:2:38: this line has 13 cells, expected 12"),
        (&complete.replacen(" 12", " 13", 1), "f:2:35: the value 13 is above 12, the order of the grid"),
        (
            &complete.replacen(" 12", " 999999999999", 1),
            "f:2:35: the value 999999999999 is above 12, the order of the grid",
        ),
        (
            &complete.replacen(" 12", " 1x", 1),
            "f:2:35: '1x' is not a cell: expected an integer from 1 to 12, or 0 for an empty one",
        ),
        (&grid[1..].join("\n"), "f:11:37: the grid has 11 rows, expected 12"),
        (&format!("{complete}\n{}", grid[0]), "f:13:3: the grid has 13 rows, expected 12"),
    ]);
}

#[test]
fn errors_in_a_flagged_file() {
    let file = |first: &str, rows: &str, map: &str| format!("{first}\n{rows}{map}");
    assert_errors(&[
        (
            &file("6 1", SIX, &MAP.replace("4 4 4 5", "4 4 4 4")),
            "f:13:5: region 4 has 8 cells, but every region must have 6",
        ),
        (
            &file("6 1", SIX, &MAP.replacen('0', "6", 1)),
            "f:8:1: the map has 7 regions, expected 6: region 6 has only 1 cell",
        ),
        (&file("6 1", SIX, &MAP.replacen("2 2 2", "2 2", 1)), "f:10:10: this line has 5 cells, expected 6"),
        (&file("6 1", SIX, &MAP.replacen('2', "-", 1)), "f:10:1: '-' is not a region: expected a number or a letter"),
        (&file("6 1", SIX, &MAP[..60]), "f:12:12: the region map has 5 rows, expected 6"),
        (&file("6 1", SIX, &format!("{MAP}0 0 0 0 0 0")), "f:14:1: the region map has 7 rows, expected 6"),
        (&file("6 1", SIX, ""), "f:7:7: flag 1 announces a region map, but the file ends: expected 6 more rows"),
        (&file("6 0", SIX, MAP), "f:8:1: the grid has 12 rows, expected 6"),
        (&file("6 0", &SIX[..28], ""), "f:5:7: the grid has 4 rows, expected 6"),
        (&file("6 0", &SIX.replacen("2.", "2", 1), ""), "f:2:6: this line has 5 cells, expected 6"),
        (&file("6 0", &SIX.replacen('2', "7", 1), ""), "f:2:1: the value 7 is above 6, the order of the grid"),
        (&file("6 2", SIX, ""), "f:1:3: flag '2': expected 1 if a region map follows the rows, else 0"),
        (&file("65 1", SIX, ""), "f:1:1: order '65' is out of range: expected 2 to 64"),
        ("99999999999 1", "f:1:1: order '99999999999' is out of range: expected 2 to 64"),
        ("64 1", "f:1:5: the grid has 0 rows, expected 64"),
    ]);
}

#[test]
fn errors_in_a_sudokount_file() {
    let rows = "1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 1\n";
    assert_errors(&[
        (&format!("2\n{}", &rows[2..]), "f:5:8: 15 integers after box size 2, expected 16"),
        (&format!("2\n{rows}0"), "f:6:1: 17 integers after box size 2, expected 16"),
        (&format!("2\n{}", rows.replacen('4', "5", 1)), "f:2:7: the value 5 is above 4, the order of the grid"),
        (
            &format!("2\n{}", rows.replacen('4', "x", 1)),
            "f:2:7: 'x' is not a cell: expected an integer from 1 to 4, or 0 for an empty one",
        ),
        (&format!("9\n{rows}"), "f:1:1: box size '9' is out of range: expected 2 to 8"),
    ]);
}

#[test]
fn errors_in_a_jigsaw() {
    let clues = ".".repeat(36);
    let map: String = MAP.split_whitespace().collect();
    assert_errors(&[
        (
            &format!("{clues}\n{}", map.replacen("44", "45", 1)),
            "f:2:36: region 5 has 7 cells, but every region must have 6",
        ),
        (&format!("{clues}\n{}", &map[1..]), "f:2:36: this line has 35 cells, expected 36"),
        (&format!("{clues}\n{}?", &map[1..]), "f:2:36: '?' is not a region: expected a number or a letter"),
        (&format!("# boxes: 2x3\n{clues}\n{map}"), "f:1:10: these boxes contradict the region map in the file"),
        (&format!("#regions:none\n{clues}\n{map}"), "f:1:10: these boxes contradict the region map in the file"),
        (&format!("# regions: jigsaw\n{clues}"), "f:1:12: this header announces a region map, but the file has none"),
    ]);
}

#[test]
fn errors_in_headers() {
    let file = |header: &str| format!("{header}\n{GRID}");
    assert_errors(&[
        (&file("# boxes: 3"), "f:1:10: '3' is not a box such as 3x4 (rows x columns), none, usual or jigsaw"),
        (&file("  #Boxes:3x4"), "f:1:10: boxes of 3x4 have 12 cells, but the order is 9 (the puzzle on line 2)"),
        (&file("# boxes: 3x3\n# boxes: 1x9"), "f:2:10: 'boxes' contradicts line 1"),
        (
            &file("# boxes: 99999999999x99999999999"),
            "f:1:10: '99999999999x99999999999' is not a box such as 3x4 (rows x columns), none, usual or jigsaw",
        ),
        (&file("# extra: windows"), "f:1:10: 'windows' is not a list of extra houses: diagonals, hyper or none"),
        (&file("# EXPECTED: many"), "f:1:13: 'many' is not a number of solutions below 2^128"),
        (&file("# expected:"), "f:1:12: '' is not a number of solutions below 2^128"),
        (&format!("{GRID}# expected: 1\n# expected: 2"), "f:11:13: 'expected' contradicts line 10"),
    ]);
}

#[test]
fn a_long_value_is_truncated_in_the_message() {
    let error = read(&format!("# expected: {}\n{LINE}", "x".repeat(10_000))).expect_err("rejected").to_string();
    assert!(error.len() < 120, "{error}");
}
