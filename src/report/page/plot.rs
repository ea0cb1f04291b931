//! Plots as inline SVG: axes, lines, points and bars. Colours are classes: the style sheet knows light and dark.

use std::fmt::Write;

/// Width and height of a plot, and the room for what stands around it. One unit is about one pixel.
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 290.0;
const LEFT: f64 = 54.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 44.0;

/// The shapes of points: with the colour, what tells series apart.
const SHAPES: [&str; 6] = [
    "M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z",
    "M-3.2 -3.2h6.4v6.4h-6.4z",
    "M0 -4.3L4 3H-4z",
    "M0 -4.6L4.2 0L0 4.6L-4.2 0z",
    "M0 4.3L4 -3H-4z",
    "M-1.3 -4h2.6v2.7h2.7v2.6h-2.7v2.7h-2.6v-2.7h-2.7v-2.6h2.7z",
];
/// The number of colours in the style sheet.
const COLOURS: usize = 8;

/// The classes of a series: its colour, and its own name for the legend's buttons.
pub fn class(style: usize) -> String {
    format!("c{} s{style}", style % COLOURS)
}

/// The shapes, once for each document.
pub fn markers() -> String {
    let mut text = String::from("<defs>");
    for (index, shape) in SHAPES.iter().enumerate() {
        let _ = write!(text, "<path id=\"m{index}\" d=\"{shape}\"/>");
    }
    text + "</defs>"
}

/// The sign of a series in a legend.
pub fn key(style: usize) -> String {
    format!("<svg class=\"key\" viewBox=\"-8 -6 16 12\" aria-hidden=\"true\">{}</svg>", sign(style))
}

/// The same, drawn around the origin.
pub fn sign(style: usize) -> String {
    format!(
        "<path class=\"line {0}\" d=\"M-8 0H8\"/><use class=\"point {0}\" href=\"#m{1}\"/>",
        class(style),
        style % SHAPES.len()
    )
}

/// One axis: where numbers go, which of them are written, and what they are.
pub struct Axis {
    low: f64,
    high: f64,
    is_log: bool,
    ticks: Vec<(f64, String)>,
    label: String,
}

impl Axis {
    /// Numbers of ranks or workers, each at its power of two.
    pub fn workers(workers: &[usize], label: &str) -> Axis {
        let low = workers.first().copied().unwrap_or(1).max(1) as f64;
        let high = workers.last().copied().unwrap_or(1).max(1) as f64;
        // Names of numbers that stand too close would overlap: the later one is left out.
        let room = (high / low).max(2.0).log2() / 11.0;
        let mut ticks: Vec<(f64, String)> = Vec::new();
        for &workers in workers {
            let at = workers as f64;
            if ticks.last().is_none_or(|(last, _)| (at / last).log2() >= room) {
                ticks.push((at, workers.to_string()));
            }
        }
        Axis { low: low / 1.25, high: high * 1.25, is_log: true, ticks, label: label.into() }
    }

    /// Positive numbers over several orders of magnitude, at 1, 2 and 5 times the powers of ten.
    pub fn log(numbers: impl Iterator<Item = f64>, label: &str, unit: fn(f64) -> String) -> Axis {
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for number in numbers.filter(|number| *number > 0.0) {
            // Nothing that is measured is further from one than this.
            let number = number.clamp(1e-15, 1e15);
            low = low.min(number);
            high = high.max(number);
        }
        if high == 0.0 {
            (low, high) = (1.0, 1.0);
        }
        let (low, high) = (low / 1.3, high * 1.3);
        let mut ticks = Vec::new();
        let decades = (high / low).log10();
        let steps: &[f64] = if decades > 5.0 {
            &[1.0]
        } else if decades > 2.2 {
            &[1.0, 3.0]
        } else {
            &[1.0, 2.0, 5.0]
        };
        let every = ((decades / 8.0).ceil() as i32).max(1);
        for power in low.log10().floor() as i32..=high.log10().ceil() as i32 {
            for step in steps {
                let at = step * 10_f64.powi(power);
                if (low..=high).contains(&at) && power.rem_euclid(every) == 0 {
                    ticks.push((at, unit(at)));
                }
            }
        }
        if ticks.len() < 2 {
            // Less than a factor of two: some round numbers of the line between.
            ticks = linear_ticks(low, high).into_iter().filter(|at| *at > 0.0).map(|at| (at, unit(at))).collect();
        }
        Axis { low, high, is_log: true, ticks, label: label.into() }
    }

    /// From one number to another.
    pub fn linear(low: f64, high: f64, label: &str, unit: fn(f64) -> String) -> Axis {
        let high = if high > low { high } else { low + 1.0 };
        let ticks = linear_ticks(low, high).into_iter().map(|at| (at, unit(at))).collect();
        Axis { low, high, is_log: false, ticks, label: label.into() }
    }

