//! Splits a text into comments and lines of cells, and removes frames.

use std::sync::Arc;

use crate::{InputError, Position, Zero};

pub(super) struct Document<'a> {
    pub source: &'a Arc<str>,
    /// The lines that hold cells.
    pub lines: Vec<TextLine<'a>>,
    pub comments: Vec<Comment<'a>>,
    /// The meaning of 0, if an option or a header sets it.
    pub zero: Option<Zero>,
}

/// A comment with a colon, which may be a header.
pub(super) struct Comment<'a> {
    /// The position of the value.
    pub position: Position,
    /// In lower case.
    pub key: String,
    pub value: &'a str,
}

/// A line that holds cells, and its features for recognition.
#[derive(Clone, Copy)]
pub(super) struct TextLine<'a> {
    pub number: usize,
    pub text: &'a str,
    /// Characters that are neither space nor frame.
    pub cells: usize,
    /// Runs of such characters.
    pub tokens: usize,
    /// Runs of a single character.
    pub singles: usize,
    /// Whether every run is an integer of at most two digits, or a mark of an empty cell.
    pub integers: bool,
}

/// A run of characters that are neither space nor frame.
#[derive(Clone, Copy)]
pub(super) struct Token<'a> {
    pub position: Position,
    pub text: &'a str,
}

impl<'a> Document<'a> {
    /// A text whose first line has this number.
    pub fn new(source: &'a Arc<str>, first: usize, text: &'a str, zero: Option<Zero>) -> Document<'a> {
        let mut document = Document { source, lines: Vec::new(), comments: Vec::new(), zero };
        split_lines(text).zip(first..).for_each(|(line, number)| document.add(number, line));
        document
    }

    /// Adds a line that holds cells or a possible header; ignores others.
    fn add(&mut self, number: usize, line: &'a str) {
        if let Some(comment) = line.trim_start().strip_prefix('#') {
            if let Some((key, value)) = comment.split_once(':') {
                let before = line.len() - value.trim_start().len();
                let position = Position { line: number, column: line[..before].chars().count() + 1 };
                self.comments.push(Comment { position, key: key.trim().to_lowercase(), value: value.trim() });
            }
        } else {
            // A comment after cells is not a header.
            let line = line.split_once('#').map_or(line, |(cells, _)| cells);
            if !is_rule(line) {
                self.lines.push(TextLine::new(number, line));
            }
        }
    }

    pub fn error(&self, position: Position, message: impl Into<String>) -> InputError {
        InputError::new(self.source, Some(position), message)
    }
}

impl<'a> TextLine<'a> {
    fn new(number: usize, text: &'a str) -> TextLine<'a> {
        let mut line = TextLine { number, text, cells: 0, tokens: 0, singles: 0, integers: true };
        for run in text.split(is_gap).filter(|run| !run.is_empty()) {
            let length = run.chars().count();
            line.cells += length;
            line.tokens += 1;
            line.singles += usize::from(length == 1);
            line.integers &=
                length <= 2 && (run.bytes().all(|byte| byte.is_ascii_digit()) || run.chars().all(is_empty_mark));
        }
        line
    }

    /// The characters that are neither space nor frame.
    pub fn symbols(&self) -> impl Iterator<Item = char> + use<'a> {
        self.text.chars().filter(|&c| !is_gap(c))
    }

    /// These characters as tokens.
    pub fn characters(&self) -> impl Iterator<Item = Token<'a>> + use<'a> {
        let (line, text) = (self.number, self.text);
        let cells = text.char_indices().zip(1..).filter(|&((_, c), _)| !is_gap(c));
        cells.map(move |((start, c), column)| Token {
            position: Position { line, column },
            text: &text[start..start + c.len_utf8()],
        })
    }

    /// The runs of these characters.
    pub fn tokens(&self) -> impl Iterator<Item = Token<'a>> + use<'a> {
        let (line, mut next) = (self.number, 1);
        let runs = self.text.split(is_gap).map(move |text| {
            let column = next;
            next += text.chars().count() + 1;
            Token { position: Position { line, column }, text }
        });
        runs.filter(|run| !run.text.is_empty())
    }

    /// Whether the line contains frames or tabs, between which a blank cell may have been left.
    pub fn has_frame(&self) -> bool {
        self.text.chars().any(|c| is_gap(c) && c != ' ')
    }

    /// The position of the first cell.
    pub fn start(&self) -> Position {
        let column = self.text.chars().take_while(|&c| is_gap(c)).count() + 1;
        Position { line: self.number, column }
    }

    /// The position after the last cell.
    pub fn end(&self) -> Position {
        Position { line: self.number, column: self.text.trim_end_matches(is_gap).chars().count() + 1 }
    }
}

impl Token<'_> {
    /// The value if the run is an integer; saturates.
    pub fn integer(&self) -> Option<u32> {
        let digits = self.text.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| self.text.parse().unwrap_or(u32::MAX))
    }
}

/// The lines of a text, which end with LF, CRLF or CR.
pub(crate) fn split_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let all = rest?;
        let Some(end) = all.find(['\n', '\r']) else {
            rest = None;
            return Some(all);
        };
        let after = &all[end..];
        rest = Some(after.strip_prefix("\r\n").unwrap_or(&after[1..]));
        Some(&all[..end])
    })
}

/// Whether a character separates cells: spaces, frames, the commas of a table. `-` and `+` are frames only on lines of their
/// own: between cells, a `-` may be an empty cell or a minus sign, and must not be ignored.
fn is_gap(c: char) -> bool {
    matches!(c, ' ' | '|' | ',') || c.is_whitespace() || ('\u{2500}'..='\u{257F}').contains(&c)
}

pub(super) fn is_empty_mark(c: char) -> bool {
    matches!(c, '.' | '_' | '*')
}

/// Whether a line holds no cells: it is blank, or a part of a frame such as `---+---`, `*-----*` or `├──┼──┤`.
fn is_rule(line: &str) -> bool {
    let framing = |c: char| is_gap(c) || matches!(c, '-' | '+' | '=');
    let corner = |c: char| matches!(c, '*' | '.' | ':' | '\'');
    line.chars().all(framing)
        || ((line.contains("--") || line.contains("==")) && line.chars().all(|c| framing(c) || corner(c)))
}

/// Quotes a part of the input in a message; a long one is truncated.
pub(super) fn quote(text: &str) -> String {
    const MAX_CHARS: usize = 24;
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("'{}…'", &text[..end]),
        None => format!("'{text}'"),
    }
}

/// `1 cell`, `9 cells`.
pub(super) fn quantity(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// The value that occurs most often. On a tie, `preferred`, else the largest.
pub(super) fn most_common(values: impl Iterator<Item = usize>, preferred: usize) -> usize {
    let mut counts = std::collections::HashMap::new();
    for value in values {
        *counts.entry(value).or_insert(0usize) += 1;
    }
    let best = counts.into_iter().max_by_key(|&(value, count)| (count, value == preferred, value));
    best.map_or(0, |(value, _)| value)
}
