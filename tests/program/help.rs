//! How the program explains itself: help, completions, manual pages, hints.

use std::path::Path;

use census::cli::Cli;
use clap::{CommandFactory, Parser};

use crate::harness::{
    ALONE, EMPTY4, EVERYWHERE, Folder, ONCE, ONE_LIBRARY, census, names, program, rank_counts, shell, test,
};

/// The names of all commands
fn commands() -> Vec<String> {
    let mut census = Cli::command();
    census.build();
    census.get_subcommands().map(|command| command.get_name().to_owned()).filter(|name| name != "help").collect()
}

test!(ALONE, the_help_fits_a_screen_of_24_lines_of_80_characters_and_names_every_command, || {
    let help = census(["--help"]).run().exits(0).stdout;
    assert!(help.lines().count() <= 24, "{help}");
    assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
    for command in commands() {
        assert!(help.contains(&format!("\n  {command} ")), "no {command} in {help}");
    }
});

test!(ONCE, every_command_has_a_short_and_a_long_help_with_examples, || {
    for command in commands() {
        let short = census([&command, "-h"]).run().exits(0).stdout;
        let long = census([&command, "--help"]).run().exits(0).stdout;
        assert_eq!(long, census(["help", &command]).run().exits(0).stdout);
        assert!(short.lines().count() <= long.lines().count(), "{command}");
        assert!(short.contains("\nExamples:\n  ") && long.contains("\nExamples:\n  "), "{command}");
    }
});

test!(ONCE, every_example_of_the_help_is_a_valid_command_line, || {
    let mut checked = 0;
    for command in commands() {
        let help = census(["help", &command]).run().exits(0).stdout;
        let examples = help.split_once("\nExamples:\n").expect("examples").1;
        for example in examples.lines().filter_map(|line| line.find("census ").map(|start| &line[start..])) {
            let end = example.find("  ").or(example.find(" |")).or(example.find(" >")).unwrap_or(example.len());
            let words = example[..end].split(" >").next().expect("words").split(" |").next().expect("words");
            let parsed = Cli::try_parse_from(words.split_whitespace());
            assert!(parsed.is_ok(), "{words}: {}", parsed.expect_err("an error"));
            checked += 1;
        }
    }
    assert!(checked > 25, "{checked}");
});

test!(ONCE, every_value_of_an_option_has_a_description, || {
    let mut census = Cli::command();
    census.build();
    for command in census.get_subcommands().filter(|command| command.get_name() != "completions") {
        for option in command.get_arguments() {
            for value in option.get_possible_values() {
                let is_flag = ["true", "false"].contains(&value.get_name());
                assert!(is_flag || value.get_help().is_some(), "{} {} {value:?}", command.get_name(), option.get_id());
            }
        }
    }
});

test!(ONCE, a_shell_completes_commands_options_and_values, || {
    let script = census(["completions", "bash"]).run().exits(0).complains_of_nothing().stdout;
    let folder = Folder::new();
    let path = folder.file("census", script);
    // What readline calls when the user presses the tab key after these words
    let complete = |words: &str| {
        let line = format!(
            "source {path}; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _census census \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; echo \"${{COMPREPLY[*]}}\""
        );
        program("bash", ["-c", &line]).run().exits(0).stdout
    };
    assert_eq!(complete("census cou"), "count\n");
    assert_eq!(complete("census count --sched"), "--schedule\n");
    assert_eq!(complete("census count --schedule st"), "static steal\n");
    for shell in ["zsh", "fish"] {
        assert!(census(["completions", shell]).run().exits(0).stdout.contains("schedule"), "{shell}");
    }
});

test!(ONCE, the_manual_pages_are_printed_or_written_to_a_folder, || {
    let page = census(["man"]).run().exits(0).complains_of_nothing().stdout;
    assert!(page.contains(".TH census 1") && page.contains("Exit codes"), "{page}");
    let folder = Folder::new();
    let pages = folder.path("share/man1");
    census(["man", "--output", &pages]).run().exits(0).says("");
    let mut expected: Vec<String> = commands().iter().map(|command| format!("census-{command}.1")).collect();
    expected.push("census.1".into());
    expected.sort();
    assert_eq!(names(Path::new(&pages)), expected);
    let file = folder.file("file", "");
    census(["man", "--output", &file]).run().exits(3).says_nothing().complains_once_about("/file: ");
});