    /// The same without names on it.
    pub fn without_ticks(mut self) -> Axis {
        self.ticks.clear();
        self
    }

    /// Where a number is on the axis, from 0 to 1.
    fn place(&self, number: f64) -> f64 {
        let place = match self.is_log {
            true => (number.max(f64::MIN_POSITIVE) / self.low).ln() / (self.high / self.low).ln(),
            false => (number - self.low) / (self.high - self.low),
        };
        place.clamp(-0.02, 1.02)
    }

    /// The ends.
    pub fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }
}

/// Some four to six round numbers.
fn linear_ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|step| step * power).find(|step| *step >= rough * 0.99);
    let step = step.unwrap_or(power * 10.0);
    let mut ticks = Vec::new();
    let mut index = (low / step).ceil() as i64;
    while index as f64 * step <= high * (1.0 + 1e-9) && ticks.len() < 20 {
        ticks.push(index as f64 * step);
        index += 1;
    }
    ticks
}

/// A picture with two axes.
pub struct Plot {
    x: Axis,
    y: Axis,
    text: String,
}

/// How a line looks.
#[derive(Clone, Copy)]
pub enum Stroke {
    /// A series.
    Series(usize),
    /// What is foretold of a series.
    Foretold(usize),
    /// What would be ideal.
    Ideal,
    /// What the cores allow, or another limit.
    Limit,
}

impl Plot {
    /// Two axes with a grid.
    pub fn new(x: Axis, y: Axis) -> Plot {
        let mut plot = Plot { x, y, text: String::new() };
        plot.grid();
        plot
    }

    fn grid(&mut self) {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        let mut text = String::from("<g class=\"axis\">");
        for (at, name) in &self.y.ticks {
            let y = self.y_of(*at);
            let _ = write!(
                text,
                "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{right}\"/><text x=\"{:.1}\" y=\"{:.1}\" class=\"end\">{name}</text>",
                LEFT - 6.0,
                y + 4.0
            );
        }
        for (at, name) in &self.x.ticks {
            let x = self.x_of(*at);
            let _ = write!(
                text,
                "<path class=\"grid\" d=\"M{x:.1} {TOP}V{bottom}\"/><text x=\"{x:.1}\" y=\"{:.1}\" class=\"mid\">{name}</text>",
                bottom + 16.0
            );
        }
        let (middle, low) = (f64::midpoint(LEFT, right), HEIGHT - 8.0);
        let _ = write!(text, "<text x=\"{middle:.1}\" y=\"{low:.1}\" class=\"mid name\">{}</text>", self.x.label);
        let _ = write!(
            text,
            "<text transform=\"translate(13 {:.1}) rotate(-90)\" class=\"mid name\">{}</text></g>",
            f64::midpoint(TOP, bottom),
            self.y.label
        );
        self.text += &text;
    }

    /// Where a number of the first axis is.
    pub fn x_of(&self, number: f64) -> f64 {
        LEFT + self.x.place(number) * (WIDTH - LEFT - RIGHT)
    }

    /// Where a number of the second axis is.
    pub fn y_of(&self, number: f64) -> f64 {
        HEIGHT - BOTTOM - self.y.place(number) * (HEIGHT - TOP - BOTTOM)
    }

    /// A line through these points.
    pub fn line(&mut self, stroke: Stroke, points: &[(f64, f64)]) {
        if points.len() < 2 {
            return;
        }
        let class = match stroke {
            Stroke::Series(style) => format!("line {}", class(style)),
            Stroke::Foretold(style) => format!("line foretold {}", class(style)),
            Stroke::Ideal => "line ideal".into(),
            Stroke::Limit => "line limit".into(),
        };
        let _ = write!(self.text, "<path class=\"{class}\" d=\"");
        for (index, &(x, y)) in points.iter().enumerate() {
            let letter = if index == 0 { 'M' } else { 'L' };
            let _ = write!(self.text, "{letter}{:.1} {:.1}", self.x_of(x), self.y_of(y));
        }
        self.text += "\"/>";
    }

    /// The spread of repeats: a bar from the smallest to the largest.
    pub fn spread(&mut self, style: usize, shift: f64, x: f64, low: f64, high: f64) {
        let (x, low, high) = (self.x_of(x) + shift, self.y_of(low), self.y_of(high));
        if (low - high).abs() >= 1.0 {
            let _ = write!(self.text, "<path class=\"spread {}\" d=\"M{x:.1} {low:.1}V{high:.1}\"/>", class(style));
        }
    }

    /// A point, of a run if it is one.
    pub fn point(&mut self, style: usize, is_hollow: bool, shift: f64, (x, y): (f64, f64), run: Option<&str>) {
        let (x, y) = (self.x_of(x) + shift, self.y_of(y));
        let kind = if run.is_some() { "dot" } else { "point" };
        let hollow = if is_hollow { " hollow" } else { "" };
        let run = run.map(|run| format!(" data-run=\"{}\"", super::html::escaped(run))).unwrap_or_default();
        let _ = write!(
            self.text,
            "<use class=\"{kind} {}{hollow}\" href=\"#m{}\" x=\"{x:.1}\" y=\"{y:.1}\"{run}/>",
            class(style),
            style % SHAPES.len()
        );
    }

