//! The pages of `census report`: one HTML file each, with inline SVG, for screens of any size, for paper and for keyboards.
//!
//! ```text
//!   mod, figure, plot, axes   the page, its figures, plots and axes
//!   picture                   one figure as an SVG file
//!   figures/                  one file for each figure or table
//! ```
//!
//! Every figure has one sentence about what it shows for this data. Without JavaScript the page lacks only sorting, filters and the
//! tooltips of points.

mod axes;
mod cases;
mod figure;
mod figures;
mod picture;
mod plot;
#[cfg(test)]
mod tests;

use std::fmt::Write;

use super::render::html::escaped;
use super::render::number::grouped;
use super::sweep::Scaling;
use super::sweep::analysis::{Analysis, Group};
use super::sweep::markdown::provenance;
use super::sweep::warnings::Warning;
use figure::{Figure, id, notes};
pub use figures::comparison;
use figures::traces::Traces;
use figures::{environment, forecast, overview, phases, ranks, runs, scaling, serial, timeline, units};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page of a sweep.
pub fn of(analysis: &Analysis, warnings: &[Warning]) -> String {
    let title = format!("{} – Sudoku Census", analysis.sweep.name);
    let mut body = String::new();
    let _ = writeln!(
        body,
        "<header><h1>{}</h1><p class=\"lead\">{}</p>",
        escaped(&analysis.sweep.name),
        escaped(&provenance(analysis))
    );
    let _ = writeln!(body, "<p class=\"lead\">{}</p>", escaped(&overview::sentence(analysis)));
    navigation(&mut body, analysis);
    body += "</header>\n<main>\n";
    body += &notes("Warnings", warnings);
    body += &overview::table(analysis);
    for group in &analysis.groups {
        body += &section(analysis, group);
    }
    body += &runs::table(analysis);
    body += &environment::section(analysis);
    document(&title, &body)
}

/// A page; `body` ends within `<main>`.
fn document(title: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{}{body}</main>\n<div id=\"tip\" role=\"tooltip\" hidden></div>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        format_args!("<svg class=\"defs\" aria-hidden=\"true\" width=\"0\" height=\"0\">{}</svg>\n", plot::markers())
    )
}

fn navigation(body: &mut String, analysis: &Analysis) {
    *body += "<nav aria-label=\"Sections\"><ul><li><a href=\"#overview\">Overview</a></li>";
    for group in &analysis.groups {
        let _ = write!(body, "<li><a href=\"#{}\">{}</a></li>", id(&group.slug), escaped(&group.title));
    }
    *body += "<li><a href=\"#all-runs\">All runs</a></li><li><a href=\"#environment\">Environment</a></li></ul></nav>";
}

/// All figures of one group.
fn section(analysis: &Analysis, group: &Group) -> String {
    let mut text = format!("<section id=\"{}\" class=\"group\"><h2>{}</h2>\n", id(&group.slug), escaped(&group.title));
    let _ = writeln!(text, "<p>{}</p>", escaped(&about(group)));
    text += &legend(group);
    let traces = Traces::of(group);
    for (heading, figures) in sections(analysis, group, &traces) {
        let figures: String = figures.iter().map(Figure::html).collect();
        let _ = write!(text, "<h3>{heading}</h3>\n<div class=\"figures\">\n{figures}</div>\n");
    }
    for error in &traces.errors {
        let _ = writeln!(text, "<p class=\"quiet\">{}</p>", escaped(error));
    }
    text + "</section>\n"
}

/// The figures of a group under their headings; no section is empty.
fn sections(analysis: &Analysis, group: &Group, traces: &Traces) -> Vec<(&'static str, Vec<Figure>)> {
    let time: Vec<Figure> =
        [Some(phases::figure(analysis, group)), ranks::figure(analysis, group)].into_iter().flatten().collect();
    let units = [timeline::figure(analysis, group, traces), units::figure(analysis, group, traces)];
    let beyond = [serial::figure(analysis, group), forecast::figure(group, traces)];
    let sections = vec![
        ("Scaling", scaling::figures(analysis, group)),
        ("Load balance and communication", scaling::pop_figures(analysis, group)),
        ("Phases and ranks", time),
        ("Units", units.into_iter().flatten().collect()),
        ("Limits and predictions", beyond.into_iter().flatten().collect()),
    ];
    sections.into_iter().filter(|(_, figures)| !figures.is_empty()).collect()
}

/// Every figure as a file: its name and its SVG.
pub fn pictures(analysis: &Analysis) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for group in &analysis.groups {
        for figure in sections(analysis, group, &Traces::of(group)).into_iter().flat_map(|(_, figures)| figures) {
            files.push((format!("{}-{}.svg", group.slug, figure.plot), picture::file(&figure, group)));
        }
    }
    files
}

/// A description of the puzzle.
fn about(group: &Group) -> String {
    let Some(run) = group.series.first().and_then(|series| series.cases.first()).map(|case| case.runs[0]) else {
        return String::new();
    };
    let (puzzle, result) = (&run.report.puzzle, &run.report.result);
    match group.scaling {
        Scaling::Weak => {
            "Each number of workers counts another puzzle, with about the same number of nodes for each worker. Ideally, all take the \
             same time, if nodes of different puzzles do. Speed-up is in nodes per second."
                .into()
        }
        Scaling::Strong => format!(
            "{}: {}×{}, {}, {} givens; {} solutions, {} nodes.",
            run.stem(),
            puzzle.order,
            puzzle.order,
            if puzzle.regions == "none" { "a Latin square" } else { &puzzle.regions },
            puzzle.givens,
            grouped(result.solutions),
            grouped(result.nodes),
        ),
    }
}

/// The series of a group, with buttons that hide them.
fn legend(group: &Group) -> String {
    let mut text = String::from("<ul class=\"legend\" aria-label=\"Series\">");
    for series in &group.series {
        let _ = write!(
            text,
            "<li><button type=\"button\" aria-pressed=\"true\" data-series=\"{}\">{}{}</button></li>",
            series.style,
            plot::key(series.style),
            escaped(&series.label)
        );
    }
    let line = |class: &str| {
        format!(
            "<svg class=\"key\" viewBox=\"-8 -6 16 12\" aria-hidden=\"true\"><path class=\"line {class}\" d=\"M-8 0H8\"/></svg>"
        )
    };
    let _ = write!(text, "<li class=\"sign\">{}ideal</li>", line("ideal"));
    if group.cases().any(|(_, case)| case.is_oversubscribed) {
        let _ = write!(text, "<li class=\"sign\">{}what the cores allow</li>", line("limit"));
        text += "<li class=\"sign\">hollow: more workers than cores</li>";
    }
    text + "</ul>\n"
}
