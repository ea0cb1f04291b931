//! Plots as inline SVG: axes, lines, points and bars. Colours are classes: the style sheet has light and dark ones.

use std::fmt::Write;

use crate::report::render::html::escaped;

pub use super::axes::Axis;

/// Width, height and margins of a plot. One unit is about one pixel.
pub const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 290.0;
const LEFT: f64 = 54.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 44.0;

/// The shapes of points. Series differ in colour and shape.
const SHAPES: [&str; 6] = [
    "M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z",
    "M-3.2 -3.2h6.4v6.4h-6.4z",
    "M0 -4.3L4 3H-4z",
    "M0 -4.6L4.2 0L0 4.6L-4.2 0z",
    "M0 4.3L4 -3H-4z",
    "M-1.3 -4h2.6v2.7h2.7v2.6h-2.7v2.7h-2.6v-2.7h-2.7v-2.6h2.7z",
];
/// The number of colours in the style sheet.
pub const COLOURS: usize = 8;

/// The classes of a series: its colour, and its id for the buttons of the legend.
pub fn class(style: usize) -> String {
    format!("c{} s{style}", style % COLOURS)
}

/// The definitions of the shapes, once for each document.
pub fn markers() -> String {
    let shapes = SHAPES.iter().enumerate();
    let shapes: String = shapes.map(|(index, shape)| format!(r#"<path id="m{index}" d="{shape}"/>"#)).collect();
    format!("<defs>{shapes}</defs>")
}

/// An element of a legend: [`sign`] or another drawing around the origin.
pub fn key(content: &str) -> String {
    format!(r#"<svg class="key" viewBox="-8 -6 16 12" aria-hidden="true">{content}</svg>"#)
}

/// A line and a point in the style of a series, around the origin.
pub fn sign(style: usize) -> String {
    let (class, shape) = (class(style), style % SHAPES.len());
    format!(r##"<path class="line {class}" d="M-8 0H8"/><use class="point {class}" href="#m{shape}"/>"##)
}

pub struct Plot {
    x: Axis,
    y: Axis,
    content: String,
}

impl Plot {
    pub fn new(x: Axis, y: Axis) -> Plot {
        let mut plot = Plot { x, y, content: String::new() };
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        let mut text = String::from(r#"<g class="axis">"#);
        for (at, name) in &plot.y.ticks {
            let y = plot.y_of(*at);
            let _ = write!(text, r#"<path class="grid" d="M{LEFT} {y:.1}H{right}"/>"#);
            let _ = write!(text, r#"<text x="{:.1}" y="{:.1}" class="end">{name}</text>"#, LEFT - 6.0, y + 4.0);
        }
        for (at, name) in &plot.x.ticks {
            let x = plot.x_of(*at);
            let _ = write!(text, r#"<path class="grid" d="M{x:.1} {TOP}V{bottom}"/>"#);
            let _ = write!(text, r#"<text x="{x:.1}" y="{:.1}" class="mid">{name}</text>"#, bottom + 16.0);
        }
        let (x, low, label) = (f64::midpoint(LEFT, right), HEIGHT - 8.0, &plot.x.label);
        let _ = write!(text, r#"<text x="{x:.1}" y="{low:.1}" class="mid name">{label}</text>"#);
        let (y, label) = (f64::midpoint(TOP, bottom), &plot.y.label);
        let place = format!("translate(13 {y:.1}) rotate(-90)");
        plot.content = format!(r#"{text}<text transform="{place}" class="mid name">{label}</text></g>"#);
        plot
    }

    pub fn x_of(&self, number: f64) -> f64 {
        LEFT + self.x.position(number) * (WIDTH - LEFT - RIGHT)
    }

    pub fn y_of(&self, number: f64) -> f64 {
        HEIGHT - BOTTOM - self.y.position(number) * (HEIGHT - TOP - BOTTOM)
    }

    /// A line of this class through points, shifted by some units.
    pub fn line(&mut self, class: &str, shift: f64, points: &[(f64, f64)]) {
        if points.len() < 2 {
            return;
        }
        let points = points.iter().map(|&(x, y)| format!("{:.1} {:.1}", self.x_of(x) + shift, self.y_of(y)));
        let points = points.collect::<Vec<_>>().join("L");
        let _ = write!(self.content, r#"<path class="line {class}" d="M{points}"/>"#);
    }

    pub fn spread(&mut self, style: usize, shift: f64, x: f64, low: f64, high: f64) {
        let (x, low, high, class) = (self.x_of(x) + shift, self.y_of(low), self.y_of(high), class(style));
        if (low - high).abs() >= 1.0 {
            let _ = write!(self.content, r#"<path class="spread {class}" d="M{x:.1} {low:.1}V{high:.1}"/>"#);
        }
    }

    /// A point, with the name of its run.
    pub fn point(&mut self, style: usize, is_hollow: bool, shift: f64, (x, y): (f64, f64), run: Option<&str>) {
        let (x, y) = (self.x_of(x) + shift, self.y_of(y));
        let kind = if run.is_some() { "dot" } else { "point" };
        let (class, hollow, shape) = (class(style), if is_hollow { " hollow" } else { "" }, style % SHAPES.len());
        let run = run.map(|run| format!(r#" data-run="{}""#, escaped(run))).unwrap_or_default();
        let _ = write!(
            self.content,
            r##"<use class="{kind} {class}{hollow}" href="#m{shape}" x="{x:.1}" y="{y:.1}"{run}/>"##
        );
    }

    /// A bar between two horizontal coordinates and two numbers of the second axis.
    pub fn bar(&mut self, class: &str, (left, right): (f64, f64), (low, high): (f64, f64)) {
        let (top, bottom) = (self.y_of(high), self.y_of(low));
        if bottom - top >= 0.05 {
            self.rectangle(class, (left, right.max(left + 0.5)), (top, bottom));
        }
    }

    /// A rectangle between horizontal and vertical coordinates.
    pub fn rectangle(&mut self, class: &str, (left, right): (f64, f64), (top, bottom): (f64, f64)) {
        let (width, height) = (right - left, bottom - top);
        let _ = write!(
            self.content,
            r#"<rect class="{class}" x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}"/>"#
        );
    }

    pub fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let _ = write!(self.content, r#"<text x="{x:.1}" y="{y:.1}" class="{class}">{}</text>"#, escaped(text));
    }

    pub fn picture(self) -> Picture {
        Picture { width: WIDTH, height: HEIGHT, content: self.content }
    }
}

/// One unit is about one pixel.
pub struct Picture {
    pub width: f64,
    pub height: f64,
    /// SVG elements.
    pub content: String,
}

impl Picture {
    /// The picture in a page, labelled by another element. With points of runs, it can be focused and used by keyboard.
    pub fn html(&self, name: &str) -> String {
        let Picture { width, height, content } = self;
        let focusable = if content.contains("data-run") { r#" tabindex="0""# } else { "" };
        format!(
            r#"<svg viewBox="0 0 {width:.0} {height:.0}" role="img" aria-labelledby="{name}"{focusable}>{content}</svg>"#
        )
    }
}
