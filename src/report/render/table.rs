//! Tables for terminals, papers (Markdown) and programs (comma-separated values).

/// A heading, and the cell of an item.
pub type Column<'a, T> = (&'a str, fn(T) -> String);

/// Rows of cells, the headings first.
pub struct Table {
    pub rows: Vec<Vec<String>>,
    /// The first columns are text and aligned to the left, the others are numbers and aligned to the right.
    pub text_columns: usize,
}

impl Table {
    pub fn new<T: Copy>(columns: &[Column<T>], text_columns: usize, items: impl IntoIterator<Item = T>) -> Table {
        let row = |item: T| columns.iter().map(|(_, cell)| cell(item)).collect();
        let headings = columns.iter().map(|(heading, _)| (*heading).into()).collect();
        Table { rows: [headings].into_iter().chain(items.into_iter().map(row)).collect(), text_columns }
    }

    /// For terminals: each column is as wide as its widest cell.
    pub fn aligned(&self) -> String {
        let width = |column: usize| self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.rows[0].len()).map(width).collect();
        let cell = |(column, cell): (usize, &String)| match (column < self.text_columns, widths[column]) {
            (true, width) => format!("  {cell:<width$}"),
            (false, width) => format!("  {cell:>width$}"),
        };
        self.rows.iter().map(|row| row.iter().enumerate().map(cell).collect::<String>() + "\n").collect()
    }

    pub fn markdown(&self) -> String {
        let line = |row: &Vec<String>| {
            let cells: Vec<String> = row.iter().map(|cell| escaped_markdown(cell)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rules = (0..self.rows[0].len()).map(|column| if column < self.text_columns { "---|" } else { "---:|" });
        let (headings, rows) = (line(&self.rows[0]), self.rows[1..].iter().map(line));
        format!("{headings}|{}\n{}", rules.collect::<String>(), rows.collect::<String>())
    }

    /// RFC 4180, but lines end with a line feed. A cell that a spreadsheet would take for a formula gets an apostrophe in front.
    pub fn csv(&self) -> String {
        let is_formula =
            |cell: &str| cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err();
        let plain = |cell: &String| if is_formula(cell) { format!("'{cell}") } else { cell.clone() };
        let quoted = |cell: String| match cell.contains([',', '"', '\n', '\r']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell,
        };
        let line = |row: &Vec<String>| row.iter().map(plain).map(quoted).collect::<Vec<String>>().join(",") + "\n";
        self.rows.iter().map(line).collect()
    }
}

/// Text without markup.
pub fn escaped_markdown(text: &str) -> String {
    let escape = |c| r"\`*_{}[]<>#|".contains(c).then_some('\\');
    text.chars().flat_map(|c| escape(c).into_iter().chain([c])).collect()
}
