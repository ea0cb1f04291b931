//! Listing: the same output for any ranks, threads and depth, in the order of the search, in constant memory.

use std::collections::HashSet;
use std::fs;

use crate::harness::{
    ALONE, EVERY_LIBRARY, EVERYWHERE, Folder, INKALA20, Scope, census, each_pair, golden, half_filled, libraries,
    of_current_library, rank_counts, shell, test,
};

/// 0: without a launcher
const RANKS: &[usize] = &[0, 1, 2, 3, 5, 8];
const INKALA19: &str = "8..........3.......7..9.2...5...7.......457.....1...3...1....68..85...1.......4..";

/// The listing of one thread with depth 0: the order of the search.
fn in_search_order(puzzle: &str, options: &[&str]) -> String {
    let run = census(["list", puzzle, "--threads", "1", "--depth", "0"]).with(options).run();
    run.exits(0).complains_of_nothing().stdout
}

const THREADS_AND_DEPTHS: [(&str, &str); 3] = [("1", "auto"), ("3", "1"), ("1", "4")];

/// Checks the listing of [`INKALA19`].
fn lists_the_same(ranks: usize, (threads, depth): (&str, &str), expected: &str) {
    let run = census(["list", INKALA19, "--threads", threads, "--depth", depth]).ranks(ranks).run();
    let run = run.exits(0).notes("listed 22,704 solutions, which is all\n");
    assert!(run.stdout == expected, "{ranks} ranks of {threads} threads at depth {depth} list something else");
}

test!(ALONE, the_bytes_are_the_same_for_any_number_of_threads_and_any_depth, || {
    let expected = in_search_order(INKALA19, &[]);
    assert_eq!(expected.lines().count(), 22_704);
    THREADS_AND_DEPTHS.into_iter().for_each(|options| lists_the_same(0, options, &expected));
});

test!(EVERY_LIBRARY, the_bytes_are_the_same_for_any_number_of_ranks_and_threads_and_any_depth, || {
    let expected = in_search_order(INKALA19, &[]);
    let choices = [libraries(), RANKS.len() - 1, THREADS_AND_DEPTHS.len()];
    for [_, ranks, options] in of_current_library(each_pair(choices)) {
        lists_the_same(RANKS[ranks + 1], THREADS_AND_DEPTHS[options], &expected);
    }
});

test!(EVERYWHERE, all_ranks_list_a_puzzle_with_many_solutions_in_the_order_of_one, || {
    // Rank 0 chooses the propagation, which determines the tree, and sends it to the others.
    let row6 = format!("123456{}", ".".repeat(30));
    for (puzzle, solutions) in [(".".repeat(16), 288), (row6, 39_168)] {
        let expected = in_search_order(&puzzle, &[]);
        assert_eq!(expected.lines().count(), solutions);
        for ranks in rank_counts(RANKS) {
            // `auto` expands the larger one too.
            for depth in ["2", "auto"].into_iter().skip(usize::from(solutions > 288 && !Scope::is_all())) {
                let run = census(["list", &puzzle, "--threads", "2", "--depth", depth]).ranks(ranks).run().exits(0);
                assert!(run.stdout == expected, "{ranks} ranks at depth {depth} list something else");
            }
        }
    }
});

test!(EVERYWHERE, all_ranks_list_a_large_puzzle_in_the_order_of_one, || {
    // CDCL on rank 0 excludes candidates before the search, and rank 0 sends them to the others.
    let folder = Folder::new();
    let file = folder.file("large.txt", half_filled(36, 0.56, 4));
    let alone = census(["count", &file, "--threads", "1", "--depth", "3"]).run().exits(0).says("solutions: 25581600\n");
    let some = ["--limit", "3000"];
    let expected = in_search_order(&file, &some);
    let first = expected.lines().next().expect("a solution");
    census(["check", "-"]).input(first).run().exits(0).says("a solution: all 1296 cells filled, no conflict");
    for ranks in rank_counts(RANKS) {
        for (threads, depth) in [("1", "auto"), ("2", "3")] {
            let run = census(["list", &file, "--threads", threads, "--depth", depth]).with(some).ranks(ranks).run();
            assert!(run.exits(0).stdout == expected, "{ranks} ranks at depth {depth} list something else");
        }
        let count = census(["count", &file, "--threads", "2", "--depth", "3"]).ranks(ranks).run().exits(0);
        for name in ["solutions", "units", "nodes"] {
            assert_eq!(count.value(name), alone.value(name), "{name} on {ranks} ranks");
        }
    }
});

test!(EVERYWHERE, solutions_above_the_depth_are_listed_in_order, || {
    let expected = in_search_order(INKALA20, &[]);
    for ranks in rank_counts(RANKS) {
        let run = census(["list", INKALA20, "--threads", "3", "--depth", "1000"]).ranks(ranks).run().exits(0);
        assert!(run.stdout == expected, "{ranks} ranks beyond the tree list something else");
    }
});

test!(ALONE, every_line_is_another_solution, || {
    let listing = in_search_order(INKALA20, &[]);
    let lines: HashSet<&str> = listing.lines().collect();
    assert_eq!((lines.len(), listing.lines().count()), (1734, 1734));
    let checked = census(["check", "-"]).input(&listing).run().exits(0);
    assert_eq!(checked.stdout.matches("a solution: all 81 cells filled, no conflict").count(), 1734);
    for line in lines {
        let keeps_givens = line.chars().zip(INKALA20.chars()).all(|(cell, given)| given == '.' || given == cell);
        assert!(keeps_givens, "{line}");
    }
});

