//! One picture as a file of its own, with its title, its legend and its sentence in it: for papers and slides.

use std::fmt::Write;

use crate::report::sweep::study::Subject;

use super::STYLE;
use super::html::{Figure, escaped};
use super::plot::{Picture, class, markers, sign};

/// Room around the picture, and the height of a line.
const MARGIN: f64 = 14.0;
const LINE: f64 = 18.0;
/// How wide a letter is, more or less: legends and sentences are cut into lines by it.
const LETTER: f64 = 6.4;

/// The file.
pub fn file(figure: &Figure, subject: &Subject) -> String {
    let Picture { width, height, content } = &figure.picture;
    let (title, sentence) = (escaped(&figure.title), escaped(&figure.sentence));
    let mut text = format!("<text class=\"name title\" x=\"0\" y=\"14\">{}: {title}</text>", escaped(&subject.title));
    let _ = write!(text, "<g transform=\"translate(0 24)\">{content}</g>");
    let mut bottom = 24.0 + height + 16.0;
    bottom = legend(&mut text, figure, subject, bottom);
    for line in lines(&figure.sentence, (width / LETTER) as usize) {
        let _ = write!(text, "<text x=\"0\" y=\"{bottom:.0}\">{}</text>", escaped(&line));
        bottom += LINE;
    }
    let (width, height) = (width + 2.0 * MARGIN, bottom + MARGIN);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\">\
         <title>{title}</title><desc>{sentence}</desc><style>{STYLE}svg {{ font-family: system-ui, sans-serif; }} .title {{ font-weight: 600; }}</style>{}\
         <rect width=\"100%\" height=\"100%\" fill=\"var(--panel)\"/><g transform=\"translate({MARGIN} {MARGIN})\">{text}</g></svg>\n",
        markers()
    )
}

/// What the colours mean, from left to right and then on the next line. Returns where the next text begins.
fn legend(text: &mut String, figure: &Figure, subject: &Subject, mut y: f64) -> f64 {
    let keys = figure.keys.iter().map(|(class, word)| {
        (format!("<rect class=\"{class}\" x=\"-6\" y=\"-6\" width=\"12\" height=\"12\"/>"), (*word).to_owned())
    });
    let drawn = |style: usize| {
        figure.picture.content.contains(&format!("{}\"", class(style)))
            || figure.picture.content.contains(&format!("{} ", class(style)))
    };
    let series = subject
        .series
        .iter()
        .filter(|series| drawn(series.style))
        .map(|series| (sign(series.style), series.label.clone()));
    let mut x = 8.0;
    for (sign, word) in keys.chain(series) {
        let wide = 34.0 + word.chars().count() as f64 * LETTER;
        if x > 8.0 && x + wide > figure.picture.width {
            (x, y) = (8.0, y + LINE);
        }
        let _ = write!(
            text,
            "<g transform=\"translate({x:.0} {:.0})\">{sign}<text class=\"name\" x=\"13\" y=\"4\">{}</text></g>",
            y - 4.0,
            escaped(&word)
        );
        x += wide;
    }
    y + LINE + 4.0
}

/// A text in lines of so many letters at the most.
fn lines(text: &str, letters: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && lines[last].chars().count() + 1 + word.chars().count() > letters {
            lines.push(word.into());
        } else {
            if !lines[last].is_empty() {
                lines[last].push(' ');
            }
            lines[last] += word;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_cut_between_words() {
        assert_eq!(lines("one two three", 7), ["one two", "three"]);
        assert_eq!(lines("incomprehensible as it is", 7), ["incomprehensible", "as it", "is"]);
    }
}
