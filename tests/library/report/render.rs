//! Numbers, tables and markup as text.

use census::count::Solutions;
use census::report::render::html::{duration as unbroken_duration, escaped, percent as unbroken_percent};
use census::report::render::number::{duration, grouped, percent, rate, rough_duration};
use census::report::render::table::Table;
use census::report::render::terminal::rank_table;
use census::report::run::RankReport;

#[test]
fn durations_have_three_digits_or_so_whatever_their_size() {
    let durations = [0.0, 12e-6, 0.0034, 0.25, 2.345, 42.0, 1200.0, 54321.0].map(duration);
    assert_eq!(durations, ["0 s", "12 µs", "3.4 ms", "0.250 s", "2.35 s", "42.0 s", "20 min", "15.1 h"]);
    assert_eq!([0.000_999_9, 0.099_99, 0.999_9, 9.999].map(duration), ["1.0 ms", "0.100 s", "1.00 s", "10.0 s"]);
    assert_eq!([12.0, 600.0, 7200.0, 8.64e5].map(rough_duration), ["12 s", "10 min", "2.0 h", "10 days"]);
}

#[test]
fn rates_shares_and_counts_have_the_digits_that_matter() {
    assert_eq!([7.0, 41_000.0, 3.21e6, 6.67e21].map(rate), ["7", "41k", "3.2M", "6.7e21"]);
    assert_eq!([0.31, 0.025, 0.0004, 0.0, -0.02].map(percent), ["31 %", "2.5 %", "0.04 %", "0 %", "−2.0 %"]);
    let grouped = ["0", "999", "1000", "28200960", "more"].map(grouped);
    assert_eq!(grouped, ["0", "999", "1,000", "28,200,960", "more"]);
}

#[test]
fn a_cell_of_a_csv_file_is_no_formula_and_has_quotes_if_it_needs_them() {
    let cells = ["=1+1", "+1", "-0.5", "-x", "@SUM(A1)", "a=b", "=a,b", "\tx", "say \"no\"", "two\nlines"];
    let table = Table { rows: vec![cells.map(String::from).into()], text_columns: 0 };
    let expected = "'=1+1,+1,-0.5,'-x,'@SUM(A1),a=b,\"'=a,b\",'\tx,\"say \"\"no\"\"\",\"two\nlines\"\n";
    assert_eq!(table.csv(), expected);
}

#[test]
fn text_has_no_markup_and_numbers_stay_with_their_units() {
    assert_eq!(escaped("<script>\"&'\u{7}"), "&lt;script&gt;&quot;&amp;&#39;\u{fffd}");
    assert_eq!((unbroken_duration(42.0), unbroken_percent(-0.02)), ("42.0\u{a0}s".into(), "−2.0\u{a0}%".into()));
}

#[test]
fn the_table_of_ranks_lines_up() {
    let rank = |rank, solutions, nodes| RankReport {
        rank,
        host: "node1".into(),
        units: 64,
        solutions: Solutions::new(solutions),
        nodes,
        busy: 1.25,
        wait: 0.0005,
        ..RankReport::default()
    };
    let expected = "  rank   host  units  solutions      nodes     busy     wait\n     \
                    0  node1     64    534,494  1,577,626  1.250 s  0.001 s\n    \
                    10  node1     64          0          3  1.250 s  0.001 s\n";
    assert_eq!(rank_table(&[rank(0, 534_494, 1_577_626), rank(10, 0, 3)]), expected);
}
