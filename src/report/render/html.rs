//! HTML, and numbers in its sentences: no line ends between a number and its unit.

use std::fmt::Write;

use super::number;

/// Text without markup, for elements and attributes.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            // HTML does not allow other control characters.
            c if c.is_control() && c != '\n' && c != '\t' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// See [`number::duration`].
pub fn duration(seconds: f64) -> String {
    unbroken(number::duration(seconds))
}

/// See [`number::percent`].
pub fn percent(share: f64) -> String {
    unbroken(number::percent(share))
}

fn unbroken(text: String) -> String {
    text.replace(' ', "\u{a0}")
}

/// The start of the table that `page.js` sorts, in a box that scrolls.
pub fn sortable_table<'a>(label: &str, class: &str, headings: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = format!(
        "<div class=\"{class}\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\"><table id=\"runs\"><thead><tr>"
    );
    for heading in headings {
        let heading = escaped(heading);
        let _ = write!(text, "<th scope=\"col\" aria-sort=\"none\"><button type=\"button\">{heading}</button></th>");
    }
    text
}

/// A cell that is sorted by its number.
pub fn number_cell(number: f64, text: &str) -> String {
    format!("<td class=\"number\" data-n=\"{number:.6}\">{text}</td>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_no_markup() {
        assert_eq!(escaped("<script>\"&'\u{7}"), "&lt;script&gt;&quot;&amp;&#39;\u{fffd}");
    }

    #[test]
    fn numbers_stay_with_their_units() {
        assert_eq!((duration(42.0), percent(-0.02)), ("42.0\u{a0}s".into(), "−2.0\u{a0}%".into()));
    }
}
