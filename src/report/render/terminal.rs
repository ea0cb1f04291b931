//! What a count prints for people: what it is about to do, and a line for each rank.

use std::fmt::Write;

use crate::puzzle::Puzzle;

use crate::report::run::RankReport;

/// What is about to be counted, and by whom.
pub fn heading(name: &str, puzzle: &Puzzle, ranks: usize, threads: usize) -> String {
    let plural = |n: usize, word: &str| if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") };
    let (order, givens) = (puzzle.shape.order(), puzzle.givens.filled());
    let (givens, ranks, threads) = (plural(givens, "given"), plural(ranks, "rank"), plural(threads, "thread"));
    format!("counting {name} ({order}×{order}, {}, {givens}) on {ranks} of {threads}\n", puzzle.shape)
}

/// The table of ranks, with a heading and one line each.
pub fn rank_table(ranks: &[RankReport]) -> String {
    let widest = |heading: &str, cells: &dyn Fn(&RankReport) -> String| {
        ranks.iter().map(|rank| cells(rank).chars().count()).max().unwrap_or(0).max(heading.len())
    };
    type Column = (&'static str, fn(&RankReport) -> String);
    let mut columns: Vec<Column> = vec![
        ("rank", |rank| rank.rank.to_string()),
        ("host", |rank| rank.host.clone()),
        ("units", |rank| rank.units.to_string()),
        ("subtasks", |rank| rank.subtasks.to_string()),
        ("solutions", |rank| grouped(&rank.solutions.to_string())),
        ("nodes", |rank| grouped(&rank.nodes.to_string())),
        ("busy", |rank| seconds(rank.busy)),
        ("wait", |rank| seconds(rank.wait)),
    ];
    if ranks.iter().all(|rank| rank.subtasks == 0) {
        columns.retain(|(heading, _)| *heading != "subtasks");
    }
    let widths: Vec<usize> = columns.iter().map(|(heading, cell)| widest(heading, cell)).collect();
    let mut table = String::new();
    for ((heading, _), &width) in columns.iter().zip(&widths) {
        let _ = write!(table, "  {heading:>width$}");
    }
    table.push('\n');
    for rank in ranks {
        for ((_, cell), &width) in columns.iter().zip(&widths) {
            let _ = write!(table, "  {:>width$}", cell(rank));
        }
        table.push('\n');
    }
    table
}

/// Rows of cells, the first one the headings, each column as wide as its widest cell: the first column to the left, numbers to the
/// right.
pub fn aligned(rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..rows.first().map_or(0, Vec::len)).map(width).collect();
    let mut text = String::new();
    for row in rows {
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let _ = if column == 0 { write!(text, "  {cell:<width$}") } else { write!(text, "  {cell:>width$}") };
        }
        text.push('\n');
    }
    text
}

/// A duration in seconds as people read it: `0.532 s`, `12.3 s`.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 10.0 => format!("{s:.3} s"),
        s if s < 1000.0 => format!("{s:.1} s"),
        s => format!("{s:.0} s"),
    }
}

/// A decimal number with a comma between groups of three digits.
pub fn grouped(digits: &str) -> String {
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return digits.into();
    }
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::Solutions;

    #[test]
    fn digits_are_grouped_in_threes() {
        let grouped: Vec<String> = ["0", "999", "1000", "28200960", "more"].map(grouped).into();
        assert_eq!(grouped, ["0", "999", "1,000", "28,200,960", "more"]);
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
}
