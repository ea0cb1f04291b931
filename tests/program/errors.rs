//! An error is one line with its position, the exit code tells its kind, and no process is left, without a launcher and on three
//! ranks.

use crate::harness::{ALONE, EMPTY4, EVERYWHERE, Folder, Run, census, rank_counts, shell, test};

/// 0: without a launcher
const RANKS: &[usize] = &[0, 3];

/// Checks that the run is refused with this code and this one line, without a launcher and on three ranks. `%` is the folder.
fn refused(folder: &Folder, code: i32, line: &str, run: impl Fn() -> Run) {
    for ranks in rank_counts(RANKS) {
        let line = line.replace('%', &folder.path(""));
        run().ranks(ranks).run().exits(code).says_nothing().complains_only(&line);
    }
}

/// Checks that `count` and `list` refuse a file with this content.
fn bad_input(content: &[u8], line: &str) {
    let folder = Folder::new();
    let path = folder.file("bad.txt", content);
    refused(&folder, 2, line, || census(["count", &path]));
    let line = line.replace('%', &folder.path(""));
    census(["list", &path]).run().exits(2).says_nothing().complains_only(&line);
}

test!(EVERYWHERE, conflicting_givens, || {
    bad_input(b"12..\n..3.\n....\n.2..\n", "%bad.txt:4:2: givens conflict: 2 occurs 2 times in column 2: r1c2, r4c2");
});

test!(EVERYWHERE, conflicting_givens_on_a_diagonal, || {
    bad_input(
        b"# extra: diagonals\n1...\n....\n....\n...1\n",
        "%bad.txt:5:4: givens conflict: 1 occurs 2 times in the falling diagonal: r1c1, r4c4",
    );
});

test!(EVERYWHERE, a_region_map_with_wrong_sizes, || {
    bad_input(
        b"4 1\n....\n....\n....\n....\n0 0 1 1\n0 0 1 1\n2 2 3 3\n2 2 2 3\n",
        "%bad.txt:9:5: region 2 has 5 cells, but every region must have 4",
    );
});

test!(EVERYWHERE, a_value_above_the_order, || {
    bad_input(b"1...\n..5.\n....\n....\n", "%bad.txt:2:3: the value 5 is above 4, the order of the grid");
});

test!(EVERYWHERE, a_short_line, || {
    bad_input(b"1...\n....\n...\n....\n", "%bad.txt:3:4: this line has 3 cells, expected 4");
});

test!(EVERYWHERE, a_puzzle_of_a_collection_that_is_too_short, || {
    let line = ".".repeat(81);
    bad_input(
        format!("{}\n{line}\n{line}\n", &line[1..]).as_bytes(),
        "%bad.txt:1:81: this line has 80 cells, expected 81",
    );
});

test!(EVERYWHERE, an_empty_file, || {
    bad_input(b"", "%bad.txt:1:1: no puzzle found");
});

test!(EVERYWHERE, a_binary_file, || {
    bad_input(b"\x7fELF\x02\x01\x01\x00\x00", "%bad.txt:1:1: this is not a text file: byte 0x7F is a control byte");
});

test!(EVERYWHERE, a_packed_file, || {
    bad_input(b"\x1F\x8B\x08\x00\n\n", "%bad.txt:1:1: this is a gzip file: try `zcat FILE | census count -`");
});

test!(ALONE, bad_files_and_bad_puzzles_are_counted_separately, || {
    let folder = Folder::new();
    let clues = ".".repeat(16);
    let files = [
        folder.file("empty.txt", ""),
        folder.file("binary.txt", b"\x7fELF\x02\n\x01\x01\x00\n\x00\n".repeat(100)),
        folder.file("jigsaws.txt", format!("{clues}\n1112122233343444\n").repeat(2)),
    ];
    let run = census(["count", "--keep-going", EMPTY4]).with(&files).run().exits(2);
    assert_eq!((run.value("puzzles"), run.value("bad"), run.value("bad files")), ("1", "0", "3"), "{run}");
    assert_eq!(run.complaints().len(), 3, "{run}");
});

test!(EVERYWHERE, an_argument_that_is_neither_a_file_nor_a_puzzle, || {
    let folder = Folder::new();
    let short = EMPTY4.repeat(5);
    let line = format!("{short}: no such file, and as a puzzle it has 80 cells, expected 81");
    refused(&folder, 2, &line, || census(["count", &short]));
    refused(&folder, 2, "argument: is empty: expected a file or a puzzle", || census(["count", ""]));
});

test!(EVERYWHERE, a_missing_file, || {
    let folder = Folder::new();
    refused(&folder, 2, "%none.txt: no such file", || census(["count", &folder.path("none.txt")]));
});

test!(EVERYWHERE, a_directory, || {
    let folder = Folder::new();
    refused(&folder, 2, "%: is a directory", || census(["count", &folder.path("")]));
});

test!(EVERYWHERE, an_empty_standard_input, || {
    let folder = Folder::new();
    refused(&folder, 2, "standard input:1:1: no puzzle found", || census(["count", "-"]));
});

