//! Comma-separated values: RFC 4180, but lines end with a line feed.

/// One line. A cell that a spreadsheet would take for a formula gets an apostrophe in front.
pub fn line(cells: impl Iterator<Item = String>) -> String {
    let plain = |cell: String| match cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err()
    {
        true => format!("'{cell}"),
        false => cell,
    };
    let quoted = |cell: String| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    };
    cells.map(plain).map(quoted).collect::<Vec<String>>().join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn no_cell_is_a_formula() {
        let cells = ["=1+1", "+1", "-0.5", "-x", "@SUM(A1)", "a=b", "=a,b", "\tx"].map(String::from);
        assert_eq!(line(cells.into_iter()), "'=1+1,+1,-0.5,'-x,'@SUM(A1),a=b,\"'=a,b\",'\tx\n");
    }

    #[test]
    fn cells_that_need_quotes_have_them() {
        let cells = ["plain", "a,b", "say \"no\"", "two\nlines"].map(String::from);
        assert_eq!(line(cells.into_iter()), "plain,\"a,b\",\"say \"\"no\"\"\",\"two\nlines\"\n");
    }
}
