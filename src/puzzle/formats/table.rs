//! Hints for lines of a table (CSV) that are read as puzzles.

use super::body::TextLine;
use crate::input::source::is_grid;

const SEPARATORS: [char; 3] = ['\t', ';', ','];
/// Shorter fields are more likely numbers than puzzles.
const MIN_CELLS: usize = 16;

/// Whether a line is probably of a table whose columns are not single cells.
pub(super) fn is_table(line: &TextLine<'_>) -> bool {
    let is_code = line.text.contains(['{', '}', '`', '=', '<']);
    // Tabs may separate boxes, so that each run has few cells.
    let long = |factor: usize| line.tokens * factor < line.cells;
    !is_code
        && (line.text.contains('"')
            || (line.text.contains([',', ';']) && long(2))
            || (line.text.contains('\t') && long(4)))
}

/// A command that extracts the puzzles from the table to which this line belongs, if it does. `first`: whether the line is the
/// first one, which may be the title.
pub(super) fn hint(line: &TextLine<'_>, first: bool) -> Option<String> {
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
    Some(format!("; if this is a table (CSV), extract the column of puzzles: `{command}`{number}"))
}

/// Whether a field is a puzzle, with or without quotes.
fn is_puzzle(field: &str) -> bool {
    let field = field.trim().trim_matches('"');
    field.len() >= MIN_CELLS && is_grid(field)
}