test!(EVERYWHERE, a_bad_file_among_good_ones_ends_the_run_after_those_before_it, || {
    let folder = Folder::new();
    let bad = folder.file("bad.txt", "12\n13\n");
    let line = "%bad.txt:2:2: the value 3 is above 2, the order of the grid";
    refused(&folder, 2, line, || census(["count", &bad, EMPTY4, EMPTY4]));
    let line = line.replace('%', &folder.path(""));
    for ranks in rank_counts(RANKS) {
        let run = census(["count", EMPTY4, &bad, EMPTY4]).ranks(ranks).run().exits(2).complains_only(&line);
        run.says(&format!("{EMPTY4} 288\npuzzles: 1\n")).says("complete: no, stopped at bad input\n");
    }
});

/// Values 0 to 8, with `.` for empty cells
const FROM_ZERO: &str = "..23.5.78...6..0....8...345...4.6..0.5..80.23.8.1..456..4........7.0.234..12.....";

test!(EVERYWHERE, a_grid_in_which_0_may_be_a_value_is_refused_without_an_option_that_decides, || {
    let folder = Folder::new();
    let line = "argument:1:16: 0 may be a value or an empty cell: '.' marks empty cells, too, and no cell has the value 9; \
                `--zero value` reads the values as 0 to 8, `--zero empty` as 1 to 9";
    refused(&folder, 2, line, || census(["count", FROM_ZERO]));
    for (zero, solutions) in [("value", "12"), ("empty", "63")] {
        for ranks in rank_counts(RANKS) {
            let run = census(["count", FROM_ZERO, "--zero", zero]).ranks(ranks).run().exits(0).complains_of_nothing();
            assert_eq!(run.value("solutions"), solutions, "{zero}");
        }
    }
});

test!(ALONE, every_command_that_reads_a_puzzle_has_the_option_zero, || {
    let folder = Folder::new();
    // A full grid of 0 to F.
    let digits: String = (0..256).map(|cell| format!("{:X}", (cell / 16 * 4 + cell / 64 + cell) % 16)).collect();
    let full = folder.file("full.txt", &digits);
    for command in ["count", "list", "solve", "check", "show", "estimate"] {
        let run = census([command, &full]).run().exits(2).says_nothing();
        run.notes("full.txt:1:1: 0 may be a value or an empty cell: it occurs 16 times");
        census([command, &full, "--zero", "value"]).run().exits(0).complains_of_nothing();
    }
    census(["check", &full, "--zero", "value"]).run().exits(0).says("a solution: all 256 cells filled");
    let listed = census(["list", FROM_ZERO, "--zero", "value", "--quiet"]).run().exits(0).stdout;
    let clue = |c: char| if c == '.' { None } else { char::from_u32(c as u32 + 1) };
    for solution in listed.lines() {
        assert!(
            FROM_ZERO.chars().zip(solution.chars()).all(|(given, found)| clue(given).is_none_or(|clue| clue == found))
        );
    }
    assert_eq!(listed.lines().count(), 12);
});

test!(EVERYWHERE, a_torn_line_of_a_collection_is_no_puzzle_of_another_order, || {
    let folder = Folder::new();
    let line = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";
    let torn = folder.file("torn.sdm", format!("{line}\n{line}\n{line}\n{}", ".".repeat(16)));
    let words = format!(
        "{torn}:4:17: this line has 16 cells, expected 81, as in the lines before; for an order of 4, write `# boxes: usual` above it or add --mixed"
    );
    for ranks in rank_counts(RANKS) {
        let run = census(["count", &torn, "--quiet"]).ranks(ranks).run().exits(2).complains_only(&words);
        assert_eq!(run.stdout, format!("{line} 1\n").repeat(3));
        let run = census(["count", &torn, "--keep-going"]).ranks(ranks).run().exits(2).complains_only(&words);
        assert_eq!((run.value("puzzles"), run.value("bad")), ("3", "1"));
    }
});

test!(ALONE, several_puzzles_for_a_command_that_takes_one, || {
    let folder = Folder::new();
    let path = folder.file("two.sdm", format!("{0}\n{0}\n", ".".repeat(81)));
    for command in ["list", "solve", "show", "estimate"] {
        let line = format!("{path}: holds 2 puzzles, but this command takes one");
        census([command, &path]).run().exits(2).says_nothing().complains_only(&line);
        // An input without an end is refused at its second puzzle.
        let endless = shell(&format!("yes {EMPTY4} | \"$CENSUS\" {command} -")).run().exits(2).says_nothing();
        endless.complains_once_about("standard input: holds at least ");
    }
});

/// Checks for one line on standard error, from one rank.
fn bad_usage(arguments: &[&str], line: &str) {
    for ranks in rank_counts(RANKS) {
        census(arguments).ranks(ranks).run().exits(2).says_nothing().complains_only(line);
    }
}

test!(EVERYWHERE, an_unknown_option, || {
    bad_usage(&["count", EMPTY4, "--fast"], "unknown option `--fast` (`census count --help`)");
});