test!(ALONE, a_missing_file_gets_the_nearest_name_as_a_hint, || {
    let folder = Folder::new();
    folder.file("golden.txt", EMPTY4);
    let meant = folder.path("golden.txt");
    for name in ["golden.tx", "goldne.txt", "Golden.txt", "golden"] {
        let path = folder.path(name);
        let outcome = census(["count", &path]).run().exits(2).says_nothing();
        outcome.complains_only(&format!("{path}: no such file; did you mean `{meant}`?"));
    }
    // A folder may be misspelt, too.
    std::fs::create_dir(folder.path("puzzles")).expect("made");
    folder.file("puzzles/golden.txt", EMPTY4);
    for name in ["puzles/golden.txt", "puzzels/goldn.txt"] {
        let (path, meant) = (folder.path(name), folder.path("puzzles/golden.txt"));
        let outcome = census(["count", &path]).run().exits(2).says_nothing();
        outcome.complains_only(&format!("{path}: no such file; did you mean `{meant}`?"));
    }
    let other = folder.path("platinum.txt");
    census(["count", &other]).run().exits(2).complains_only(&format!("{other}: no such file"));
});

test!(ALONE, a_puzzle_without_a_command_gets_the_command_as_a_hint, || {
    let folder = Folder::new();
    let path = folder.file("golden.txt", EMPTY4);
    let line = format!("unknown command `{path}`; did you mean `census count {path}`? (`census --help`)");
    census([&path]).run().exits(2).says_nothing().complains_only(&line);
});

test!(ALONE, the_source_of_a_program_is_no_puzzle, || {
    let folder = Folder::new();
    let path =
        folder.file("solver.c", "#include <stdio.h>\nint main(void) { printf(\"%d, %d\\n\", 1, 2); return 0; }\n");
    let outcome = census(["count", &path]).run().exits(2).says_nothing();
    outcome.complains_only(&format!("{path}:2:9: this is not a puzzle in a known format (docs/formats.md)"));
});

test!(ALONE, a_report_and_its_trace_are_told_apart, || {
    let folder = Folder::new();
    let report = folder.path("run.json");
    census(["count", EMPTY4, "--trace", "--report", &report]).run().exits(0);
    let trace = folder.path("run.trace.tsv");
    let line = format!("{trace}: this is a trace: give the report beside it");
    census(["verify", &trace]).run().exits(2).says_nothing().complains_only(&line);
    let outcome = census(["plan", &report]).run().exits(2).says_nothing();
    let hint = "the trace of run.json is run.trace.tsv";
    outcome.complains_only(&format!("{report}:1:1: this is not a trace, but perhaps a report: {hint}"));
    let none = folder.path("none.json");
    census(["verify", &none]).run().exits(2).says_nothing().complains_only(&format!("{none}: no such file"));
});

test!(ALONE, the_answer_comes_first_and_without_attributes_where_nobody_sees_them, || {
    let outcome = census(["count", "puzzles/inkala19.ss"]).run().exits(0);
    let second = outcome.stderr.lines().nth(1).expect("a second line");
    assert!(second.starts_with("22,704 solutions in "), "{outcome}");
    let limited = census(["count", "puzzles/inkala19.ss", "--limit", "2"]).run().exits(0);
    limited.notes("\nat least 2 solutions in ");
    census(["count", "puzzles/inkala.sdk"]).run().exits(0).notes("\n1 solution in ");
});

test!(ONCE, attributes_are_for_terminals_and_respect_no_color, || {
    // `script` from util-linux gives the command a terminal.
    let on_terminal = |set: &str| {
        let command = format!("{set} \"$CENSUS\" count puzzles/inkala19.ss");
        shell(&format!("script -qec '{command}' /dev/null")).run().exits(0).stdout
    };
    assert!(on_terminal("").contains("\x1b[1m22,704 solutions in "));
    assert!(!on_terminal("NO_COLOR=1").contains("\x1b[1m"));
});

test!(ONE_LIBRARY, a_run_with_a_bad_load_balance_names_the_schedule_to_try, || {
    // At depth 1, most of the tree is below one of the units.
    let options = ["count", "puzzles/goldennugget16.txt", "--depth", "1"];
    let hint = "; try --schedule steal\n";
    census(options).ranks(3).run().exits(0).notes(hint);
    let balanced = census(options).with(["--schedule", "steal"]).ranks(3).run().exits(0);
    assert!(!balanced.stderr.contains("hint: "), "{balanced}");
    let quiet = census(options).with(["--quiet"]).ranks(3).run().exits(0);
    assert!(!quiet.stderr.contains("hint: "), "{quiet}");
});

test!(EVERYWHERE, a_long_expansion_shows_progress, || {
    let options = ["count", "puzzles/goldennugget15.txt", "--depth", "24", "--progress", "on"];
    for ranks in rank_counts(&[0, 2]) {
        census(options).ranks(ranks).until_noted("expanding the search tree, 1 s so far\n").run().exits(3);
    }
});
