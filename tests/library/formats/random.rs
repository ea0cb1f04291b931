//! Random puzzles, written and read back; random bytes, which must be read or rejected without a panic.

use std::sync::Arc;

use census_puzzle::{Extras, Format, Grid, Puzzle, ReadOptions, Regions, Shape, Zero, formats};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::formats::{MIXED, read, read_bytes, read_with};

/// A region map: boxes or rows with cells swapped between regions, near each other or `far`.
fn jigsaw(order: usize, swaps: &[(Index, Index)], far: bool) -> Regions {
    let base = match Regions::usual(order) {
        Regions::None => Regions::Boxes { rows: 1, cols: order },
        boxes => boxes,
    };
    let shape = Shape::new(order, base, Extras::default()).expect("boxes are a shape");
    let mut map = shape.region_map().expect("boxes have a map");
    for (a, b) in swaps {
        let a = a.index(map.len());
        let b = if far { b.index(map.len()) } else { (a + 1 + b.index(order)) % map.len() };
        map.swap(a, b);
    }
    Regions::Jigsaw(map)
}

fn regions(order: usize) -> BoxedStrategy<Regions> {
    let boxes: Vec<Regions> = (1..=order)
        .filter(|rows| order.is_multiple_of(*rows))
        .map(|rows| Regions::Boxes { rows, cols: order / rows })
        .collect();
    let swaps = prop::collection::vec(any::<(Index, Index)>(), 0..200);
    prop_oneof![
        2 => Just(Regions::usual(order)),
        2 => select(boxes),
        1 => Just(Regions::None),
        3 => (swaps, any::<bool>()).prop_map(move |(swaps, far)| jigsaw(order, &swaps, far)),
    ]
    .boxed()
}

/// Any shape with any givens: readers accept conflicts.
pub(crate) fn puzzles() -> impl Strategy<Value = Puzzle> {
    let order = prop_oneof![8 => 2usize..=16, 2 => 17usize..=35, 1 => 36usize..=64];
    order.prop_flat_map(|order| {
        let value = prop_oneof![2 => Just(0), 1 => 0..=order as u8];
        (
            regions(order),
            any::<(bool, bool)>(),
            prop::collection::vec(value, order * order),
            prop::option::of("[!-~é│]([ -~é│]{0,30}[!-~é│])?"),
            prop::option::of(any::<u128>()),
        )
            .prop_map(move |(regions, (diagonals, hyper), values, name, expected)| {
                let hyper = hyper && matches!(regions, Regions::Boxes { rows, cols } if rows == cols);
                let shape = Shape::new(order, regions, Extras { diagonals, hyper }).expect("a shape");
                Puzzle { name, shape: Arc::new(shape), givens: Grid::new(values), expected }
            })
    })
}

/// Whether a format can hold a puzzle, as documented.
fn holds(format: Format, puzzle: &Puzzle) -> bool {
    let order = puzzle.shape.order();
    let jigsaw = matches!(puzzle.shape.regions(), Regions::Jigsaw(_));
    match format {
        Format::Line | Format::Collection | Format::Rows => order <= 35 && !jigsaw,
        Format::Integers => !jigsaw,
        Format::Flagged => true,
        Format::Sudokount => order.isqrt().pow(2) == order && !jigsaw,
        Format::Jigsaw => order <= 35 && jigsaw,
    }
}