test!(EVERYWHERE, an_unknown_value_of_an_option, || {
    bad_usage(
        &["count", EMPTY4, "--cells", "most"],
        "invalid value `most` for `--cells <WHICH>`: expected one of fewest, first (`census count --help`)",
    );
});

test!(ALONE, values_out_of_range, || {
    for (option, value) in [("--depth", "-1"), ("--depth", "deep"), ("--limit", "0"), ("--threads", "0")] {
        let option_and_value = format!("{option}={value}");
        let run = census(["count", EMPTY4, &option_and_value]).run();
        run.exits(2).says_nothing().notes(&format!("census: invalid value `{value}` for `{option}"));
    }
    let line = "invalid value `0` for `--threads <N>`: expected a number from 1 to 4096 (`census count --help`)";
    census(["count", EMPTY4, "--threads=0"]).run().exits(2).complains_only(line);
    let line = "invalid value `0` for `--limit <N>`: expected a number from 1 up (`census count --help`)";
    census(["count", EMPTY4, "--limit=0"]).run().exits(2).complains_only(line);
});

test!(EVERYWHERE, an_unknown_command, || {
    let line = "unknown command `cuont`; did you mean `count`? (`census --help`)";
    bad_usage(&["cuont", EMPTY4], line);
    bad_usage(&["help", "cuont"], line);
});

test!(ALONE, no_puzzle_and_no_command, || {
    census(["count"]).run().exits(2).says_nothing().notes("<PUZZLE>");
    census([""; 0]).run().exits(2).says_nothing().notes("Usage: census");
});

test!(EVERYWHERE, a_count_other_than_the_expected_one_is_printed_with_exit_code_1, || {
    let folder = Folder::new();
    let path = folder.file("p.txt", format!("# expected: 287\n{EMPTY4}\n"));
    for ranks in rank_counts(RANKS) {
        let outcome = census(["count", &path]).ranks(ranks).run().exits(1).says("solutions: 288\nc");
        outcome.complains_only(&format!("{path}: counted 288, but 287 expected"));
    }
    let outcome = census(["count", &path, EMPTY4]).run().exits(1).says("unexpected: 1\n");
    outcome.complains_only(&format!("{path}:2: counted 288, but 287 expected"));
});

test!(EVERYWHERE, a_report_that_cannot_be_written_is_a_fault_before_the_count, || {
    let folder = Folder::new();
    let empty9 = ".".repeat(81); // a count of it would not end
    let line = "/proc/no/report.json: there is no folder /proc/no: create it first";
    refused(&folder, 3, line, || census(["count", &empty9, "--report", "/proc/no/report.json"]));
    refused(&folder, 3, "%: is a directory", || census(["count", &empty9, "--report", &folder.path("")]));
});

test!(EVERYWHERE, a_listing_that_cannot_be_written_is_a_fault_and_leaves_no_file, || {
    let folder = Folder::new();
    let line = "/proc/no/list: there is no folder /proc/no: create it first";
    refused(&folder, 3, line, || census(["list", EMPTY4, "--output", "/proc/no/list"]));
    refused(&folder, 3, "%: is a directory", || census(["list", &".".repeat(81), "--output", &folder.path("")]));
    assert!(folder.names().is_empty(), "{:?}", folder.names());
});

test!(EVERYWHERE, an_input_file_is_not_overwritten, || {
    let folder = Folder::new();
    let path = folder.file("p.sdm", format!("{EMPTY4}\n").as_bytes());
    std::os::unix::fs::symlink(&path, folder.path("link")).expect("a link");
    for target in [&path, &folder.path("link"), &folder.path("./p.sdm")] {
        let line = format!("output file {target} is also an input: choose another name");
        refused(&folder, 2, &line, || census(["count", EMPTY4, &path, "--report", target]));
        refused(&folder, 2, &line, || census(["list", &path, "--output", target]));
    }
    assert_eq!(std::fs::read_to_string(&path).expect("the puzzle"), format!("{EMPTY4}\n"));
});

test!(ALONE, a_full_disk_is_a_fault, || {
    for command in ["count", "list", "solve", "show", "estimate"] {
        let outcome = shell(&format!("\"$CENSUS\" {command} {EMPTY4} > /dev/full")).run().exits(3);
        outcome.complains_only("standard output: No space left on device (os error 28)");
    }
});

test!(ALONE, a_pool_that_does_not_fit_is_refused_with_the_largest_depth_that_does, || {
    let folder = Folder::new();
    let empty25 = folder.file("empty.txt", format!("{}\n", ". ".repeat(25)).repeat(25));
    let run = census(["count", &empty25, "--depth", "40", "--quiet"]).within(120).watching_memory().run().exits(2);
    let outcome = run.says_nothing().complains_once_about("depth 4 fits").notes("the pool at depth 40 would take");
    let most = outcome.peaks.iter().copied().max().unwrap_or(0);
    assert!(most < 2_500 << 20, "it took {} MiB to find that out", most >> 20);
});