test!(ALONE, cells_first_lists_in_lexicographic_order_and_values_max_reverses_it, || {
    let ascending = in_search_order(INKALA20, &["--cells", "first"]);
    let mut lines: Vec<&str> = ascending.lines().collect();
    assert!(lines.is_sorted());
    lines.reverse();
    let run = census(["list", INKALA20, "--cells", "first", "--values", "max"]).run().exits(0);
    assert_eq!(run.stdout.lines().collect::<Vec<_>>(), lines);
});

test!(ALONE, the_listing_of_each_shape_has_the_expected_number_of_solutions, || {
    for path in golden("shapes") {
        let text = fs::read_to_string(&path).expect("a golden file");
        let expected = text.lines().find_map(|line| line.strip_prefix("# expected: ")).expect("an expected count");
        let outcome = census(["list", &path]).run();
        let lines: HashSet<&str> = outcome.stdout.lines().collect();
        assert_eq!((lines.len().to_string(), outcome.stdout.lines().count()), (expected.into(), lines.len()), "{path}");
        outcome.exits(i32::from(expected == "0"));
    }
});

test!(EVERYWHERE, a_limit_gives_the_first_lines, || {
    let expected: String = in_search_order(INKALA20, &[]).split_inclusive('\n').take(777).collect();
    for ranks in rank_counts(RANKS) {
        let run = census(["list", INKALA20, "--limit", "777"]).ranks(ranks).run().exits(0);
        run.says_only(&expected).notes("listed 777 solutions, and stopped at the limit\n");
    }
});

test!(EVERYWHERE, an_output_file_has_the_complete_listing_and_no_other_file_is_left, || {
    let expected = in_search_order(INKALA20, &[]);
    for ranks in rank_counts(&[0, 1, 2]) {
        let folder = Folder::new();
        let path = folder.path("all.txt");
        census(["list", INKALA20, "--output", &path, "--quiet"]).ranks(ranks).run().exits(0).says_nothing();
        assert!(fs::read_to_string(path).expect("a listing") == expected);
        assert_eq!(folder.names(), ["all.txt"]);
    }
});

test!(ALONE, an_output_that_is_no_regular_file_is_written_to_and_not_replaced, || {
    // As root, `--output /dev/null` must not replace /dev/null. The test uses a named pipe and a link.
    let folder = Folder::new();
    let [pipe, link, file] = ["pipe", "link", "file"].map(|name| folder.path(name));
    let make = format!("mkfifo '{pipe}'; : > '{file}'; ln -s '{file}' '{link}'; cat '{pipe}' >&3 &");
    let list = format!("\"$CENSUS\" list {INKALA20} --quiet --output '{pipe}'");
    let count = format!("\"$CENSUS\" count {INKALA20} --quiet --report '{link}' > '{}'", folder.path("answer"));
    let script = format!("{{ {make} {list} && {count} && wait && test -p '{pipe}' && test -L '{link}'; }} 3>&1");
    shell(&script).run().exits(0).says_only(&in_search_order(INKALA20, &[]));
    assert!(fs::read_to_string(file).expect("a report").contains("census-run/2"));
});

test!(EVERYWHERE, an_empty_listing_is_exit_code_1, || {
    let unsolvable = "........231.42.......231........4...";
    for ranks in rank_counts(RANKS) {
        census(["list", unsolvable])
            .ranks(ranks)
            .run()
            .exits(1)
            .says_nothing()
            .notes("listed 0 solutions, which is all\n");
    }
});

test!(ALONE, a_broken_pipe_ends_the_longest_listing_without_a_message, || {
    let empty9 = ".".repeat(81);
    let script = format!("{{ \"$CENSUS\" list {empty9} --quiet; echo \"code $?\" >&2; }} | head -1");
    let outcome = shell(&script).run().exits(0);
    assert_eq!(outcome.stdout.trim_end().len(), 81);
    assert_eq!(outcome.stderr, "code 0\n");
});

test!(ALONE, a_broken_pipe_ends_every_command_without_a_message, || {
    // A named pipe without a reader. Opening it for reading and writing first keeps the second open from blocking.
    let folder = Folder::new();
    let pipe = folder.path("pipe");
    for command in ["count --quiet", "count --report - --quiet", "solve", "show", "check", "estimate --probes 10"] {
        let reader_gone = format!("rm -f '{pipe}'; mkfifo '{pipe}'; exec 3<>'{pipe}' 4>'{pipe}' 3<&-");
        shell(&format!("{reader_gone}; \"$CENSUS\" {command} {INKALA20} >&4")).run().exits(0).complains_of_nothing();
    }
});

test!(EVERYWHERE, millions_of_solutions_take_no_more_memory_than_a_few, || {
    for ranks in rank_counts(&[0, 2]) {
        let folder = Folder::new();
        let path = folder.path("all.txt");
        let peak_of = |limit: usize| {
            let options = ["--limit", &limit.to_string(), "--threads", "2", "--output", &path];
            let outcome = census(["list", &".".repeat(36)]).with(options).ranks(ranks).watching_memory().run().exits(0);
            assert_eq!(fs::metadata(&path).expect("a listing").len(), limit as u64 * 37);
            assert_eq!(outcome.peaks.len(), ranks.max(1), "not every rank was polled: {outcome}");
            outcome.peaks.iter().copied().max().unwrap_or(u64::MAX)
        };
        // All solutions in memory would take 50 MiB more.
        let (few, many) = (peak_of(100_000), peak_of(1_500_000));
        assert!(many < few + (8 << 20), "{few} bytes for few, {many} for many");
    }
});
