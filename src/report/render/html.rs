//! HTML, and numbers in its sentences: no line ends between a number and its unit.

use super::number;

/// Text without markup, for elements and attributes.
pub fn escaped(text: &str) -> String {
    // HTML does not allow other control characters.
    let is_wrong = |c: char| c.is_control() && c != '\n' && c != '\t';
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;").replace(is_wrong, "\u{fffd}")
}

pub fn duration(seconds: f64) -> String {
    number::duration(seconds).replace(' ', "\u{a0}")
}

pub fn percent(share: f64) -> String {
    number::percent(share).replace(' ', "\u{a0}")
}

/// The table that `page.js` sorts, in a box that scrolls. `more` has headings by which it is not sorted.
pub fn sortable_table(label: &str, class: &str, headings: &[&str], more: &str, rows: &str) -> String {
    let heading = |text: &str| {
        format!(r#"<th scope="col" aria-sort="none"><button type="button">{}</button></th>"#, escaped(text))
    };
    let headings: String = headings.iter().map(|text| heading(text)).collect();
    format!(
        r#"<div class="{class}" tabindex="0" role="region" aria-label="{label}"><table id="runs"><thead><tr>{headings}{more}</tr></thead><tbody>
{rows}</tbody></table></div>"#
    )
}

/// A cell of this table, which is sorted by its number if it has one.
pub fn cell(text: &str, number: Option<f64>) -> String {
    match number {
        Some(number) => format!(r#"<td class="number" data-n="{number:.6}">{text}</td>"#),
        None => format!("<td>{}</td>", escaped(text)),
    }
}
