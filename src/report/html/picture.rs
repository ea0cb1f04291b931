//! A figure as an SVG file with title, legend and caption, for papers and slides.

use std::fmt::Write;

use crate::report::render::html::escaped;
use crate::report::sweep::analysis::Group;

use super::STYLE;
use super::figure::Figure;
use super::plot::{COLOURS, Picture, class, markers, sign};

/// The margin of the picture, and the height of a line.
const MARGIN: f64 = 14.0;
const LINE: f64 = 18.0;
/// The approximate width of a letter, to break legends and captions into lines.
const LETTER: f64 = 6.4;

pub fn file(figure: &Figure, group: &Group) -> String {
    let Picture { width, height, content } = &figure.picture;
    let (title, caption, name) = (escaped(&figure.title), escaped(&figure.caption), escaped(&group.title));
    let mut text = format!(r#"<text class="name title" x="0" y="14">{name}: {title}</text>"#);
    let _ = write!(text, r#"<g transform="translate(0 24)">{content}</g>"#);
    let mut bottom = legend(&mut text, figure, group, 24.0 + height + 16.0);
    for line in lines(&figure.caption, (width / LETTER) as usize) {
        let _ = write!(text, r#"<text x="0" y="{bottom:.0}">{}</text>"#, escaped(&line));
        bottom += LINE;
    }
    let (width, height) = (width + 2.0 * MARGIN, bottom + MARGIN);
    let size = format!(r#"viewBox="0 0 {width:.0} {height:.0}" width="{width:.0}" height="{height:.0}""#);
    let (style, markers) = (style(), markers());
    let start = format!(r#"<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>{title}</title>"#);
    let paper = r##"<rect width="100%" height="100%" fill="#ffffff"/>"##;
    let body = format!(r#"<g transform="translate({MARGIN} {MARGIN})">{text}</g></svg>"#);
    format!("{start}<desc>{caption}</desc><style>{style}</style>{markers}{paper}{body}\n")
}

/// The style of a picture: the light colours of the page as values, because few programs except browsers support variables.
fn style() -> String {
    let mut text = String::from(
        "svg{font-family:sans-serif}text{font-size:12px;fill:QUIET}.name,.label{fill:INK}.title{font-weight:600}.mid{text-anchor:middle}\
         text.end{text-anchor:end}.grid{stroke:GRID;fill:none}.line{stroke-width:1.8;fill:none}.line.predicted{stroke-dasharray:5 3}\
         .line.ideal{stroke:QUIET;stroke-width:1.2;stroke-dasharray:2 4}.line.limit{stroke:QUIET;stroke-width:1.2;stroke-dasharray:8 4}\
         .spread{stroke-width:1;opacity:.55;fill:none}.dot,.point{stroke:#fff;stroke-width:.7}.span{fill:none}\
         .done{stroke:INK;fill:none}.waiting{fill:WAIT;opacity:.6}.units{fill:C0}.work{fill:C1}",
    );
    for phase in ["expand", "distribute", "count", "wait", "reduce"] {
        let _ = write!(text, ".ph-{phase}{{fill:{}}}", colour(phase));
    }
    for index in 0..COLOURS {
        let colour = colour(&format!("c{index}"));
        let _ = write!(
            text,
            ".line.c{index},.spread.c{index},.span.c{index}{{stroke:{colour}}}.dot.c{index},.point.c{index},.busy.c{index},.mark.c{index}{{fill:{colour}}}\
             .hollow.c{index}{{fill:#fff;stroke:{colour};stroke-width:1.3}}"
        );
    }
    for (variable, name) in
        [("QUIET", "quiet"), ("INK", "ink"), ("GRID", "grid"), ("WAIT", "wait"), ("C0", "c0"), ("C1", "c1")]
    {
        text = text.replace(variable, colour(name));
    }
    text
}

fn colour(name: &str) -> &'static str {
    let named = STYLE.split_once(&format!("--{name}: ")).and_then(|(_, rest)| rest.split(';').next());
    named.unwrap_or("#000000")
}

/// The meaning of the colours, in lines. Returns the vertical coordinate below them.
fn legend(text: &mut String, figure: &Figure, group: &Group, mut y: f64) -> f64 {
    let keys = figure.keys.iter().map(|(class, text)| {
        (format!(r#"<rect class="{class}" x="-6" y="-6" width="12" height="12"/>"#), (*text).to_owned())
    });
    let content = &figure.picture.content;
    let is_drawn = |class: String| ["\"", " "].iter().any(|end| content.contains(&(class.clone() + end)));
    let series = group.series.iter().filter(|series| is_drawn(class(series.style)));
    let mut x = 8.0;
    for (sign, label) in keys.chain(series.map(|series| (sign(series.style), series.label.clone()))) {
        let wide = 34.0 + label.chars().count() as f64 * LETTER;
        if x > 8.0 && x + wide > figure.picture.width {
            (x, y) = (8.0, y + LINE);
        }
        let (middle, label) = (y - 4.0, escaped(&label));
        let label = format!(r#"<text class="name" x="13" y="4">{label}</text>"#);
        let _ = write!(text, r#"<g transform="translate({x:.0} {middle:.0})">{sign}{label}</g>"#);
        x += wide;
    }
    y + LINE + 4.0
}

/// Breaks a text into lines of at most so many letters.
fn lines(text: &str, letters: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= letters => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}