/// Random sequences of the parts of puzzle files.
fn parts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => select(vec!["0", "1", "2", "3", "4", "9", "12", ".", "_", "*", "A", "g", "z"]).prop_map(String::from),
        3 => select(vec![" ", " ", "\t", "\n", "\n", "\r\n", "\r"]).prop_map(String::from),
        2 => select(vec!["|", "-", "+", "=", "--", "│", "─", "┼", "\u{a0}", "é"]).prop_map(String::from),
        1 => select(vec![
            "# boxes: 3x3\n", "# boxes: none", "# name: x\n", "#extra: hyper\n", "# regions: jigsaw\n", "# expected: 5\n", "# zero: value\n",
            "[Puzzle]\n", "[State]\n", "\n6 1\n", "\n2 0\n", "\n2\n", "\n99999999999 1\n", "#", ":", "0 0 0 0\n",
            "1234341221434321", "1122112233443344",
        ]).prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..120).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(crate::cases(300))]

    #[test]
    fn what_is_written_reads_back_the_same(puzzle in puzzles()) {
        for format in Format::all() {
            match formats::write(&puzzle, format) {
                Err(error) => prop_assert!(!holds(format, &puzzle), "{format}: {error}"),
                Ok(text) => {
                    prop_assert!(holds(format, &puzzle), "{format} should not hold this");
                    let parsed = read(&text).map_err(|e| TestCaseError::fail(format!("{format}: {e}\n{text}")))?;
                    prop_assert_eq!(parsed.len(), 1, "{}\n{}", format, text);
                    prop_assert_eq!(&parsed[0].puzzle, &puzzle, "{}\n{}", format, text);
                    prop_assert_eq!(parsed[0].positions.len(), puzzle.shape.cells());
                }
            }
        }
    }

    #[test]
    fn every_cell_has_the_position_where_it_is_written(puzzle in puzzles()) {
        for format in Format::all() {
            let Ok(text) = formats::write(&puzzle, format) else { continue };
            let lines: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
            let parsed = read(&text).expect("reads back").remove(0);
            for (position, &value) in parsed.positions.iter().zip(puzzle.givens.values()) {
                let written: String = lines[position.line - 1][position.column - 1..].iter().collect();
                let number = value.to_string();
                let symbol = census_puzzle::grid::symbol(value).map(String::from);
                prop_assert!(written.starts_with(&number) || symbol.is_some_and(|s| written.starts_with(&s)));
            }
        }
    }

    #[test]
    fn consecutive_puzzles_are_a_collection(puzzles in prop::collection::vec(puzzles(), 3..8)) {
        let mut text = String::new();
        let mut kept = Vec::new();
        for puzzle in puzzles {
            let order = puzzle.shape.order();
            if (9..=35).contains(&order) {
                // Usual shapes only: a header about the shape would apply to all later puzzles.
                let puzzle = Puzzle { shape: Arc::new(Shape::usual(order).expect("a shape")), ..puzzle };
                text += &formats::write(&puzzle, Format::Collection).expect("can be written");
                kept.push(puzzle);
            }
        }
        prop_assume!(kept.len() > 1);
        let read: Vec<Puzzle> = read_with(&text, MIXED).expect("a collection").into_iter().map(|r| r.puzzle).collect();
        prop_assert_eq!(read, kept);
    }

    #[test]
    fn frames_and_spaces_change_nothing(puzzle in puzzles(), bar in select(vec!["|", "│", " ", " ┃ "])) {
        let order = puzzle.shape.order();
        prop_assume!(order <= 35 && !matches!(puzzle.shape.regions(), Regions::Jigsaw(_)));
        let text = formats::write(&puzzle, Format::Rows).expect("can be written");
        let rule = format!("+{}+", "-".repeat(order));
        let framed: Vec<String> = text.lines().map(|line| match line.starts_with('#') {
            true => format!("  {line}"),
            false => {
                let cells: Vec<String> = line.chars().map(String::from).collect();
                format!("{rule}\r\n{bar}{}{bar}\r\n\r\n", cells.join(bar))
            }
        }).collect();
        prop_assert_eq!(&read(&framed.join("\r\n")).expect("reads back")[0].puzzle, &puzzle);
    }
}

proptest! {
    #![proptest_config(crate::cases(2000))]

    #[test]
    fn random_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        check(&bytes)?;
    }

    #[test]
    fn a_line_of_a_collection_is_read_the_same_with_a_space_before_it(
        line in prop_oneof![
            "[0-9._*]{81}", "[0-8]{81}", "[0-8.]{81}", "[0-4._]{16}", "[1-9A-Ga-g._]{256}", "[0-9A-G.]{256}",
            "[0-9.]{80,82}", "[1-9.|, x-]{81}",
        ],
        zero in prop_oneof![Just(None), Just(Some(Zero::Empty)), Just(Some(Zero::Value))],
    ) {
        // Without spaces, there is a fast path.
        let read_as = |line: String| {
            let parsed = read_with(&format!("{line}\n").repeat(3), ReadOptions { zero, mixed: false });
            let givens = parsed.map(|parsed| parsed.into_iter().map(|parsed| parsed.puzzle.givens).collect::<Vec<_>>());
            givens.map_err(|error| error.to_string().splitn(4, ':').last().map(String::from))
        };
        prop_assert_eq!(read_as(format!(" {line}")), read_as(line));
    }

    #[test]
    fn random_parts_of_puzzle_files_do_not_panic(text in parts()) {
        check(text.as_bytes())?;
    }
}

proptest! {
    #![proptest_config(crate::cases(300))]

    #[test]
    fn a_puzzle_file_with_random_changes_does_not_panic(
        puzzle in puzzles(),
        format in select(Format::all().collect::<Vec<_>>()),
        changes in prop::collection::vec((any::<Index>(), 0u8..4, select(b"0129.AZ \n\r|-#:x[]\xFF".to_vec())), 1..6),
    ) {
        let Ok(text) = formats::write(&puzzle, format) else { return Ok(()) };
        let mut bytes = text.into_bytes();
        for (at, how, byte) in changes {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => { bytes.remove(at); }
                _ => bytes.truncate(at),
            }
            check(&bytes)?;
        }
    }
}

/// A puzzle that is read is complete and in range; an error is one line with a position.
fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
    match read_bytes(bytes) {
        Ok(all) => {
            prop_assert!(!all.is_empty());
            for parsed in all {
                let shape = &parsed.puzzle.shape;
                prop_assert_eq!(parsed.positions.len(), shape.cells());
                prop_assert_eq!(parsed.puzzle.givens.values().len(), shape.cells());
                prop_assert!(parsed.puzzle.givens.values().iter().all(|&v| usize::from(v) <= shape.order()));
                let _ = parsed.checked();
            }
        }
        Err(error) => {
            let text = error.to_string();
            prop_assert!(text.starts_with("f:") && text.len() < 300, "{}", text);
            prop_assert!(!text.contains(char::is_control), "{}", text);
            let position: Vec<usize> = text.split(':').skip(1).take(2).filter_map(|n| n.parse().ok()).collect();
            prop_assert!(position.len() == 2 && position.iter().all(|&n| n > 0), "{}", text);
        }
    }
    Ok(())
}
