//! Markdown.

/// Text without markup.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\`*_{}[]<>#|".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Rows of cells, the headings first. The first `text_columns` are aligned to the left, the others to the right.
pub fn table(rows: &[impl AsRef<[String]>], text_columns: usize) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let lines = rows.iter().map(|row| line(row.as_ref().iter().map(|cell| escaped(cell)).collect()));
    let mut lines: Vec<String> = lines.collect();
    let columns = rows.first().map_or(0, |row| row.as_ref().len());
    let rules = (0..columns).map(|column| if column < text_columns { "---|" } else { "---:|" });
    lines.insert(lines.len().min(1), format!("|{}\n", rules.collect::<String>()));
    lines.concat()
}
