//! Lines of a table (CSV) that are taken for puzzles: what to do about them.

use super::body::Line;
use crate::grid::value_of;

const SEPARATORS: [char; 3] = ['\t', ';', ','];
/// Shorter fields are more likely numbers than puzzles.
const LEAST_CELLS: usize = 16;

/// Whether a line looks like one of a table whose columns are more than cells.
pub(super) fn is_table(line: &Line<'_>) -> bool {
    // Tabs may stand between boxes, and then few cells are together.
    let long = |factor: usize| line.tokens * factor < line.cells;
    line.text.contains('"') || (line.text.contains([',', ';']) && long(2)) || (line.text.contains('\t') && long(4))
}

/// How to get the puzzles out of a table that has this line, if it is one of a table. `first` is the first line with anything
/// on it, which may be the title.
pub(super) fn hint(line: &Line<'_>, first: bool) -> Option<String> {
    if !is_table(line) {
        return None;
    }
    let count = |&separator: &char| line.text.matches(separator).count();
    let separator = SEPARATORS.into_iter().filter(|separator| count(separator) > 0).max_by_key(count);
    let column = separator.and_then(|separator| line.text.split(separator).position(is_puzzle));
    let title = first && column.is_none() && !is_puzzle(line.text);
    let mut steps = Vec::new();
    if title {
        steps.push(format!("tail -n +{}", line.number + 1));
    }
    if let Some(separator) = separator {
        let by = match separator {
            '\t' => "",
            ';' => "-d';' ",
            _ => "-d, ",
        };
        steps.push(format!("cut {by}-f{}", column.map_or("N".into(), |column| (column + 1).to_string())));
    }
    if line.text.contains('"') {
        steps.push("tr -d '\"'".into());
    }
    let file = if steps[0].starts_with("tr") { " < FILE" } else { " FILE" };
    steps[0] += file;
    let number = if separator.is_some() && column.is_none() { ", where N is its number" } else { "" };
    let command = steps.join(" | ");
    Some(format!("; if this is a table (CSV), keep its column of puzzles alone: `{command}`{number}"))
}

/// Whether a field, with or without quotes, holds a puzzle.
fn is_puzzle(field: &str) -> bool {
    let field = field.trim().trim_matches('"');
    let cells = field.chars().count();
    let order = cells.isqrt();
    let fits = |c| value_of(c).is_some_and(|value| usize::from(value) <= order);
    cells >= LEAST_CELLS && order * order == cells && field.chars().all(fits)
}
