//! The page that people look at: one file with everything in it, drawn as inline SVG, for screens of any size, for paper, and
//! for keyboards.
//!
//! ```text
//!   html, plot      how text and pictures are written
//!   overview        the classic table: puzzles × schedules × workers
//!   scaling, serial time, speed-up, efficiency, the three of POP; the serial share
//!   phases, ranks   where the time goes; who was busy
//!   timeline, units from traces: when each worker was busy; what units cost
//!   forecast        from traces: what `census plan` foretells, beside what was measured
//!   runs            every run, to sort and to filter
//!   environment     where, when and with what
//!   comparison      another page: two sweeps against each other
//!   picture         one picture as a file of its own
//! ```
//!
//! Every picture has one sentence that says what it shows for this data. What colours mean is said once, in the style sheet; a
//! reader without JavaScript misses the sorting, the filters and what points say of themselves.

mod axes;
mod figure;
mod figures;
mod picture;
mod plot;
#[cfg(test)]
mod tests;
mod text;

use std::fmt::Write;

use super::sweep::Scaling;
use super::sweep::analysis::{Analysis, Group};
use super::sweep::markdown::provenance;
use figure::{Figure, escaped, id, notes};
pub use figures::comparison;
use figures::traces::Traces;
use figures::{environment, forecast, overview, phases, ranks, runs, scaling, serial, timeline, units};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page of a sweep.
pub fn of(study: &Analysis, warnings: &[String]) -> String {
    let title = format!("{} – Sudoku Census", study.sweep.name);
    let mut body = String::new();
    let _ = writeln!(
        body,
        "<header><h1>{}</h1><p class=\"lead\">{}</p>",
        escaped(&study.sweep.name),
        escaped(&provenance(study))
    );
    let _ = writeln!(body, "<p class=\"lead\">{}</p>", escaped(&overview::sentence(study)));
    navigation(&mut body, study);
    body += "</header>\n<main>\n";
    body += &notes("Before you believe it", warnings);
    body += &overview::table(study);
    for subject in &study.subjects {
        body += &section(study, subject);
    }
    body += &runs::table(study);
    body += &environment::section(study);
    body += "</main>\n<div id=\"tip\" role=\"tooltip\" hidden></div>\n";
    whole(&title, &body)
}

/// A page of this body.
fn whole(title: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{}{body}<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        format_args!("<svg class=\"defs\" aria-hidden=\"true\" width=\"0\" height=\"0\">{}</svg>\n", plot::markers())
    )
}

fn navigation(body: &mut String, study: &Analysis) {
    *body += "<nav aria-label=\"Sections\"><ul><li><a href=\"#overview\">Overview</a></li>";
    for subject in &study.subjects {
        let _ = write!(body, "<li><a href=\"#{}\">{}</a></li>", id(&subject.slug), escaped(&subject.title));
    }
    *body += "<li><a href=\"#all-runs\">All runs</a></li><li><a href=\"#environment\">Environment</a></li></ul></nav>";
}

/// All pictures of one subject.
fn section(study: &Analysis, subject: &Group) -> String {
    let mut text =
        format!("<section id=\"{}\" class=\"subject\"><h2>{}</h2>\n", id(&subject.slug), escaped(&subject.title));
    let _ = writeln!(text, "<p>{}</p>", escaped(&about(subject)));
    text += &legend(subject);
    let traces = Traces::of(subject);
    for (heading, figures) in groups(study, subject, &traces) {
        let figures: String = figures.iter().map(Figure::html).collect();
        let _ = write!(text, "<h3>{heading}</h3>\n<div class=\"figures\">\n{figures}</div>\n");
    }
    for complaint in &traces.complaints {
        let _ = writeln!(text, "<p class=\"quiet\">{}</p>", escaped(complaint));
    }
    text + "</section>\n"
}

/// The pictures of a subject under their headings; none is empty.
fn groups(study: &Analysis, subject: &Group, traces: &Traces) -> Vec<(&'static str, Vec<Figure>)> {
    let time: Vec<Figure> =
        [Some(phases::figure(study, subject)), ranks::figure(study, subject)].into_iter().flatten().collect();
    let units = [timeline::figure(study, subject, traces), units::figure(study, subject, traces)];
    let beyond = [serial::figure(study, subject), forecast::figure(subject, traces)];
    let groups = vec![
        ("How it scales", scaling::figures(study, subject)),
        ("How well the ranks were used", scaling::pop_figures(study, subject)),
        ("Where the time goes", time),
        ("Unit by unit", units.into_iter().flatten().collect()),
        ("What limits it, and what larger machines would make of it", beyond.into_iter().flatten().collect()),
    ];
    groups.into_iter().filter(|(_, figures)| !figures.is_empty()).collect()
}

/// Every picture as a file of its own, for papers and slides: its name and its SVG.
pub fn pictures(study: &Analysis) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for subject in &study.subjects {
        for figure in groups(study, subject, &Traces::of(subject)).into_iter().flat_map(|(_, figures)| figures) {
            files.push((format!("{}-{}.svg", subject.slug, figure.plot), picture::file(&figure, subject)));
        }
    }
    files
}

/// What was counted.
fn about(subject: &Group) -> String {
    let Some(run) = subject.series.first().and_then(|series| series.cases.first()).map(|case| case.runs[0]) else {
        return String::new();
    };
    let (puzzle, result) = (&run.report.puzzle, &run.report.result);
    match subject.scaling {
        Scaling::Weak => {
            "Each number of workers counts a puzzle of its own, with about as many nodes for each worker. Ideally, all take the \
             same time, as far as nodes of different puzzles do. Speed-up is in nodes a second."
                .into()
        }
        Scaling::Strong => format!(
            "{}: {}×{}, {}, {} givens; {} solutions, {} nodes.",
            run.stem(),
            puzzle.order,
            puzzle.order,
            if puzzle.regions == "none" { "a Latin square" } else { &puzzle.regions },
            puzzle.givens,
            super::render::terminal::grouped(&result.solutions.to_string()),
            super::render::terminal::grouped(&result.nodes.to_string()),
        ),
    }
}

/// The series of a subject, which can be hidden one by one.
fn legend(subject: &Group) -> String {
    let mut text = String::from("<ul class=\"legend\" aria-label=\"Series\">");
    for series in &subject.series {
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
    if subject.cases().any(|(_, case)| case.is_oversubscribed) {
        let _ = write!(text, "<li class=\"sign\">{}what the cores allow</li>", line("limit"));
        text += "<li class=\"sign\">hollow: more workers than cores</li>";
    }
    text + "</ul>\n"
}
