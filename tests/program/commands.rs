//! The commands of a single process: solve, check, show, estimate, help.

use std::collections::HashSet;

use census::puzzle::Format;

use crate::harness::{ONCE, Outcome, Scope, census, golden, test};

const INKALA: &str = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";
const INKALA_SOLVED: &str = "812753649943682175675491283154237896369845721287169534521974368438526917796318452";
const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const UNSOLVABLE: &str = "........231.42.......231........4...";

fn on_input(arguments: &[&str], text: &str) -> Outcome {
    census(arguments).input(text).run()
}

test!(ONCE, the_drawing_of_a_solution_can_be_read_again, || {
    let drawing = census(["solve", INKALA]).run().exits(0).says("┏━━━┯").stdout;
    on_input(&["check", "-"], &drawing).exits(0).says_only("a solution: all 81 cells filled, no conflict\n");
    on_input(&["show", "-", "--format", "line"], &drawing).exits(0).says(INKALA_SOLVED);
});

test!(ONCE, solve_prints_the_first_solution_of_each_shape, || {
    for path in golden("shapes").into_iter().filter(|path| !path.contains("unsolvable")) {
        let first = census(["list", &path, "--limit", "1", "--quiet"]).run().exits(0).stdout;
        let drawing = census(["solve", &path]).run().exits(0).complains_of_nothing().stdout;
        let values = |text: &str| -> Vec<String> {
            let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
            words.map(str::to_owned).collect()
        };
        let listed: Vec<String> = match values(&first).as_slice() {
            [line] => line.chars().map(|c| c.to_digit(36).expect("a value").to_string()).collect(),
            numbers => numbers.to_vec(),
        };
        assert_eq!(values(&drawing), listed, "{path}");
    }
});

test!(ONCE, a_puzzle_without_a_solution_is_exit_code_1, || {
    census(["solve", UNSOLVABLE]).run().exits(1).says_nothing().notes("no solution\n").complains_of_nothing();
});

test!(ONCE, solve_tries_the_largest_values_first_with_values_max, || {
    let empty = ".".repeat(16);
    let drawing = census(["solve", &empty, "--cells", "first", "--values", "max"]).run().exits(0).stdout;
    on_input(&["show", "-", "--format", "line"], &drawing).says("4321214334121234");
});

test!(ONCE, check_distinguishes_a_solution_from_a_partial_grid_without_conflicts, || {
    census(["check", INKALA_SOLVED]).run().exits(0).says_only("a solution: all 81 cells filled, no conflict\n");
    census(["check", INKALA]).run().exits(0).says_only("no conflict: 21 of 81 cells filled\n");
});

test!(ONCE, each_conflict_is_named_by_its_house_and_cells, || {
    let grid = "1..1\n.1..\n....\n...1\n";
    let expected = "1 occurs 2 times in row 1: r1c1, r1c4\n\
                    1 occurs 2 times in column 4: r1c4, r4c4\n\
                    1 occurs 2 times in box 1: r1c1, r2c2\n\
                    3 conflicts\n";
    on_input(&["check", "-"], grid).exits(1).says_only(expected);
    let diagonals = on_input(&["check", "-"], &format!("# extra: diagonals\n{grid}")).exits(1);
    diagonals.says("1 occurs 3 times in the falling diagonal: r1c1, r2c2, r4c4\n4 conflicts\n");
    on_input(&["check", "-"], "# boxes: none\n1...\n.1..\n....\n...2\n").exits(0);
});

test!(ONCE, each_grid_of_a_collection_is_checked_and_one_conflict_is_exit_code_1, || {
    let wrong = INKALA_SOLVED.replacen("81", "18", 1);
    let outcome = on_input(&["check", "-"], &format!("{INKALA}\n{wrong}\n{INKALA_SOLVED}\n")).exits(1);
    let outcome = outcome.says("standard input:1: no conflict: 21 of 81 cells filled\n");
    let outcome =
        outcome.says("standard input:2: 1 occurs 2 times in column 1: r1c1, r").says("standard input:2: 2 conflicts\n");
    outcome.says("standard input:3: a solution: all 81 cells filled, no conflict\n");
});

