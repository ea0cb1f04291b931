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
use plot::{key, sign};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

pub fn of(analysis: &Analysis, warnings: &[Warning]) -> String {
    let name = escaped(&analysis.sweep.name);
    let (provenance, sentence) = (escaped(&provenance(analysis)), escaped(&overview::sentence(analysis)));
    let link = |group: &Group| format!(r##"<li><a href="#{}">{}</a></li>"##, id(&group.slug), escaped(&group.title));
    let links: String = analysis.groups.iter().map(link).collect();
    let last_links = r##"<li><a href="#all-runs">All runs</a></li><li><a href="#environment">Environment</a></li>"##;
    let mut body = format!(
        r##"<header><h1>{name}</h1><p class="lead">{provenance}</p>
<p class="lead">{sentence}</p>
<nav aria-label="Sections"><ul><li><a href="#overview">Overview</a></li>{links}{last_links}</ul></nav></header>
<main>
"##
    );
    body += &notes("Warnings", warnings);
    body += &overview::table(analysis);
    body.extend(analysis.groups.iter().map(|group| section(analysis, group)));
    body += &runs::table(analysis);
    body += &environment::section(analysis);
    document(&format!("{} – Sudoku Census", analysis.sweep.name), &body)
}

/// A page; `body` ends within `<main>`.
fn document(title: &str, body: &str) -> String {
    let (title, markers) = (escaped(title), plot::markers());
    format!(
        r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>{title}</title>
<style>
{STYLE}</style>
</head>
<body>
<svg class="defs" aria-hidden="true" width="0" height="0">{markers}</svg>
{body}</main>
<div id="tip" role="tooltip" hidden></div>
<script>
{SCRIPT}</script>
</body>
</html>
"#
    )
}

fn section(analysis: &Analysis, group: &Group) -> String {
    let (id, title, about, legend) = (id(&group.slug), escaped(&group.title), escaped(&about(group)), legend(group));
    let mut text = format!("<section id=\"{id}\" class=\"group\"><h2>{title}</h2>\n<p>{about}</p>\n{legend}");
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
    let scaling = [scaling::time, scaling::speed_up, scaling::efficiency].map(|figure| figure(analysis, group));
    let time = [Some(phases::figure(analysis, group)), ranks::figure(analysis, group)];
    let units = [timeline::figure(analysis, group, traces), units::figure(analysis, group, traces)];
    let beyond = [serial::figure(analysis, group), forecast::figure(group, traces)];
    let mut sections = vec![
        ("Scaling", scaling.into()),
        ("Load balance and communication", scaling::pop_figures(analysis, group)),
        ("Phases and ranks", time.into_iter().flatten().collect()),
        ("Units", units.into_iter().flatten().collect()),
        ("Limits and predictions", beyond.into_iter().flatten().collect()),
    ];
    sections.retain(|(_, figures)| !figures.is_empty());
    sections
}

/// Every figure as a file: its name and its SVG.
pub fn pictures(analysis: &Analysis) -> Vec<(String, String)> {
    let of_group = |group| {
        let figures = sections(analysis, group, &Traces::of(group)).into_iter().flat_map(|(_, figures)| figures);
        figures.map(move |figure| (format!("{}-{}.svg", group.slug, figure.plot), picture::file(&figure, group)))
    };
    analysis.groups.iter().flat_map(of_group).collect()
}

fn about(group: &Group) -> String {
    if group.scaling == Scaling::Weak {
        return "Each number of workers counts another puzzle, with about the same number of nodes for each worker. Ideally, all take \
                the same time, if nodes of different puzzles do. Speed-up is in nodes per second."
            .into();
    }
    let Some((_, case)) = group.cases().next() else { return String::new() };
    let (stem, puzzle, result) = (case.runs[0].stem(), &case.runs[0].report.puzzle, &case.runs[0].report.result);
    let (order, givens) = (puzzle.order, puzzle.givens);
    let regions = if puzzle.regions == "none" { "a Latin square" } else { &puzzle.regions };
    let (solutions, nodes) = (grouped(result.solutions), grouped(result.nodes));
    format!("{stem}: {order}×{order}, {regions}, {givens} givens; {solutions} solutions, {nodes} nodes.")
}

/// The series of a group, with buttons that hide them.
fn legend(group: &Group) -> String {
    let mut text = String::from(r#"<ul class="legend" aria-label="Series">"#);
    for series in &group.series {
        let (style, key, label) = (series.style, key(&sign(series.style)), escaped(&series.label));
        let _ = write!(
            text,
            r#"<li><button type="button" aria-pressed="true" data-series="{style}">{key}{label}</button></li>"#
        );
    }
    let line = |class: &str| key(&format!(r#"<path class="line {class}" d="M-8 0H8"/>"#));
    let _ = write!(text, r#"<li class="sign">{}ideal</li>"#, line("ideal"));
    if group.cases().any(|(_, case)| case.is_oversubscribed) {
        let _ = write!(text, r#"<li class="sign">{}what the cores allow</li>"#, line("limit"));
        text += r#"<li class="sign">hollow: more workers than cores</li>"#;
    }
    text + "</ul>\n"
}