    /// A bar between two numbers of each axis, in places of the axes if need be.
    pub fn bar(&mut self, class: &str, (left, right): (f64, f64), (low, high): (f64, f64)) {
        let (top, bottom) = (self.y_of(high), self.y_of(low));
        if bottom - top >= 0.05 {
            let _ = write!(
                self.text,
                "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
                (right - left).max(0.5),
                bottom - top
            );
        }
    }

    /// A word somewhere in the picture.
    pub fn word(&mut self, x: f64, y: f64, class: &str, word: &str) {
        let _ = write!(
            self.text,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\">{}</text>",
            super::html::escaped(word)
        );
    }

    /// The ends of the second axis in the picture: top and bottom.
    pub fn bottom(&self) -> f64 {
        HEIGHT - BOTTOM
    }

    /// The first and the last place of the first axis.
    pub fn sides(&self) -> (f64, f64) {
        (LEFT, WIDTH - RIGHT)
    }

    /// The picture.
    pub fn picture(self) -> Picture {
        Picture { width: WIDTH, height: HEIGHT, content: self.text }
    }
}

/// What is drawn, and how large it is.
pub struct Picture {
    /// One unit is about one pixel.
    pub width: f64,
    /// The same.
    pub height: f64,
    /// Elements of SVG.
    pub content: String,
}

impl Picture {
    /// The picture in a page, named by another element. One with points of runs can be walked through by keyboard.
    pub fn html(&self, name: &str) -> String {
        let Picture { width, height, content } = self;
        let walk = if content.contains("data-run") { " tabindex=\"0\"" } else { "" };
        format!(
            "<svg viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-labelledby=\"{name}\"{walk}>{content}</svg>"
        )
    }
}

/// Seconds on an axis: `2 ms`, `0.5 s`, `30 s`.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        0.0 => "0".into(),
        s if s < 0.000_995 => format!("{} µs", trimmed(s * 1e6)),
        s if s < 0.0995 => format!("{} ms", trimmed(s * 1e3)),
        s => format!("{} s", trimmed(s)),
    }
}

/// A ratio on an axis.
pub fn ratio(ratio: f64) -> String {
    trimmed(ratio)
}

/// A share on an axis.
pub fn percent(share: f64) -> String {
    format!("{} %", trimmed(share * 100.0))
}

/// Two digits behind the point at the most, and no more than needed.
fn trimmed(number: f64) -> String {
    let text = format!("{number:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, name)| name.as_str()).collect()
    }

    #[test]
    fn axes_have_round_numbers_within_their_ends() {
        assert_eq!(names(&Axis::linear(0.0, 1.1, "", ratio)), ["0", "0.25", "0.5", "0.75", "1"]);
        assert_eq!(names(&Axis::log([0.3, 4.0].into_iter(), "", seconds)), ["0.5 s", "1 s", "2 s", "5 s"]);
        assert_eq!(
            names(&Axis::log([1e-5, 1.0].into_iter(), "", seconds)),
            ["10 µs", "100 µs", "1 ms", "10 ms", "0.1 s", "1 s"]
        );
        assert_eq!(names(&Axis::workers(&[1, 2, 3, 4, 8, 16], "")), ["1", "2", "3", "4", "8", "16"]);
    }

    #[test]
    fn odd_numbers_make_no_axis_without_an_end() {
        for axis in [
            Axis::log([].into_iter(), "", seconds),
            Axis::log([0.0].into_iter(), "", seconds),
            Axis::linear(0.0, 0.0, "", ratio),
        ] {
            let (low, high) = axis.ends();
            assert!(low.is_finite() && high.is_finite() && low < high);
            assert!(axis.place(f64::MAX).is_finite() && axis.place(0.0).is_finite());
        }
        assert!(names(&Axis::log([f64::MIN_POSITIVE, f64::INFINITY].into_iter(), "", seconds)).len() < 12);
        let most: Vec<usize> = (1..=400).collect();
        assert!(names(&Axis::workers(&most, "")).len() <= 12);
    }

    #[test]
    fn a_point_lies_where_the_axes_say() {
        let plot = Plot::new(Axis::workers(&[1, 16], ""), Axis::linear(0.0, 1.0, "", ratio));
        assert_eq!(plot.y_of(0.0), HEIGHT - BOTTOM);
        assert_eq!(plot.y_of(1.0), TOP);
        let middle = plot.x_of(4.0);
        assert!(
            (middle - f64::midpoint(plot.x_of(1.0), plot.x_of(16.0))).abs() < 1e-9,
            "4 is in the middle of 1 and 16"
        );
    }
}