test!(ONCE, show_reports_how_far_singles_solve_a_puzzle, || {
    let easy = census(["show", EASY]).run().exits(0).says("9 rows, 9 columns, 9 boxes of 3x3\n");
    easy.says("Singles fill 51 of the 51 empty cells:\n").says("Singles alone solve it: this is its only solution.\n");
    let hard = census(["show", INKALA]).run().exits(0).says("Singles fill 0 of the 60 empty cells:\n");
    hard.says("┃ 8      │ 1246  │ 24569 ┃").says("Singles alone do not solve it.\n");
    let contradiction = census(["show", "123....4........"]).run().exits(0); // no candidate in the last cell of the first row
    contradiction.says("Singles lead to a contradiction: it has no solution.\n");
});

test!(ONCE, show_writes_a_shape_in_each_format_that_supports_it_and_it_reads_back_the_same, || {
    let paths = golden("shapes");
    let mut supported = HashSet::new();
    let formats: Vec<Format> = Format::all().collect();
    let all = (0..paths.len()).flat_map(|path| (0..formats.len()).map(move |format| (path, format)));
    // A sample: tests/library has all shapes in all formats.
    for (path, format) in all.filter(|(path, format)| Scope::is_all() || (path + format) % 3 == 0) {
        let (path, format) = (&paths[path], formats[format]);
        let outcome = census(["show", path, "--format", format.name()]).run();
        match outcome.code {
            Some(0) => {
                supported.insert(format);
                let text = &outcome.stdout;
                let drawn = |source: &str, text: &str| on_input(&["show", source], text).exits(0).stdout;
                assert_eq!(drawn("-", text), drawn(path, ""), "{path} as {format}:\n{text}");
                assert_eq!(on_input(&["show", "-", "--format", format.name()], text).stdout, *text, "{path}");
            }
            _ => assert_eq!(outcome.exits(2).says_nothing().complaints().len(), 1),
        }
    }
    assert_eq!(supported.len(), formats.len(), "only {supported:?}");
});

test!(ONCE, an_estimate_has_error_bars_and_depends_only_on_its_seed, || {
    let empty = ".".repeat(16);
    let estimate = |seed: &str| {
        let run = census(["estimate", &empty, "--probes", "2000", "--seed", seed]).run().exits(0);
        let outcome = run
            .says(" ± ")
            .says(" on one core, or less with a cache\n")
            .says("probes: 2000, of which ")
            .complains_of_nothing();
        (outcome.value("solutions").to_owned(), outcome.value("nodes").to_owned())
    };
    let (solutions, nodes) = estimate("7");
    assert_eq!((solutions.clone(), nodes), estimate("7"));
    assert_ne!(solutions, estimate("8").0);
    let (mean, error) = solutions.split_once(" ± ").expect("an error bar");
    let (mean, error): (f64, f64) = (mean.parse().expect("a mean"), error.parse().expect("an error"));
    assert!((mean - 288.0).abs() < 5.0 * error, "{mean} ± {error} is not 288");
});

test!(ONCE, an_estimate_without_a_number_of_probes_ends_in_time, || {
    let outcome = census(["estimate", &".".repeat(81)]).within(30).run().exits(0);
    assert!(outcome.value("solutions").contains(" ± "), "{outcome}");
});

test!(ONCE, every_command_has_a_help_text_that_names_its_options, || {
    let all = census(["help"]).run().exits(0).says("Exit codes").says("Examples:");
    let commands = ["count", "list", "solve", "check", "show", "estimate"];
    for command in commands {
        assert!(all.stdout.contains(&format!("\n  {command} ")), "{all}");
        let help = census(["help", command]).run().exits(0).says("Usage: census").complains_of_nothing();
        assert_eq!(census([command, "--help"]).run().exits(0).stdout, help.stdout);
    }
    let options = ["--method", "--schedule", "--depth", "--threads", "--cells", "--values", "--limit", "--report"];
    let help = census(["count", "--help"]).run();
    for option in options.into_iter().chain(["--expect-ranks", "--quiet"]) {
        assert!(help.stdout.contains(option), "{option} is missing in {help}");
    }
});

test!(ONCE, the_version_is_that_of_the_package, || {
    census(["-V"]).run().exits(0).says_only(&format!("census {}\n", env!("CARGO_PKG_VERSION")));
    census(["--version"]).run().exits(0).says(&format!("census {}\nsources: ", env!("CARGO_PKG_VERSION")));
});

test!(ONCE, quiet_counts_print_only_the_answer, || {
    let outcome = census(["count", "--quiet", &".".repeat(16)]).run().exits(0).says_only("solutions: 288\n");
    assert_eq!(outcome.stderr, "");
});
